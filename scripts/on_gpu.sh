#!/bin/bash
# on_gpu.sh [options]: what a GPU machine is rented for: does anything start, tests, measurements, and the archive out.
# It runs finished programs: those of scripts/gpu_kit.sh, or of a build on this machine. No network, no root, nothing installed.
set -uo pipefail

usage() {
  cat <<'END'
usage: scripts/on_gpu.sh [options]

options:
  --first           smoke, tests, quick, products, torch, operators, conformance and full within 560 s (the default)
  --second          smoke, memcheck, counters and health within 210 s
  --stage NAME,…    these stages, in this order
  --total SECONDS   time for the call, shared out in proportion; each stage needs 3 s of it
  --programs FOLDER where the programs are (bin beside scripts, else build/cuda/bin)
  --output FOLDER   where results and logs go (gpu-out); that of the first call for --second
  --archive FILE    results and logs as one file (FOLDER.tar.gz, beside the output folder)
  --device ID       GPU to measure (cuda:0)
  -h, --help        this text

Results that you would miss most come first, in case the time runs out. A stage may use its own seconds and those that earlier stages did not use.
One that fails is reported and the next begins; only if smoke finds that no program runs on the device nothing else does. Libraries of CUDA that the
loader does not find are looked for in LD_LIBRARY_PATH, in the toolkit and in Python's wheels. The archive has at most 16 MiB, and is written after
each stage and when the call is ended (INT, TERM, HUP).
Exit code: 0 if every stage succeeded or was skipped, 1 if one failed, 2 for bad options, 130 interrupted (129 hung up, 143 ended).
END
}
bad() { echo "on_gpu.sh: $*" >&2; exit 2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
declare -A share=([smoke]=10 [tests]=50 [quick]=55 [products]=35 [torch]=20 [operators]=125 [conformance]=90 [full]=165
  [memcheck]=20 [counters]=140 [health]=30)
first=smoke,tests,quick,products,torch,operators,conformance,full
packing=10  # seconds of the call that no stage gets
programs=$here/../bin output=gpu-out archive='' device=cuda:0 total='' stage=$first chosen=''
[ -d "$programs" ] || programs=$here/../build/cuda/bin
while [ $# -gt 0 ]; do
  case $1 in --first | --second | --stage) [ "${chosen:-$1}" = "$1" ] || bad "$chosen and $1 exclude each other"; chosen=$1 ;; esac
  case $1 in
    -h | --help) usage; exit 0 ;;
    --first) stage=$first ;;
    --second) stage=smoke,memcheck,counters,health ;;
    --stage | --programs | --output | --archive | --device | --total) [ $# -gt 1 ] || bad "$1 needs a value"; declare "${1#--}=$2"; shift ;;
    *) bad "unknown option '$1'; --help lists them" ;;
  esac
  shift
done
list=$stage
[[ $list =~ ^[a-z]+(,[a-z]+)*$ ]] || bad "--stage is '$list', not names of stages"
IFS=, read -r -a stages <<<"$list"
planned=$packing shortest=999 compared=$output/quick.json
for stage in "${stages[@]}"; do
  [ -n "${share[$stage]:-}" ] || bad "unknown stage '$stage'; there are $first,memcheck,counters,health"
  planned=$((planned + share[$stage]))
  [ "$shortest" -le "${share[$stage]}" ] || shortest=${share[$stage]}
  case $stage in
    quick) compared='' ;;  # makes it
    health) [ -z "$compared" ] || [ -e "$compared" ] || bad "no $compared, which health compares with: --output is the first call's folder, or --stage without health" ;;
  esac
done
least=$(((3 * planned + shortest - 1) / shortest))  # with which the shortest stage gets 3 s
[[ $total =~ ^([1-9][0-9]{0,5})?$ ]] || bad "--total is '$total', not a number of seconds"
[ "${total:-$least}" -ge "$least" ] || bad "--total is $total; these stages need $least s at least"
[[ $device =~ ^cuda:(0|[1-9][0-9]*)$ ]] || bad "--device is '$device', not a GPU as cuda:0"
[ -x "$programs/gable" ] || bad "no gable in $programs"
[ ! -d "$archive" ] || bad "--archive $archive is a folder"
mkdir -p "$output/logs" "$(dirname "${archive:-.}")" || bad "cannot make the folder of $output ${archive:+or $archive}"
export device bin output counts within callers_path GABLE_WORKER_PATH  # what gpu_stage.sh goes by
bin=$(cd "$programs" && pwd -P) output=$(cd "$output" && pwd -P) archive=${archive:-$output.tar.gz}

# Of each library of CUDA that the programs need, or load, a link to the first one that can be loaded.
find_libraries() {
  local name top folder folders said
  IFS=: read -r -a folders <<<"$callers_path"
  for top in "${CUDA_HOME:-/usr/local/cuda}" "$("$here/cuda_toolkit.sh" nvcc 2>/dev/null)"; do folders+=("$top"/{lib64,lib,targets/x86_64-linux/lib}); done
  mapfile -t -O ${#folders[@]} folders < <(python3 -c 'import glob, sys
for path in sys.path: print(*glob.glob(path + "/nvidia/*/lib"), sep="\n")' 2>/dev/null)
  for name in $(ldd "$bin"/* 2>/dev/null | sed -n 's/^\t\(libcu[^ ]*\) .*/\1/p' | grep -v '^libcuda\.' | sort -u) libcufft.so.{12,11}; do
    for folder in "${folders[@]}"; do
      if [ -e "$folder/$name" ] && said=$(LD_LIBRARY_PATH=$folder:$callers_path ldd "$folder/$name" 2>&1) && [[ $said != *'not found'* ]]; then
        ln -s "$(cd "$folder" && pwd -P)/$name" "$links/"
        break
      fi
    done
  done
}

# tell STAGE SECONDS OUTCOME: the stage's line in the summary.
tell() { printf '%-12s %4d s  %s\n' "$@" | tee -a "$output/log.txt" "$output/summary.txt"; }

# Everything in the output folder as one file, without the logs where that is too much. tar ends with 1 where a file still grew.
pack() {
  local without
  for without in '' --exclude=logs; do
    tar --create --gzip --file "$archive.new" ${without:+"$without"} --exclude="./${output##*/}/${archive##*/}*" --directory "${output%/*}/" "./${output##*/}"
    [ $? -le 1 ] && [ "$(stat --format %s "$archive.new")" -le $((16 << 20)) ] && mv "$archive.new" "$archive" && return
  done
  rm -f "$archive.new"
  echo "the archive is larger than 16 MiB; $output has all" >&2
  return 1
}

# shellcheck disable=SC2317,SC2329 # a trap calls it, with the exit code
interrupted() {
  trap '' INT TERM HUP
  [ -z "$running" ] || kill "$running"
  for _ in {1..30}; do sleep 0.1; kill -0 "$running" 2>/dev/null || break; done  # what it says in the end belongs into the archive
  [ -z "$running" ] || tell "$stage" $((SECONDS - start)) "interrupted$(cat "$counts" 2>/dev/null)"
  pack && echo "results and log: $output, as one file $archive"
  exit "$1"
}

links=$(mktemp -d) clocks='' running='' failed=0 end=0
counts=$links/counts  # of the tests of a stage that was ended
trap 'rm -rf "$links"; [ -z "$clocks" ] || { kill "$clocks"; wait "$clocks"; } 2>/dev/null' EXIT
trap 'interrupted 129' HUP
trap 'interrupted 130' INT
trap 'interrupted 143' TERM
GABLE_WORKER_PATH=$bin callers_path=${LD_LIBRARY_PATH:-} PATH+=:${CUDA_HOME:-/usr/local/cuda}/bin  # nvcc, ncu, compute-sanitizer
[ ! -e /usr/local/nvidia/lib64/libcuda.so.1 ] || callers_path+=${callers_path:+:}/usr/local/nvidia/lib64  # the driver, in containers
find_libraries
export LD_LIBRARY_PATH=$links${callers_path:+:$callers_path}
! grep -qE 'lib(stdc\+\+|gcc_s).*not found' <<<"$(ldd "$bin"/* 2>&1)" || LD_LIBRARY_PATH+=:$bin/../lib/cxx
printf '== %(%F %T)T: %s\n' -1 "$list" | tee -a "$output"/{log,summary,clocks}.txt >/dev/null
if command -v nvidia-smi >/dev/null; then  # its clocks beside the results; and the driver stays loaded
  nvidia-smi dmon -s pc -o T >>"$output/clocks.txt" 2>&1 &
  clocks=$!
fi
SECONDS=0  # what came before is no stage's loss
for stage in "${stages[@]}"; do
  end=$((end + share[$stage])) start=$SECONDS status=0
  within=$((end * ${total:-$planned} / planned - start))
  [ "$within" -gt 2 ] || within=3; limit=$within; [ "$stage" != smoke ] || limit=$((3 * within))  # with its second try
  echo "=== $stage" | tee -a "$output/log.txt"
  rm -f "$counts"
  exec 3> >(trap '' INT TERM HUP; exec tee -a "$output/log.txt")
  writer=$!
  timeout --kill-after=3 "$limit" bash "$here/gpu_stage.sh" "$stage" </dev/null >&3 2>&1 3>&- &
  running=$!  # a job to wait for: a signal is heard while it runs
  exec 3>&-
  wait "$running" 2>/dev/null || status=$?
  wait "$writer" 2>/dev/null  # of a process substitution, which not every bash can wait for
  running=''
  case $status in
    0) outcome=ok ;; 77) outcome=skipped ;;
    124 | 137) outcome="ended after its $limit s$(cat "$counts" 2>/dev/null)" failed=1 ;;
    *) outcome=failed failed=1 ;;
  esac
  tell "$stage" $((SECONDS - start)) "$outcome"
  pack || failed=1
  if [ "$stage" = smoke ] && [[ $status =~ ^(3|124|137)$ ]]; then echo "stopped: nothing runs on $device"; exit 1; fi
done
echo "results and log: $output, as one file $archive"
exit $failed
