#!/bin/bash
# libraries.sh FOLDER GABLE LIBRARIES PYTHON CMAKE…: gable-mpi built by CMAKE… against each of these MPIs that is installed side by side, as Debian
# names them (mpicxx.openmpi, mpicxx.mpich), and its tests with that one's launcher. PYTHON has the module jsonschema. Exit code 77
# where there is none of them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$1 gable=$2 libraries=$3 python=$4
shift 4
found=0
for library in $libraries; do
  if ! command -v "mpicxx.$library" >/dev/null || ! command -v "mpirun.$library" >/dev/null; then
    echo "$library left out: no mpicxx.$library or no mpirun.$library"
    continue
  fi
  found=1
  echo "with $library"
  build=$folder/$library
  if ! { "$@" -B "$build" "-DMPI_CXX_COMPILER=mpicxx.$library" && "$1" --build "$build"; } >"$folder-$library.log" 2>&1; then
    cat "$folder-$library.log"
    echo "it does not build with $library"
    exit 1
  fi
  for script in network killed device; do
    bash "$here/$script.sh" "$build/gable-mpi" "$gable" "$build/$script" "mpirun.$library" "mpicxx.$library" "$python" || { echo "$script.sh with $library"; exit 1; }
  done
done
[ "$found" -eq 1 ] || { echo "skipped: none of $libraries is here under Debian's names"; exit 77; }
