#!/bin/bash
# cuda_toolkit.sh NVCC: prints the folder of the CUDA toolkit that nvcc belongs to. nvcc itself is asked, because the
# one in PATH may be a script in another folder.
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^set/!s/^# //p}' "$0"; exit 0 ;;
  '' | -*) echo "usage: cuda_toolkit.sh NVCC" >&2; exit 2 ;;
esac
top=$("$1" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p' || true)
[ -n "$top" ] || { echo "cuda_toolkit.sh: $1 does not say where its toolkit is" >&2; exit 1; }
cd "$top" && pwd -P
