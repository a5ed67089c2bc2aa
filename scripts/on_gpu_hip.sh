# shellcheck shell=bash disable=SC2154 # the variables of on_gpu.sh
# What on_gpu.sh does otherwise on an AMD GPU than on an NVIDIA one. Sourced. Never run on an AMD GPU.
# shellcheck disable=SC2034 # for on_gpu.sh
archs=(gfx90a gfx942 gfx950 gfx1100)

# The architecture to build for: that of the first GPU.
find_arch() {
  local found
  found=$(rocminfo 2>/dev/null | sed -n 's/^ *Name: *\(gfx[0-9a-f]*\).*/\1/p' | head -n 1)
  echo "${found:-gfx942}"
}

# Which models of GPU there are: of each agent rocminfo prints its name, and later what kind of device it is.
gpu_model() { rocminfo 2>/dev/null | sed -n -e '/^ *Marketing Name:/h' -e '/^ *Device Type: *GPU/{g;p}' | sort -u || true; }

link_libraries() { :; }  # ROCm's lie where its programs look

# CMake finds ROCm's compiler and libraries by hipconfig, which lies beside hipcc.
find_compiler() {
  command -v hipcc >/dev/null || { echo "no hipcc in PATH, \$ROCM_PATH/bin or /opt/rocm/bin"; return 1; }
}

count_instructions() { echo "skipped: the machine code of AMD GPUs is what the test build.hip_isa reads"; return 77; }

check_kernels() { echo "skipped: ROCm has no checker like compute-sanitizer for programs as they are built"; return 77; }

# What the hardware counted: kB from and to main memory, and vector instructions, of the fp32 operators. One run for
# each counter: they do not all fit into one.
read_counters() {
  local counter folder=$output/counters status=0
  command -v rocprofv3 >/dev/null || { echo "skipped: no rocprofv3 in PATH"; return 77; }
  rm -rf "$folder"
  for counter in FETCH_SIZE WRITE_SIZE SQ_INSTS_VALU; do
    rocprofv3 --pmc "$counter" --output-format csv --output-directory "$folder/$counter" -- \
      "$gable" run --suite all --dtype fp32 --device "$device" --output "$output/counted.json" --force >/dev/null || status=1
  done
  find "$folder" -name '*counter_collection.csv' -exec cat {} + >"$output/counters.csv"
  [ -s "$output/counters.csv" ] || { echo "rocprofv3 left no counters"; status=1; }
  return "$status"
}
