#!/bin/bash
# network.sh WORKER GABLE FOLDER: the network worker with 2 and 4 ranks on this machine, through shared memory and through TCP, and,
# where host names can be made up, as two nodes. Exit code 77 without mpirun.
set -euo pipefail
worker=$1 gable=$2 folder=$3
command -v mpirun >/dev/null || { echo "skipped: no mpirun"; exit 77; }
mkdir -p "$folder"
cd "$folder"
rm -f -- *.json
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_base_help_aggregate=0
export OMPI_MCA_mpi_yield_when_idle=1

fail() { echo "$*"; exit 1; }

mpirun -n 2 "$worker" --output two.json >two.txt 2>two.err || { cat two.err; fail "two ranks"; }
mpirun --mca btl tcp,self --mca btl_tcp_if_include lo -n 4 "$worker" --output four.json >four.txt 2>four.err || { cat four.err; fail "four ranks"; }
for file in two four; do
  "$gable" validate $file.json >/dev/null || { "$gable" validate $file.json; fail "$file.json is not valid"; }
done
python3 - two.json four.json <<'P'
import json, re, sys
for name, ranks in zip(sys.argv[1:], (2, 4)):
    result = json.load(open(name))
    rows = {(row["name"], re.sub("_4194304_bytes$", "", row["variant"])): row for row in result["ceilings"]}
    transport = [fact["value"] for fact in result["run"]["facts"] if fact["name"] == "OMPI_MCA_btl"]
    assert transport == (["tcp,self"] if ranks == 4 else []), transport
    for row in rows.values():
        assert row["kind"] == "link" and row["status"] in ("ok", "suspect") and row["value"] > 0, row["id"]
    for collective, factor in (("all_reduce", 2 * (ranks - 1) / ranks), ("all_gather", (ranks - 1) / ranks),
                               ("all_to_all", (ranks - 1) / ranks), ("broadcast", 1)):
        alone, bus = (rows[collective, kind + "_bandwidth"]["value"] for kind in ("algorithm", "bus"))
        assert abs(bus / alone - factor) < 1e-9, (collective, bus / alone, factor)
    assert ("inside_node", "two_directions") in rows and (("all_pairs", "2_pairs") in rows) == (ranks == 4)
    for curve in result["curves"]:
        assert len(curve["x"]) == len(curve["y"]) > 0 and min(curve["y"]) > 0, curve["id"]
    sizes = next(c for c in result["curves"] if c["name"] == "message_latency")
    assert sizes["y"][-1] > sizes["y"][0], "a message of 4 MiB takes no longer than one of a byte"
    assert len([c for c in result["curves"] if c["name"] == "pair_matrix"]) == (ranks - 1 if ranks > 1 else 0)
P
grep -q 'bus_bandwidth_[0-9]*_bytes' four.txt || fail "the table has no bus bandwidth with its size"

# What does not go: one line, exit code 2, nothing written.
for words in '--output' '--nonsense' '--quick' "--output $folder/missing/x.json"; do
  code=0
  # shellcheck disable=SC2086 # words are words
  mpirun -n 2 "$worker" $words >bad.txt 2>bad.err || code=$?
  [ $code -eq 2 ] || fail "'$words' ends with $code"
  [ "$(grep -c '^gable-mpi:' bad.err)" -eq 1 ] || { cat bad.err; fail "'$words' is not one line"; }
done
code=0
mpirun -n 1 "$worker" --output one.json 2>bad.err || code=$?
if [ $code -ne 2 ] || [ -e one.json ] || ! grep -q 'two ranks' bad.err; then fail "one rank is a network"; fi

# A plan takes the measured all-reduce as its link, unless it is suspect on a busy machine.
if "$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 4 --batch 16 --context 4096 --link four.json >plan.txt 2>plan.err; then
  grep -q 'link: all-reduce of 4 ranks on 1 node, host memory' plan.txt || { cat plan.txt; fail "the plan does not say where its link is from"; }
  code=0
  "$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 8 --link four.json >/dev/null 2>plan.err || code=$?
  if [ $code -ne 2 ] || ! grep -q '4 ranks' plan.err; then cat plan.err; fail "4 ranks stand for 8 devices"; fi
else
  grep -q 'no good row of an all-reduce' plan.err || { cat plan.err; fail "the plan fails otherwise"; }
fi

if unshare --uts true 2>/dev/null; then
  # Ranks of "another node": its name is all that differs here.
  # shellcheck disable=SC2016 # the inner shell expands it
  mpirun -n 2 "$worker" --output nodes.json : -n 2 unshare --uts sh -c 'hostname other && exec "$0" --output nodes.json' "$worker" \
    >nodes.txt 2>nodes.err || { cat nodes.err; fail "two nodes"; }
  for words in 'between_nodes' '4 ranks on 2 nodes'; do
    grep -q "$words" nodes.txt || { cat nodes.txt; fail "no '$words'"; }
  done
fi
