#!/bin/bash
# gpu_kit.sh [--kokkos TREE] [--header FILE] [FOLDER]: lays what scripts/on_gpu.sh needs on a machine without network into FOLDER (gpu-kit in the checkout),
# some 30 MB: headers and libraries that Debian's packages put on this machine, as far as Gable includes them, pkg-config, and the sources of Kokkos
# without their tests. OpenBLAS and oneDNN (80 MB) are left out: where the other machine has none, the CPU's library rows are unsupported. --header: on_gpu.sh makes nvcc include FILE everywhere (Kokkos 4.6 with CUDA 13 needs one). The other machine needs this one's kind of processor and a C library no older.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
bad() { echo "gpu_kit.sh: $*" >&2; exit 2; }
kokkos=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gable/kokkos
kit=$repository/gpu-kit header=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^set/{/^set/!s/^# //p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --kokkos) [ $# -gt 1 ] || bad "--kokkos needs a value"; kokkos=$2; shift ;;
    --header) [ $# -gt 1 ] || bad "--header needs a value"; header=$2; [ -f "$header" ] || bad "no file $header"; shift ;;
    -*) bad "unknown option '$1'" ;;
    *) kit=$1 ;;
  esac
  shift
done
[ -e "$kokkos/CMakeLists.txt" ] || bad "no Kokkos source tree in $kokkos; name one with --kokkos"
command -v dpkg-query >/dev/null || bad "this needs a Debian machine: the kit is made of its packages"

mkdir -p "$kit"
kit=$(cd "$kit" && pwd -P)

[ -z "$header" ] || cp "$header" "$kit/cuda_kokkos.h"

# copy FILE…: to the same place below the kit; links as what they point to.
copy() { cp --parents --dereference --target-directory="$kit" "$@"; }

# Whole packages: small ones.
patterns=('libboost-program-options[0-9]*' 'libboost-filesystem[0-9]*' 'libboost-system[0-9]*' 'libboost-atomic[0-9]*'
  libfmt-dev 'libfmt[0-9]*' nlohmann-json3-dev libgtest-dev libvalijson-dev libhwy-dev libhwloc-dev 'libhwloc[0-9]*' 'libudev[0-9]*' pkgconf-bin 'libpkgconf[0-9]*')
mapfile -t packages < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${patterns[@]}" 2>/dev/null | sed -n 's/^installed //p')
for needed in libboost-program-options libboost-filesystem libfmt-dev nlohmann-json3-dev libgtest-dev libvalijson-dev libhwy-dev libhwloc-dev; do
  [[ " ${packages[*]}" == *" $needed"* ]] || bad "the package $needed is not installed (docs/install.md lists all)"
done
while IFS= read -r file; do
  if [ -f "$file" ] && [[ $file != /usr/share/doc/* && $file != /usr/src/* ]]; then copy "$file"; fi
done < <(dpkg-query -L "${packages[@]}")

# pkg-config as a program that finds its library in the kit, and hwloc's description for wherever the kit lies.
# shellcheck disable=SC2016 # for pkg-config to expand
for file in "$kit"/usr/lib/*/pkgconfig/hwloc.pc; do sed -i 's|^prefix=.*|prefix=${pcfiledir}/../../..|' "$file"; done
for file in "$kit"/usr/lib/*/libpkgconf.so.?; do
  [ -e "$file" ] || continue
  folder=${file%/*}
  cat >"$kit/usr/bin/pkg-config" <<END
#!/bin/sh
usr=\$(cd "\$(dirname "\$0")/.." && pwd)
LD_LIBRARY_PATH=\$usr${folder#"$kit/usr"} exec "\$usr/bin/pkgconf" "\$@"
END
  chmod +x "$kit/usr/bin/pkg-config"
done

# Of Boost's headers those that Gable includes, and what finds them.
for file in /usr/lib/*/cmake/Boost*/* /usr/lib/*/cmake/BoostDetectToolset* /usr/lib/*/cmake/boost_headers*/*; do copy "$file"; done
mapfile -t sources < <(grep -rlE '#include <boost/' --include='*.cpp' --include='*.hpp' "$repository"/{core,cli,tests})
for source in "${sources[@]}"; do
  g++ -std=c++20 -I"$repository" -M -MG -x c++ "$source"
done | tr -s '[:space:]' '\n' | grep '^/usr/include/.*boost/' | sort -u | while IFS= read -r file; do copy "$file"; done

rm -rf "$kit/kokkos"
mkdir "$kit/kokkos"
tar --create --directory="$kokkos" --exclude=.git --exclude=./doc --exclude='unit_test*' --exclude='perf_test*' . |
  tar --extract --directory="$kit/kokkos"
du -sh "$kit"
