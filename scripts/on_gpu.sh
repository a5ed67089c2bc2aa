#!/bin/bash
# on_gpu.sh [options]: what a GPU machine is rented for, in the order of its worth: does anything start, tests, measurements, and the archive out.
# It runs finished programs: those of scripts/gpu_kit.sh, or of a build on this machine. No network, no root, nothing installed.
set -uo pipefail

usage() {
  cat <<'END'
usage: scripts/on_gpu.sh [options]

options:
  --first           smoke, tests, quick, products, torch, operators, conformance and full within 560 s (the default)
  --second          smoke, memcheck, counters, variants and health within 230 s
  --stage NAME,…    these stages, each with its share of the time
  --total SECONDS   time for the call, shared out in proportion
  --programs FOLDER where the programs are (bin beside scripts, else build/cuda/bin)
  --output FOLDER   where results and logs go (gpu-out)
  --device ID       GPU to measure (cuda:0); quick measures the CPU too where its worker is among the programs
  -h, --help        this text

A stage ends by its share of the time, or later by what earlier ones left. One that fails is reported and the next begins; only if smoke finds that
no program runs on the device nothing else does. Libraries of CUDA that the loader does not find are looked for in LD_LIBRARY_PATH, in the toolkit
and in Python's wheels. Results and logs of the output folder are also in FOLDER.tar.gz, at most 16 MiB, written after each stage and when the call
is ended (INT, TERM).
Exit code: 0 if every stage succeeded or was skipped, 1 if one failed, 2 for bad options.
END
}
bad() { echo "on_gpu.sh: $*" >&2; exit 2; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
declare -A share=([smoke]=10 [tests]=50 [quick]=55 [products]=30 [torch]=20 [operators]=130 [conformance]=90 [full]=165
  [memcheck]=90 [counters]=70 [variants]=20 [health]=30)
first=smoke,tests,quick,products,torch,operators,conformance,full
packing=10  # seconds of the call that no stage gets
programs=$here/../bin output=gpu-out device=cuda:0 total='' list=$first
[ -d "$programs" ] || programs=$here/../build/cuda/bin
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --first) list=$first ;;
    --second) list=smoke,memcheck,counters,variants,health ;;
    --stage | --programs | --output | --device | --total)
      [ $# -gt 1 ] || bad "$1 needs a value"
      if [ "$1" = --stage ]; then list=$2; else declare "${1#--}=$2"; fi
      shift ;;
    *) bad "unknown option '$1'; --help lists them" ;;
  esac
  shift
done
IFS=, read -r -a stages <<<"$list"
planned=$packing
for stage in "${stages[@]}"; do
  [ -n "${share[$stage]:-}" ] || bad "unknown stage '$stage'; there are $first,memcheck,counters,variants,health"
  planned=$((planned + share[$stage]))
done
[[ $total =~ ^([1-9][0-9]*)?$ ]] || bad "--total is '$total', not a number of seconds"
[ -x "$programs/gable" ] || bad "no gable in $programs"
mkdir -p "$output/logs" || bad "cannot make the folder $output"
export device bin output within callers_path GABLE_WORKER_PATH  # what gpu_stage.sh goes by
bin=$(cd "$programs" && pwd -P) output=$(cd "$output" && pwd -P)

# Of each library of CUDA that the programs need, or load, a link to the first one that can be loaded.
find_libraries() {
  local name folder folders said
  IFS=: read -r -a folders <<<"$callers_path"
  folders+=("${CUDA_HOME:-/usr/local/cuda}"/lib64 "$("$here/cuda_toolkit.sh" nvcc 2>/dev/null)"/lib64)
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

# Everything in the output folder as one file beside it, without the logs where that is too much. tar ends with 1 where a file still grew.
pack() {
  local without
  for without in '' --exclude=logs; do
    tar --create --gzip --file "$output.tar.gz.new" ${without:+"$without"} --directory "${output%/*}/" "./${output##*/}"
    [ $? -le 1 ] && [ "$(stat --format %s "$output.tar.gz.new")" -le $((16 << 20)) ] && mv "$output.tar.gz.new" "$output.tar.gz" && return
  done
  echo "the archive is larger than 16 MiB; $output has all" >&2
  return 1
}

# shellcheck disable=SC2317,SC2329 # a trap calls it
interrupted() {
  trap '' INT TERM
  [ -z "$running" ] || { kill "$running"; tell "$stage" $((SECONDS - start)) interrupted; }
  pack
  exit 143
}

links=$(mktemp -d) clocks='' running='' failed=0 end=0
trap 'rm -rf "$links"; [ -z "$clocks" ] || { kill "$clocks"; wait "$clocks"; } 2>/dev/null' EXIT
trap interrupted INT TERM
GABLE_WORKER_PATH=$bin callers_path=${LD_LIBRARY_PATH:-} PATH+=:${CUDA_HOME:-/usr/local/cuda}/bin  # nvcc, ncu, compute-sanitizer
find_libraries
export LD_LIBRARY_PATH=$links${callers_path:+:$callers_path}
! grep -qE 'lib(stdc\+\+|gcc_s).*not found' <<<"$(ldd "$bin"/* 2>&1)" || LD_LIBRARY_PATH+=:$bin/../lib/cxx
[ ! -e /usr/local/nvidia/lib64/libcuda.so.1 ] || LD_LIBRARY_PATH+=:/usr/local/nvidia/lib64  # the driver, in containers
: >"$output/summary.txt"
if command -v nvidia-smi >/dev/null; then  # its clocks beside the results; and the driver stays loaded
  nvidia-smi dmon -s pc -o T >"$output/clocks.txt" 2>&1 &
  clocks=$!
fi
for stage in "${stages[@]}"; do
  end=$((end + share[$stage])) start=$SECONDS status=0
  within=$((end * ${total:-$planned} / planned - start))
  [ "$within" -gt 2 ] || within=3
  echo "=== $stage" | tee -a "$output/log.txt"
  exec 3> >(tee -a "$output/log.txt")
  writer=$!
  timeout --kill-after=3 "$within" bash "$here/gpu_stage.sh" "$stage" </dev/null >&3 2>&1 3>&- &
  running=$!  # a job to wait for: a signal is heard while it runs
  exec 3>&-
  wait "$running" || status=$?
  wait "$writer" 2>/dev/null  # of a process substitution, which not every bash can wait for
  running=''
  case $status in
    0) outcome=ok ;;
    77) outcome=skipped ;;
    124 | 137) outcome="ended after its $within s" failed=1 ;;
    *) outcome=failed failed=1 ;;
  esac
  tell "$stage" $((SECONDS - start)) "$outcome"
  pack || failed=1
  if [ "$stage" = smoke ] && [[ $status =~ ^(3|124|137)$ ]]; then echo "stopped: nothing runs on $device"; exit 1; fi
done
echo "results and log: $output, as one file $output.tar.gz"
exit $failed
