#!/bin/bash
# packages.sh SCRIPTS: what docs/install.md tells to install by hand on Debian is what the scripts install.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$1/lib.sh"
page=$repository/docs/install.md
stated=$(sed -n '/^    apt-get install g++/,/^$/p' "$page" | grep -o '[a-z0-9+.-]*' | grep -v -x -e apt-get -e install | sort)
installed=$(printf '%s\n' "${build_packages[@]}" "${test_packages[@]}" libvalijson-dev | sort)
[ -n "$stated" ] || { echo "$page: no apt-get install g++ … is found"; exit 1; }
diff <(echo "$stated") <(echo "$installed") || { echo "$page: < are its packages alone, > those of scripts/lib.sh alone"; exit 1; }
