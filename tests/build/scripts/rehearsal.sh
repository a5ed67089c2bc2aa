#!/bin/bash
# rehearsal.sh BUILD RUNTIME SUITE FOLDER: both calls of on_gpu.sh in a foreign system without a GPU. BUILD is a CUDA build that keeps its PTX
# (GABLE_CUDA_PTX); scripts/gpu_kit.sh packs it. FOLDER becomes the least Debian of the release SUITE, with none of the libraries that Gable needs, and
# a cuBLAS that does not start in a Python wheel, beside one of a toolkit that cannot be loaded. RUNTIME, with libcudart.so.13 and libcuda.so.1, stands
# in for driver and CUDA runtime; '' is the one that `scripts/test --emulated` or .ci/run has built. ncu and compute-sanitizer only run what they are
# given. It needs a mirror and takes 15 minutes. Exit code 77 where that Debian cannot be had, and without a RUNTIME.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"
fail() { echo "$*"; exit 1; }
[ $# -eq 4 ] || bad "usage: rehearsal.sh BUILD RUNTIME SUITE FOLDER"
build=$(realpath "$1") runtime=$2 suite=$3 folder=$4 mark=etc/gable-rehearsal
for built in "$repository/build/emulated" "${XDG_CACHE_HOME:-$HOME/.cache}/emulated"; do
  [ -n "$runtime" ] || [ ! -e "$built/emulated_cuda/libcudart.so.13" ] || runtime=$built/emulated_cuda
done
[ -n "$runtime" ] || { echo "skipped: no emulated runtime was named or built (scripts/test --emulated)"; exit 77; }
for library in libcudart.so.13 libcuda.so.1; do [ -e "$runtime/$library" ] || bad "no $library in $runtime"; done
runtime=$(realpath "$runtime")
"$repository/scripts/in_root.sh" --possible || { echo "skipped: mount namespaces are denied here"; exit 77; }
install_packages patchelf
[ ! -e "$folder" ] || [ -e "$folder/$mark" ] || bad "$folder is there, and not of this script: it is left alone"
if [ "$(cat "$folder/$mark" 2>/dev/null)" != "$suite" ]; then
  unpack_debian "$folder.partial" "$suite" --variant=minbase --include=python3 || { echo "skipped: no Debian $suite can be unpacked here"; exit 77; }
  echo "$suite" >"$folder.partial/$mark"
  rm -rf "$folder"
  mv -T "$folder.partial" "$folder"
fi
folder=$(realpath "$folder")
for library in boost_program_options fmt hwloc; do
  ! compgen -G "$folder/usr/lib/*/lib$library*" >/dev/null || fail "the root has $library: it is no foreign system"
done
in_root() { "$repository/scripts/in_root.sh" "$folder" "$@"; }

rm -rf "$folder/opt"/*
"$repository/scripts/gpu_kit.sh" --output "$folder/opt/gable-gpu.tar.xz" "$build"
in_root python3 -m tarfile -e /opt/gable-gpu.tar.xz /opt  # as docs/gpu.md has it: there is no xz
cp -L "$runtime/libcudart.so.13" "$runtime/libcuda.so.1" "$folder/opt/"
for tool in ncu compute-sanitizer; do
  install -m 755 /dev/stdin "$folder/usr/local/bin/$tool" <<'PROGRAM'
#!/bin/bash
until [ -f "$1" ] && [ -x "$1" ]; do shift; done
exec "$@"
PROGRAM
done

# Of cuBLAS, what the programs call: it loads but does not start, and what needs no handle succeeds.
wheel=$folder/usr/lib/python3/dist-packages/nvidia/cu13/lib toolkit=$folder/usr/local/cuda/lib64
mkdir -p "$wheel" "$toolkit"
objdump -T "$folder"/opt/gable-gpu/bin/* | sed -n 's/.*\*UND\*.* \(cublas[A-Za-z0-9_]*\)$/\1/p' | sort -u |
  sed -e 's/.*String$/const char* &(void) { return "no GPU for it"; }/' -e t -e 's/^cublas\(Lt\)\?Create.*/int &(void) { return 1; }/' -e t \
    -e 's/.*/int &(void) { return 0; }/' >"$folder/opt/cublas.c"
for name in libcublas libcublasLt; do
  echo "$name.so.13 { *; };" >"$folder/opt/$name.map"
  cc -shared -fPIC -Wl,-soname,$name.so.13 -Wl,--version-script="$folder/opt/$name.map" -o "$wheel/$name.so.13" "$folder/opt/cublas.c"
done
echo 'int needless(void) { return 0; }' | cc -x c - -shared -fPIC -o "$folder/opt/libneedless.so"
cc -x c - -shared -fPIC -Wl,--no-as-needed -L"$folder/opt" -lneedless -o "$toolkit/libcublas.so.13" </dev/null
rm "$folder/opt/libneedless.so"

out=$folder/opt/out
# on_gpu OPTION…: in the foreign system, with products that an interpreter can do.
on_gpu() {
  local status=0
  in_root env LD_LIBRARY_PATH=/opt EMULATED_BLOCK_RACES=allowed GTEST_FILTER="${GTEST_FILTER:-*OfOddSizes*:Compute/*:*MatchesTheReference/*_kokkos_fp32_*}" GABLE_CONFORMANCE_ELEMENTS=3000 \
    GABLE_PRODUCTS_SIZE=64 /opt/gable-gpu/scripts/on_gpu.sh --output /opt/out "$@" || status=$?
  [ "$status" -le 1 ] || fail "on_gpu.sh $* ended with $status"
}
on_gpu --first --total "${REHEARSAL_SECONDS:-560}"
second=(--second)
[ -e "$out/quick.json" ] || second=(--stage 'smoke,memcheck,counters')  # an interpreter does not finish what health compares with
on_gpu "${second[@]}"
[ "$(grep -c '^smoke .* ok$' "$out/summary.txt")" -eq 2 ] || fail "not every program starts in the foreign system"
for program in tile kernels conformance.0 memcheck.0; do
  grep -q '^\[       OK \]' "$out/logs/$program.log" || fail "no test of $program passed"
done
for result in quick gemm attention operators calibrate; do  # an interpreter finishes none; in a journal each row has a line
  grep -qs '"status"' "$out/$result.json" "$out/$result.json.journal" || fail "$result has no row"
done
grep -qs 'cuBLASLt: starting: no GPU for it' "$out/gemm.json" "$out/gemm.json.journal" || fail "the rows of a cuBLASLt that does not start do not say so"
! grep -h 'worker ended with exit code' "$out/log.txt" || fail "a library that does not start ends the worker"
grep -q '^1/[0-9]* gemm ' "$out/log.txt" || fail "no case runs under ncu"
! grep -h '^gable: ' "$out/log.txt" "$out"/logs/*.log | grep -v '^gable: ncu: ' || fail "gable refuses what it is given"  # this ncu counts nothing
for file in summary.txt log.txt logs/conformance.0.log; do
  grep -qx "./out/$file" <(tar --list --file "$out.tar.gz") || fail "the archive lacks $file"
done
echo "the kit starts on a fresh $suite, and its archive comes out"
