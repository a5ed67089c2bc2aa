#!/bin/bash
# in_root.sh ROOT COMMAND…: runs COMMAND inside the build root ROOT, in the same working directory, with this machine's
# devices, topology and folders other than the system's. The mounts live in a namespace of their own and end with it.
# in_root.sh --possible: exit code 0 if this machine allows it.
set -euo pipefail

namespaces=(--mount)
[ "$(id -u)" -eq 0 ] || namespaces+=(--user --map-root-user)

case ${1:-} in
  -h | --help)
    sed -n '2,/^set/{/^set/!s/^# //p}' "$0"; exit 0 ;;
  --possible)
    exec unshare "${namespaces[@]}" true 2>/dev/null ;;
  --mounted)
    shift ;;
  '' | -*)
    echo "usage: in_root.sh ROOT COMMAND…, or in_root.sh --possible" >&2; exit 2 ;;
  *)
    [ -d "$1" ] || { echo "gable: the build root $1 is gone: run scripts/quickstart again" >&2; exit 1; }
    exec unshare "${namespaces[@]}" -- "$0" --mounted "$@" ;;
esac

root=$1
shift
share() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
}
for folder in /*; do
  case $folder in
    /bin | /boot | /etc | /lib* | /opt | /sbin | /usr | /var | /lost+found) ;;
    *) if [ -d "$folder" ] && [ ! -L "$folder" ]; then share "$folder"; fi ;;
  esac
done
for folder in "$PWD" "$(cd "$(dirname "$0")/.." && pwd -P)" "${HOME:-/}" "${TMPDIR:-/tmp}"; do  # those below a system folder
  if [[ $folder == /*/* && -d $folder && ! $root$folder -ef $folder ]]; then share "$folder"; fi
done

# The root has tools and libraries of its own, so variables that point to this machine's are unset.
exec env -u LD_LIBRARY_PATH -u LD_PRELOAD -u CC -u CXX -u CMAKE_PREFIX_PATH -u CMAKE_CXX_COMPILER_LAUNCHER \
  GABLE_HOST_OS="$(sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release 2>/dev/null)" \
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
  chroot "$root" env -C "$PWD" "$@"
