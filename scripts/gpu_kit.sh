#!/bin/bash
# gpu_kit.sh [options] [BUILD]: packs what scripts/on_gpu.sh runs into one archive, for a GPU machine with nothing of its own but a C library, a
# driver and CUDA's libraries. BUILD (build/gpu-kit) is a finished build for CUDA with tests.
#
#   --kokkos TREE   builds it first, natively, with a copy of this source tree of Kokkos; one before 5 is changed there, so that it grants a team
#                   all the scratch that the GPU has. nvcc comes from CUDACXX or PATH; GABLE_CUDA_ARCH names the architecture (90a)
#   --output FILE   the archive (gable-gpu.tar.xz); at most 16 MiB
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
bad() { echo "gpu_kit.sh: $*" >&2; exit 2; }
die() { echo "gpu_kit.sh: $*" >&2; exit 1; }
build=$repository/build/gpu-kit kokkos='' output=gable-gpu.tar.xz most=$((16 << 20))
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --kokkos | --output) [ $# -gt 1 ] || bad "$1 needs a value"; declare "${1#--}=$2"; shift ;;
    -*) bad "unknown option '$1'; --help lists them" ;;
    *) build=$1 ;;
  esac
  shift
done
[ -z "$kokkos" ] || [ -e "$kokkos/CMakeLists.txt" ] || bad "no source tree of Kokkos in $kokkos"
command -v patchelf >/dev/null || bad "no patchelf in PATH (Debian: patchelf)"

# change FILE LINE TEXT: puts TEXT in the place of LINE, which the file has once.
change() {
  local count
  count=$(grep -cxF "$2" "$1" || true)
  [ "$count" -eq 1 ] || die "$1 has this line $count times, not once:$2"
  line=$2 text=$3 awk '{ print $0 == ENVIRON["line"] ? ENVIRON["text"] : $0 }' "$1" >"$1.new"
  mv "$1.new" "$1"
}

# Kokkos before 5 grants a team the 48 KiB that every kernel has; a kernel may ask for more (cudaFuncAttributeMaxDynamicSharedMemorySize).
grant_scratch() {
  local folder=$1/core/src/Cuda
  change "$folder/Kokkos_Cuda_Instance.hpp" '    return cudaFuncGetAttributes(attr, entry);' \
    '    cudaError_t status = cudaFuncGetAttributes(attr, entry);
    if (status == cudaSuccess)
      status = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    int(m_deviceProp.sharedMemPerBlockOptin - attr->sharedSizeBytes));
    return status == cudaSuccess ? cudaFuncGetAttributes(attr, entry) : status;'
  change "$folder/Kokkos_Cuda_Instance.cpp" '  Impl::CudaInternal::m_deviceProp = cudaProp;' \
    '  cudaProp.sharedMemPerBlock = cudaProp.sharedMemPerBlockOptin - 16 * 1024;
  Impl::CudaInternal::m_deviceProp = cudaProp;'
}

if [ -n "$kokkos" ]; then
  mkdir -p "$build"
  build=$(cd "$build" && pwd -P)
  tree="$(realpath "$kokkos") $(sed -n 's/^set(Kokkos_VERSION_[A-Z]* \([0-9]*\))/\1/p' "$kokkos/CMakeLists.txt" | paste -sd .)"
  if [ ! -d "$build/kokkos" ] || [ "$(cat "$build/kokkos.tree" 2>/dev/null)" != "$tree" ]; then  # another copy makes everything older than it
    rm -rf "$build"/kokkos{.new,}
    cp -a "$kokkos" "$build/kokkos.new"
    grep -q '^set(Kokkos_VERSION_MAJOR [5-9])' "$kokkos/CMakeLists.txt" || grant_scratch "$build/kokkos.new"
    mv "$build/kokkos.new" "$build/kokkos"
    echo "$tree" >"$build/kokkos.tree"
  fi
  cmake -S "$repository" --preset cuda -B "$build" -DGABLE_CUDA_ARCH="${GABLE_CUDA_ARCH:-90a}" -DGABLE_CUDA_PTX=ON -DGABLE_TESTS=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=$build/kokkos"
  cmake --build "$build" --target gable test_conformance test_gpu_kernels test_gpu_tile
fi
for program in gable gable-worker-cuda-\* test_conformance test_gpu_kernels test_gpu_tile; do
  compgen -G "$build/bin/$program" >/dev/null || bad "no $program in $build/bin; --kokkos builds it"
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
kit=$folder/gable-gpu
mkdir -p "$kit/bin" "$kit/lib/cxx" "$kit/scripts"
cp "$repository"/scripts/{on_gpu.sh,gpu_stage.sh,cuda_toolkit.sh,torch_baseline.py} "$kit/scripts/"
shopt -s nullglob
cp "$build"/bin/{gable,gable-worker-cuda-*,test_conformance,test_gpu_kernels,test_gpu_tile} "$kit/bin/"

# Of the shared libraries those of the C library, of the driver and of CUDA are the other machine's. So is the C++ library, which asks for a newer C
# library than the rest; on_gpu.sh takes the kit's where the other machine's is older or not there.
outside='^(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|util)|libcu.*|libnv.*)\.so'
libraries=$(ldd "$kit"/bin/*)
if sed -n 's/^\t\(.*\) => not found$/\1/p' <<<"$libraries" | sort -u | grep -vE "$outside"; then die "these libraries are not found here"; fi
sed -n 's/^\t\(lib[^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' <<<"$libraries" | sort -u | while read -r name path; do
  case $name in libstdc++* | libgcc_s*) target=$kit/lib/cxx ;; *) target=$kit/lib ;; esac
  [[ $name =~ $outside ]] || cp --dereference "$path" "$target/$name"
done
strip "$kit"/bin/*
strip --strip-unneeded "$kit"/lib/*.so* "$kit"/lib/cxx/*
# an RPATH goes before LD_LIBRARY_PATH
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$kit"/bin/*
patchelf --force-rpath --set-rpath "\$ORIGIN" "$kit"/lib/*.so*

needs=$(objdump -p "$kit"/bin/* "$kit"/lib/*.so*)
least() { grep -o "$1_[0-9.]*" | sort -uV | tail -n 1; }
# version_in FILE VARIABLE: what a file of the build sets it to
version_in() { sed -n "s/^set($2 \"\(.*\)\")/\1/p" "$1" 2>/dev/null || echo unknown; }
of() { version_in "$(compgen -G "$build/CMakeFiles/*/CMake${1%%_*}Compiler.cmake")" "CMAKE_$1_VERSION"; }
{
  "$build/bin/gable" --version  # with the commit
  echo "made with nvcc $(of CUDA_COMPILER), C++ compiler $(of CXX_COMPILER), Kokkos $(version_in "$build"/_deps/kokkos-build/KokkosConfigVersion.cmake PACKAGE_VERSION)"
  echo "needs $(least GLIBC <<<"$needs") and $(least GLIBCXX <<<"$needs") or later (without the second $(objdump -p "$kit"/lib/cxx/* | least GLIBC)), $(uname -m), and:"
  sed -n 's/^ *NEEDED *//p' <<<"$needs" | sort -u | grep -E "$outside"
  echo "has:"
  (cd "$kit" && sha256sum bin/* lib/*.so* lib/cxx/* scripts/*)
} >"$kit/MANIFEST"
# the programs have the same kernels: a dictionary that reaches from one to the next
XZ_OPT=${XZ_OPT:---lzma2=preset=6,dict=128MiB} tar --create --xz --file "$output" --sort=name --owner=0 --group=0 --directory "$folder" gable-gpu
size=$(stat --format %s "$output")
[ "$size" -le "$most" ] || { rm "$output"; die "$output had $size bytes, more than $most"; }
echo "$output: $size bytes, $(sed -n 3p "$kit/MANIFEST" | cut -d, -f 1)"
