#!/bin/sh
# usage: arm.sh <cmake> <generator> <build folder>
# Builds the Arm kernels with a cross compiler and checks them under qemu at several vector lengths. Speed means nothing there.
set -eu
for tool in aarch64-linux-gnu-g++ aarch64-linux-gnu-objdump qemu-aarch64 python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: $tool is missing (packages g++-aarch64-linux-gnu and qemu-user)"
    exit 77
  fi
done
cmake=$1 generator=$2 build=$3
here=$(dirname "$0")
"$cmake" -G "$generator" -S "$here/arm" -B "$build" -DCMAKE_BUILD_TYPE=Release >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
"$cmake" --build "$build" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
"$here/no_weak_symbols.sh" aarch64-linux-gnu-nm "$build/isa/libgable_isa_tables.a"
for bytes in 16 32 48 64; do
  cpu=max,sve-default-vector-length=$bytes
  echo "vectors of at most $bytes bytes"
  qemu-aarch64 -cpu "$cpu" "$build/isa_check_kernels"
done
qemu-aarch64 -cpu max,sve=off "$build/isa_check_kernels"
python3 "$here/disassembly.py" aarch64-linux-gnu-objdump \
  qemu-aarch64 -cpu max,sve-default-vector-length=16 "$build/isa_list_kernels"
