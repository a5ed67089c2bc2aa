#!/bin/bash
# Subjects of commits are short and imperative, as far as a script can tell.
set -euo pipefail
cd "${1:?}"

# The rule holds for the commits after this one: most subjects up to here are longer, and history is not rewritten.
base=8ad79f7996e4da87b1007aaf9f76048e9c9477d0
longest=72

# problem SUBJECT: what is wrong with it; nothing if it is right.
problem() {
  local LC_ALL=C subject=$1 word
  # Continuation bytes of UTF-8 are left out, so that characters are counted in any locale.
  local characters
  characters=$(printf %s "$subject" | tr -d '\200-\277' | wc -c)
  word=${subject%% *}
  word=${word%%[!A-Za-z]*}
  if [ "$characters" -gt $longest ]; then
    echo "$characters characters, at most $longest"
  elif [[ $subject != [A-Z]* ]]; then
    echo "begins without a capital letter"
  elif [[ $subject == *. ]]; then
    echo "ends with a full stop"
  else
    case $word in
      Bring | Ring | Spring | String | Ping | Embed | Exceed | Feed | Need | Proceed | Seed | Shed | Speed | Focus | *ss) ;;
      A | An | The | This | These | One | No | What | *ed | *ing | *s) echo "'$word' is no imperative" ;;
    esac
  fi
}

# The rules themselves.
for subject in "Bring a full calibration in rounds under two minutes" "Pass the clock on" "Feed both units" \
  "CUDA: leave the clock alone" "Say $(printf 'ä%.0s' {1..68})"; do
  if [ -n "$(problem "$subject")" ]; then
    echo "the check itself is wrong: it refuses '$subject': $(problem "$subject")"
    exit 1
  fi
done
for subject in "Added a clock" "Adding a clock" "Adds a clock" "A clock" "The clock is right" "Tests: a clock" "add a clock" \
  "Add a clock." "gable plan: add a clock" "Add $(printf 'x%.0s' {1..69})"; do
  if [ -z "$(problem "$subject")" ]; then
    echo "the check itself is wrong: it takes '$subject'"
    exit 1
  fi
done

if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ]; then
  echo "skipped: no git, or no checkout"
  exit 77
fi
if ! git merge-base --is-ancestor $base HEAD 2>/dev/null; then
  echo "skipped: the history here does not go back to ${base:0:7}"
  exit 77
fi
wrong=0
while IFS=$'\t' read -r commit subject; do
  found=$(problem "$subject")
  if [ -n "$found" ]; then
    echo "$commit '$subject': $found"
    wrong=1
  fi
done < <(git log --no-merges --format='%h%x09%s' $base..HEAD)
exit $wrong
