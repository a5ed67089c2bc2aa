#!/bin/bash
# layouts.sh CMAKE ROOT PREFIX FOLDER CC: a program in C is built by what pkg-config says of the gable in PREFIX. In every layout of the
# libraries, which are lib, lib64 (Red Hat) and lib/x86_64-linux-gnu (Debian's /usr), gable.pc finds its prefix and requirements.txt knows
# libgable.so. Exit code 77 without pkg-config.
set -euo pipefail
cmake=$1 root=$2 prefix=$3 folder=$4 cc=$5
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name gable.pc)")
# two lists of options; -lm is for the program itself, which traps arithmetic
# shellcheck disable=SC2046
"$cc" -std=c99 "$root/tests/build/library/use_c.c" $(pkg-config --cflags gable) -o "$folder/use_c" $(pkg-config --libs gable) -lm
LD_LIBRARY_PATH=$(pkg-config --variable=libdir gable) "$folder/use_c" "$root/data/measured/amd-zen-3-quick.json" >/dev/null

cat >"$folder/write.cmake" <<'EOF'
include(${ROOT}/cmake/GablePkgConfig.cmake)
gable_write_pkg_config(${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/gable.pc)
EOF
for layout in lib lib64 lib/x86_64-linux-gnu; do
  here=$folder/$layout.installed
  "$cmake" -DROOT="$root" -DCMAKE_INSTALL_PREFIX="$here" -DCMAKE_INSTALL_LIBDIR=$layout -DCMAKE_INSTALL_INCLUDEDIR=include \
    -DPROJECT_VERSION=0.1.0 -P "$folder/write.cmake"
  cp "$(dirname "$PKG_CONFIG_PATH")/libgable.so" "$here/$layout"
  "$cmake" -DCMAKE_INSTALL_PREFIX="$here" -DGABLE_OBJDUMP=objdump -P "$root/cmake/GableRequirements.cmake"
  grep '^libstdc++' "$here/share/gable/requirements.txt" >/dev/null || { echo "$layout: requirements of libgable.so"; exit 1; }
  mv "$here" "$folder/moved"
  mkdir "$folder/moved/include"
  for pair in prefix= libdir=/$layout includedir=/include; do
    said=$(realpath "$(PKG_CONFIG_PATH=$folder/moved/$layout/pkgconfig pkg-config --variable="${pair%%=*}" gable)")
    [ "$said" = "$(realpath "$folder/moved")${pair#*=}" ] || { echo "$layout: ${pair%%=*} is $said"; exit 1; }
  done
  rm -rf "$folder/moved"
done
