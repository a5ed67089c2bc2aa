#!/bin/bash
# device.sh WORKER GABLE FOLDER LAUNCHER MPICXX PYTHON: gable-mpi on devices' memory, with stand-ins for CUDA's runtime and NCCL that are built by
# MPICXX and really move the data: what is measured arrives, what cannot be says why. No GPU is needed, and none is used.
# PYTHON has the module jsonschema.
set -euo pipefail
worker=$1 gable=$2 folder=$3 launcher=$4 compiler=$5 python=$6
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/build/mpi/launch.sh
source "$here/launch.sh"

mkdir lib
built() { "$compiler" -std=c++20 -O1 -Wall -Wextra -Werror -shared -fPIC -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -I"$here/stand_in" -o "lib/$1" "${@:2}"; }
built libcudart.so.12 "$here/stand_in/cudart.cpp" -Wl,-soname,libcudart.so.12
built libnccl.so.2 "$here/stand_in/nccl.cpp" -Llib -l:libcudart.so.12
built aware.so "$here/stand_in/aware.cpp" -Llib -l:libcudart.so.12

# measure NAME RANKS [VARIABLE=VALUE…]: devices' memory alone.
measure() {
  local name=$1 ranks=$2
  shift 2
  fitting "$name.json" "$launcher" -n "$ranks" env "$@" "$worker" --memory device --output "$name.json" >"$name.txt" 2>"$name.err" ||
    held_back "$name.err" || { cat "$name.err"; fail "$name"; }
  "$gable" validate "$name.json" >/dev/null || { "$gable" validate "$name.json"; fail "$name.json is not valid"; }
}
with=LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
measure nothing 2 "LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}"
measure library 2 "$with"
measure both 4 "$with" "LD_PRELOAD=$PWD/lib/aware.so"
measure shared 2 "$with" STAND_IN_DEVICES=1
measure wrong 2 "$with" STAND_IN_WRONG=1
python3 - <<'P'
import json, re

def rows_of(name):
    result = json.load(open(name + ".json"))
    assert result["run"]["complete"], name
    return result, {(row["implementation"], row["name"], re.sub("_?[0-9]+_bytes$", "", row["variant"])): row for row in result["ceilings"]}

def refused(rows, implementation, words):
    all_of = [row for key, row in rows.items() if key[0] == implementation]
    assert all_of and all(row["status"] == "unsupported" and words in row["reason"] for row in all_of), (implementation, all_of)

def measured(rows, implementation, ranks):
    for name in ("inside_node_device", "all_reduce_device", "all_gather_device", "all_to_all_device", "broadcast_device"):
        of_name = [row for key, row in rows.items() if key[:2] == (implementation, name)]
        assert len(of_name) == 3, (implementation, name, of_name)
        for row in of_name:
            assert row["status"] in ("ok", "suspect") and row["value"] > 0, row
    alone, bus = (rows[implementation, "all_reduce_device", kind + "_bandwidth"]["value"] for kind in ("algorithm", "bus"))
    assert abs(bus / alone - 2 * (ranks - 1) / ranks) < 1e-9, (alone, bus)

result, rows = rows_of("nothing")
refused(rows, "mpi", "no device")
refused(rows, "nccl", "no device")
assert all(row["name"].endswith("_device") for row in result["ceilings"]), "hosts' memory was not asked for"
result, rows = rows_of("library")
refused(rows, "mpi", "takes no pointers to device memory")
measured(rows, "nccl", 2)
facts = {fact["name"]: fact["value"] for fact in result["devices"][0]["facts"]}
assert facts["nccl"] == "2.27.3" and facts["devices"].startswith("CUDA, 4"), facts
result, rows = rows_of("both")
measured(rows, "mpi", 4)
measured(rows, "nccl", 4)
series = {curve["series"] for curve in result["curves"]}
assert {"inside_node_device", "inside_node_device by nccl", "all_reduce_device by nccl"} <= series, series
_, rows = rows_of("shared")
refused(rows, "nccl", "ncclCommInitRank: invalid usage")
_, rows = rows_of("wrong")
for row in rows.values():
    assert row["implementation"] == "mpi" or (row["status"] == "error") == (row["name"] == "all_reduce_device"), row
P

# Plans, explanations and plot data take what NCCL and MPI measured each for itself. Rows that a busy machine made suspect count here: it is
# asked what is read, not how good it is.
"$python" - "$gable" "$here/../../../data/plot-data.schema.json" <<'P'
import json, subprocess, sys
import jsonschema

result = json.load(open("both.json"))
for row in result["ceilings"]:
    assert row["status"] in ("ok", "suspect"), row
    row.update(status="ok", reason="")
json.dump(result, open("good.json", "w"))

def said(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout

for name, ranks, by in (("", 4, "NCCL"), (":nccl", 4, "NCCL"), (":device", 4, "MPI"), ("", 8, "NCCL"), (":device:inside_node", 8, "MPI"), (":inside_node", 4, "NCCL")):
    plan = said("plan", "Llama-3-70B", "--on", "H100 SXM5 80GB", "--devices", str(ranks), "--link", "good.json" + name)
    note = " ".join(plan.split())
    of = "all-reduce of 4 ranks on 1 node" if ranks == 4 and "inside" not in name else f"a ring of {ranks} devices"
    assert f"link: {of}" in note and f"device memory by {by}" in note, (name, plan)
refused = subprocess.run([sys.argv[1], "plan", "Llama-3-70B", "--on", "T4", "--devices", "4", "--link", "good.json:host"], capture_output=True, text=True)
assert refused.returncode == 2 and "no good row of an all-reduce and no good latency and bandwidth of messages inside_node (host memory)" in refused.stderr, refused

explained = json.loads(said("explain", "good.json", "--json"))
assert {link["medium"] for link in explained["links"]} == {"device", "nccl"}, explained["links"]
assert len(explained["collectives"]) == 8, explained["collectives"]
said("report", "good.json", "--output", "good-plot-data.json")
plot = json.load(open("good-plot-data.json"))
jsonschema.validate(plot, json.load(open(sys.argv[2])), jsonschema.Draft7Validator)
network, = plot["messages"]
peaks = {line["medium"]: line["byte_per_s"] for line in network["lines"] if line["roof"] and "messages_before_wait" not in line}
measured = {{"mpi": "device"}.get(row["implementation"], "nccl"): [row["value"]] * 2 for row in result["ceilings"] if row["variant"].startswith("one_direction")}
assert peaks == measured, (peaks, measured)
P

# Hosts' memory is what it was; the words are one of three.
code=0
"$launcher" -n 2 "$worker" --memory gpu --output bad.json >bad.txt 2>bad.err || code=$?
if [ $code -ne 2 ] || ! grep -q 'none of host, device, all' bad.err; then cat bad.err; fail "another word than host, device, all"; fi
