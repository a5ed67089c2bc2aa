#!/bin/bash
# gpu_stage.sh STAGE: one stage of on_gpu.sh, which calls it and sets device, bin (the programs), output, within (seconds) and callers_path.
# Exit code: 0 it succeeded, 77 it has nothing to do here, 3 nothing runs, else it failed.
# shellcheck disable=SC2154,SC2317 # those variables, and functions that the last line calls by name
set -uo pipefail
gable=$bin/gable logs=$output/logs

# begin NAME COMMAND…: in the background, what it says in logs/NAME.log.
began=()
declare -A ended  # with which exit code
begin() {
  "${@:2}" >"$logs/$1.log" 2>&1 &
  began+=("$1:$!")
}

# finish: waits for all that was begun, and says how each ended and which tests failed. Test programs, so 1 is a test that failed.
finish() {
  local one log status failed=0
  for one in "${began[@]}"; do
    log=$logs/${one%:*}.log status=0
    wait "${one#*:}" || status=$?
    ended[${one%:*}]=$status
    echo "${one%:*} ended with $status$(sed -n 's/^\[  \(PASSED\|SKIPPED\|FAILED\) *\] \([0-9]* tests\?\).*/, \1 \2/p' "$log" | tr -d '\n')"
    [ "$status" -ne 0 ] || continue
    failed=1
    sed -n 's/^\[  FAILED  \] \([^ ,]*\)$/  failed: \1/p' "$log" | head -n 20
    [ "$status" -le 1 ] || { sed -n 's/^\[ RUN *\] /  last begun: /p' "$log" | tail -n 1; tail -n 2 "$log"; }
  done
  return "$failed"
}

# in_parts NAME COMMAND…: a test program in as many processes as there are cores.
in_parts() {
  local part parts
  parts=$(nproc)
  export GTEST_TOTAL_SHARDS=$parts OMP_NUM_THREADS=1
  for ((part = 0; part < parts; part++)); do GTEST_SHARD_INDEX=$part begin "$1.$part" "${@:2}"; done
  finish
}

measure() { "$gable" "${@:2}" --output "$output/$1.json" --force; }

# Do the programs find their libraries, and does each run a kernel? Ends with 3 if none does.
smoke() {
  local program name missing='' ran=0
  for program in "$bin"/*; do
    missing+=$(ldd "$program" 2>&1 | sed -n "s|^[[:space:]]*\(.*not found.*\)|${program##*/}: \1|p")$'\n'
  done
  export GTEST_TOTAL_SHARDS=1000000 GTEST_SHARD_INDEX=0  # one test
  local short=(timeout --signal=KILL "$((within - 2))")
  begin devices "${short[@]}" "$gable" devices
  begin worker "${short[@]}" "$gable" run --operator triad --dtype fp32 --params n=65536 --runs 1 --device "$device" --output "$output/smoke.json" --force
  begin test_gpu_tile "${short[@]}" "$bin/test_gpu_tile"
  begin test_gpu_kernels "${short[@]}" "$bin/test_gpu_kernels"
  begin test_conformance "${short[@]}" "$bin/test_conformance" '--gtest_filter=*/Conformance.MatchesTheReference/*'
  finish || true
  grep . <<<"$missing"
  cat "$logs/devices.log"
  [ "${ended[worker]}" -ne 0 ] || ran=1
  for name in gpu_tile gpu_kernels conformance; do
    if grep -q '^\[  PASSED  \] 1 test' "$logs/test_$name.log"; then ran=$((ran + 1)); fi
  done
  grep -q "^$device: " "$logs/devices.log" || ran=0
  if [ "$ran" -eq 0 ]; then
    echo "no program runs on $device: $(grep -m 1 . <<<"$missing" || grep -m 1 '^no ' "$logs/devices.log" || tail -n 1 "$logs/worker.log")"
    return 3
  fi
  [ "$ran" -eq 4 ]
}

tests() {
  begin tile "$bin/test_gpu_tile"
  begin kernels "$bin/test_gpu_kernels"
  finish
}

quick() {
  local devices=$device status=0
  ! compgen -G "$bin/gable-worker-openmp-*" >/dev/null || devices+=,openmp
  measure quick measure --quick --device "$devices" || status=$?
  "$gable" report "$output/quick.json" --table points >"$output/points.csv" && return "$status"
}

# Products and attention at sizes that fill a GPU, portable and vendor's side by side.
products() {
  local status=0
  measure gemm run --operator gemm --dtype bf16,fp16,fp32,fp64 --params m=4096,n=4096,k=4096 --params m=8192,n=8192,k=8192 --device "$device" || status=1
  measure attention run --operator attention_fused --dtype bf16,fp16,fp32 --params h=32,kv=32,l=4096,d=64,mask=none \
    --params h=16,kv=16,l=4096,d=128,mask=none --params h=32,kv=8,l=4096,d=128,mask=causal --device "$device" || status=1
  return "$status"
}

torch() { LD_LIBRARY_PATH=$callers_path python3 -B "${BASH_SOURCE[0]%/*}/torch_baseline.py" >"$output/torch.csv"; }
operators() { measure operators run --suite all --dtype fp64,fp32,fp16,bf16 --device "$device"; }
conformance() { in_parts conformance "$bin/test_conformance"; }
full() { measure calibrate calibrate --full --device "$device"; }

memcheck() {
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer in PATH"; return 1; }
  GABLE_CONFORMANCE_ELEMENTS=20000 in_parts memcheck compute-sanitizer --tool memcheck --error-exitcode 9 "$bin/test_conformance" \
    '--gtest_filter=*/Conformance.MatchesTheReference/*'
}

counters() { "$gable" verify-counters --tool ncu --device "$device" --runs 2 --output "$output/counters.txt" --force; }

# Two forms of a kernel, twice in turn, to see which is faster.
variants() {
  local program status=0
  compgen -G "$bin/gable_bench_fence_*" >/dev/null || { echo "no gable_bench_fence_* among the programs"; return 77; }
  for program in "$bin"/gable_bench_fence_* "$bin"/gable_bench_fence_*; do echo "${program##*/}"; "$program" || status=1; done
  return "$status"
}

health() {
  [ -e "$output/quick.json" ] || { echo "no quick.json in $output to compare with: the stage quick makes it"; return 1; }
  "$gable" health --against "$output/quick.json" --limit "$((within - 2))" --verbose
}

trap 'exit 143' TERM  # after the program under way, so that a stage that hangs is still there to be killed with its whole group
"$1"
