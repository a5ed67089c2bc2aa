# shellcheck shell=bash disable=SC2154 # the variables of on_gpu.sh
# What on_gpu.sh does otherwise on an NVIDIA GPU than on an AMD one. Sourced.
# shellcheck disable=SC2034 # for on_gpu.sh
archs=(80 90a 100)

# The architecture to build for: that of the first GPU.
find_arch() {
  case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) in
    8.*) echo 80 ;;
    10.*) echo 100 ;;
    *) echo 90a ;;
  esac
}

# Which models of GPU there are.
gpu_model() { nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort -u || true; }

# wheel_folder NAME: prints the folder of libNAME.so.* that only a Python wheel has; nothing if the toolkit has it.
wheel_folder() {
  local toolkit
  if toolkit=$("$repository/scripts/cuda_toolkit.sh" nvcc 2>/dev/null) &&
    { compgen -G "$toolkit/lib64/lib$1.so" || compgen -G "$toolkit/targets/*/lib/lib$1.so"; } >/dev/null; then return; fi
  python3 - "$1" 2>/dev/null <<'END'
import glob, site, sys
folders = [f for p in site.getsitepackages() + sys.path for f in glob.glob(p + "/nvidia/cu*/lib")]
print(next((f for f in folders if glob.glob(f"{f}/lib{sys.argv[1]}.so.*")), ""))
END
}

# Links what only Python wheels have into one folder: for CMake under the names that it looks for, and for the programs, which find it by
# LD_LIBRARY_PATH. cuFFT is needed by the programs alone, which load it by name.
link_libraries() {
  local name folder file
  rm -rf "$libraries"
  for name in cublas cublasLt cufft; do
    folder=$(wheel_folder $name)
    [ -n "$folder" ] || continue
    mkdir -p "$libraries"
    for file in "$folder/lib$name.so".*; do ln -sf "$file" "$libraries/"; done
    ln -sf "$file" "$libraries/lib$name.so"
    [ $name != cublas ] || export CPATH=${CPATH:+$CPATH:}${folder%/*}/include
  done
}

# Adds to $options what CMake needs to compile for the GPU, or says why it cannot.
find_compiler() {
  command -v nvcc >/dev/null || { echo "no nvcc in PATH, \$CUDA_HOME/bin or /usr/local/cuda/bin"; return 1; }
  link_libraries
  [ ! -d "$libraries" ] || options+=("-DCMAKE_LIBRARY_PATH=$libraries")
  [ ! -e "$kit/cuda_kokkos.h" ] || export CUDAFLAGS="-include $kit/cuda_kokkos.h ${CUDAFLAGS:-}"
}

# What the ceilings' kernels are made of, down to the machine instruction.
count_instructions() {
  local worker cuobjdump
  worker=$bin/gable-worker-cuda-sm_${arch:-$(find_arch)}
  [ -x "$worker" ] || { echo "nothing is built: the stage build has to succeed first"; return 1; }
  cuobjdump=$(PATH=$PATH:$("$repository/scripts/cuda_toolkit.sh" nvcc)/bin command -v cuobjdump) || { echo "skipped: no cuobjdump in PATH or in nvcc's toolkit"; return 77; }
  python3 -B "$repository/scripts/sass.py" "$cuobjdump" "$worker" "${arch:-$(find_arch)}" >"$output/sass.csv"
}

# check_kernels TOOL: one of compute-sanitizer's, over the conformance cases of at most 20000 elements.
check_kernels() {
  local status=0
  command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer in PATH"; return 1; }
  GABLE_CONFORMANCE_ELEMENTS=20000 compute-sanitizer --tool "$1" --error-exitcode 1 --log-file "$output/$1.txt" \
    "$bin/test_conformance" '--gtest_filter=*/Conformance.MatchesTheReference/*' || status=1
  tail -n 1 "$output/$1.txt"
  return "$status"
}

# What the hardware counted: bytes of main memory and operations of the fp32 operators, kernel by kernel, to hold against their declared work. Of each
# kernel the second launch is read, at the clocks that the GPU has: ncu numbers the launches of each kernel name, grid, block and shared memory,
# and :::2 is the second of any. (--filter-mode per-launch-config tells only grid, block and shared memory apart: of two operators with the
# same grid it would read one.) The names are mangled ones: without template arguments most kernels of Kokkos have the same.
read_counters() {
  local metrics=dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum
  metrics+=,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
  metrics+=,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum
  command -v ncu >/dev/null || { echo "no ncu in PATH"; return 1; }
  ncu --target-processes all --csv --page raw --metrics "$metrics" --clock-control none --kernel-name-base mangled --kernel-id :::2 \
    --log-file "$output/counters.csv" "$gable" run --suite all --dtype fp32 --device "$device" --output "$output/counted.json" --force >/dev/null
  local status=$?
  ! grep -m 1 ERR_ "$output/counters.csv" || return 1
  return "$status"
}
