#!/bin/bash
# killed.sh WORKER GABLE FOLDER [LAUNCHER]: gable-mpi is killed in the middle, by SIGTERM to the launcher, as batch systems do it, and
# by the death of a rank: the file holds what was measured until then.
set -euo pipefail
worker=$1 gable=$2 folder=$3 launcher=${4:-mpirun}
# shellcheck source=tests/build/mpi/launch.sh
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"

# started FILE: until the file holds a measurement behind the pairs.
started() {
  local i
  for ((i = 0; i < 1200; i++)); do
    ! grep -q '"all_reduce"' "$1.json" 2>/dev/null || return 0
    kill -0 "$run" 2>/dev/null || { cat "$1.err"; fail "$1 ended before it was killed"; }
    sleep 0.05
  done
  fail "$1 came to no collective in a minute"
}

# kept FILE WORDS: a valid result of what was measured that says why it is not whole.
kept() {
  "$gable" validate "$1.json" >valid.txt 2>&1 || { cat valid.txt; fail "$1.json is not valid"; }
  python3 - "$1.json" "$2" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))
rows = {row["name"] for row in result["ceilings"]}
assert not result["run"]["complete"], "a run that was killed counts as complete"
assert {"inside_node", "all_reduce"} <= rows and "barrier" not in rows, rows
assert any(sys.argv[2] in note for note in result["notes"]), result["notes"]
P
}

run=''
trap '[ -z "$run" ] || kill "$run" 2>/dev/null || :' EXIT
"$launcher" -n 2 "$worker" --output signal.json >signal.txt 2>signal.err &
run=$!
started signal
kill -TERM "$run"
code=0
wait "$run" || code=$?
[ "$code" -ne 0 ] || fail "a run that was stopped ends with 0"
kept signal 'not measured to the end'

rm -f pids
# shellcheck disable=SC2016 # the inner shell expands it
"$launcher" -n 2 sh -c 'echo $$ >>pids && exec "$0" --output rank.json' "$worker" >rank.txt 2>rank.err &
run=$!
started rank
mapfile -t ranks <pids
[ "${#ranks[@]}" -eq 2 ] || fail "not two ranks: ${ranks[*]}"
kill -KILL "${ranks[0]}"
code=0
wait "$run" || code=$?
[ "$code" -ne 0 ] || fail "a run whose rank was killed ends with 0"
kept rank 'the program ended in or behind'

# What is there is replaced on demand only.
code=0
"$launcher" -n 2 "$worker" --output rank.json >again.txt 2>again.err || code=$?
if [ $code -ne 2 ] || ! grep -q "'rank.json' exists" again.err; then cat again.err; fail "a result is replaced"; fi
