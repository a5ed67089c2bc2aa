#!/bin/bash
# campaign.sh GABLE WORKERS FOLDER [LAUNCHER]: campaigns of four nodes, all of them this machine, as MPI's launcher starts them, on what the
# fake worker measures: they begin together, one that cannot measure ends no other, and what was killed goes on in the next start.
set -euo pipefail
gable=$1 workers=$2 folder=$3 launcher=${4:-mpirun}
# shellcheck source=tests/build/mpi/launch.sh
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"
export GABLE=$gable GABLE_WORKER_PATH=$workers

cat >task.sh <<'T'
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?}}
[ "$rank" != "${BROKEN:-}" ] || export GABLE_FAKE_OPEN=openmp=abort
echo $$ >"pid.$rank"
exec "$GABLE" campaign run "$1" --node "n$rank" --barrier 60
T

# start NAME CAMPAIGN: its four nodes. Open MPI gives each start a name, by which nodes find each other; MPICH gives none.
start() {
  [ "$flavour" = openmpi ] || export GABLE_CAMPAIGN_JOB=$1
  "$launcher" -n 4 sh task.sh "$2" >"$1.txt" 2>&1
}

for name in together killed; do
  "$gable" campaign init $name --operator triad --params n=1000000 --dtype fp32 --nodes 'n[0-3]' >/dev/null
done

# MPICH ends no other task where one ends with an error, Open MPI where it is asked not to.
code=0
BROKEN=2 OMPI_MCA_orte_abort_on_non_zero_status=0 PRTE_MCA_state_base_error_non_zero_exit=0 start first together || code=$?
[ "$flavour" = openmpi ] || [ $code -ne 0 ] || fail "the launcher does not tell that a task failed"
for node in n0 n1 n3; do
  grep -q '4 of 4 nodes began together' together/nodes/$node.json || { cat first.txt; fail "$node did not begin with the others"; }
done
[ ! -e together/nodes/n2.json ] || fail "a node that cannot measure has a result"
code=0
"$gable" campaign report together --json >report.json || code=$?
[ $code -eq 1 ] || fail "a report with a node that failed ends with $code"
start second together || { cat second.txt; fail "repaired nodes end with an error"; }
"$gable" campaign report together --against together/nodes/n0.json --json >report.json || { cat second.txt; fail "a repaired node fails"; }
starts=(together/barrier/*)
[ ${#starts[@]} -eq 2 ] || fail "two starts have the names: ${starts[*]}"

# One task is killed while all measure; what the launcher does then to the others is its own.
GABLE_FAKE_SLOW=0.5 start third killed &
run=$!
trap '[ -z "$run" ] || kill "$run" 2>/dev/null || :' EXIT
for ((i = 0; i < 1200; i++)); do
  [ "$(compgen -G 'killed/nodes/*.journal' | wc -l)" -lt 4 ] || break
  kill -0 "$run" 2>/dev/null || { cat third.txt; fail "it ended before it was killed"; }
  sleep 0.05
done
sleep 0.6
kill -KILL "$(cat pid.1)"
code=0
wait "$run" || code=$?
run=''
[ $code -ne 0 ] || fail "a start whose task was killed ends with 0"
[ ! -e killed/nodes/n1.json ] || fail "a task that was killed has a result"
start fourth killed || { cat fourth.txt; fail "it does not go on"; }
python3 - <<'P'
import json
for node in range(4):
    run = json.load(open(f"killed/nodes/n{node}.json"))["run"]
    assert run["complete"], node
    assert node != 1 or run["resumed"] == 1, run
P
"$gable" campaign report killed --against killed/nodes/n0.json --json >report.json || fail "a node is missing after all went on"
