#!/bin/sh
# usage: no_weak_symbols.sh <nm> <archive>
# A weak symbol compiled for one instruction set can be chosen by the linker for a program that runs on a machine without it.
set -eu
symbols=$("$1" "$2")
case $symbols in *gable_isa_*) ;; *) echo "no tables in $2"; exit 1 ;; esac
if printf '%s\n' "$symbols" | grep -E ' [WwVvu] '; then
  echo "weak symbols in $2"
  exit 1
fi
