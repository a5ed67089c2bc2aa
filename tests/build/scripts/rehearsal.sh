#!/bin/bash
# rehearsal.sh BUILD RUNTIME SUITE FOLDER: on_gpu.sh in a foreign system without a GPU. BUILD is a CUDA build that keeps its PTX (GABLE_CUDA_PTX);
# scripts/gpu_kit.sh packs it. FOLDER becomes the least Debian of the release SUITE, with none of the libraries that Gable needs, and a cuBLAS that
# refuses all work in a Python wheel, beside one of a toolkit that cannot be loaded. RUNTIME, with libcudart.so.13 and libcuda.so.1, stands in for
# driver and CUDA runtime. It needs a mirror and takes 10 minutes. Exit code 77 where that Debian cannot be had, and without a RUNTIME ('').
set -euo pipefail
[ "${2-x}" ] || { echo "skipped: no emulated runtime was named"; exit 77; }
if [ $# -ne 4 ] || [ ! -e "$2/libcudart.so.13" ] || [ ! -e "$2/libcuda.so.1" ]; then
  echo "usage: rehearsal.sh BUILD RUNTIME SUITE FOLDER; RUNTIME has libcudart.so.13 and libcuda.so.1" >&2
  exit 2
fi
build=$(realpath "$1") runtime=$(realpath "$2") suite=$3 folder=$4
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"
fail() { echo "$*"; exit 1; }
"$repository/scripts/in_root.sh" --possible || { echo "skipped: mount namespaces are denied here"; exit 77; }
install_packages patchelf
if [ ! -e "$folder/etc/debian_version" ]; then
  unpack_debian "$folder" "$suite" --variant=minbase --include=python3-minimal || { echo "skipped: no Debian $suite can be unpacked here"; exit 77; }
fi
folder=$(realpath "$folder")
for library in boost_program_options fmt hwloc; do
  ! compgen -G "$folder/usr/lib/*/lib$library*" >/dev/null || fail "the root has $library: it is no foreign system"
done

rm -rf "$folder/opt"/*
"$repository/scripts/gpu_kit.sh" --output "$folder/opt/kit.tar.xz" "$build"
tar --extract --file "$folder/opt/kit.tar.xz" --directory "$folder/opt"
cp -L "$runtime/libcudart.so.13" "$runtime/libcuda.so.1" "$folder/opt/"

# Of cuBLAS, what the programs call, with an answer that says it is not initialised.
wheel=$folder/usr/lib/python3/dist-packages/nvidia/cu13/lib toolkit=$folder/usr/local/cuda/lib64
mkdir -p "$wheel" "$toolkit"
objdump -T "$folder"/opt/gable-gpu/bin/* | sed -n 's/.*\*UND\*.* \(cublas[A-Za-z0-9_]*\)$/\1/p' | sort -u |
  sed -e 's/.*String$/const char* &(void) { return "refused"; }/' -e t -e 's/.*/int &(void) { return 1; }/' >"$folder/opt/cublas.c"
for name in libcublas libcublasLt; do
  echo "$name.so.13 { *; };" >"$folder/opt/$name.map"
  cc -shared -fPIC -Wl,-soname,$name.so.13 -Wl,--version-script="$folder/opt/$name.map" -o "$wheel/$name.so.13" "$folder/opt/cublas.c"
done
echo 'int needless(void) { return 0; }' | cc -x c - -shared -fPIC -o "$folder/opt/libneedless.so"
cc -x c - -shared -fPIC -Wl,--no-as-needed -L"$folder/opt" -lneedless -o "$toolkit/libcublas.so.13" </dev/null
rm "$folder/opt/libneedless.so"

status=0
"$repository/scripts/in_root.sh" "$folder" env LD_LIBRARY_PATH=/opt GTEST_FILTER="${GTEST_FILTER:-*OfOddSizes*:Compute/*:*MatchesTheReference/*_kokkos_fp32_*}" GABLE_CONFORMANCE_ELEMENTS=3000 \
  /opt/gable-gpu/scripts/on_gpu.sh --output /opt/out --total "${REHEARSAL_SECONDS:-560}" || status=$?
[ "$status" -le 1 ] || fail "on_gpu.sh ended with $status"
grep -q '^smoke .* ok$' "$folder/opt/out/summary.txt" || fail "not every program starts in the foreign system"
for program in tile kernels conformance.0; do
  grep -q '^\[       OK \]' "$folder/opt/out/logs/$program.log" || fail "no test of $program passed"
done
for file in summary.txt log.txt logs/conformance.0.log; do
  grep -qx "./out/$file" <(tar --list --file "$folder/opt/out.tar.gz") || fail "the archive lacks $file"
done
echo "the kit starts on a fresh $suite, and its archive comes out"
