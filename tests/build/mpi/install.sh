#!/bin/bash
# install.sh CMAKE BUILD PROGRAM FOLDER: gable-mpi is installed in bin, beside gable, under a name that gable starts no worker by.
set -euo pipefail
cmake=$1 build=$2 program=$3 folder=$4
case $(basename "$program") in gable-worker-*) echo "gable would start $program as a worker"; exit 1 ;; esac
# The rules alone: an installation needs all targets built, this one program is enough here.
found=$(grep -rhoE 'file\(INSTALL DESTINATION "[^"]*" TYPE EXECUTABLE FILES "[^"]*/gable-mpi"\)' --include=cmake_install.cmake "$build" | head -1)
[ -n "$found" ] || { echo "no rule installs gable-mpi"; exit 1; }
rm -rf "$folder" && mkdir -p "$folder"
echo "${found/\$\{CMAKE_INSTALL_PREFIX\}/$folder}" >"$folder/rule.cmake"
"$cmake" -P "$folder/rule.cmake" >/dev/null
[ -x "$folder/bin/gable-mpi" ] || { echo "gable-mpi is not in bin"; exit 1; }
