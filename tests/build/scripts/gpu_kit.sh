#!/bin/bash
# gpu_kit.sh SCRIPTS CXX: the archive of scripts/gpu_kit.sh has all that its programs need but CUDA's libraries, and its change to Kokkos is made
# where it belongs or not at all. The programs are small ones, made here. Skipped (77) without patchelf.
set -euo pipefail
scripts=$1 cxx=$2
command -v patchelf >/dev/null || { echo "skipped: no patchelf here"; exit 77; }
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
fail() { echo "$*"; cat "$project/said"; exit 1; }
cp -r "$scripts" "$project/scripts"
# run EXPECTED_EXIT_CODE OPTION…
run() {
  local status=0 expected=$1
  shift
  XZ_OPT=-0 "$project/scripts/gpu_kit.sh" --output "$project/kit.tar.xz" "$@" >"$project/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "gpu_kit.sh $*: exit code $status, not $expected"
}

# A program that needs a library, which needs another, and a library of CUDA.
build=$project/build
mkdir -p "$build/bin" "$build/lib" "$build/CMakeFiles/3"
echo 'set(CMAKE_CUDA_COMPILER_VERSION "13.0.88")' >"$build/CMakeFiles/3/CMakeCUDACompiler.cmake"
cd "$build"
echo 'int inner() { return 4; }' | "$cxx" -x c++ - -shared -fPIC -o lib/libinner.so
echo 'int inner(); int outer() { return inner() + 2; }' | "$cxx" -x c++ - -shared -fPIC -Llib -linner -Wl,-rpath,"$PWD/lib" -o lib/libouter.so
echo 'int runtime() { return 13; }' | "$cxx" -x c++ - -shared -fPIC -Wl,-soname,libcudart.so.13 -o lib/libcudart.so.13
# program SOURCE NAME: out of C++, linked with these
program() { "$cxx" -x c++ - -o "bin/$2" -Llib -louter -l:libcudart.so.13 -Wl,-rpath,"$PWD/lib" -Wl,-rpath-link,lib <<<"$1"; }
text='#include <iostream>
int outer(); int runtime(); int main() { std::cout << "gable " << outer() << "." << runtime() << std::endl; }'
program "$text" gable
for name in gable-worker-cuda-sm_90a test_conformance test_gpu_kernels; do cp bin/gable bin/$name; done
cd "$project"
run 2 "$build"
grep -q "^gpu_kit.sh: no test_gpu_tile in $build/bin; --kokkos builds it$" "$project/said" || fail "a build without test_gpu_tile is packed"
cp "$build/bin/gable" "$build/bin/test_gpu_tile"
run 0 "$build"

mv "$build" "$project/moved"
python3 -m tarfile -e kit.tar.xz  # where there is no xz
kit=$project/gable-gpu
mkdir runtime
cp moved/lib/libcudart.so.13 runtime/
for name in gable gable-worker-cuda-sm_90a test_gpu_tile test_conformance; do
  LD_LIBRARY_PATH=$project/runtime "$kit/bin/$name" >said 2>&1 || true
  [ "$(cat said)" = 'gable 6.13' ] || fail "$name of the kit does not start elsewhere"
done
[ ! -e "$kit/lib/libcudart.so.13" ] || fail "a library of CUDA is in the kit"
compgen -G "$kit/lib/cxx/libstdc++.so.6" >/dev/null || fail "the C++ library is not in the kit"
! compgen -G "$kit/lib/libstdc++*" >/dev/null || fail "the C++ library takes the place of a newer one"
! compgen -G "$kit/lib/libc.so*" >/dev/null || fail "the C library is in the kit"
grep -qx 'libcudart.so.13' "$kit/MANIFEST" || fail "the manifest does not name CUDA's library: $(cat "$kit/MANIFEST")"
grep -q '^made with nvcc 13.0.88, ' "$kit/MANIFEST" || fail "the manifest does not name the compiler: $(cat "$kit/MANIFEST")"
grep -q '^needs GLIBC_2\.[0-9]* and GLIBCXX_3[0-9.]* or later ' "$kit/MANIFEST" || fail "the manifest does not name the C library: $(cat "$kit/MANIFEST")"
(cd "$kit" && sed '1,/^has:$/d' MANIFEST | sha256sum --check --quiet) || fail "the manifest has other files"
"$kit/scripts/on_gpu.sh" --help >/dev/null || fail "the kit's on_gpu.sh does not start"

# A library that is not here, other than CUDA's.
mv moved "$build"
mv "$build/lib/libinner.so" .
run 1 "$build"
grep -qx 'libinner.so' said || fail "a library that is not found is left out in silence"
mv libinner.so "$build/lib/"
mv "$build/lib/libcudart.so.13" "$build/bin/gable" .
"$cxx" -x c++ - -o "$build/bin/gable" <<<'int main() {}'  # the only one that is run
run 0 "$build"
mv libcudart.so.13 "$build/lib/"
mv gable "$build/bin/"

# More than 16 MiB.
head -c 17000000 /dev/urandom >random
(cd "$build" && program "$text asm(\".section .rodata\\n.incbin \\\"$project/random\\\"\\n.text\");" test_conformance)
run 1 "$build"
grep -q 'bytes, more than 16777216$' said || fail "a kit of 17 MB is packed"
[ ! -e kit.tar.xz ] || fail "a kit of 17 MB is left"

# Kokkos: changed in a copy, in both places; refused where one is not there, or twice. cmake is a stand-in that fails.
mkdir -p tools "kokkos/core/src/Cuda"
printf '#!/bin/bash\necho "cmake $*"\nexit 9\n' >tools/cmake
chmod +x tools/cmake
PATH=$project/tools:$PATH
cuda=kokkos/core/src/Cuda
echo 'set(Kokkos_VERSION_MAJOR 4)' >kokkos/CMakeLists.txt
echo '    return cudaFuncGetAttributes(attr, entry);' >$cuda/Kokkos_Cuda_Instance.hpp
echo '  Impl::CudaInternal::m_deviceProp = cudaProp;' >$cuda/Kokkos_Cuda_Instance.cpp
run 9 --kokkos kokkos "$project/new"
grep -q -e '-DGABLE_CUDA_PTX=ON' said || fail "the build keeps no PTX"
grep -q 'cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize' "new/$cuda/Kokkos_Cuda_Instance.hpp" || fail "no scratch is asked for"
grep -q 'sharedMemPerBlock = cudaProp.sharedMemPerBlockOptin - 16 \* 1024;' "new/$cuda/Kokkos_Cuda_Instance.cpp" || fail "no scratch is granted"
grep -q 'sharedMemPerBlock' $cuda/Kokkos_Cuda_Instance.cpp && fail "the source tree itself was changed"
echo '  Impl::CudaInternal::m_deviceProp = cudaProp;' >>$cuda/Kokkos_Cuda_Instance.cpp
run 1 --kokkos kokkos "$project/twice"
grep -q 'Kokkos_Cuda_Instance.cpp has this line 2 times, not once' said || fail "a place that is there twice is changed"
echo >$cuda/Kokkos_Cuda_Instance.hpp
run 1 --kokkos kokkos "$project/none"
grep -q 'Kokkos_Cuda_Instance.hpp has this line 0 times, not once' said || fail "a place that is not there is not said"
sed -i 's/4/5/' kokkos/CMakeLists.txt
run 9 --kokkos kokkos "$project/five"
cmp kokkos/core/src/Cuda/Kokkos_Cuda_Instance.cpp five/kokkos/core/src/Cuda/Kokkos_Cuda_Instance.cpp || fail "Kokkos 5 was changed"
# The copy stays while the tree is the same, and is replaced by that of another folder or version.
echo mine >five/kokkos/mark
run 9 --kokkos kokkos "$project/five"
[ -e five/kokkos/mark ] || fail "the copy of the same Kokkos was replaced"
sed -i 's/5/6/' kokkos/CMakeLists.txt
run 9 --kokkos kokkos "$project/five"
grep -q 6 five/kokkos/CMakeLists.txt || fail "a newer Kokkos was ignored"
cp -r kokkos other
echo mine >five/kokkos/mark
run 9 --kokkos other "$project/five"
[ ! -e five/kokkos/mark ] || fail "another folder of Kokkos was ignored"
