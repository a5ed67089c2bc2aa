#!/bin/bash
# tool.sh APPLICATION TOOL REGION_LIBRARY GABLE SOURCE FOLDER: the library in a Kokkos program that knows nothing of it, and the three
# calls in a program in C: names, calls, regions and declared work become points that report and explain place.
set -euo pipefail
application=$1 tool=$2 region=$3 gable=$4 source=$5 folder=$6
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export OMP_NUM_THREADS=2 OMP_PROC_BIND=false KOKKOS_TOOLS_LIBS=$tool
fail() { echo "$*"; exit 1; }

# axpy of 2^20 doubles: 2 flop and 24 bytes for each; the norm, 2 flop and 8 bytes.
# One multiplication and 16 bytes for each of the 1000 that scale's own name tells; its factor comes from the environment.
printf 'label,flops,bytes,dtype\naxpy,2097152,25165824,fp64\nnorm *,2*2^20,8*2^20,\nscale,n*factor,2*8*n,\n' >work.csv
GABLE_KOKKOS_WORK=work.csv GABLE_KOKKOS_PARAMETERS=factor=1 GABLE_KOKKOS_OUTPUT=app "$application" >out.txt 2>err.txt
grep -q '^norm' out.txt || fail "the program's own output is gone"
[ "$(grep -c '^gable-kokkos-tool:' err.txt)" -eq 1 ] || { cat err.txt; fail "not one line"; }
python3 - app.kernels.csv app.points.csv <<'P'
import csv, sys
rows = {(row["kind"], row["name"]): row for row in csv.DictReader(open(sys.argv[1]))}
axpy, norm = rows["parallel_for", "axpy"], rows["parallel_reduce", 'norm "2", of y']
assert axpy["calls"] == norm["calls"] == "20" and axpy["region"] == norm["region"] == "solve", (axpy, norm)
assert float(axpy["flops"]) == 20 * 2097152 and float(axpy["bytes"]) == 20 * 25165824, axpy
assert 0 < float(axpy["least_s"]) <= float(axpy["mean_s"]) <= float(axpy["most_s"]) <= float(axpy["total_s"]), axpy
region = rows["region", "solve"]
assert region["calls"] == "1" and float(region["total_s"]) >= float(axpy["total_s"]) + float(norm["total_s"]), region
assert rows["parallel_for", "undeclared"]["flops"] == "" and axpy["remark"] == region["remark"] == ""
copies = [row for (kind, name), row in rows.items() if kind == "deep_copy" and name.endswith(": y")]
assert copies and float(copies[0]["bytes"]) == 8 * 2**20, copies
memory = [row for (kind, _), row in rows.items() if kind == "memory"]
assert max(float(row["bytes"]) for row in memory) >= 16 * 2**20, memory
points = {row["name"]: row for row in csv.DictReader(open(sys.argv[2]))}
assert set(points) == {"solve / axpy", 'solve / norm "2", of y', "scale[n=1000]"}, set(points)
assert float(points["scale[n=1000]"]["flops"]) == 1000 and float(points["scale[n=1000]"]["bytes"]) == 16000, points
assert axpy["flops_from"] == axpy["bytes_from"] == "declared", axpy
assert float(points["solve / axpy"]["flops"]) == 2097152 and points["solve / axpy"]["dtype"] == "fp64"
# The same a hundred times slower, for roofs of another processor: it must not matter whether this one beats them.
with open("slower.points.csv", "w", newline="") as file:
    slower = csv.DictWriter(file, next(iter(points.values())))
    slower.writeheader()
    slower.writerows({**row, "time_s": 100 * float(row["time_s"])} for row in points.values())
P
unset KOKKOS_TOOLS_LIBS
"$gable" report "$source/data/measured/amd-zen-3-quick.json" --points slower.points.csv --output placed.json >/dev/null
"$gable" report placed.json --table points | grep -q 'solve / axpy' || fail "no point in the report"
"$gable" explain placed.json 'solve / axpy' | grep -q 'DRAM' || fail "explain does not place it"
"$gable" predict --point 'placed.json:solve / axpy' --bandwidth 1TB/s --format csv | grep -q '^solve / axpy,fp64,' || fail "predict does not take it"

# Bad input: one line, and the program goes on.
printf 'label,flops\naxpy,1\n' >short.csv
printf 'label,flops,bytes\naxpy,-1,1\n' >wrong.csv
printf 'label,flops,bytes\naxpy,2*,1\n' >expression.csv
printf 'label,flops,bytes,dtype\naxpy,1,1,double\n' >type.csv
printf 'label,flops,bytes,unit\naxpy,1,1,exp\n' >unit.csv
for file in short.csv wrong.csv expression.csv type.csv unit.csv missing.csv; do
  KOKKOS_TOOLS_LIBS=$tool GABLE_KOKKOS_WORK=$file GABLE_KOKKOS_OUTPUT=bad "$application" >out.txt 2>err.txt || fail "$file ends the program"
  grep -q "^gable-kokkos-tool: $file" err.txt || { cat err.txt; fail "$file is not named"; }
  grep -q '^norm' out.txt || fail "$file takes the program's output"
done
for wrong in GABLE_KOKKOS_PARAMETERS=n GABLE_KOKKOS_COUNTERS=int8; do
  env KOKKOS_TOOLS_LIBS="$tool" $wrong GABLE_KOKKOS_OUTPUT=bad "$application" >out.txt 2>err.txt || fail "$wrong ends the program"
  grep -q "^gable-kokkos-tool: ${wrong%%=*}: '${wrong#*=}'" err.txt || { cat err.txt; fail "$wrong is not named"; }
done
# A parameter that nothing gives: its kernel alone has no work.
KOKKOS_TOOLS_LIBS=$tool GABLE_KOKKOS_WORK=work.csv GABLE_KOKKOS_OUTPUT=lacking "$application" >out.txt 2>err.txt
grep -q "first 'scale\[n=1000\]': parameter 'factor' is not known" err.txt || { cat err.txt; fail "a missing parameter is not told"; }
grep -q axpy lacking.points.csv || fail "a missing parameter takes other kernels' work"

# With counters: what they count, or in one line why they do not, and declarations stand in for them.
KOKKOS_TOOLS_LIBS=$tool GABLE_KOKKOS_COUNTERS=fp64 GABLE_KOKKOS_WORK=work.csv GABLE_KOKKOS_OUTPUT=counted "$application" >out.txt 2>err.txt
[ "$(grep -c 'operations' err.txt)" -eq 1 ] || { cat err.txt; fail "what is counted is not told in one line"; }
grep -E 'counting fp64 operations|no operations are counted: ' err.txt || { cat err.txt; fail "what is counted is not told"; }
grep -q 'solve / axpy' counted.points.csv || fail "no point where nothing is counted"
KOKKOS_TOOLS_LIBS=$tool GABLE_KOKKOS_OUTPUT=nowhere/app "$application" >out.txt 2>err.txt || fail "an output that cannot be written ends the program"
grep -q 'nowhere/app.kernels.csv cannot be written' err.txt || { cat err.txt; fail "the output is not named"; }

# What the tool does not depend on a Kokkos program for.
cc=$(command -v cc || command -v gcc || command -v clang) || { echo "no compiler for C: the three calls are not tried"; exit 0; }
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$source/backends/kokkos/tool" "$source/tests/build/kokkos_tool/regions.c" -o regions "$region" \
  -Wl,-rpath,"$(dirname "$region")"
GABLE_REGION_OUTPUT=parts ./regions >out.txt 2>err.txt
grep -q "1 with work but without an end" err.txt || { cat err.txt; fail "an open region is not told"; }
grep -q "'other' is ended but is not the innermost region" err.txt || { cat err.txt; fail "a wrong end is not told"; }
python3 - parts.kernels.csv parts.points.csv <<'P'
import csv, sys
rows = {row["name"]: row for row in csv.DictReader(open(sys.argv[1]))}
part = rows['sum, of "x"']
assert part["calls"] == "10" and part["region"] == "all" and float(part["flops"]) == 20 * 2**20, part
assert float(rows["all"]["total_s"]) >= float(part["total_s"]), rows
points = {point["name"]: point for point in csv.DictReader(open(sys.argv[2]))}
assert set(points) == {'all / sum, of "x"', "all / late"}, points
assert float(points['all / sum, of "x"']["bytes"]) == 8 * 2**20 and float(points["all / late"]["bytes"]) == 9, points
P
"$gable" report "$source/data/measured/amd-zen-3-quick.json" --points parts.points.csv >/dev/null

# What programs do harms neither them nor the files: children of a program with threads end, and have what they did themselves; a handler ends the
# program; names may be null; the other library's files of the same name stay.
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$source/backends/kokkos/tool" "$source/tests/build/kokkos_tool/unruly.c" -o unruly "$region" \
  -pthread -lm -Wl,-rpath,"$(dirname "$region")"
GABLE_REGION_OUTPUT=forked timeout 60 ./unruly fork 2>err.txt || { cat err.txt; fail "$? forked children do not end"; }
grep -q busy forked.kernels.csv || fail "the parent's times are gone"
children=(forked.[0-9]*.kernels.csv)
if [ ${#children[@]} -ne 1 ] || ! grep -q 'of the child' "${children[0]}" || grep -q busy "${children[0]}"; then
  fail "children write what is not theirs: ${children[*]}"
fi
status=0
GABLE_REGION_OUTPUT=handled timeout 20 ./unruly handler 2>err.txt || status=$?
[ $status -eq 5 ] || { cat err.txt; fail "a handler that ends the program: $status"; }
GABLE_REGION_OUTPUT=null ./unruly null 2>&- || fail "$? names that are null, traps of arithmetic"
grep -q '"(no name)"' null.points.csv || fail "a name that is null"
for way in cancel interrupt memory clone; do
  GABLE_REGION_OUTPUT=$way timeout 60 ./unruly $way 2>err.txt || { cat err.txt; fail "$way: $?"; }
done
[ "$(echo clone.*)" = clone.kernels.csv ] || fail "a copy of the process writes: $(echo clone.*)"
GABLE_REGION_OUTPUT=data ./unruly data data.txt 2>&- || fail "a file as standard error stream"
[ "$(cat data.txt)" = data ] || fail "the library writes into a file of the program: $(cat data.txt)"
(ulimit -f 0; GABLE_REGION_OUTPUT=full ./unruly null 2>err.txt) || fail "$? where files may not grow"
[ -z "$(compgen -G 'full.*')" ] || fail "files of no size are left"
{ sleep 0.2; GABLE_REGION_OUTPUT=pipe ./unruly null || echo $? >status.txt; } 2>&1 | true
[ ! -e status.txt ] || fail "$(cat status.txt) where nobody reads the standard error stream"
GABLE_REGION_OUTPUT=again ./unruly again 2>err.txt
if ! grep -q '(no name)' again.kernels.csv || ! grep -q outer again.[0-9]*.kernels.csv; then cat err.txt; fail "programs that run at one time"; fi
GABLE_REGION_OUTPUT=./parts GABLE_KOKKOS_OUTPUT="$PWD/parts" ./regions >out.txt 2>err.txt
[ -s parts.region.points.csv ] || { cat err.txt; fail "both libraries write the same files"; }

# Kernels of a GPU without fences are launches: they make no point. A copy of 0 flop is one, a kernel of 0 bytes is not.
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$source/tests/build/kokkos_tool/events.c" -o events -ldl
printf 'label,flops,bytes\naxpy,2,24\nfill,0,8\nnothing,0,0\n' >work.csv
told() { env GABLE_KOKKOS_WORK=work.csv GABLE_KOKKOS_OUTPUT=events "$@" ./events "$tool" 2>err.txt || fail "the events are not taken"; }
names() { python3 -c 'import csv, sys; print(sorted(row["name"] for row in csv.DictReader(open(sys.argv[1]))))' "$1"; }
told
[ "$(names events.points.csv)" = "['host / axpy (parallel_for)', 'host / axpy (parallel_reduce)', 'host / fill']" ] || fail "$(names events.points.csv)"
grep -q '"A\{64\}<-Host: label"' events.kernels.csv || { cat events.kernels.csv; fail "a space whose name is full"; }
for told in '1 whose times are of launches' '1 of 0 bytes'; do
  grep -q "$told" err.txt || { cat err.txt; fail "what is left out is not told: $told"; }
done
python3 - events.kernels.csv <<'P'
import csv, sys
remarks = {(row["region"], row["name"]): row["remark"] for row in csv.DictReader(open(sys.argv[1]))}
assert "launch" in remarks["device", "axpy"] and "GPU" in remarks["", "device"], remarks
assert remarks["host", "axpy"] == remarks["", "host"] == "", remarks
P
"$gable" report "$source/data/measured/amd-zen-3-quick.json" --points events.points.csv >/dev/null || fail "points of 0 flop are not read"

# Each task of several has files of its own; points of an earlier run do not stay.
told OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8
[ -s events.3.points.csv ] || fail "a rank writes over another's files"
told SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 GABLE_KOKKOS_WORK=
[ ! -e events.points.csv ] || fail "points of an earlier run stay"
