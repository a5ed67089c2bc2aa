#!/bin/bash
# compile.sh ROOT FOLDER CXX KOKKOS_INCLUDES CUDA_FLAGS: compiles CUDA units for sm_90a into FOLDER and throws the results away.
# Without KOKKOS_INCLUDES (a list separated by ';'): the native kernels, and the host side of the backend. With: what includes Kokkos,
# against these headers, whichever backend they were installed for; kokkos_gpu/ makes them a CUDA Kokkos. Of the operators only two:
# operators.py compiles the device side of all.
set -euo pipefail
root=$1 folder=$2 cxx=$3 kokkos=$4 cuda_flags=$5
nvcc=$(command -v nvcc || true)
[ -n "$nvcc" ] || nvcc=/usr/local/cuda/bin/nvcc
if [ ! -x "$nvcc" ]; then
  echo "skipped: no nvcc in PATH or /usr/local/cuda/bin"
  exit 77
fi
include=$("$root/scripts/cuda_toolkit.sh" "$nvcc")/include
mkdir -p "$folder"
cd "$root"
source tests/build/unit.sh
status=0

device=("$nvcc" -x cu -std=c++20 -O3 -ccbin "$cxx" -I. -Ibackends/cuda --expt-relaxed-constexpr -DFMT_USE_CONSTEXPR=1
  "-Xcompiler=-Wall,-Wextra")
if [ -z "$kokkos" ]; then
  for source in backends/gpu/kernels/*.cpp backends/cuda/kernels/*.cpp; do
    unit "$folder" "$source" "${device[@]}" -gencode=arch=compute_90a,code=sm_90a || status=1
  done
  for source in backends/gpu/*.cpp backends/gpu/*/*.cpp backends/cuda/*.cpp cli/worker_main_gpu.cpp; do
    case $source in backends/gpu/kernels/*) continue ;; esac
    case $source in */library_gem* | */lt_gemm.cpp) [ -e "$include/cublasLt.h" ] || continue ;; esac
    unit "$folder" "$source" "$cxx" -std=c++20 -Wall -Wextra -I. -Ibackends/cuda -I"$include" '-DGABLE_GPU_ARCH="90a"' \
      '-DGABLE_WORKER_NAME="gable-worker-cuda-sm_90a"' '-DGABLE_TARGET="sm_90a"' || status=1
  done
  exit $status
fi

IFS=';' read -ra includes <<<"$kokkos"
version=$(grep -rhoE '#define KOKKOS_VERSION [0-9]+' "${includes[@]}" | grep -oE '[0-9]+' | head -n 1)
read -ra extra <<<"$cuda_flags"
[ "${version:-0}" -ge 50000 ] || extra+=(-include "$root/backends/cuda/kokkos4.h")  # as cmake/GableKokkos.cmake has it
device+=("-gencode=arch=compute_90a,code=sm_90a" -DGABLE_WGMMA -extended-lambda -Wext-lambda-captures-this -Xcompiler=-fopenmp
  -I"$root/tests/build/kokkos_gpu" -DKOKKOS_ENABLE_CUDA -DKOKKOS_ARCH_HOPPER -DKOKKOS_ARCH_HOPPER90 -DDESUL_ATOMICS_ENABLE_CUDA
  -DKOKKOS_DEPENDENCE "${extra[@]}")
for path in "${includes[@]}"; do device+=(-isystem "$path"); done
for source in backends/kokkos/*.cpp operators/device/*.cpp operators/triad.cpp operators/gemm.cpp; do
  unit "$folder" "$source" "${device[@]}" || status=1
done
exit $status
