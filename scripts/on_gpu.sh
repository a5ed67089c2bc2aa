#!/bin/bash
# on_gpu.sh [options]: builds the workers of this machine's GPU and CPU and runs everything that needs a GPU: a first result, conformance
# of the operators, the tests labelled gpu, calibration, operators. Needs nvcc or ROCm, CMake, Ninja and a C++ compiler, but no network, no root, nothing
# installed: what else is missing comes from a folder that scripts/gpu_kit.sh made elsewhere. A stage that fails is reported and the next goes on.
# What differs between the vendors is in on_gpu_cuda.sh and on_gpu_hip.sh.
set -uo pipefail

usage() {
  cat <<'END'
usage: scripts/on_gpu.sh [options]

options:
  --backend NAME    cuda, or hip for AMD GPUs (hip where rocminfo is and nvidia-smi is not). The AMD form has never been run
  --arch ARCH       architecture of the GPU: 80, 90a, 100; gfx90a, gfx942, gfx950, gfx1100 (that of the GPU the driver names first)
  --kit FOLDER      what scripts/gpu_kit.sh made (gpu-kit in the checkout, if it is there)
  --kokkos TREE     source tree of Kokkos (the kit's, else what CMake finds)
  --output FOLDER   where results and logs go (gpu-out)
  --stage NAME,…    build, quick, conformance, tests, full, operators, sass, checkers, counters (all, in this order)
  --device ID       GPU to measure (cuda:0, hip:0); quick and full measure the CPU with it
  --limit SECONDS   longest time for one stage (540)
  --total SECONDS   longest time for the whole call: a stage begins only if 30 s are left, and gets no more than that (no end)
  --again           also stages that an earlier call into the same output folder finished with the same programs
  -h, --help        this text

Leaves in the output folder: log.txt, summary.txt, quick.json, calibrate.json, operators.json, gemm.json, attention.json, points.csv, sass.csv, memcheck.txt,
racecheck.txt, initcheck.txt, counters.csv, roofline.svg where gnuplot is, and done/ with a file for all that is finished. Run again, it builds what changed, takes up
interrupted measurements and leaves out what is finished. Flags for the GPU's compiler are taken from CUDAFLAGS or HIPFLAGS. With hip there is no sass.csv and no
checker (both skipped), and counters are rocprofv3's.
Exit code: 0 if all stages succeeded (sass, and with hip checkers and counters, may be skipped), 1 if one failed or was not begun, 2 for bad options.
END
}
bad() { echo "on_gpu.sh: $*" >&2; exit 2; }

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
all=(build quick conformance tests full operators sass checkers counters)
arguments=("$@")
arch='' kit=$repository/gpu-kit kokkos='' output=gpu-out stages=("${all[@]}") backend='' device='' limit=540 total='' again=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --again) again=1; shift; continue ;;
    --*) [ $# -gt 1 ] || bad "$1 needs a value" ;;
  esac
  case $1 in
    --backend) backend=$2 ;;
    --arch) arch=$2 ;;
    --kit) kit=$2; [ -d "$kit" ] || bad "no folder $kit" ;;
    --kokkos) kokkos=$2; [ -e "$kokkos/CMakeLists.txt" ] || bad "no Kokkos source tree in $kokkos" ;;
    --output) output=$2 ;;
    --stage) IFS=, read -r -a stages <<<"$2" ;;
    --device) device=$2 ;;
    --limit) limit=$2 ;;
    --total) total=$2 ;;
    *) bad "unknown option '$1'; --help lists them" ;;
  esac
  shift 2
done
for folder in ${CUDA_HOME:+"$CUDA_HOME"} /usr/local/cuda; do
  command -v nvcc >/dev/null || [ ! -x "$folder/bin/nvcc" ] || PATH=$folder/bin:$PATH
done
for folder in ${ROCM_PATH:+"$ROCM_PATH"} /opt/rocm; do
  command -v hipcc >/dev/null || [ ! -x "$folder/bin/hipcc" ] || PATH=$folder/bin:$PATH
done
if [ -z "$backend" ]; then
  backend=cuda
  command -v nvidia-smi >/dev/null || ! command -v rocminfo >/dev/null || backend=hip
fi
case $backend in cuda | hip) ;; *) bad "--backend is '$backend'; it can be cuda or hip" ;; esac
[ -n "$device" ] || device=$backend:0
# shellcheck source=scripts/on_gpu_cuda.sh
source "$repository/scripts/on_gpu_$backend.sh"
[ -z "$arch" ] || [[ " ${archs[*]} " == *" $arch "* ]] || bad "--arch is '$arch'; with $backend it can be ${archs[*]}"
[[ $limit =~ ^[1-9][0-9]*$ ]] || bad "--limit is '$limit', not a number of seconds"
[[ $total =~ ^([1-9][0-9]*)?$ ]] || bad "--total is '$total', not a number of seconds"
[ ${#stages[@]} -gt 0 ] || bad "--stage names no stage"
for stage in "${stages[@]}"; do
  [[ " ${all[*]} " == *" $stage "* ]] || bad "unknown stage '$stage'; there are ${all[*]}"
done

mkdir -p "$output" || bad "cannot make the folder $output"
output=$(cd "$output" && pwd -P)
build=$repository/build/on-gpu
[ "$backend" = cuda ] || build+=-$backend
cpu_build=$repository/build/on-gpu-cpu
gable=$build/bin/gable
[ ! -d "$cpu_build/bin" ] || export GABLE_WORKER_PATH=$build/bin:$cpu_build/bin
[ ! -d "$kit" ] || kit=$(cd "$kit" && pwd -P)
[ -n "$kokkos" ] || [ ! -e "$kit/kokkos/CMakeLists.txt" ] || kokkos=$kit/kokkos
[ -z "$kokkos" ] || kokkos=$(cd "$kokkos" && pwd -P)
# Options for CMake that both builds have.
shared=()
[ -z "$kokkos" ] || shared+=(-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=$kokkos")
if [ -d "$kit/usr" ]; then
  shared+=("-DCMAKE_PREFIX_PATH=$kit/usr")
  export CPATH=$kit/usr/include${CPATH:+:$CPATH}  # headers that have no CMake package
fi

build_gpu() {
  options=(-DGABLE_TESTS=ON)
  find_compiler || return
  cmake --preset "$backend" -B "$build" "-DGABLE_${backend^^}_ARCH=${arch:-$(find_arch)}" "${shared[@]}" "${options[@]}" &&
    cmake --build "$build" --target gable test_conformance test_gpu_kernels --parallel "$(nproc)"
}

# The CPU's worker: a build is for one backend, so it lies beside the GPU's in a build of its own.
build_cpu() {
  cmake --preset openmp -B "$cpu_build" -DGABLE_TESTS=OFF "${shared[@]}" &&
    cmake --build "$cpu_build" --target gable_worker_native --parallel "$(nproc)"
}

# Both at once: a few long units at the end of the GPU's build leave cores idle.
build_all() {
  local status=0
  cd "$repository" || return
  mkdir -p "$build"
  rm -f "$build"/bin/* "$cpu_build"/bin/*  # a build that fails or is ended leaves none of older sources to be measured
  build_cpu >"$build/cpu.log" 2>&1 &
  build_gpu || status=1
  if ! wait $!; then
    cat "$build/cpu.log"
    echo "the CPU's worker is not built: the GPU will be measured alone"
    status=1
  fi
  return "$status"
}

# Stops a stage that needs the GPU where there is none: a test without one would be skipped, which is a failure here.
# Sets devices, what quick and full measure.
need_device() {
  local found
  [ -x "$gable" ] || { echo "nothing is built: the stage build has to succeed first"; return 1; }
  found=$("$gable" devices) || return
  grep -q "^$device: " <<<"$found" || { grep '^no ' <<<"$found" || echo "there is no $device here"; return 1; }
  devices=$device
  if grep -q '^openmp: ' <<<"$found"; then devices=$device,openmp; else echo "no CPU worker: the GPU is measured alone"; fi
}

# What the stages run and on which GPU, as one word; nothing where nothing is built.
programs() {
  [ ! -x "$gable" ] || {
    echo "$device"
    gpu_identity
    cat "$repository"/scripts/on_gpu*.sh "$repository/scripts/sass.py" "$build"/bin/* "$cpu_build"/bin/* 2>/dev/null
  } | sha256sum | cut -c 1-16
}

# Files that a stage leaves.
results_of() {
  case $1 in
    quick) echo quick.json points.csv ;;
    full) echo calibrate.json ;;
    operators) echo operators.json gemm.json attention.json ;;
    sass) echo sass.csv ;;
    checkers) echo memcheck.txt racecheck.txt initcheck.txt ;;
    counters) echo counters.csv ;;
    *.json) echo "$1" ;;
  esac
}

# is_finished NAME: did an earlier call finish it, with these programs, and is its result still there?
is_finished() {
  local now file
  for file in $(results_of "$1"); do [ -e "$output/$file" ] || return 1; done
  now=$(programs)
  [ -z "$again" ] && [ -n "$now" ] && [ "$(head -n 1 "$output/done/$1" 2>/dev/null)" = "$now" ]
}

# measure_into NAME DEVICES COMMAND…: leaves NAME.json. Takes up what an interrupted run left, unless that was another build's.
measure_into() {
  local name=$1 file=$output/$1.json on=$2 status=2
  shift 2
  if is_finished "$name.json"; then echo "$name.json is there"; return; fi
  rm -f "$output/done/$name.json"
  if [ -e "$file.journal" ]; then
    status=0
    "$gable" "$1" --resume "$file" || status=$?
    if [ "$status" -eq 2 ]; then
      echo "that run cannot be gone on with: measuring afresh; what it had is kept in $name.json.journal.old"
      mv "$file.journal" "$file.journal.old"
    fi
  fi
  if [ "$status" -eq 2 ]; then
    status=0
    "$gable" "$@" --device "$on" --output "$file" --force || status=$?
  fi
  [ "$status" -ne 0 ] || programs >"$output/done/$name.json"
  return "$status"
}

measure_quick() {
  local status=0
  measure_into quick "$devices" measure --quick || status=$?
  [ -e "$output/quick.json" ] || return "$status"
  "$gable" report "$output/quick.json" --table points >"$output/points.csv" || status=1
  if command -v gnuplot >/dev/null; then "$gable" report "$output/quick.json" --output "$output/roofline.svg" || status=1; fi
  return "$status"
}

# Every operator in all floating-point types; then products and attention at sizes that fill a GPU, portable and vendor's side by side.
measure_operators() {
  local status=0
  local types=fp64,fp32,fp16,bf16
  measure_into operators "$device" run --dtype "$types" || status=1
  measure_into gemm "$device" run --operator gemm --dtype "$types" --params m=4096,n=4096,k=4096 --params m=8192,n=8192,k=8192 || status=1
  measure_into attention "$device" run --operator attention_fused --dtype "$types" --params h=32,kv=32,l=4096,d=64,mask=none --params h=16,kv=16,l=4096,d=128,mask=none --params h=32,kv=8,l=4096,d=128,mask=causal || status=1
  return "$status"
}

# run_tests LABEL OPTION…
run_tests() { ctest --test-dir "$build" --label-regex "$@" --timeout 120 --output-on-failure --no-tests=error; }

if [ -n "${GABLE_ON_GPU_STAGE:-}" ]; then
  trap 'exit 143' TERM  # after the program under way, so that a stage that hangs is still there to be killed with its whole group
  case $GABLE_ON_GPU_STAGE in
    build) build_all ;;
    quick) need_device && measure_quick ;;
    conformance) need_device && run_tests conformance --parallel 4 ;;  # it times nothing, so processes may share the GPU
    tests) need_device && run_tests gpu --label-exclude conformance ;;
    full) need_device && measure_into calibrate "$devices" calibrate --full ;;
    operators) need_device && measure_operators ;;
    sass) count_instructions ;;
    checkers) need_device && check_kernels ;;
    counters) need_device && read_counters ;;
  esac
  exit
fi

# tell STAGE SECONDS OUTCOME: the stage's line in the summary.
tell() { printf '%-12s %4d s  %s\n' "$@" | tee -a "$output/log.txt" "$output/summary.txt"; }

mkdir -p "$output/done"
: >"$output/summary.txt"
failed=0
for stage in "${stages[@]}"; do
  finished=$output/done/$stage  # the programs that finished it, and its line in the summary
  if [ "$stage" != build ] && is_finished "$stage"; then
    echo "=== $stage: an earlier call finished it with these programs; --again runs it again" | tee -a "$output/log.txt"
    tail -n 1 "$finished" | tee -a "$output/log.txt" "$output/summary.txt"
    continue
  fi
  rm -f "$finished"
  within=$limit grace=10
  if [ -n "$total" ]; then
    left=$((total - SECONDS))
    if [ "$left" -lt 30 ]; then
      tell "$stage" 0 "not begun: less than 30 s of $total s were left"
      failed=1
      continue
    fi
    grace=5
    [ $((left - grace)) -ge "$within" ] || within=$((left - grace))
  fi
  start=$SECONDS
  echo "=== $stage" | tee -a "$output/log.txt"
  GABLE_ON_GPU_STAGE=$stage timeout --kill-after=$grace "$within" "${BASH_SOURCE[0]}" "${arguments[@]}" </dev/null 2>&1 | tee -a "$output/log.txt"
  case ${PIPESTATUS[0]} in
    0) outcome=ok ;;
    77) outcome=skipped ;;
    124 | 137) outcome="ended after its limit of $within s" failed=1 ;;
    *) outcome=failed failed=1 ;;
  esac
  tell "$stage" $((SECONDS - start)) "$outcome"
  if [ "$outcome" = ok ]; then { programs; tail -n 1 "$output/summary.txt"; } >"$finished"; fi
done
echo "results and log: $output"
exit $failed
