#!/bin/bash
# compile.sh ROOT FOLDER CXX KOKKOS_INCLUDES: compiles HIP units into FOLDER and throws the results away; nothing is linked or run. Without
# KOKKOS_INCLUDES (a list separated by ';'): the native kernels, and the one that says where it runs, for gfx942, gfx90a, gfx950 and gfx1100, those of one architecture alone for it, and the host side of
# the backend. With: what includes Kokkos, for gfx942, against these headers, whichever backend they were installed for; kokkos_gpu/ makes them a HIP Kokkos. Of the
# operators only the host side of two: operators.py compiles the device side of all.
set -euo pipefail
root=$1 folder=$2 cxx=$3 kokkos=$4
hipcc=$(command -v hipcc || true)
[ -n "$hipcc" ] || hipcc=/opt/rocm/bin/hipcc
if [ ! -x "$hipcc" ]; then
  echo "skipped: no hipcc in PATH or /opt/rocm/bin"
  exit 77
fi
version=$("$hipcc" --version | sed -n 's/^HIP version: \([0-9]*\)\..*/\1/p')
if [ "${version:-0}" -lt 6 ]; then
  echo "skipped: HIP ${version:-(unknown)} of $hipcc is older than 6"
  exit 77
fi
mkdir -p "$folder"
cd "$root"
source tests/build/unit.sh
status=0
device=("$hipcc" -x hip -std=c++20 -O3 -I. -Ibackends/hip -Wall -Wextra -Wno-pass-failed)

# Whether the compiler has that chip; older ones lack the newest.
knows() {
  "$hipcc" -x hip --offload-arch="$1" --offload-device-only -nogpulib -nogpuinc -fsyntax-only /dev/null 2>/dev/null || { echo "   left out  $1: the compiler does not know it"; return 1; }
}

if [ -z "$kokkos" ]; then
  for arch in gfx942 gfx90a gfx950 gfx1100; do
    echo "$arch"
    case $arch in gfx950 | gfx1100) knows "$arch" || continue ;; esac
    side=(--offload-device-only)  # the host's side is the same for all
    [ $arch != gfx942 ] || side=()
    for source in backends/gpu/kernels/*.cpp tests/gpu/dealt_blocks.cpp; do unit "$folder" "$source" "${device[@]}" --offload-arch="$arch" "${side[@]}" || status=1; done
  done
  for source in backends/hip/kernels/*.cpp; do
    case $source in
      *_cdna2.cpp) arch=gfx90a ;;
      *_cdna3.cpp) arch=gfx942 ;;
      *_cdna4.cpp) arch=gfx950 ;;
      *_rdna3.cpp) arch=gfx1100 ;;
      *) echo "no architecture for $source"; exit 1 ;;
    esac
    echo "$arch"
    case $arch in gfx950 | gfx1100) knows "$arch" || continue ;; esac
    unit "$folder" "$source" "${device[@]}" --offload-arch="$arch" || status=1
  done
  include=$("$(dirname "$hipcc")/hipconfig" --path)/include
  echo host
  for source in backends/gpu/*.cpp backends/gpu/*/*.cpp backends/hip/*.cpp cli/worker_main_gpu.cpp tests/gpu/dealing_test.cpp; do
    case $source in backends/gpu/kernels/*) continue ;; esac
    case $source in */library_gem* | */lt_gemm.cpp)
      if [ ! -e "$include/hipblaslt/hipblaslt.h" ] || [ ! -e "$include/rocblas/rocblas.h" ]; then
        echo "   left out  $source: no headers of hipBLASLt and rocBLAS in $include"
        continue
      fi ;;
    esac
    unit "$folder" "$source" "$cxx" -std=c++20 -Wall -Wextra -D__HIP_PLATFORM_AMD__ -I. -Ibackends/hip -idirafter "$include" '-DGABLE_GPU_ARCH="gfx942"' \
      '-DGABLE_WORKER_NAME="gable-worker-hip-gfx942"' '-DGABLE_TARGET="gfx942"' || status=1
  done
  exit "$status"
fi

IFS=';' read -ra includes <<<"$kokkos"
device+=(--offload-arch=gfx942 -fopenmp=libomp -I"$root/tests/build/kokkos_gpu" -DKOKKOS_ENABLE_HIP '-DKOKKOS_ARCH_AMD_GPU="gfx942"' -DKOKKOS_ARCH_AMD_GFX942
  -DDESUL_ATOMICS_ENABLE_HIP -DKOKKOS_DEPENDENCE)
for path in "${includes[@]}"; do device+=(-isystem "$path"); done
for source in backends/kokkos/*.cpp operators/device/*.cpp; do
  unit "$folder" "$source" "${device[@]}" || status=1
done
echo "host side of two operators"
for source in operators/triad.cpp operators/gemm.cpp; do
  unit "$folder" "$source" "${device[@]}" --offload-host-only || status=1
done
exit "$status"
