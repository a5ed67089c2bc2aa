#!/bin/bash
# run.sh PROGRAM ARGS…: runs a test program that needs a GPU. It is skipped (77) where the program cannot start, because the driver's
# library is missing, as it is where there is no GPU; the program itself ends with 77 where it finds no device it can use.
set -u
if ! reason=$("$1" --gtest_list_tests 2>&1 >/dev/null); then
  case $reason in
    *'error while loading shared libraries'*) echo "skipped: $reason"; exit 77 ;;
  esac
fi
"$@"
