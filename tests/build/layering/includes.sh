#!/bin/bash
# includes.sh ROOT: each part names nothing that it must not know.
set -euo pipefail
cd "$1"
status=0
# deny PATTERN WHAT FILE…
deny() {
  local pattern=$1 what=$2
  shift 2
  [ $# -gt 0 ] || { echo "$what: no such files" >&2; exit 1; }
  if grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" -- "$@"; then
    echo "$what"
    status=1
  fi
}
# deny_words PATTERN WHAT FILE…: the same for whole words anywhere
deny_words() {
  local pattern=$1 what=$2
  shift 2
  [ $# -gt 0 ] || { echo "$what: no such files" >&2; exit 1; }
  if grep -nE "(^|[^A-Za-z0-9_])($pattern)" -- "$@"; then
    echo "$what"
    status=1
  fi
}
vendor='Kokkos|cuda|cublas|nvml|hip/|hip_|rocblas|hipblas|rocm_smi|amd_smi|cblas|openblas|fftw|cufft|hipfft|dnnl|oneapi|mkl|omp\.h|hwloc'

mapfile -t core < <(find core -name '*.[ch]pp')
mapfile -t specs < <(find operators/*.hpp operators/sparse -name '*.[ch]pp')
mapfile -t operators < <(find operators -name '*.[ch]pp')
mapfile -t portable < <(find operators -name '*.[ch]pp' ! -path 'operators/device/isa/*' ! -path 'operators/device/tile/warp/*' \
  ! -path 'operators/device/tile/cuda*.hpp' ! -path 'operators/device/tile/hip.hpp')
mapfile -t backends < <(find backends -name '*.[ch]pp')
mapfile -t parent < <(find cli -name '*.[ch]pp' ! -name 'worker_main*')
mapfile -t native < <(find backends -name '*.[ch]pp' ! -path 'backends/kokkos/*')
deny "$vendor|backends/|operators/|cli/" "core is host C++ and knows no backend, operator or vendor" "${core[@]}"
deny "$vendor|backends/|operators/device/|cli/" "an operator's header is free of Kokkos and vendors" "${specs[@]}"
deny "$vendor|backends/" "the parent is free of Kokkos and vendors" "${parent[@]}"
deny "backends/|cli/" "operators meet backends in core's contracts only" "${operators[@]}"
deny "operators/|cli/" "backends meet operators in core's contracts only" "${backends[@]}"
deny "Kokkos" "only backends/kokkos includes Kokkos" "${native[@]}"
deny_words "hwy/|[a-z]*mmintrin\.h|arm_[a-z]+\.h|_mm[0-9]*_|__m(128|256|512)|__(AVX|SSE|F16C|FMA|BMI|ARM|aarch64|x86_64)|__builtin_ia32|asm *(volatile)? *[(]" \
  "operators know Lanes; instruction sets are known in operators/device/isa" "${portable[@]}"
exit $status
