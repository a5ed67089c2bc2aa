#!/bin/bash
# gable.sh SCRIPTS: scripts/gable hands over arguments, folder, environment and exit code, and says when nothing is built.
set -euo pipefail
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp -r "$1" "$project/scripts"
gable=$project/scripts/gable
fail() { echo "$*"; exit 1; }

status=0
message=$("$gable" devices 2>&1) || status=$?
[ "$status" -eq 1 ] || fail "nothing built: exit code $status"
[[ $message == *"run scripts/quickstart"* ]] || fail "nothing built: said '$message'"

mkdir -p "$project/build/openmp/bin" "$project/elsewhere"
cat >"$project/build/openmp/bin/gable" <<'PROGRAM'
#!/bin/bash
printf '%s|' "$PWD" "${OMP_NUM_THREADS:-}" "$@"
[ "$1" != wait ] || kill -INT $$
exit 7
PROGRAM
chmod +x "$project/build/openmp/bin/gable"
cd "$project/elsewhere"
status=0
output=$(OMP_NUM_THREADS=3 "$gable" report 'a file.json' '' --all) || status=$?
[ "$status" -eq 7 ] || fail "exit code $status instead of 7"
[ "$output" = "$project/elsewhere|3|report|a file.json||--all|" ] || fail "the program saw '$output'"
status=0
"$gable" wait >/dev/null || status=$?
[ "$status" -eq 130 ] || fail "interrupted: exit code $status instead of 130"

mkdir -p "$project/build/openmp-root/bin"
echo "$project/no-such-root" >"$project/build/openmp-root/gable-root"
touch -d '1 hour' "$project/build/openmp-root/bin/gable"
status=0
message=$("$gable" devices 2>&1) || status=$?
[ "$status" -eq 1 ] || fail "no build root: exit code $status"
[[ $message == *"no-such-root is gone"* ]] || fail "no build root: said '$message'"

# a compute node: the program with its own libraries
mkdir -p "$project/build/openmp-root/portable/bin"
cp "$project/build/openmp/bin/gable" "$project/build/openmp-root/portable/bin/"
status=0
output=$(env -i "$gable" devices) || status=$?
if [ "$status" -ne 7 ] || [ "$output" != "$project/elsewhere||devices|" ]; then
  fail "without its root: exit code $status, the program saw '$output'"
fi
