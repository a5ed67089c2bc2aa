#!/bin/bash
# on_gpu.sh SCRIPTS: order, limits and outcomes of the stages of scripts/on_gpu.sh, its archive, and where it finds CUDA's libraries. Gable's
# programs and the GPU's tools are stand-ins that tell how they were called.
set -euo pipefail
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir -p "$project/tools" "$project/kit/bin" "$project/toolkit/lib64" "$project/wheels/nvidia/cu13/lib"
cp -r "$1" "$project/kit/scripts"
fail() { echo "$*"; cat "$project/said" "$LOG"; exit 1; }

# No other tool in PATH, so that GPU tools of this machine make no difference.
for tool in bash cat dirname env grep gzip head ln mkdir mktemp mv rm sed sleep sort stat tail tar tee tr; do ln -s "$(command -v $tool)" "$project/tools/"; done
stand_in() { cat >"$1"; chmod +x "$1"; }
stand_in "$project/tools/python3" <<PROGRAM  # not a link: the one in PATH may be a script that looks for others
#!/bin/bash
exec "$(python3 -c 'import sys; print(sys.executable)')" "\$@"
PROGRAM
stand_in "$project/tools/timeout" <<PROGRAM
#!/bin/bash
[[ \$1 != --kill-after=* ]] || echo "limit \${*: -1} \$2" >>"\$LOG"
exec "$(command -v timeout)" "\$@"
PROGRAM
stand_in "$project/tools/nproc" <<<$'#!/bin/bash\necho 3'
stand_in "$project/tools/nvidia-smi" <<<$'#!/bin/bash\necho "$$" >"$LOG.clocks"\necho "1980 MHz"\nexec sleep 60'
# What a program needs, or of a library of the stand-in toolkit and wheels what is in its file.
stand_in "$project/tools/ldd" <<'PROGRAM'
#!/bin/bash
for file; do
  case $file in
    *.so*) cat "$file" ;;
    */gable-worker-cuda-*)
      printf '\tlibcuda.so.1 => %s\n\tlibstdc++.so.6 => %s\n' "$DRIVER" "$CXX_LIBRARY"
      for name in libcublas.so.13 libcudart.so.13; do
        found=${LD_LIBRARY_PATH%%:*}/$name
        [ -e "$found" ] || found='not found'
        printf '\t%s => %s\n' $name "$found"
      done
      ;;
    *) echo 'not a dynamic executable'; status=1 ;;
  esac
done
exit ${status:-0}
PROGRAM
stand_in "$project/tools/compute-sanitizer" <<'PROGRAM'
#!/bin/bash
echo "compute-sanitizer $*, $GABLE_CONFORMANCE_ELEMENTS elements" >>"$LOG"
while [[ $1 != */test_conformance ]]; do shift; done
exec "$@"
PROGRAM
stand_in "$project/kit/bin/test_conformance" <<'PROGRAM'
#!/bin/bash
name=${0##*/}
echo "$name${GTEST_SHARD_INDEX:+ $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS}" >>"$LOG"
[[ " $HANGS " != *" $name "* ]] || { trap '' TERM; sleep 60; }
echo '[ RUN      ] Every.Product/bf16'
if [[ " $BREAKS " == *" $name "* ]]; then
  printf '[  FAILED  ] Every.Product/bf16 (12 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Every.Product/bf16\n'
  exit 1
fi
[[ " $CRASHES " != *" $name "* ]] || kill -SEGV $$
echo '[  PASSED  ] 1 test.'
PROGRAM
for name in gpu_tile gpu_kernels; do cp "$project/kit/bin/test_conformance" "$project/kit/bin/test_$name"; done
stand_in "$project/kit/bin/gable" <<'PROGRAM'
#!/bin/bash
echo "gable $*" >>"$LOG"
echo "libraries ${LD_LIBRARY_PATH:-}" >>"$LOG"
[[ " $HANGS " != *" gable-$1 "* ]] || { trap '' TERM; sleep 60; }
[[ " $SLOW " != *" gable-$1 "* ]] || sleep 60
[[ " $BREAKS " != *" gable-$1 "* ]] || exit 1
if [ "$1" = devices ]; then [ -n "$GPU" ] && echo "$GPU: a GPU" || echo 'no cuda: the driver is too old'; fi
while [ $# -gt 0 ]; do
  if [ "$1" = --output ]; then echo '{}' >"$2"; fi
  shift
done
PROGRAM
touch "$project/kit/bin/gable-worker-cuda-sm_90a"
printf '\tlibm.so.6 => /lib/libm.so.6\n' | tee "$project"/wheels/nvidia/cu13/lib/lib{cublas,cudart}.so.13 >"$project/toolkit/lib64/libcudart.so.13"
printf '\tlibnothing.so.1 => not found\n' >"$project/toolkit/lib64/libcublas.so.13"

export LOG=$project/log GPU=cuda:0 DRIVER=/lib/libcuda.so.1 CXX_LIBRARY=/lib/libstdc++.so.6 BREAKS='' CRASHES='' HANGS='' SLOW='' PYTHONPATH=$project/wheels CUDA_HOME=$project/toolkit
out=$project/out
# run EXPECTED_EXIT_CODE OPTION…
run() {
  local status=0 expected=$1
  shift
  : >"$LOG"
  env -u GABLE_WORKER_PATH -u LD_LIBRARY_PATH PATH="$project/tools" "$project/kit/scripts/on_gpu.sh" --output "$out" "$@" >"$project/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "on_gpu.sh $*: exit code $status, not $expected"
}
# outcomes: the stages of the summary with their outcomes, in one line
outcomes() { sed -E 's/^([a-z]+) +[0-9]+ s  /\1:/' "$out/summary.txt" | tr '\n' ' '; }
expect() { [ "$(outcomes)" = "$2 " ] || fail "$1: $(outcomes)"; }
archived() { grep -qx "./out/$1" <(tar --list --gzip --file "$out.tar.gz"); }
called() { grep -q -e "$1" "$LOG" || fail "$2: nothing was called with '$1'"; }
said() { grep -q -e "$1" "$project/said" || fail "$2: '$1' was not said"; }

run 0
expect "first call" 'smoke:ok tests:ok quick:ok products:ok torch:skipped operators:ok conformance:ok full:ok'
called '^gable measure --quick --device cuda:0 ' "first call"
called '^gable run --operator gemm --dtype bf16,' "first call"
called '^gable run --operator attention_fused ' "first call"
called '^gable run --suite all --dtype fp64,fp32,fp16,bf16 --device cuda:0 ' "first call"
called '^gable calibrate --full --device cuda:0 ' "first call"
for part in 0 1 2; do called "^test_conformance $part of 3$" "first call"; done
for file in log.txt summary.txt quick.json calibrate.json operators.json gemm.json attention.json points.csv clocks.txt logs/conformance.2.log; do
  archived "$file" || fail "the archive lacks $file"
done
! kill -0 "$(cat "$LOG.clocks")" 2>/dev/null || fail "the log of clocks goes on after the call"
# Stages that took no time leave theirs to the next: each may last until the end that was planned, and all of them for 550 s.
for limit in smoke:10 tests:60 quick:115 products:145 torch:165 operators:295 conformance:385 full:550; do
  given=$(sed -n "s/^limit ${limit%:*} //p" "$LOG")
  ((given <= ${limit#*:} && given > ${limit#*:} - 10)) || fail "${limit%:*} may last $given s, not ${limit#*:}"
done

# The toolkit's cuBLAS cannot be loaded, the wheels' can; of both runtimes the toolkit's comes first.
links=$(sed -n 's/^libraries \([^:]*\).*/\1/p' "$LOG" | head -n 1)
stand_in "$project/kit/bin/gable_bench_fence_with" <<PROGRAM
#!/bin/bash
for name in cublas cudart; do readlink -f "\${LD_LIBRARY_PATH%%:*}/lib\$name.so.13" >>"\$LOG"; done
PROGRAM
ln -s "$(command -v readlink)" "$project/tools/"
[ ! -e "$links" ] || fail "the links to libraries are left behind"

run 0 --second
expect "second call" 'smoke:ok memcheck:ok counters:ok variants:ok health:ok'
called "^$project/wheels/nvidia/cu13/lib/libcublas.so.13$" "libraries"
called "^$project/toolkit/lib64/libcudart.so.13$" "libraries"
called '^compute-sanitizer --tool memcheck .*/test_conformance .*MatchesTheReference.*, 20000 elements$' "second call"
called '^gable verify-counters --tool ncu --device cuda:0 ' "second call"
called '^gable health --against .*/out/quick.json ' "second call"
[ "$(sed -n 's/^limit health //p' "$LOG")" -le 220 ] || fail "second call: its stages do not end within 220 s"
rm "$project/kit/bin/gable_bench_fence_with" "$out/quick.json"
run 1 --stage health,variants
expect "nothing to compare with" 'health:failed variants:skipped'

# Nothing starts: one line says why, and no other stage begins.
GPU='' run 1
said '^no program runs on cuda:0: no cuda: the driver is too old$' "no device"
expect "no device" 'smoke:failed'
archived summary.txt || fail "no device: no archive"
GPU='' DRIVER='not found' run 1
said '^no program runs on cuda:0: gable-worker-cuda-sm_90a: libcuda.so.1 => not found$' "no driver"
BREAKS='gable-run test_gpu_tile test_gpu_kernels test_conformance' run 1
said '^no program runs on cuda:0: ' "no kernel runs"
expect "no kernel runs" 'smoke:failed'
HANGS='gable-devices gable-run test_gpu_tile test_gpu_kernels test_conformance' run 1 --total 112
[[ $(outcomes) == 'smoke:ended after its 3 s ' || $(outcomes) == 'smoke:failed ' ]] || fail "all programs hang: $(outcomes)"
# One program does not start: the others are run.
CRASHES=test_gpu_tile run 1 --stage smoke,tests,full
expect "one program does not start" 'smoke:failed tests:failed full:ok'
said '^tile ended with 139' "one program does not start"
said 'last begun: Every.Product/bf16' "one program does not start"

BREAKS=test_conformance run 1 --stage conformance,quick
expect "a stage that fails" 'conformance:failed quick:ok'
said '^conformance.1 ended with 1, FAILED 1 test$' "a stage that fails"
said '^  failed: Every.Product/bf16$' "a stage that fails"
HANGS=gable-measure run 1 --stage quick,full --total 5
[[ $(outcomes) == 'quick:ended after its 3 s full:'* ]] || fail "a program that does not end: $(outcomes)"
rm -f "$out/calibrate.json"
SLOW=gable-calibrate run 1 --stage full,quick --total 5
[[ $(outcomes) == 'full:ended after its '*' s quick:ok ' ]] || fail "a stage that takes too long: $(outcomes)"
archived quick.json || fail "a stage that takes too long: what came after is not in the archive"

# The archive leaves out logs where it would be too large.
head -c 17000000 /dev/urandom >"$out/logs/large.log"
run 0 --stage quick
archived quick.json || fail "a large log: the archive lacks quick.json"
! archived logs/large.log || fail "a large log is in the archive"
rm "$out/logs/large.log"

# A call that is ended from outside leaves the archive.
rm "$out.tar.gz"
: >"$LOG"
SLOW=gable-measure env PATH="$project/tools" "$project/kit/scripts/on_gpu.sh" --output "$out" --stage quick,full >"$project/said" 2>&1 &
caller=$!
for ((i = 0; i < 200; i++)); do ! grep -q '^gable measure' "$LOG" || break; sleep 0.1; done
kill "$caller"
status=0
wait "$caller" || status=$?
[ "$status" -eq 143 ] || fail "ended from outside: exit code $status"
expect "ended from outside" 'quick:interrupted'
archived summary.txt || fail "ended from outside: no archive"

# The kit's C++ library is taken only where there is none.
called "^libraries " "the C++ library"
! grep -q '^libraries .*/lib/cxx' "$LOG" || fail "the C++ library of the kit is taken although there is one"
CXX_LIBRARY='not found' run 0 --stage quick
called '^libraries .*/lib/cxx' "no C++ library"

# The CPU is measured where its worker is.
touch "$project/kit/bin/gable-worker-openmp-native"
run 0 --stage quick
called '^gable measure --quick --device cuda:0,openmp ' "a CPU's worker"

# A PyTorch that takes 2 ms for everything.
mkdir "$project/wheels/torch"
cat >"$project/wheels/torch/__init__.py" <<'PROGRAM'
from types import SimpleNamespace as Names
from unittest.mock import MagicMock
__version__ = "2"
bfloat16, float16, float32, float64 = "bf16", "fp16", "fp32", "fp64"
event = Names(record=lambda: None, synchronize=lambda: None, elapsed_time=lambda end: 2.0)
cuda = Names(is_available=lambda: True, get_device_name=lambda number: "a GPU", Event=lambda enable_timing: event)
backends = MagicMock()
def randn(shape, device, dtype): return dtype
def matmul(a, b):
    if a == "fp64": raise RuntimeError("no fp64 here\nwords")
nn = Names(functional=Names(scaled_dot_product_attention=lambda *tensors, **options: None))
PROGRAM
run 0 --stage torch
expect "PyTorch" 'torch:ok'
said '^matmul,fp64,m=4096 n=4096 k=4096: no fp64 here$' "PyTorch"
for line in "matmul,bf16,m=8192 n=8192 k=8192,$((2 * 8192 ** 3)),15,2.0000,549.8" \
  "attention,fp16,h=32 kv=8 l=4096 d=128 mask=causal,$((4 * 128 * 32 * 4096 * 4097 / 2)),15,2.0000,68.7"; do
  grep -qxF "$line" "$out/torch.csv" || fail "torch.csv lacks $line: $(cat "$out/torch.csv")"
done

run 2 --total soon
said "^on_gpu.sh: --total is 'soon'" "--total soon"
run 2 --stage quick,shake
said "^on_gpu.sh: unknown stage 'shake'" "--stage shake"
run 2 --programs "$project/nowhere"
said '^on_gpu.sh: no gable in ' "--programs nowhere"
