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
  --stage NAME,…    build, quick, conformance, tests, full, operators, sass, counters, memcheck, racecheck, initcheck (all, in this order)
  --device ID       GPU to measure (cuda:0, hip:0); quick and full measure the CPU with it
  --no-cpu          builds no worker for the CPU and measures the GPU alone
  --programs FOLDER builds nothing: takes the programs in FOLDER, the bin of an earlier build (build/on-gpu/bin). gable and the GPU's worker have
                    to be there; without test_conformance and test_gpu_* their stages are skipped, without the CPU's worker the CPU is
  --limit SECONDS   longest time for one stage (540)
  --total SECONDS   longest time for the whole call, 90 or more: the last 60 s are for the archive, and a stage begins only if 30 s are left
                    before them and gets no more than that (no end)
  --again           also stages that an earlier call into the same output folder finished with the same programs
  -h, --help        this text

Leaves in the output folder: log.txt, summary.txt, quick.json, calibrate.json, operators.json, gemm.json, attention.json, points.csv, sass.csv, counters.csv,
memcheck.txt, racecheck.txt, initcheck.txt, roofline.svg where gnuplot is, and done/ with a file for all that is finished; and beside it the archive
FOLDER.tar.gz of all that, written after each stage and where the call is ended (INT, TERM). Run again, it builds what changed, takes up interrupted measurements and
leaves out what is finished, also in an output folder that was unpacked on another machine with such a GPU. Flags for the GPU's compiler are taken from
CUDAFLAGS or HIPFLAGS. With hip there is no sass.csv and no checker (skipped), and counters are rocprofv3's.
Exit code: 0 if all stages succeeded (sass, with hip checkers and counters, and what --programs lacks may be skipped), 1 if one failed or was not begun, 2 for bad options.
END
}
bad() { echo "on_gpu.sh: $*" >&2; exit 2; }

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
all=(build quick conformance tests full operators sass counters memcheck racecheck initcheck)
arguments=("$@")
arch='' kit=$repository/gpu-kit kokkos='' output=gpu-out stages=("${all[@]}") backend='' device='' limit=540 total='' again='' no_cpu='' programs=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --again) again=1; shift; continue ;;
    --no-cpu) no_cpu=1; shift; continue ;;
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
    --programs) programs=$2 ;;
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
packing=60 shortest=30  # seconds: for the archive, and for a stage
[ -z "$total" ] || [ "$total" -ge $((packing + shortest)) ] || bad "--total is '$total'; the archive and a stage need $((packing + shortest)) s"
[ ${#stages[@]} -gt 0 ] || bad "--stage names no stage"
for stage in "${stages[@]}"; do
  [[ " ${all[*]} " == *" $stage "* ]] || bad "unknown stage '$stage'; there are ${all[*]}"
done

mkdir -p "$output" || bad "cannot make the folder $output"
output=$(cd "$output" && pwd -P)
build=$repository/build/on-gpu
[ "$backend" = cuda ] || build+=-$backend
cpu_build=$repository/build/on-gpu-cpu
bin=$build/bin
if [ -n "$programs" ]; then
  [ -x "$programs/gable" ] || bad "--programs: no gable in $programs"
  compgen -G "$programs/gable-worker-$backend-*" >/dev/null || bad "--programs: no gable-worker-$backend-* in $programs"
  bin=$(cd "$programs" && pwd -P)
  export GABLE_WORKER_PATH=$bin
elif [ -z "$no_cpu" ] && [ -d "$cpu_build/bin" ]; then
  export GABLE_WORKER_PATH=$bin:$cpu_build/bin
fi
gable=$bin/gable
libraries=$build/libraries  # links to what only Python wheels have
[ ! -d "$libraries" ] || export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
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
    cmake --build "$build" --target gable test_conformance test_gpu_kernels test_gpu_tile --parallel "$(nproc)"
}

# The CPU's worker: a build is for one backend, so it lies beside the GPU's in a build of its own.
build_cpu() {
  cmake --preset openmp -B "$cpu_build" -DGABLE_TESTS=OFF "${shared[@]}" &&
    cmake --build "$cpu_build" --target gable_worker_native --parallel "$(nproc)"
}

# CPU and GPU at once: a few long units at the end of the GPU's build leave cores idle.
build_all() {
  local status=0
  cd "$repository" || return
  mkdir -p "$build"
  if [ -n "$programs" ]; then echo "taken from $bin: $("$gable" --version)" && link_libraries; return; fi
  rm -f "$build"/bin/* "$cpu_build"/bin/*  # a build that fails or is ended leaves none of older sources to be measured
  if [ -n "$no_cpu" ]; then build_gpu; return; fi
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
  if [ -n "$no_cpu" ]; then return; fi
  if grep -q '^openmp: ' <<<"$found"; then devices=$device,openmp; else echo "no CPU worker: the GPU is measured alone"; fi
}

# What the stages run and on which model of GPU, as one word; nothing where nothing is built.
programs_and_model() {
  [ ! -x "$gable" ] || {
    echo "$device"
    gpu_model
    cat "$repository"/scripts/on_gpu*.sh "$repository/scripts/sass.py" "$bin"/* 2>/dev/null
    [ -n "$no_cpu" ] || [ -n "$programs" ] || cat "$cpu_build"/bin/* 2>/dev/null
  } | sha256sum | cut -c 1-16
}

# Files that a stage leaves.
results_of() {
  case $1 in
    quick) echo quick.json points.csv ;;
    full) echo calibrate.json ;;
    operators) echo operators.json gemm.json attention.json ;;
    sass) echo sass.csv ;;
    memcheck | racecheck | initcheck) echo "$1.txt" ;;
    counters) echo counters.csv ;;
    *.json) echo "$1" ;;
  esac
}

# is_finished NAME: did an earlier call finish it, with these programs, and is its result still there?
is_finished() {
  local now file
  for file in $(results_of "$1"); do [ -e "$output/$file" ] || return 1; done
  now=$(programs_and_model)
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
  [ "$status" -ne 0 ] || programs_and_model >"$output/done/$name.json"
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
  measure_into operators "$device" run --suite all --dtype "$types" || status=1
  measure_into gemm "$device" run --operator gemm --dtype "$types" --params m=4096,n=4096,k=4096 --params m=8192,n=8192,k=8192 || status=1
  measure_into attention "$device" run --operator attention_fused --dtype "$types" --params h=32,kv=32,l=4096,d=64,mask=none --params h=16,kv=16,l=4096,d=128,mask=none --params h=32,kv=8,l=4096,d=128,mask=causal || status=1
  return "$status"
}

# Prints the folder where ctest finds the tests: the build's, or one made here for programs that were built elsewhere. Conformance is cut into parts
# there, so that a fault on the GPU, after which a process can do no more, costs one part.
folder_of_tests() {
  local part parts=32
  if [ -z "$programs" ]; then echo "$build"; return; fi
  mkdir -p "$build/ctest"
  {
    for ((part = 0; part < parts; part++)); do
      echo "add_test([==[conformance.$part]==] [==[$bin/test_conformance]==])"
      echo "set_tests_properties([==[conformance.$part]==] PROPERTIES LABELS conformance ENVIRONMENT [==[GTEST_TOTAL_SHARDS=$parts;GTEST_SHARD_INDEX=$part]==])"
    done
    for part in kernels tile; do
      [ -x "$bin/test_gpu_$part" ] || { echo "no test_gpu_$part in $bin: its tests do not run" >&2; continue; }
      echo "add_test([==[gpu.$part]==] [==[$bin/test_gpu_$part]==])"
      echo "set_tests_properties([==[gpu.$part]==] PROPERTIES LABELS gpu)"
    done
  } >"$build/ctest/CTestTestfile.cmake"
  echo "$build/ctest"
}

# has_tests PROGRAM: is it there? Programs that were built elsewhere may come without their tests.
has_tests() {
  [ ! -x "$bin/$1" ] || return 0
  echo "no $1 in $bin"
  [ -z "$programs" ] || return 77
  return 1
}

# run_tests LABEL OPTION…
run_tests() {
  ctest --test-dir "$(folder_of_tests)" --label-regex "$@" --timeout 120 --output-on-failure --no-tests=error
}

if [ -n "${GABLE_ON_GPU_STAGE:-}" ]; then
  trap 'exit 143' TERM  # after the program under way, so that a stage that hangs is still there to be killed with its whole group
  case $GABLE_ON_GPU_STAGE in
    build) build_all ;;
    quick) need_device && measure_quick ;;
    conformance) need_device && has_tests test_conformance && run_tests conformance --parallel 4 ;;  # it times nothing, so processes may share the GPU
    tests) need_device && has_tests test_gpu_kernels && run_tests gpu --label-exclude conformance ;;
    full) need_device && measure_into calibrate "$devices" calibrate --full ;;
    operators) need_device && measure_operators ;;
    sass) count_instructions ;;
    counters) need_device && read_counters ;;
    *check) need_device && has_tests test_conformance && check_kernels "$GABLE_ON_GPU_STAGE" ;;
  esac
  exit
fi

# tell STAGE SECONDS OUTCOME: the stage's line in the summary.
tell() { printf '%-12s %4d s  %s\n' "$@" | tee -a "$output/log.txt" "$output/summary.txt"; }

# Everything in the output folder as one file beside it. tar ends with 1 where a file, of a stage that was interrupted, still grew.
pack() {
  local status=0
  tar --create --gzip --file "$output.tar.gz.new" --directory "${output%/*}/" "./${output##*/}" || status=$?
  [ "$status" -le 1 ] && mv "$output.tar.gz.new" "$output.tar.gz"
}

# The call is ended from outside: what is there is packed.
# shellcheck disable=SC2317,SC2329 # a trap calls it
interrupted() {
  trap '' INT TERM
  [ -z "$running" ] || { kill "$running"; tell "$stage" $((SECONDS - start)) interrupted; }
  pack
  exit 143
}

mkdir -p "$output/done"
: >"$output/summary.txt"
failed=0 running=''
trap interrupted INT TERM
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
    left=$((total - packing - SECONDS))
    if [ "$left" -lt "$shortest" ]; then
      tell "$stage" 0 "not begun: less than $((packing + shortest)) s of $total s were left"
      failed=1
      continue
    fi
    grace=5
    [ $((left - grace)) -ge "$within" ] || within=$((left - grace))
  fi
  start=$SECONDS status=0
  echo "=== $stage" | tee -a "$output/log.txt"
  exec 3> >(tee -a "$output/log.txt")
  writer=$!
  GABLE_ON_GPU_STAGE=$stage timeout --kill-after=$grace "$within" "${BASH_SOURCE[0]}" "${arguments[@]}" </dev/null >&3 2>&1 3>&- &
  running=$!  # a job to wait for: a signal is heard while it runs
  exec 3>&-
  wait "$running" || status=$?
  wait "$writer" 2>/dev/null  # of a process substitution, which not every bash can wait for
  running=''
  case $status in
    0) outcome=ok ;;
    77) outcome=skipped ;;
    124 | 137) outcome="ended after its limit of $within s" failed=1 ;;
    *) outcome=failed failed=1 ;;
  esac
  tell "$stage" $((SECONDS - start)) "$outcome"
  if [ "$outcome" = ok ]; then { programs_and_model; tail -n 1 "$output/summary.txt"; } >"$finished"; fi
  pack
done
if pack; then echo "results and log: $output, as one file $output.tar.gz"; else failed=1; fi
exit $failed
