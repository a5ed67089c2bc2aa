#!/bin/bash
# gpu_package.sh BUILD FOLDER: the packages of a GPU build can lie beside the CPU build's: its worker is all they hold, and
# the .deb asks for the gable of the same version. Exit code 77 where cpack or what it calls is missing.
set -euo pipefail
build=$1 folder=$2
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
rm -rf "$folder"
(cd "$build" && cpack -G "DEB;TGZ" -B "$folder" >"$build/cpack.log" 2>&1) || { cat "$build/cpack.log"; exit 1; }
worker=libexec/gable/gable-worker-cuda-sm_90a

# expect WHAT FOUND WANTED
expect() { [ "$2" = "$3" ] || { echo "$1: '$2', expected '$3'"; exit 1; }; }
expect "files of the .deb" "$(dpkg-deb --contents "$folder"/*.deb | grep -v '/$' | sed 's/.* //')" ./usr/$worker
# Of the archive, too, which brings what the worker needs: its libraries lie in a folder of its own.
expect "files of the archive" "$(tar -tzf "$folder"/*.tar.gz | grep -v '/$' | cut -d/ -f2- | grep -v '^libexec/gable/cuda/lib/lib' | sort)" \
  "$(printf '%s\n' libexec/gable/cuda/bin/gable-worker-cuda-sm_90a libexec/gable/cuda/ld.so $worker)"
expect "package" "$(dpkg-deb --field "$folder"/*.deb Package)" gable-cuda
dpkg-deb --field "$folder"/*.deb Depends | grep -E 'gable \(= 0\.1\.0(~[a-z]+)?\)' >/dev/null || {
  echo "the .deb does not ask for gable: $(dpkg-deb --field "$folder"/*.deb Depends)"
  exit 1
}
