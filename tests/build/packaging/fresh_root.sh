#!/bin/bash
# fresh_root.sh PACKAGE.deb SUITE FOLDER: unpacks the least Debian of that release into FOLDER, installs the package there with what it
# asks for and nothing else, and measures with it. It needs a mirror and takes minutes: .ci/run and people call it, ctest does not.
set -euo pipefail
if [ $# -ne 3 ] || [ ! -f "$1" ]; then
  echo "usage: fresh_root.sh PACKAGE.deb SUITE FOLDER" >&2
  exit 2
fi
package=$(realpath "$1") suite=$2 folder=$3
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

# In the root: the program is installed, is what it says, has its manual and completion, measures, and draws a table of what it measured.
# shellcheck disable=SC2016 # for the root's shell to expand
script='cd /tmp
  gable --version
  dpkg-query -W -f "\${Package} \${Version} \${Status}\n" gable
  ls /usr/share/man/man1/gable-measure.1* /usr/share/bash-completion/completions/gable >/dev/null
  status=0; gable measure --quick --output result.json || status=$?
  [ "$status" -le 1 ] || exit "$status"
  gable report result.json --table ceilings >table.csv
  grep -q "DRAM" table.csv || { echo "no row of main memory"; exit 1; }
  grep -c "" table.csv'
unpack_debian "$folder" "$suite" --variant=minbase \
  --customize-hook="copy-in '$package' /tmp" \
  --customize-hook="chroot \"\$1\" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install '/tmp/$(basename "$package")'" \
  --customize-hook="chroot \"\$1\" sh -ec '$script'" >&2
rm -rf "$folder"
echo "$(basename "$package") installs on a fresh $suite and measures there"
