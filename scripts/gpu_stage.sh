#!/bin/bash
# gpu_stage.sh STAGE: one stage of on_gpu.sh, which calls it and sets device, bin (the programs), output, counts (a file), within (seconds) and callers_path.
# Exit code: 0 it succeeded, 77 it has nothing to do here, 3 nothing runs on the device, else it failed.
# shellcheck disable=SC2154,SC2317 # those variables, and functions that the last line calls by name
set -uo pipefail
gable=$bin/gable logs=$output/logs

# begin NAME COMMAND…: in the background, what it says in logs/NAME.log.
began=()
declare -A pid ended  # with which exit code
begin() {
  "${@:2}" >"$logs/$1.log" 2>&1 &
  began+=("$1") pid[$1]=$!
}

# count LOG…: how their tests ended: ", 1 FAILED, 7 OK".
count() { sed -n 's/^\[ *\(OK\|FAILED\|SKIPPED\) *\] .* ms)$/\1/p' "$@" | sort | uniq -c | sed 's/^ */, /' | tr -d '\n'; }

# tell NAME HOW: how it went with a program, and which of its tests failed. Test programs, so 1 is a test that failed.
tell() {
  local log=$logs/$1.log
  echo "$1 $2$(count "$log")"
  sed -n 's/^\[  FAILED  \] \([^ ,]*\).* ms)$/  failed: \1/p' "$log" | head -n 20
  [[ $2 == *\ with\ [01] ]] || { sed -n 's/^\[ RUN *\] /  last begun: /p' "$log" | tail -n 1; tail -n 2 "$log" | grep -v '^\['; }
}

# finish: waits for all that was begun, and tells of each.
finish() {
  local one failed=0
  for one in "${began[@]}"; do
    wait "${pid[$one]}"; ended[$one]=$?
    [ "${ended[$one]}" -eq 0 ] || failed=1
    tell "$one" "ended with ${ended[$one]}"
  done
  began=()
  return "$failed"
}

# The time is over: counts the tests of all programs, tells of what finish() still waits for, and kills the stage with all that it began.
over() {
  trap '' TERM
  for one in "${began[@]}"; do cat "$logs/$one.log"; done | count >"$counts"
  for one in "${began[@]}"; do [ -n "${ended[$one]:-}" ] || tell "$one" 'until its time was over'; done
  kill -KILL 0
}

# in_parts NAME COMMAND…: a test program in as many processes as there are cores.
in_parts() {
  local part parts
  parts=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  export GTEST_TOTAL_SHARDS=$parts OMP_NUM_THREADS=1
  for ((part = 0; part < parts; part++)); do GTEST_SHARD_INDEX=$part begin "$1.$part" "${@:2}"; done
  finish
}

# measure NAME COMMAND…: into NAME.json, within $limit seconds if that is set. It goes on with the journal that an ended call has left; one that
# it cannot go on with, as it is of another build or device, is kept.
measure() {
  local file=$output/$1.json status=0 call=(timeout --foreground --kill-after=2 "${limit:-0}" "$gable")
  if [ -e "$file.journal" ]; then
    "${call[@]}" "$2" --resume "$file" --retry-budget 0 || status=$?
    [ "$status" -eq 2 ] || return "$status"
    mv --backup=numbered "$file.journal" "$file.journal.kept"
  fi
  "${call[@]}" "${@:2}" --device "$device" --output "$file" --force
}

# Do the programs find their libraries, and does each run a kernel? Ends with 3 if none does. Where nothing ended in time, as it may be on a cold
# machine, the worker is tried once more, alone.
smoke() {
  local program missing ran there=1 short=(timeout --foreground --signal=KILL "$((within - 2))")
  local run=("$gable" run --operator triad --dtype fp32 --params n=65536 --runs 1 --device "$device" --output "$output/smoke.json" --force)
  missing=$(for program in "$bin"/*; do ldd "$program" 2>&1 | sed -n "s|^[[:space:]]*\(.*not found.*\)|${program##*/}: \1|p"; done)
  export GTEST_TOTAL_SHARDS=1000000 GTEST_SHARD_INDEX=0  # the first of those tests, all of which look at what a kernel wrote
  begin devices "${short[@]}" "$gable" devices
  begin worker "${short[@]}" "${run[@]}"
  begin test_gpu_tile "${short[@]}" "$bin/test_gpu_tile" '--gtest_filter=*/TileProduct.OfOddSizes/*'
  begin test_gpu_kernels "${short[@]}" "$bin/test_gpu_kernels" --gtest_filter=MemoryKernel.FillWritesRandomDoubles
  begin test_conformance "${short[@]}" "$bin/test_conformance" '--gtest_filter=*/Conformance.MatchesTheReference/*'
  finish
  grep . <<<"$missing"
  cat "$logs/devices.log"
  [ "${ended[devices]}" -eq 137 ] || grep -q "^$device: " "$logs/devices.log" || there=0
  ran=$(cat "$logs"/test_{gpu_tile,gpu_kernels,conformance}.log | grep -c '^\[  PASSED  \] 1 test')
  if [ "$there" -eq 1 ] && [ "$ran" -eq 0 ] && [ "${ended[worker]}" -eq 137 ]; then
    echo "nothing ended within $((within - 2)) s; the worker once more, alone, for $((2 * within)) s"
    begin worker timeout --foreground --signal=KILL "$((2 * within))" "${run[@]}"
    finish
  fi
  [ "${ended[worker]}" -ne 0 ] || ran=$((ran + 1))
  if [ "$there" -eq 0 ] || [ "$ran" -eq 0 ]; then
    echo "no program runs on $device: $(grep -m 1 . <<<"$missing" || grep -m 1 '^no ' "$logs/devices.log" || tail -n 1 "$logs/worker.log")"
    return 3
  fi
  [ "$ran" -eq 4 ]
}

tests() { begin tile "$bin/test_gpu_tile"; begin kernels "$bin/test_gpu_kernels"; finish; }

quick() {
  local status=0
  measure quick measure --quick --retry-budget 15 || status=$?
  "$gable" report "$output/quick.json" --table points >"$output/points.csv" && return "$status"
}

# against_roofs: the option that judges points by the ceilings that the stage quick measured, if it did.
against_roofs() { [ ! -e "$output/quick.json" ] || printf '%s\n' --roofs "$output/quick.json"; }

# Products and attention at sizes that fill a GPU (a rehearsal takes smaller ones), portable and vendor's side by side.
products() {
  local status=0 n=${GABLE_PRODUCTS_SIZE:-4096} roofs
  mapfile -t roofs < <(against_roofs)
  limit=$((within * 2 / 3)) measure gemm run --operator gemm --dtype bf16,fp16,fp32,fp64 --params "m=$n,n=$n,k=$n" \
    --params "m=$((n * 3 / 2)),n=$((n * 3 / 2)),k=$((n * 3 / 2))" --retry-budget 3 "${roofs[@]}" || status=1
  measure attention run --operator attention_fused --dtype bf16,fp16,fp32 --params "h=32,kv=32,l=$n,d=64,mask=none" \
    --params "h=16,kv=16,l=$n,d=128,mask=none" --params "h=32,kv=8,l=$n,d=128,mask=causal" --retry-budget 3 "${roofs[@]}" || status=1
  return "$status"
}

torch() { LD_LIBRARY_PATH=$callers_path python3 -B "${BASH_SOURCE[0]%/*}/torch_baseline.py" >"$output/torch.csv"; }
operators() {
  local roofs
  mapfile -t roofs < <(against_roofs)
  measure operators run --suite all --dtype fp64,fp32,fp16,bf16,int8,int32 --retry-budget 20 "${roofs[@]}"
}
conformance() { in_parts conformance "$bin/test_conformance"; }
full() { measure calibrate calibrate --full --retry-budget 25; }

memcheck() {
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer in PATH"; return 1; }
  GABLE_CONFORMANCE_ELEMENTS=20000 in_parts memcheck compute-sanitizer --tool memcheck --error-exitcode 9 "$bin/test_conformance" \
    '--gtest_filter=*/Conformance.MatchesTheReference/*'
}

# All counters in one profile of each case: ncu is started 20 times, not 40 as for Gable's own choice, which is taken where ncu refuses this one.
# Each file that ncu writes is kept, for a stage whose time was over before the end.
counters() {
  local all choice status
  install -m 755 /dev/stdin "$logs/ncu" <<'PROFILER'
#!/bin/bash
ncu "$@" || exit
words='--log-file ([^ ]+) .*--operator ([^ ]+) .*--dtype ([^ ]+) .*--runs ([0-9]+)'
[[ ! "$*" =~ $words ]] || cp "${BASH_REMATCH[1]}" "$0.${BASH_REMATCH[2]}.${BASH_REMATCH[3]}.${BASH_REMATCH[4]}.csv"
PROFILER
  all=$(printf ',%s.sum' gpu__time_duration dram__bytes_{read,write} lts__t_bytes smsp__sass_thread_inst_executed_op_{d,f}{add,mul,fma}_pred_on \
    sm__ops_path_tensor_src_{bf16_dst_fp32,fp16_dst_fp16,fp16_dst_fp32,fp64})
  for choice in "--metrics ${all#,}" ''; do
    "$gable" verify-counters --tool ncu --profiler "$logs/ncu" --device "$device" --runs 1 ${choice:+--profiler-args "$choice"} | tee "$output/counters.txt"
    status=${PIPESTATUS[0]}
    [ ! -s "$output/counters.txt" ] || break
  done
  return "$status"
}

health() {
  [ -e "$output/quick.json" ] || { echo "no quick.json in $output to compare with: the stage quick makes it"; return 1; }
  "$gable" health --against "$output/quick.json" --limit "$((within - 2))" --verbose
}

# Heard at once while finish() waits; else when the program in the foreground, which gets the signal too, has ended or was killed with the whole group.
trap over TERM
"$1"
