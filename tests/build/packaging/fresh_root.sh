#!/bin/bash
# fresh_root.sh PACKAGE SUITE FOLDER: unpacks the least Debian of that release into FOLDER, installs the package there with what it
# asks for and nothing else, measures with it, and removes it again. A .deb is installed by apt, a .tar.gz unpacked and run by nobody. It needs
# a mirror and takes minutes: .ci/run and people call it, ctest does not.
# Exit code 77 where that Debian cannot be unpacked; what goes wrong after that is a failure of the package.
set -euo pipefail
if [ $# -ne 3 ] || [ ! -f "$1" ]; then
  echo "usage: fresh_root.sh PACKAGE.deb|ARCHIVE.tar.gz SUITE FOLDER" >&2
  exit 2
fi
package=$(realpath "$1") suite=$2 folder=$3
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"
skip() { echo "skipped: $*"; exit 77; }
[ -n "$suite" ] || skip "this machine does not say which release it is"
"$repository/scripts/in_root.sh" --possible || skip "mount namespaces are denied here"

# The first hook's mark tells a Debian that cannot be unpacked from a package that does not work in it. Another user may write it: without
# root the hooks run as one.
marks=$(mktemp -d)
trap 'rm -rf "$marks" "$folder"' EXIT
chmod 777 "$marks"

# In the root: the program is what it says, finds the processor, measures, and draws a table of what it measured.
# shellcheck disable=SC2016 # for the root's shell to expand
use='gable --version
  gable devices | grep "^openmp"
  status=0; gable measure --quick --output result.json || status=$?
  [ "$status" -le 1 ] || exit "$status"
  gable report result.json --table ceilings >table.csv
  grep -q "DRAM" table.csv || { echo "no row of main memory"; exit 1; }
  grep -c "" table.csv'
name=$(basename "$package") before=true as=()
# shellcheck disable=SC2016 # for the root's shell to expand
case $name in
  *.deb)
    before="DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install '/tmp/$name'"
    script="cd /tmp
      dpkg-query -W -f '\${Package} \${Version} \${Status}\n' gable
      ls /usr/share/man/man1/gable-measure.1* /usr/share/bash-completion/completions/gable >/dev/null
      $use
      dpkg --remove gable
      [ ! -e /usr/bin/gable ] && [ ! -e /usr/libexec/gable ]" ;;
  *)
    as=(--userspec=nobody:nogroup)
    script="mkdir /tmp/of-nobody; cd /tmp/of-nobody
      tar -xzf '/tmp/$name'
      PATH=\$(echo \"\$PWD\"/*/bin):\$PATH
      $use" ;;
esac
printf '%s\n' "$script" >"$marks/script"
status=0
(unpack_debian "$folder" "$suite" --variant=minbase \
  --customize-hook="touch '$marks/unpacked'" \
  --customize-hook="copy-in '$package' /tmp" \
  --customize-hook="copy-in '$marks/script' /tmp" \
  --customize-hook="chroot \"\$1\" sh -ec \"$before\"" \
  --customize-hook="chroot ${as[*]} \"\$1\" sh -e /tmp/script" >&2) || status=$?
[ -e "$marks/unpacked" ] || skip "no Debian $suite can be unpacked here (exit code $status): mmdebstrap says why above"
[ "$status" -eq 0 ] || { echo "$name cannot be installed on a fresh $suite, or does not measure there"; exit 1; }
echo "$name installs on a fresh $suite and measures there"
