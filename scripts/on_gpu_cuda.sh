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

# Which GPUs and driver there are.
gpu_identity() { nvidia-smi --query-gpu=uuid,driver_version --format=csv,noheader 2>/dev/null || true; }

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

# Adds to $options what CMake needs to compile for the GPU, or says why it cannot.
find_compiler() {
  local wheel name file
  command -v nvcc >/dev/null || { echo "no nvcc in PATH, \$CUDA_HOME/bin or /usr/local/cuda/bin"; return 1; }
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
  [ ! -e "$kit/cuda_kokkos.h" ] || export CUDAFLAGS="-include $kit/cuda_kokkos.h ${CUDAFLAGS:-}"
}

# What the ceilings' kernels are made of, down to the machine instruction.
count_instructions() {
  local worker cuobjdump
  worker=$build/bin/gable-worker-cuda-sm_${arch:-$(find_arch)}
  [ -x "$worker" ] || { echo "nothing is built: the stage build has to succeed first"; return 1; }
  cuobjdump=$(PATH=$PATH:$("$repository/scripts/cuda_toolkit.sh" nvcc)/bin command -v cuobjdump) || { echo "skipped: no cuobjdump in PATH or in nvcc's toolkit"; return 77; }
  python3 -B "$repository/scripts/sass.py" "$cuobjdump" "$worker" "${arch:-$(find_arch)}" >"$output/sass.csv"
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
