#!/bin/bash
# network.sh WORKER GABLE FOLDER [LAUNCHER]: gable-mpi with 2, 4 and 8 ranks on this machine, through shared memory and through TCP, and,
# where host names can be made up, as two nodes. Exit code 77 without the launcher.
set -euo pipefail
worker=$1 gable=$2 folder=$3 launcher=${4:-mpirun}
# shellcheck source=tests/build/mpi/launch.sh
source "$(dirname "${BASH_SOURCE[0]}")/launch.sh"

fitting two.json through shared "$launcher" -n 2 "$worker" --output two.json >two.txt 2>two.err || held_back two.err || { cat two.err; fail "two ranks"; }
fitting four.json through tcp "$launcher" -n 4 "$worker" --output four.json >four.txt 2>four.err || held_back four.err || { cat four.err; fail "four ranks"; }
for file in two four; do
  "$gable" validate $file.json >/dev/null || { "$gable" validate $file.json; fail "$file.json is not valid"; }
done
python3 - "$flavour" two.json four.json <<'P'
import json, os, re, sys
flavour = sys.argv[1]
for name, ranks in zip(sys.argv[2:], (2, 4)):
    result = json.load(open(name))
    rows = {(row["name"], re.sub("_4194304_bytes$", "", row["variant"])): row for row in result["ceilings"]}
    fact_name = "OMPI_MCA_btl" if flavour == "openmpi" else "UCX_TLS"
    transport = [fact["value"] for fact in result["run"]["facts"] if fact["name"] == fact_name]
    assert result["devices"][0]["vendor"].startswith("Open MPI" if flavour == "openmpi" else "MPICH "), result["devices"]
    assert transport == (["tcp,self"] if ranks == 4 else []), transport
    for row in rows.values():
        assert row["kind"] == "link" and row["value"] > 0, row["id"]
        disturbed = row["reason"].startswith("held back: ") or row["reason"].endswith(": disturbed")
        assert row["status"] == "ok" or (row["status"] == "suspect" and disturbed), row
    busy = os.getloadavg()[0] > 1.5 * os.cpu_count()  # by other programs, too
    assert ranks > 2 or busy or any(row["status"] == "ok" for row in rows.values()), "two ranks were held back all the time"
    for collective, factor in (("all_reduce", 2 * (ranks - 1) / ranks), ("all_gather", (ranks - 1) / ranks),
                               ("all_to_all", (ranks - 1) / ranks), ("broadcast", 1)):
        alone, bus = (rows[collective, kind + "_bandwidth"]["value"] for kind in ("algorithm", "bus"))
        assert abs(bus / alone - factor) < 1e-9, (collective, bus / alone, factor)
    assert ("inside_node", "two_directions") in rows and ("barrier", "") in rows
    assert (("all_pairs", "inside_node_2_pairs") in rows) == (ranks == 4)
    for curve in result["curves"]:
        assert len(curve["x"]) == len(curve["y"]) > 0 and min(curve["y"]) > 0, curve["id"]
    sizes = next(c for c in result["curves"] if c["name"] == "message_latency")
    assert sizes["x"] == sorted(sizes["x"]) and sizes["x"][-1] == 4194304, sizes["x"]
    for way in ["one pair at a time"] + ["pairs at once"] * (ranks == 4):
        pairs = {(c["series"].split(",")[0], to) for c in result["curves"] if c["series"].endswith(", " + way) for to in c["x"]}
        assert pairs == {(f"from rank {a}", b) for a in range(ranks) for b in range(a + 1, ranks)}, (way, pairs)
P
grep -q 'bus_bandwidth_[0-9]*_bytes' four.txt || fail "the table has no bus bandwidth with its size"

# What does not go: one line, exit code 2, nothing written.
for words in '--output' '--nonsense' '--quick' "--output $folder/missing/x.json"; do
  code=0
  # shellcheck disable=SC2086 # words are words
  "$launcher" -n 2 "$worker" $words >bad.txt 2>bad.err || code=$?
  [ $code -eq 2 ] || fail "'$words' ends with $code"
  [ "$(grep -c '^gable-mpi:' bad.err)" -eq 1 ] || { cat bad.err; fail "'$words' is not one line"; }
done
code=0
# shellcheck disable=SC2016 # the inner shell expands it
"$launcher" -n 2 sh -c 'exec "$0" --nonsense 2>/dev/full' "$worker" 2>/dev/null || code=$?
[ $code -eq 2 ] || fail "with nowhere to write errors to it ends with $code"
code=0
"$launcher" -n 1 "$worker" --output one.json 2>bad.err || code=$?
if [ $code -ne 2 ] || [ -e one.json ] || ! grep -q 'two ranks' bad.err; then fail "one rank is a network"; fi

# Plans with the network as their link, and its explanation. Rows that a busy machine made suspect say so instead.
if "$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 4 --batch 16 --context 4096 --link four.json >plan.txt 2>plan.err; then
  grep -qE 'link: (all-reduce of 4 ranks on 1 node, host memory|a ring of 4 devices)' plan.txt || { cat plan.txt; fail "the plan does not say where its link is from"; }
else
  grep -q 'no good row of an all-reduce' plan.err || { cat plan.err; fail "the plan fails otherwise"; }
fi
if "$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 8 --link four.json:inside_node >plan.txt 2>plan.err; then
  grep -q 'link: a ring of 8 devices whose messages take the measured way inside_node' plan.txt || { cat plan.txt; fail "no ring of 8 devices"; }
  "$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 8 --link four.json >plan.txt || fail "an all-reduce of 4 ranks is in the way of 8 devices"
  grep -q 'link: a ring of 8 devices' plan.txt || { cat plan.txt; fail "4 ranks stand for 8 devices"; }
  "$gable" explain four.json >explain.txt
  grep -q inside_node explain.txt || { cat explain.txt; fail "the links are not explained"; }
  "$gable" explain four.json --json >explain.json
  python3 - four.json explain.json <<'P'
import json, sys
rows, explained = json.load(open(sys.argv[1]))["ceilings"], json.load(open(sys.argv[2]))
good = [row for row in rows if row["status"] == "ok"]
peak = next(row["value"] for row in good if row["name"] == "inside_node" and row["variant"].startswith("one_direction"))
link = next(one for one in explained["links"] if one["way"] == "inside_node")
assert link["peak_byte_per_s"] == peak, link
bus = {row["name"]: row["value"] for row in good if row["variant"].startswith("bus_bandwidth")}
assert {one["collective"] for one in explained["collectives"]} == set(bus), explained["collectives"]
for one in explained["collectives"]:
    assert abs(one["of_peak"] * peak / bus[one["collective"]] - 1) < 1e-9, one
P
else
  grep -q "no good latency and bandwidth of messages inside_node" plan.err || { cat plan.err; fail "the plan of a way fails otherwise"; }
fi
code=0
"$gable" plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 8 --link four.json:between_nodes >/dev/null 2>plan.err || code=$?
if [ $code -ne 2 ] || ! grep -q 'no good latency and bandwidth of messages between_nodes: gable-mpi measures them' plan.err; then cat plan.err; fail "a way that was not measured is a link"; fi

if unshare --uts true 2>/dev/null; then
  # Ranks of "another node": its name is all that differs here.
  # shellcheck disable=SC2016 # the inner shell expands it
  "$launcher" -n 2 "$worker" --output nodes.json : -n 2 unshare --uts sh -c 'hostname other && exec "$0" --output nodes.json' "$worker" \
    >nodes.txt 2>nodes.err || held_back nodes.err || { cat nodes.err; fail "two nodes"; }
  python3 - nodes.json <<'P'
import json, sys
result = json.load(open(sys.argv[1]))
rows = {(row["name"], row["variant"]) for row in result["ceilings"]}
assert result["devices"][0]["name"] == "4 ranks on 2 nodes", result["devices"]
for way in ("inside_node", "between_nodes"):  # joined by host: ranks 0 and 1, 2 and 3 inside; 0 and 2, 1 and 3 across
    assert {(way, "8_bytes"), ("all_pairs", way + "_2_pairs_4194304_bytes")} <= rows, rows
assert [c["x"] for c in result["curves"] if c["name"] == "pair_matrix"] == [[2]], "one rank of each node"
P
fi

# Eight ranks that stop when they have one collective: of many more ranks than processors the whole takes long.
"$launcher" -n 8 "$worker" --output eight.json >eight.txt 2>eight.err &
run=$!
trap 'kill "$run" 2>/dev/null || :' EXIT
for ((i = 0; i < 2400; i++)); do
  ! grep -q '"bus_bandwidth_' eight.json 2>/dev/null || break
  kill -0 "$run" 2>/dev/null || { cat eight.err; fail "eight ranks"; }
  sleep 0.05
done
kill -TERM "$run"
wait "$run" || :
"$gable" validate eight.json >/dev/null || { "$gable" validate eight.json; fail "eight.json is not valid"; }
python3 - <<'P'
import json
result = json.load(open("eight.json"))
rows = {(row["name"], row["variant"]): row for row in result["ceilings"]}
assert result["devices"][0]["name"].startswith("8 ranks on 1 node"), result["devices"]
assert ("all_pairs", "inside_node_4_pairs_4194304_bytes") in rows, list(rows)
pairs = {(c["series"], to) for c in result["curves"] if c["name"] == "pair_matrix" and c["series"].endswith("at once") for to in c["x"]}
assert len(pairs) == 28, pairs
alone, bus = (next(row["value"] for (name, variant), row in rows.items() if name == "all_reduce" and variant.startswith(kind))
              for kind in ("algorithm", "bus"))
assert abs(bus / alone - 1.75) < 1e-9, (alone, bus)
for row in rows.values():
    slow = row["status"] == "error" and row["reason"].startswith("no block fitted")
    assert slow or row["status"] in ("ok", "suspect") and row["value"] > 0, row
P
