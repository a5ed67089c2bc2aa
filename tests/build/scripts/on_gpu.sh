#!/bin/bash
# on_gpu.sh SCRIPTS: order, deadlines, repetition and outcome of the stages of scripts/on_gpu.sh. nvcc, cmake, ctest, the GPU's tools and gable
# are stand-ins that tell how they were called.
set -euo pipefail
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp -r "$1" "$project/scripts"
mkdir -p "$project/tools" "$project/toolkit/lib64"
touch "$project/toolkit/lib64/libcublas.so" "$project/toolkit/lib64/libcublasLt.so" "$project/toolkit/lib64/libcufft.so"
fail() { echo "$*"; cat "$project/said" "$LOG"; exit 1; }

# No other tool in PATH, so that GPU tools of this machine make no difference.
for tool in bash cat chmod cp cut c++filt date dirname env grep gzip head ln ls mkdir mv nproc rm sed sha256sum sleep sort tail tar tee touch tr; do
  ln -s "$(command -v $tool)" "$project/tools/"
done
stand_in() { cat >"$project/tools/$1"; chmod +x "$project/tools/$1"; }
stand_in python3 <<PROGRAM  # not a link: the one in PATH may be a script that looks for others
#!/bin/bash
exec "$(python3 -c 'import sys; print(sys.executable)')" "\$@"
PROGRAM
stand_in timeout <<PROGRAM
#!/bin/bash
echo "timeout \$1 \$2" >>"\$LOG"
exec "$(command -v timeout)" "\$@"
PROGRAM
stand_in nvcc <<'PROGRAM'
#!/bin/bash
echo "#\$ TOP=$PROJECT/toolkit" >&2
PROGRAM
stand_in nvidia-smi <<'PROGRAM'
#!/bin/bash
case $1 in
  --query-gpu=compute_cap) echo 9.0 ;;
  --query-gpu=name) echo "$MODEL" ;;
  *) exit 1 ;;
esac
PROGRAM
stand_in ctest <<'PROGRAM'
#!/bin/bash
echo "ctest $*" >>"$LOG"
[ ! -e "$2/CTestTestfile.cmake" ] || cat "$2/CTestTestfile.cmake" >>"$LOG"
[[ $* != *"--label-regex $BREAK "* ]]
PROGRAM
stand_in compute-sanitizer <<'PROGRAM'
#!/bin/bash
echo "compute-sanitizer $*" >>"$LOG"
while [ "$1" != --log-file ]; do shift; done
echo '0 errors' >"$2"
sleep "$SLOW_CHECK"
PROGRAM
stand_in ncu <<'PROGRAM'
#!/bin/bash
echo "ncu $*" >>"$LOG"
while [ "$1" != --log-file ]; do shift; done
echo counted >"$2"
PROGRAM
stand_in cmake <<'PROGRAM'
#!/bin/bash
[ "$1" = --build ] || { echo "cmake $*" >>"$LOG"; exit; }
echo "cmake $*" >>"$LOG"
mkdir -p "$2/bin"
case $2 in
  */on-gpu) names='gable gable-worker-cuda-sm_90a test_conformance test_gpu_kernels test_gpu_tile' ;;
  */on-gpu-hip) names='gable gable-worker-hip-gfx90a test_conformance test_gpu_kernels test_gpu_tile' ;;
  */on-gpu-cpu) [ -z "$NO_CPU" ] || { echo 'hwloc is missing'; exit 1; }; names=gable-worker-openmp-native ;;
esac
for name in $names; do
  { echo '#!/bin/bash'; echo "# $SOURCES"; sed 1d "$PROJECT/gable"; } >"$2/bin/$name"
  chmod +x "$2/bin/$name"
done
PROGRAM
cat >"$project/gable" <<'PROGRAM'
#!/bin/bash
if [ "$1" = --version ]; then echo 'gable 0.1.0'; exit; fi
if [ "$1" = devices ]; then
  [ -z "$GPU" ] && echo 'no device: nothing here' || echo "$GPU: a GPU"
  for folder in ${GABLE_WORKER_PATH//:/ }; do [ ! -e "$folder/gable-worker-openmp-native" ] || echo 'openmp: a CPU'; done
  exit
fi
echo "gable $*" >>"$LOG"
[ -z "${LD_LIBRARY_PATH:-}" ] || echo "libraries $LD_LIBRARY_PATH" >>"$LOG"
[ "$1" != measure ] || sleep "$SLOW"
if [ -n "$HANG" ]; then trap '' TERM; sleep 60; fi
[[ $* != *"--operator gemm"* ]] || sleep "$SLOW_GEMM"
[[ $* != *--resume* ]] || exit "$RESUME"
while [ $# -gt 0 ]; do
  if [ "$1" = --output ]; then echo '{}' >"$2"; fi
  shift
done
PROGRAM
# In the form in which cuobjdump prints it: the compute ceilings of sm_90a, a stream and a kernel of an operator.
stand_in cuobjdump <<'PROGRAM'
#!/bin/bash
# kernel TEMPLATE CLASS OPCODE COUNT
kernel() {
  printf '\tcode for sm_90a\n\t\tFunction : _ZN5gable3gpu%d%sINS0_12_GLOBAL__N_1%d%sEEEvv\n' ${#1} "$1" ${#2} "$2"
  printf '\t.headerflags\t@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"\n'
  printf '        /*0000*/                   LDC R1, c[0x0][0x28] ;          /* 0x00000a00ff017b82 */\n'
  printf '                                                                   /* 0x000fe20000000800 */\n'
  for ((i = 1; i <= $4; i++)); do
    printf '        /*%04x*/              @!P0 %s R8, R8, R4, R6 ;   /* 0x000000040808722b */\n' $((16 * i)) "$3"
    printf '                                                                   /* 0x001fc40000000006 */\n'
  done
  printf '\t\t..........\n\n'
}
printf '\nFatbin elf code:\n================\narch = sm_90a\n\n'
kernel chain_kernel Fp64 "$INSTRUCTION" 256
kernel chain_kernel Fp32 FFMA 256
kernel chain_kernel Fp16 HFMA2.MMA 256
kernel chain_kernel Bf16 HFMA2.BF16_V2 256
kernel chain_kernel Int8 IDP.4A.S8.S8 256
kernel chain_kernel Int32 IMAD 256
kernel chain_kernel ExpFp32 MUFU.EX2 128
kernel chain_kernel ExpFp64 DFMA 40
kernel chain_kernel ConvertFp16 F2FP.F16.F32.PACK_AB 128
kernel chain_kernel ConvertBf16 F2FP.BF16.F32.PACK_AB 128
kernel warp_product_kernel Fp64 DMMA.8x8x4 16
kernel warp_product_kernel Fp64Wide DMMA.16x8x16 8
kernel warp_product_kernel Tf32 HMMA.1688.F32.TF32 16
kernel warp_product_kernel Fp16 HMMA.16816.F32 16
kernel warp_product_kernel Fp16InFp16 HMMA.16816.F16 16
kernel warp_product_kernel Bf16 HMMA.16816.F32.BF16 16
kernel warp_product_kernel Int8 IMMA.16832.S8.S8 16
for class in Fp16 Fp16InFp16; do kernel wgmma_kernel $class HGMMA.64x256x16.F32 8; done
kernel wgmma_kernel Tf32 HGMMA.64x256x8.F32.TF32 8
[ -n "$NO_WGMMA" ] || kernel wgmma_kernel Bf16 HGMMA.64x256x16.F32.BF16 8
for class in E4m3 E5m2; do kernel wgmma_kernel $class QGMMA.64x256x32.F32.E4M3.E4M3 8; done
kernel wgmma_kernel Int8 IGMMA.64x256x32.S8.S8 8
cat <<END
	code for sm_90
		Function : _ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryIvEEvT_
        /*0000*/                   FADD R1, R1, R2 ;               /* 0x00000a00ff017b82 */
                                                                   /* 0x000fe20000000800 */
		..........

	code for sm_90a
		Function : _ZN5gable3gpu43_GLOBAL__N__0b75a0f9_10_stream_cpp_bab1427b11read_kernelEPK5uint4miPjPNS0_10ClockStampE
        /*0000*/                   LDG.E.128.STRONG.GPU R4, desc[UR4][R2.64] ;  /* 0x0000000402047981 */
                                                                                /* 0x000ea2000c1efd00 */
		..........
END
PROGRAM

export PROJECT=$project LOG=$project/log BREAK='' NO_CPU='' SOURCES=first GPU=cuda:0 SLOW=0 SLOW_GEMM=0 RESUME=0 INSTRUCTION=DFMA NO_WGMMA='' HANG='' SLOW_CHECK=0
export MODEL='NVIDIA H200'
out=$project/out
# run EXPECTED_EXIT_CODE OPTION…
run() {
  local status=0 expected=$1
  shift
  : >"$LOG"
  env -u CUDA_HOME -u GABLE_WORKER_PATH PATH="$project/tools" "$project/scripts/on_gpu.sh" --output "$out" "$@" >"$project/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "on_gpu.sh $*: exit code $status, not $expected"
}
# outcomes: the stages of the summary with their outcomes, in one line
outcomes() { sed -E 's/^([a-z]+) +[0-9]+ s  /\1:/' "$out/summary.txt" | tr '\n' ' '; }
all_ok="build:ok quick:ok conformance:ok tests:ok full:ok operators:ok sass:ok counters:ok memcheck:ok racecheck:ok initcheck:ok "
# archived FILE: whether the archive beside the output folder has it.
archived() { grep -qx "./out/$1" <(tar --list --gzip --file "$out.tar.gz"); }
called() { grep -q -e "$1" "$LOG" || fail "$2: nothing was called with '$1'"; }
not_called() { ! grep -q -e "$1" "$LOG" || fail "$2: '$1' was called"; }

run 0
[ "$(outcomes)" = "$all_ok" ] || fail "first call: $(outcomes)"
called '^gable measure --quick --device cuda:0,openmp ' "first call"
called '^gable calibrate --full --device cuda:0,openmp ' "first call"
called '^gable run --suite all --dtype fp64,fp32,fp16,bf16 --device cuda:0 ' "first call"
called '^ctest .*--label-regex conformance --parallel 4 --timeout 120 ' "first call"
called '^ctest .*--label-regex gpu --label-exclude conformance --timeout 120 ' "first call"
# What ctest runs with the label gpu is built before, so it is asked for by name.
gpu_tests=$(sed -n 's/^ *add_executable(\([a-z_]*\).*/\1/p' "${1%/}/../tests/gpu/CMakeLists.txt")
[ -n "$gpu_tests" ] || fail "no test program found in tests/gpu/CMakeLists.txt"
for program in $gpu_tests; do called "^cmake --build .*on-gpu --target .* $program " "first call: the test program $program is not built"; done
called '^ncu .* --clock-control none --kernel-name-base mangled --kernel-id :::2 .*/gable run --suite all --dtype fp32 --device cuda:0 ' "first call"
[ "$(grep -c '^compute-sanitizer' "$LOG")" -eq 3 ] || fail "first call: not three checkers"
for file in log.txt summary.txt quick.json calibrate.json operators.json gemm.json attention.json points.csv sass.csv counters.csv memcheck.txt \
  racecheck.txt initcheck.txt done/quick done/operators.json; do
  archived "$file" || fail "the archive lacks $file"
done
for line in 'chain_kernel<Fp64>,DFMA,256' 'chain_kernel<Fp64>,LDC,1' 'wgmma_kernel<Bf16>,HGMMA.64x256x16.F32.BF16,8' 'read_kernel,LDG.E.128.STRONG.GPU,1'; do
  grep -qxF "$line" "$out/sass.csv" || fail "sass.csv lacks $line"
done
! grep -q Kokkos "$out/sass.csv" || fail "sass.csv has kernels that are no ceilings"

run 0
not_called '^\(gable\|ctest\|compute-sanitizer\|ncu\)' "second call"
[ "$(outcomes)" = "$all_ok" ] || fail "second call: $(outcomes)"
grep -q '^=== quick: an earlier call finished it' "$project/said" || fail "second call: does not say what is left out"
run 0 --again --stage quick
called '^gable measure' "--again"
# Another GPU of the same model, on which the output folder was unpacked: nothing again. Another model: all again.
rm -r "$out"
tar --extract --gzip --file "$out.tar.gz" --directory "$project"
run 0 --stage quick,conformance
not_called '^\(gable measure\|ctest\)' "the archive of another machine"
MODEL='NVIDIA H100' run 0 --stage quick
called '^gable measure' "another model of GPU"
SOURCES=second run 0 --stage build,quick
called '^gable measure' "rebuilt"

BREAK=conformance run 1 --stage conformance,sass
[ "$(outcomes)" = "conformance:failed sass:ok " ] || fail "a stage that fails: $(outcomes)"
run 0 --stage conformance
called '^ctest' "after a failure"

INSTRUCTION=DADD run 1 --again --stage sass
grep -q 'chain_kernel<Fp64> has 0 of DFMA, not 256' "$project/said" || fail "a kernel without its instruction: not said"
NO_WGMMA=1 run 1 --again --stage sass
grep -q 'wgmma_kernel<Bf16> is missing' "$project/said" || fail "a kernel that is missing: not said"
mv "$project/tools/cuobjdump" "$project/"
run 0 --again --stage sass
[ "$(outcomes)" = "sass:skipped " ] || fail "no cuobjdump: $(outcomes)"
grep -q 'no cuobjdump' "$project/said" || fail "no cuobjdump: not said"
mkdir "$project/toolkit/bin"
mv "$project/cuobjdump" "$project/toolkit/bin/"
run 0 --stage sass
[ "$(outcomes)" = "sass:ok " ] || fail "cuobjdump in the toolkit: $(outcomes)"

# --total: the last minute is for the archive.
SLOW=2 run 1 --again --total 91 --stage quick,full
[[ $(outcomes) == "quick:ok full:not begun: "* ]] || fail "little time: $(outcomes)"
called '^timeout --kill-after=5 2[56]$' "little time"
not_called '^gable calibrate' "little time"
archived quick.json || fail "little time: not in the archive"
run 0 --again --total 10000 --stage quick
called '^timeout --kill-after=5 540$' "much time"
run 2 --total 89
SLOW=60 run 1 --again --limit 1 --stage quick
[ "$(outcomes)" = "quick:ended after its limit of 1 s " ] || fail "--limit: $(outcomes)"
run 0 --stage quick
called '^gable measure' "a stage that was ended counts as finished"

# The checkers have a limit each.
SLOW_CHECK=2 run 1 --again --limit 1 --stage memcheck,racecheck
[ "$(outcomes)" = "memcheck:ended after its limit of 1 s racecheck:ended after its limit of 1 s " ] || fail "checkers: $(outcomes)"
called '^compute-sanitizer --tool racecheck ' "checkers"
archived memcheck.txt || fail "a checker that was ended: its file is not in the archive"

SLOW_GEMM=60 run 1 --again --limit 5 --stage operators
run 0 --stage operators
called '^gable run --operator gemm ' "a stage that was ended within"
not_called '^gable run --suite all' "a stage that was ended within"

touch "$out/quick.json.journal"
SOURCES=third run 0 --stage build
run 0 --stage quick
called '^gable measure --resume ' "a journal"
not_called '^gable measure --quick ' "a journal"
RESUME=2 run 0 --again --stage quick
called '^gable measure --quick ' "a journal of another build"
[ -e "$out/quick.json.journal.old" ] || fail "a journal of another build is lost"

rm "$out/quick.json"
run 0 --stage quick
called '^gable measure --quick ' "a result that is gone"

HANG=1 run 1 --again --limit 1 --total 100 --stage quick
[ "$(outcomes)" = "quick:ended after its limit of 1 s " ] || fail "a program that does not end: $(outcomes)"

# A call that is ended from outside leaves the archive.
rm "$out.tar.gz"
: >"$LOG"
SLOW=60 env -u CUDA_HOME -u GABLE_WORKER_PATH PATH="$project/tools" "$project/scripts/on_gpu.sh" --output "$out" --again --stage quick,full >"$project/said" 2>&1 &
caller=$!
for ((i = 0; i < 200; i++)); do ! grep -q '^gable measure' "$LOG" || break; sleep 0.1; done
kill "$caller"
status=0
wait "$caller" || status=$?
[ "$status" -eq 143 ] || fail "ended from outside: exit code $status"
[ "$(outcomes)" = "quick:interrupted " ] || fail "ended from outside: $(outcomes)"
not_called '^gable calibrate' "ended from outside"
archived summary.txt || fail "ended from outside: no archive"

NO_CPU=1 run 1 --again --stage build,quick
[ "$(outcomes)" = "build:failed quick:ok " ] || fail "no CPU worker: $(outcomes)"
grep -q 'hwloc is missing' "$project/said" || fail "no CPU worker: the reason is not said"
called '^gable measure --quick --device cuda:0 --output ' "no CPU worker"

run 0 --again --no-cpu --stage build,quick,full
not_called '^cmake .*on-gpu-cpu' "--no-cpu"
called '^gable measure --quick --device cuda:0 --output ' "--no-cpu"
called '^gable calibrate --full --device cuda:0 --output ' "--no-cpu"

# What only Python wheels have is linked where CMake and the programs look.
mkdir -p "$project/wheels/nvidia/cufft/lib" "$project/wheels/nvidia/cublas/lib"
touch "$project/wheels/nvidia/cufft/lib/libcufft.so.11" "$project/wheels/nvidia/cublas/lib/libcublas.so.12"
rm "$project/toolkit/lib64/libcufft.so"
PYTHONPATH=$project/wheels run 0 --no-cpu --stage build
links=$project/build/on-gpu/libraries
[ "$(readlink "$links/libcufft.so.11")" = "$project/wheels/nvidia/cufft/lib/libcufft.so.11" ] || fail "a wheel's cuFFT is not linked"
[ ! -e "$links/libcublas.so.12" ] || fail "a wheel's cuBLAS is linked although the toolkit has one"
run 0 --again --no-cpu --stage quick
called "^libraries $links" "a wheel's cuFFT"
touch "$project/toolkit/lib64/libcufft.so"
run 0 --no-cpu --stage build
[ ! -e "$links" ] || fail "links to wheels stay when the toolkit has all"

# Programs that were built elsewhere.
mkdir "$project/brought"
cp "$project/build/on-gpu/bin/"* "$project/brought/"
rm -r "$project/build"
run 0 --again --programs "$project/brought"
[ "$(outcomes)" = "$all_ok" ] || fail "--programs: $(outcomes)"
not_called '^cmake' "--programs"
called '^gable measure --quick --device cuda:0 --output ' "--programs"
called "^add_test(.*brought/test_conformance" "--programs"
for program in $gpu_tests; do called "^add_test(.*brought/$program\]" "--programs"; done
[ "$(grep -c 'LABELS gpu)' "$LOG")" -ge "$(wc -w <<<"$gpu_tests")" ] || fail "--programs: a test on the GPU has no label"
rm "$project/brought/test_gpu_tile"
run 0 --again --programs "$project/brought" --stage tests
grep -q '^no test_gpu_tile in ' "$project/said" || fail "programs without one of the tests: not said"
rm "$project/brought/test_conformance" "$project/brought/test_gpu_kernels"
run 0 --again --programs "$project/brought" --stage build,conformance,tests,operators,memcheck
[ "$(outcomes)" = "build:ok conformance:skipped tests:skipped operators:ok memcheck:skipped " ] || fail "programs without tests: $(outcomes)"
rm "$project/brought/gable-worker-cuda-sm_90a"
run 2 --programs "$project/brought"
grep -q "^on_gpu.sh: --programs: no gable-worker-cuda-\* in " "$project/said" || fail "--programs without a worker: $(cat "$project/said")"
run 2 --programs "$project/nowhere"
run 0 --stage build
rm "$project/build/on-gpu/bin/test_conformance"
run 1 --again --stage conformance
[ "$(outcomes)" = "conformance:failed " ] || fail "a build without its tests: $(outcomes)"

GPU='' run 1 --again --stage quick
grep -q 'nothing here' "$project/said" || fail "no GPU: the reason is not said"
not_called '^gable measure' "no GPU"

run 2 --total soon
grep -q "^on_gpu.sh: --total is 'soon'" "$project/said" || fail "--total soon: $(cat "$project/said")"
run 2 --stage quick,shake

# On an AMD GPU: by itself where its tools are alone; what ROCm has nothing for is skipped.
mv "$project/tools/nvidia-smi" "$project/tools/nvcc" "$project/"
stand_in hipcc </dev/null
stand_in rocminfo <<'PROGRAM'
#!/bin/bash
printf 'Agent 1\n  Name:                    AMD EPYC 7A53\n  Marketing Name:          AMD EPYC 7A53\n  Device Type:             CPU\nAgent 2\n  Name:                    gfx90a\n      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\n'
PROGRAM
stand_in rocprofv3 <<'PROGRAM'
#!/bin/bash
echo "rocprofv3 $*" >>"$LOG"
while [ "$1" != --output-directory ]; do shift; done
mkdir -p "$2/host"
echo counted >"$2/host/1_counter_collection.csv"
PROGRAM
ln -s "$(command -v find)" "$project/tools/"
GPU=hip:0 run 0
[ "$(outcomes)" = "build:ok quick:ok conformance:ok tests:ok full:ok operators:ok sass:skipped counters:ok memcheck:skipped racecheck:skipped initcheck:skipped " ] || fail "an AMD GPU: $(outcomes)"
called '^cmake --preset hip -B [^ ]*/build/on-gpu-hip -DGABLE_HIP_ARCH=gfx90a ' "an AMD GPU"
called '^gable measure --quick --device hip:0,openmp ' "an AMD GPU"
called '^rocprofv3 --pmc FETCH_SIZE .* -- [^ ]*/on-gpu-hip/bin/gable run --suite all --dtype fp32 --device hip:0 ' "an AMD GPU"
[ "$(cat "$out/counters.csv")" = $'counted\ncounted\ncounted' ] || fail "counters of an AMD GPU: $(cat "$out/counters.csv")"
GPU=hip:0 run 0 --stage build --arch gfx942
called '-DGABLE_HIP_ARCH=gfx942 ' "--arch gfx942"
run 2 --arch 90a
grep -q "^on_gpu.sh: --arch is '90a'; with hip it can be gfx90a gfx942 gfx950 gfx1100" "$project/said" || fail "--arch 90a: $(cat "$project/said")"
run 2 --backend metal
grep -q "^on_gpu.sh: --backend is 'metal'" "$project/said" || fail "--backend metal: $(cat "$project/said")"
rm "$project/tools/rocprofv3"
GPU=hip:0 run 0 --again --stage counters
[ "$(outcomes)" = "counters:skipped " ] || fail "no rocprofv3: $(outcomes)"
rm "$project/tools/hipcc"
GPU=hip:0 run 1 --stage build
grep -q '^no hipcc in PATH' "$project/said" || fail "no hipcc: the reason is not said"
