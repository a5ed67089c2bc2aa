#!/bin/bash
# completion.sh GABLE FOLDER: what bash and zsh complete, and the manual pages: each option of each command's --help is in all of them.
set -euo pipefail
gable=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
fail() { echo "$*"; exit 1; }
"$gable" completion bash >bash.sh
"$gable" completion zsh >_gable
: >result.json
: >answers.csv

# completed WORD…: what bash offers for the last word.
completed() {
  COMP_WORDS=(gable "$@") COMP_CWORD=$#
  COMPREPLY=()
  _gable
  echo "${COMPREPLY[*]}"
}
complete() { :; }  # of an interactive shell
# shellcheck disable=SC1091 # made above
source ./bash.sh
expect() { [ "$1" = "$2" ] || fail "'$1' is offered, not '$2'"; }
expect "$(completed mea)" measure
expect "$(completed campaign re)" "report retest"
expect "$(completed measure --outp)" --output
expect "$(completed measure --output res)" result.json
expect "$(completed measure --threads '')" ""
expect "$(completed validate res)" result.json
expect "$(completed run --operator tri)" triad
expect "$(completed run --operator triad,gemm_bat)" triad,gemm_batched
expect "$(completed measure --suite proc)" procurement
expect "$(completed plan gpt-2)" GPT-2
expect "$(completed report 'H100\ SXM')" 'H100 SXM5 80GB'
expect "$(completed predict --on 'h100 sxm')" 'H100 SXM5 80GB'
expect "$(completed explain --on res)" result.json
expect "$(completed compare --dtype fp32,bf)" fp32,bf16
expect "$(completed lab gr)" grade
expect "$(completed lab grade ans)" answers.csv
expect "$(completed validate ans)" answers.csv
expect "$(completed help explai)" explain
expect "$(completed no-such-command --)" ""

commands=$("$gable" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 20 ] || fail "the commands are not found: $commands"
pages=(gable.1)
"$gable" manual >gable.1
for command in $commands; do
  "$gable" manual "$command" >"gable-$command.1"
  pages+=("gable-$command.1")
  parts=("$command")
  [ "$command" != campaign ] || parts=("campaign init" "campaign run" "campaign report" "campaign retest")
  for part in "${parts[@]}"; do
    read -ra words <<<"$part"
    offered=" $(completed "${words[@]}" --) "
    options=$("$gable" "${words[@]}" --help | sed -n 's/^  \(-. \[ \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p')
    [ -n "$options" ] || fail "$part: no options are found"
    for option in $options; do
      grep -qF -- "${option//-/\\-}" "gable-$command.1" || fail "$option is not in the page of $part"
      # What stands in a position has a name that nobody writes.
      [[ $offered == *" $option "* ]] || [[ " --file --dir --word --side --name --model --shell --command " == *" $option "* ]] ||
        fail "$part: $option is not offered"
    done
  done
done

if command -v groff >/dev/null; then
  for page in "${pages[@]}"; do
    wrong=$(groff -k -man -Tutf8 -ww -z "$page" 2>&1) || fail "$page: $wrong"
    [ -z "$wrong" ] || fail "$page: $wrong"
  done
else
  echo "no groff here: the form of the pages is not checked"
fi
if command -v zsh >/dev/null; then
  zsh -n _gable || fail "zsh does not read its completion"
  zsh -fc 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; (( ${+_comps[gable]} ))' || fail "zsh does not know gable's completion"
else
  echo "no zsh here: its completion is not tried"
fi
# refused WORD…: what there is not is bad input.
refused() {
  local code=0
  "$gable" "$@" 2>err.txt || code=$?
  [ $code -eq 2 ] || fail "gable $*: exit code $code"
}
refused completion fish
refused manual nothing
