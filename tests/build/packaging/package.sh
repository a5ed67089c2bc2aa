#!/bin/bash
# package.sh BUILD FOLDER: packs the build, looks into the .deb, unpacks the archive elsewhere and runs its programs.
# Exit code 77 where cpack or what it calls is missing.
set -euo pipefail
build=$1 folder=$2
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder/unpacked"
(cd "$build" && cpack -G "DEB;TGZ" -B "$folder/packages" >"$folder/cpack.log" 2>&1) || { cat "$folder/cpack.log"; exit 1; }

deb=$(echo "$folder"/packages/*.deb) archive=$(echo "$folder"/packages/*.tar.gz)
codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
for word in 'Package: gable' "Version: 0.1.0${codename:+~$codename}" 'libfmt' 'libhwloc' 'libstdc++6' 'gnuplot-nox'; do
  dpkg-deb --info "$deb" | grep -- "$word" >/dev/null || { echo "$deb does not say '$word'"; dpkg-deb --info "$deb"; exit 1; }
done
targets=$(sed -n 's/^GABLE_CPU_TARGETS:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -n "$targets" ] || { echo "$build/CMakeCache.txt has no GABLE_CPU_TARGETS"; exit 1; }
for target in ${targets//;/ }; do
  worker=libexec/gable/gable-worker-openmp-$target
  dpkg-deb --contents "$deb" | grep "/$worker\$" >/dev/null || { echo "$deb has no $worker"; exit 1; }
  tar -tzf "$archive" | grep "/$worker\$" >/dev/null || { echo "$archive has no $worker"; exit 1; }
done

for file in share/man/man1/gable-measure.1 share/bash-completion/completions/gable share/zsh/site-functions/_gable; do
  dpkg-deb --contents "$deb" | grep "$file" >/dev/null || { echo "$deb has no $file"; exit 1; }
done

tar -xzf "$archive" -C "$folder/unpacked"
prefix=$(echo "$folder"/unpacked/*)
# It brings what it needs: no library of this machine is used.
for program in "$prefix"/libexec/gable/openmp/bin/*; do
  used=$("$prefix/libexec/gable/openmp/ld.so" --library-path "$prefix/libexec/gable/openmp/lib" --list "$program" | sed -n 's/.* => \([^ ]*\).*/\1/p')
  outside=$(grep -v "^$prefix/" <<<"$used" || true)
  [ -z "$outside" ] || { echo "$program takes from this machine: $outside"; exit 1; }
done
env --unset=GABLE_WORKER_PATH "$prefix/bin/gable" --version
env --unset=GABLE_WORKER_PATH "$prefix/bin/gable" devices | grep '^openmp' >/dev/null
cd "$folder"
# Beside other tests its threads may be held back: then it says so, exits with 1, and the file is there all the same.
env --unset=GABLE_WORKER_PATH "$prefix/bin/gable" run --quick --operator triad --params n=1000 --dtype fp32 --output unpacked.json >/dev/null || [ $? -eq 1 ]
env --unset=GABLE_WORKER_PATH "$prefix/bin/gable" report unpacked.json >/dev/null
