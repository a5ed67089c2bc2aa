#!/bin/bash
# on_gpu.sh SCRIPTS: order, limits and outcomes of the stages of scripts/on_gpu.sh, its archive, and where it finds CUDA's libraries. Gable's
# programs and the GPU's tools are stand-ins that tell how they were called.
set -euo pipefail
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
mkdir -p "$project/tools" "$project/kit/bin" "$project"/toolkit/{lib64,targets/x86_64-linux/lib} "$project/wheels/nvidia/cu13/lib"
cp -r "$1" "$project/kit/scripts"
fail() { echo "$*"; cat "$project/said" "$LOG"; exit 1; }

# No other tool in PATH, so that GPU tools of this machine make no difference.
for tool in bash cat cp dirname env grep gzip head install ln mkdir mktemp mv readlink rm sed sleep sort stat tail tar tee touch tr uniq; do ln -s "$(command -v $tool)" "$project/tools/"; done
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
stand_in "$project/tools/nproc" <<<$'#!/bin/bash\necho "${OMP_NUM_THREADS:-3}"'
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
for name in cublas.so.13 cudart.so.13 cufft.so.12; do readlink -f "${LD_LIBRARY_PATH%%:*}/lib$name" >>"$LOG"; done
while [[ $1 != */test_conformance ]]; do shift; done
exec "$@"
PROGRAM
stand_in "$project/tools/ncu" <<'PROGRAM'
#!/bin/bash
while [ "$1" != --log-file ]; do shift; done
echo counters >"$2"
PROGRAM
stand_in "$project/kit/bin/test_conformance" <<'PROGRAM'
#!/bin/bash
name=${0##*/}
echo "$name${GTEST_SHARD_INDEX:+ $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS}" >>"$LOG"
echo "$name: $*" >>"$LOG"
[[ " $HANGS " != *" $name "* ]] || { trap '' TERM; sleep 60; }
echo '[ RUN      ] Every.Product/bf16'
if [[ " $BREAKS " == *" $name "* ]]; then
  printf '[  FAILED  ] Every.Product/bf16 (12 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Every.Product/bf16\n'
  exit 1
fi
if [[ " $STICKS " == *" $name "* ]]; then
  printf '[       OK ] Every.Product/bf16 (7 ms)\n[  FAILED  ] Every.Product/fp16, where it is (9 ms)\n[ RUN      ] Every.Product/fp64\n'
  trap '' TERM
  echo "$$" >>"$LOG.stuck"
  sleep 60
fi
[[ " $CRASHES " != *" $name "* ]] || kill -SEGV $$
printf '[       OK ] Every.Product/bf16 (12 ms)\n[  PASSED  ] 1 test.\n'
PROGRAM
for name in gpu_tile gpu_kernels; do cp "$project/kit/bin/test_conformance" "$project/kit/bin/test_$name"; done
stand_in "$project/kit/bin/gable" <<'PROGRAM'
#!/bin/bash
echo "gable $*" >>"$LOG"
echo "libraries ${LD_LIBRARY_PATH:-}" >>"$LOG"
[[ " $HANGS " != *" gable-$1 "* ]] || { trap '' TERM; sleep 60; }
[[ " $SLOW " != *" gable-$1 "* && " $SLOW " != *" gable-$3 "* ]] || exec sleep 60
[[ " $SLOW " != *" once-gable-$1 "* || -e $LOG.once ]] || { touch "$LOG.once"; exec sleep 60; }
[[ " $BREAKS " != *" gable-$1 "* ]] || exit 1
if [ "$1" = devices ]; then [ -n "$GPU" ] && echo "$GPU: a GPU" || echo 'no cuda: the driver is too old'; fi
if [ "$1" = verify-counters ]; then
  [[ " $BREAKS " != *" ncu-options "* || "$*" != *--profiler-args* ]] || exit 2
  "$5" --csv --log-file "$LOG.csv" --metrics some gable run --operator triad --params n=9 --dtype fp64 --device cuda:0 --runs 3 || exit
  echo 'fp64 flop: agrees'
fi
while [ $# -gt 0 ]; do
  case $1 in
    --output) echo '{}' >"$2" ;;
    --resume) [[ " $BREAKS " != *" resume "* ]] || exit 2; mv "$2.journal" "$2" ;;
  esac
  shift
done
PROGRAM
touch "$project/kit/bin/gable-worker-cuda-sm_90a"
printf '\tlibm.so.6 => /lib/libm.so.6\n' | tee "$project"/wheels/nvidia/cu13/lib/lib{cublas,cudart}.so.13 >"$project/toolkit/lib64/libcudart.so.13"
cp "$project/toolkit/lib64/libcudart.so.13" "$project/toolkit/targets/x86_64-linux/lib/libcufft.so.12"
printf '\tlibnothing.so.1 => not found\n' >"$project/toolkit/lib64/libcublas.so.13"

export LOG=$project/log GPU=cuda:0 DRIVER=/lib/libcuda.so.1 CXX_LIBRARY=/lib/libstdc++.so.6 BREAKS='' CRASHES='' HANGS='' SLOW='' STICKS='' OMP_NUM_THREADS=1 PYTHONPATH=$project/wheels CUDA_HOME=$project/toolkit
out=$project/out
# run EXPECTED_EXIT_CODE OPTION…
run() {
  local status=0 expected=$1 begun=$SECONDS
  shift
  : >"$LOG"
  env -u GABLE_WORKER_PATH -u LD_LIBRARY_PATH PATH="$project/tools" "$project/kit/scripts/on_gpu.sh" --output "$out" "$@" >"$project/said" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "on_gpu.sh $*: exit code $status, not $expected"
  took=$((SECONDS - begun + 1))
}
# summary: that of the last call. outcomes: its stages with their outcomes, in one line
summary() { awk '/^==/ { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' "$out/summary.txt"; }
outcomes() { summary | sed -E 's/^([a-z]+) +[0-9]+ s  /\1:/' | tr '\n' ' '; }
expect() { [ "$(outcomes)" = "$2 " ] || fail "$1: $(outcomes)"; }
archived() { grep -qx "./out/$1" <(tar --list --gzip --file "$out.tar.gz"); }
called() { grep -q -e "$1" "$LOG" || fail "$2: nothing was called with '$1'"; }
# is_gone: whether all of the tests that stick have ended
is_gone() {
  local process
  while read -r process; do
    for _ in {1..50}; do kill -0 "$process" 2>/dev/null || continue 2; sleep 0.1; done
    return 1
  done <"$LOG.stuck"
}
said() { grep -q -e "$1" "$project/said" || fail "$2: '$1' was not said"; }

run 0
expect "first call" 'smoke:ok tests:ok quick:ok products:ok torch:skipped operators:ok conformance:ok full:ok'
for test in 'gpu_tile: --gtest_filter=*/TileProduct.OfOddSizes/*' 'gpu_kernels: --gtest_filter=MemoryKernel.FillWritesRandomDoubles'; do
  grep -qxF "test_$test" "$LOG" || fail "smoke does not run a kernel: test_$test"
  name=${test#*=} && name=${name#\*/} && name=${name%/\*}
  grep -qE "^TEST_[FP]\(${name%.*}, ${name#*.}\)" "$1"/../tests/gpu/*_test.cpp || fail "no test is called $name"
done
called '^gable measure --quick --retry-budget 15 --device cuda:0 ' "first call"
called '^gable run --operator gemm --dtype bf16,' "first call"
called '^gable run --operator attention_fused ' "first call"
called '^gable run --suite all --dtype fp64,fp32,fp16,bf16,int8,int32 --retry-budget 20 --roofs [^ ]*/quick.json --device cuda:0 ' "first call"
called '^gable calibrate --full --retry-budget 25 --device cuda:0 ' "first call"
for part in 0 1 2; do called "^test_conformance $part of 3$" "first call"; done
for file in log.txt summary.txt quick.json calibrate.json operators.json gemm.json attention.json points.csv clocks.txt logs/conformance.2.log; do
  archived "$file" || fail "the archive lacks $file"
done
! kill -0 "$(cat "$LOG.clocks")" 2>/dev/null || fail "the log of clocks goes on after the call"
# Each stage may last until the end that was planned for it, less what those before it took; smoke three times as long, for its second try.
used=0
for end in smoke:30 tests:60 quick:115 products:150 torch:170 operators:295 conformance:385 full:550; do
  given=$(sed -n "s/^limit ${end%:*} //p" "$LOG")
  ((given <= ${end#*:} - used && given >= ${end#*:} - took)) || fail "${end%:*} may last $given s, not ${end#*:} - $used"
  used=$((used + $(summary | sed -n "s/^${end%:*} *\([0-9]*\) s .*/\1/p")))
done

# The toolkit's cuBLAS cannot be loaded, the wheels' can; of both runtimes the toolkit's comes first.
links=$(sed -n 's/^libraries \([^:]*\).*/\1/p' "$LOG" | head -n 1)
[ ! -e "$links" ] || fail "the links to libraries are left behind"

run 0 --second
expect "second call" 'smoke:ok memcheck:ok counters:ok health:ok'
called "^$project/wheels/nvidia/cu13/lib/libcublas.so.13$" "libraries"
called "^$project/toolkit/lib64/libcudart.so.13$" "libraries"
called "^$project/toolkit/targets/x86_64-linux/lib/libcufft.so.12$" "libraries"
for file in summary clocks; do [ "$(grep -c '^== .*: smoke,' "$out/$file.txt")" -eq 2 ] || fail "the second call has overwritten $file.txt"; done
called '^compute-sanitizer --tool memcheck .*/test_conformance .*MatchesTheReference.*, 20000 elements$' "second call"
called '^gable verify-counters --tool ncu .* --device cuda:0 .*--profiler-args --metrics gpu__time_duration.sum,dram__bytes_read.sum,' "second call"
grep -qx 'fp64 flop: agrees' "$out/counters.txt" || fail "counters.txt lacks what was read"
archived logs/ncu.triad.fp64.3.csv || fail "ncu's file is not kept"
called '^gable health --against .*/out/quick.json ' "second call"
[ "$(sed -n 's/^limit health //p' "$LOG")" -le 200 ] || fail "second call: its stages do not end within 200 s"
rm "$out/quick.json"
BREAKS=ncu-options run 0 --stage counters
grep -qx 'fp64 flop: agrees' "$out/counters.txt" || fail "ncu that refuses the options: nothing was read"
run 2 --second
said "^on_gpu.sh: no $out/quick.json, " "nothing to compare with"
BREAKS=gable-measure run 1 --stage quick,health
expect "nothing to compare with" 'quick:failed health:failed'

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
! grep -q '^limit tests' "$LOG" || fail "no kernel runs: the next stage begins"
# What only takes too long is tried once more.
HANGS='gable-devices gable-run test_gpu_tile test_gpu_kernels test_conformance' run 1 --total 168
said '^nothing ended within 1 s; the worker once more, alone, for 6 s$' "all programs hang"
said '^no program runs on cuda:0: ' "all programs hang"
expect "all programs hang" 'smoke:failed'
HANGS='gable-devices test_gpu_tile test_gpu_kernels test_conformance' SLOW=once-gable-run run 1 --stage smoke,quick --total 23
expect "a device that takes long to start" 'smoke:failed quick:ok'
HANGS='test_gpu_tile test_gpu_kernels test_conformance' BREAKS=gable-run run 1 --stage smoke,quick --total 23
expect "the worker fails by itself" 'smoke:failed'
# One program does not start: the others are run.
CRASHES=test_gpu_tile run 1 --stage smoke,tests,full
expect "one program does not start" 'smoke:failed tests:failed full:ok'
said '^tile ended with 139' "one program does not start"
said 'last begun: Every.Product/bf16' "one program does not start"

BREAKS=test_conformance run 1 --stage conformance,quick
expect "a stage that fails" 'conformance:failed quick:ok'
said '^conformance.1 ended with 1, 1 FAILED$' "a stage that fails"
said '^  failed: Every.Product/bf16$' "a stage that fails"
HANGS=gable-measure run 1 --stage quick,full --total 13
[[ $(outcomes) == 'quick:ended after its 3 s full:'* ]] || fail "a program that does not end: $(outcomes)"
# What its tests did until then is told, and nothing of it goes on.
rm -f "$LOG.stuck"
STICKS=test_conformance run 1 --stage conformance --total 5
[[ $(outcomes) == 'conformance:ended after its '*' s, 3 FAILED, 3 OK ' ]] || fail "tests that do not end: $(outcomes)"
said '^conformance.2 until its time was over, 1 FAILED, 1 OK$' "tests that do not end"
said '^  failed: Every.Product/fp16$' "tests that do not end"
said '^  last begun: Every.Product/fp64$' "tests that do not end"
is_gone || fail "a test goes on after its stage"
SLOW=gable-gemm run 1 --stage products --total 6
called '^gable run --operator attention_fused ' "products that take too long"
# An interrupted measurement goes on, and one that cannot go on is kept.
for broken in '' resume; do
  mv "$out/quick.json" "$out/quick.json.journal"
  BREAKS=$broken run 0 --stage quick
  called '^gable measure --resume .*/out/quick.json --retry-budget 0$' "a journal"
  [ -e "$out/quick.json" ] || fail "a journal: no result"
  [ -z "$broken" ] && expected=0 || expected=1
  [ "$(grep -c '^gable measure --quick' "$LOG")" -eq "$expected" ] || fail "a journal: the measurement begins anew $expected times, $broken"
done
archived quick.json.journal.kept || fail "a journal that does not go on is not kept"
rm -f "$out/calibrate.json"
SLOW=gable-calibrate run 1 --stage full,quick --total 13
[[ $(outcomes) == 'full:ended after its '*' s quick:ok ' ]] || fail "a stage that takes too long: $(outcomes)"
archived quick.json || fail "a stage that takes too long: what came after is not in the archive"

# The archive leaves out logs where it would be too large.
head -c 17000000 /dev/urandom >"$out/logs/large.log"
run 0 --stage quick
archived quick.json || fail "a large log: the archive lacks quick.json"
! archived logs/large.log || fail "a large log is in the archive"
mv "$out/logs/large.log" "$out/"
rm "$out.tar.gz"
run 1 --stage quick
[ ! -e "$out.tar.gz.new" ] || fail "an archive that is too large is left"
rm "$out/large.log"
run 0 --stage quick --archive "$project/elsewhere/of_today.tgz"
grep -qx './out/quick.json' <(tar --list --gzip --file "$project/elsewhere/of_today.tgz") || fail "the archive does not go where it should"
[ ! -e "$out.tar.gz" ] || fail "a second archive is made"

# A call that is ended from outside leaves the archive, with what the stage said in the end.
for signal in TERM:143 HUP:129; do
  code=${signal#*:} signal=${signal%:*}
  rm -f "$out.tar.gz" "$out/log.txt" "$LOG.stuck"
  STICKS=test_conformance env PATH="$project/tools" "$project/kit/scripts/on_gpu.sh" --output "$out" --stage conformance,full >"$project/said" 2>&1 &
  caller=$!
  # all three have said how far they came
  for ((i = 0; i < 300; i++)); do [ "$(grep -c . "$LOG.stuck" 2>/dev/null)" != 3 ] || break; sleep 0.1; done
  kill -"$signal" "$caller"
  status=0
  wait "$caller" || status=$?
  [ "$status" -eq "$code" ] || fail "ended from outside by $signal: exit code $status"
  expect "ended from outside" 'conformance:interrupted, 3 FAILED, 3 OK'
  is_gone || fail "ended from outside by $signal: a test goes on"
  tar --extract --gzip --to-stdout --file "$out.tar.gz" ./out/log.txt | grep -q '^conformance.1 until its time was over, 1 FAILED, 1 OK$' ||
    fail "ended from outside by $signal: the archive does not tell how far it came"
done

# The kit's C++ library is taken only where there is none.
run 0 --stage quick
called "^libraries " "the C++ library"
! grep -q '^libraries .*/lib/cxx' "$LOG" || fail "the C++ library of the kit is taken although there is one"
CXX_LIBRARY='not found' run 0 --stage quick
called '^libraries .*/lib/cxx' "no C++ library"

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
def attend(q, k, v, is_causal, enable_gqa=True):
    if not enable_gqa: raise TypeError("a word that older ones do not know")
nn = Names(functional=Names(scaled_dot_product_attention=attend))
PROGRAM
run 0 --stage torch
expect "PyTorch" 'torch:ok'
said '^matmul,fp64,m=4096 n=4096 k=4096: no fp64 here$' "PyTorch"
for line in "matmul,bf16,m=6144 n=6144 k=6144,$((2 * 6144 ** 3)),15,2.0000,231.9" \
  "attention,bf16,h=16 kv=16 l=4096 d=128 mask=none,$((4 * 128 * 16 * 4096 ** 2)),15,2.0000,68.7" \
  "attention,fp16,h=32 kv=8 l=4096 d=128 mask=causal,$((4 * 128 * 32 * 4096 * 4097 / 2)),15,2.0000,68.7"; do
  grep -qxF "$line" "$out/torch.csv" || fail "torch.csv lacks $line: $(cat "$out/torch.csv")"
done

run 2 --total soon
said "^on_gpu.sh: --total is 'soon'" "--total soon"
run 2 --total 167
said '^on_gpu.sh: --total is 167; these stages need 168 s at least$' "--total too small"
run 2 --first --second
said '^on_gpu.sh: --first and --second exclude each other$' "both calls"
for device in 0 cuda cuda:x hip:0; do
  run 2 --device "$device"
  said "^on_gpu.sh: --device is '$device', not a GPU as cuda:0$" "--device $device"
done
run 2 --archive "$project"
said 'is a folder$' "--archive of a folder"
run 2 --stage quick,shake
said "^on_gpu.sh: unknown stage 'shake'" "--stage shake"
for list in '' quick,,full; do
  run 2 --stage "$list"
  said "^on_gpu.sh: --stage is '$list', not names of stages$" "--stage '$list'"
done
run 2 --programs "$project/nowhere"
said '^on_gpu.sh: no gable in ' "--programs nowhere"
