#!/bin/bash
# on_gpu.sh [options]: builds the worker of this machine's NVIDIA GPU and runs everything that needs one: conformance of the operators,
# the tests labelled gpu, calibration, operators. Needs nvcc, CMake, Ninja and a C++ compiler, but no network, no root, nothing installed:
# what else is missing comes from a folder that scripts/gpu_kit.sh made elsewhere. A stage that fails is reported and the next goes on.
set -uo pipefail

usage() {
  cat <<'END'
usage: scripts/on_gpu.sh [options]

options:
  --arch ARCH       architecture of the GPU: 80, 90a, 100 (that of the GPU the driver names first)
  --kit FOLDER      what scripts/gpu_kit.sh made (gpu-kit in the checkout, if it is there)
  --kokkos TREE     source tree of Kokkos (the kit's, else what CMake finds)
  --output FOLDER   where results and logs go (gpu-out)
  --stage NAME,…    build, conformance, tests, quick, full, operators, checkers, counters (all, in this order)
  --device ID       device to measure (cuda:0)
  --limit SECONDS   longest time for one stage (540)
  -h, --help        this text

Leaves in the output folder: log.txt, summary.txt, quick.json, calibrate.json, operators.json, gemm.json, attention.json, points.csv, memcheck.txt, racecheck.txt,
initcheck.txt, counters.csv, and roofline.svg where gnuplot is. Run again, it builds what changed and takes up interrupted measurements. Flags for nvcc are taken from CUDAFLAGS.
Exit code: 0 if all stages succeeded, 1 if one failed, 2 for bad options.
END
}
bad() { echo "on_gpu.sh: $*" >&2; exit 2; }

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
all=(build conformance tests quick full operators checkers counters)
arguments=("$@")
arch='' kit=$repository/gpu-kit kokkos='' output=gpu-out stages=("${all[@]}") device=cuda:0 limit=540
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --*) [ $# -gt 1 ] || bad "$1 needs a value" ;;
  esac
  case $1 in
    --arch) arch=$2 ;;
    --kit) kit=$2; [ -d "$kit" ] || bad "no folder $kit" ;;
    --kokkos) kokkos=$2; [ -e "$kokkos/CMakeLists.txt" ] || bad "no Kokkos source tree in $kokkos" ;;
    --output) output=$2 ;;
    --stage) IFS=, read -r -a stages <<<"$2" ;;
    --device) device=$2 ;;
    --limit) limit=$2 ;;
    *) bad "unknown option '$1'; --help lists them" ;;
  esac
  shift 2
done
case $arch in '' | 80 | 90a | 100) ;; *) bad "--arch is '$arch'; it can be 80, 90a or 100" ;; esac
[[ $limit =~ ^[1-9][0-9]*$ ]] || bad "--limit is '$limit', not a number of seconds"
[ ${#stages[@]} -gt 0 ] || bad "--stage names no stage"
for stage in "${stages[@]}"; do
  [[ " ${all[*]} " == *" $stage "* ]] || bad "unknown stage '$stage'; there are ${all[*]}"
done

mkdir -p "$output" || bad "cannot make the folder $output"
output=$(cd "$output" && pwd -P)
build=$repository/build/on-gpu
gable=$build/bin/gable
[ ! -d "$kit" ] || kit=$(cd "$kit" && pwd -P)
[ -n "$kokkos" ] || [ ! -e "$kit/kokkos/CMakeLists.txt" ] || kokkos=$kit/kokkos
[ -z "$kokkos" ] || kokkos=$(cd "$kokkos" && pwd -P)
for folder in "${CUDA_HOME:-}" /usr/local/cuda; do
  command -v nvcc >/dev/null || [ ! -x "$folder/bin/nvcc" ] || PATH=$folder/bin:$PATH
done

# The architecture to build for: that of the first GPU.
find_arch() {
  case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) in
    8.*) echo 80 ;;
    10.*) echo 100 ;;
    *) echo 90a ;;
  esac
}

# Prints the folder of the libraries of a cuBLAS that only a Python wheel has; nothing if the toolkit has one.
wheel_cublas() {
  local toolkit
  toolkit=$("$repository/scripts/cuda_toolkit.sh" "$(command -v nvcc)")
  if compgen -G "$toolkit/lib64/libcublas.so" >/dev/null || compgen -G "$toolkit/targets/*/lib/libcublas.so" >/dev/null; then return; fi
  python3 - 2>/dev/null <<'END'
import glob, site, sys
folders = [f for p in site.getsitepackages() + sys.path for f in glob.glob(p + "/nvidia/cu*/lib")]
print(next((f for f in folders if glob.glob(f + "/libcublas.so.*")), ""))
END
}

build_all() {
  local options=(-DGABLE_TESTS=ON) wheel name file
  command -v nvcc >/dev/null || { echo "no nvcc in PATH, \$CUDA_HOME/bin or /usr/local/cuda/bin"; return 1; }
  [ -z "$kokkos" ] || options+=(-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=$kokkos")
  if [ -d "$kit/usr" ]; then
    options+=("-DCMAKE_PREFIX_PATH=$kit/usr")
    export CPATH=$kit/usr/include${CPATH:+:$CPATH}  # headers that have no CMake package
  fi
  wheel=$(wheel_cublas)
  if [ -n "$wheel" ]; then  # under the names that CMake looks for
    mkdir -p "$build/cublas"
    for name in cublas cublasLt; do
      for file in "$wheel/lib$name.so".*; do ln -sf "$file" "$build/cublas/"; done
      ln -sf "$file" "$build/cublas/lib$name.so"
    done
    options+=("-DCMAKE_LIBRARY_PATH=$build/cublas")
    export CPATH=${CPATH:+$CPATH:}${wheel%/*}/include
  fi
  cd "$repository" &&
    { [ ! -e "$kit/cuda_kokkos.h" ] || export CUDAFLAGS="-include $kit/cuda_kokkos.h ${CUDAFLAGS:-}"; } &&
    cmake --preset cuda -B "$build" "-DGABLE_CUDA_ARCH=${arch:-$(find_arch)}" "${options[@]}" &&
    cmake --build "$build" --target gable test_conformance test_gpu_kernels --parallel "$(nproc)"
}

# A test without a GPU is skipped, which is no success here.
need_device() {
  local found
  [ -x "$gable" ] || { echo "nothing is built: the stage build has to succeed first"; return 1; }
  found=$("$gable" devices) || return
  grep -q "^$device: " <<<"$found" || { grep '^no ' <<<"$found" || echo "there is no $device here"; return 1; }
}

# measure_into FILE COMMAND…: takes up what an interrupted run left.
measure_into() {
  local file=$1
  shift
  if [ -e "$file.journal" ]; then
    "$gable" "$1" --resume "$file"
  else
    "$gable" "$@" --device "$device" --output "$file" --force
  fi
}

measure_quick() {
  local status=0
  measure_into "$output/quick.json" measure --quick || status=$?
  [ -e "$output/quick.json" ] || return "$status"
  "$gable" report "$output/quick.json" --table points >"$output/points.csv" || status=1
  if command -v gnuplot >/dev/null; then "$gable" report "$output/quick.json" --output "$output/roofline.svg" || status=1; fi
  return "$status"
}

# Every operator in all floating-point types; then products and attention at sizes that fill a GPU, portable and vendor's side by side.
measure_operators() {
  local status=0
  local types=fp64,fp32,fp16,bf16
  measure_into "$output/operators.json" run --dtype "$types" || status=1
  measure_into "$output/gemm.json" run --operator gemm --dtype "$types" --params m=4096,n=4096,k=4096 --params m=8192,n=8192,k=8192 || status=1
  measure_into "$output/attention.json" run --operator attention_fused --dtype "$types" --params h=32,l=4096,d=64 --params h=16,l=4096,d=128 || status=1
  return "$status"
}

# compute-sanitizer over the conformance cases of at most 20000 elements.
check_kernels() {
  local tool status=0
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer in PATH"; return 1; }
  for tool in memcheck racecheck initcheck; do
    GABLE_CONFORMANCE_ELEMENTS=20000 compute-sanitizer --tool "$tool" --error-exitcode 1 --log-file "$output/$tool.txt" \
      "$build/bin/test_conformance" '--gtest_filter=*/Conformance.MatchesTheReference/*' || status=1
    tail -n 1 "$output/$tool.txt"
  done
  return "$status"
}

# What the hardware counted: bytes of main memory and operations of the fp32 operators, kernel by kernel, to hold against their declared work.
read_counters() {
  local metrics=dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum
  metrics+=,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
  metrics+=,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum
  command -v ncu >/dev/null || { echo "no ncu in PATH"; return 1; }
  ncu --target-processes all --csv --page raw --metrics "$metrics" --launch-count 400 --log-file "$output/counters.csv" \
    "$gable" run --dtype fp32 --device "$device" --output "$output/counted.json" --force >/dev/null
  local status=$?
  ! grep -m 1 ERR_ "$output/counters.csv" || return 1
  return "$status"
}

if [ -n "${GABLE_ON_GPU_STAGE:-}" ]; then
  case $GABLE_ON_GPU_STAGE in
    build) build_all ;;
    conformance) need_device && ctest --test-dir "$build" --label-regex conformance --output-on-failure --no-tests=error ;;
    tests) need_device && ctest --test-dir "$build" --label-regex gpu --label-exclude conformance --output-on-failure --no-tests=error ;;
    quick) need_device && measure_quick ;;
    full) need_device && measure_into "$output/calibrate.json" calibrate --full ;;
    operators) need_device && measure_operators ;;
    checkers) need_device && check_kernels ;;
    counters) need_device && read_counters ;;
  esac
  exit
fi

: >"$output/summary.txt"
failed=0
for stage in "${stages[@]}"; do
  start=$SECONDS
  echo "=== $stage" | tee -a "$output/log.txt"
  GABLE_ON_GPU_STAGE=$stage timeout --kill-after=10 "$limit" "${BASH_SOURCE[0]}" "${arguments[@]}" </dev/null 2>&1 | tee -a "$output/log.txt"
  case ${PIPESTATUS[0]} in
    0) outcome=ok ;;
    124 | 137) outcome="ended after its limit of $limit s" failed=1 ;;
    *) outcome=failed failed=1 ;;
  esac
  printf '%-12s %4d s  %s\n' "$stage" $((SECONDS - start)) "$outcome" | tee -a "$output/log.txt" "$output/summary.txt"
done
echo "results and log: $output"
exit $failed
