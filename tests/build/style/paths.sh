#!/bin/bash
# No file names a folder of the machine it was written on, nor a package registry's host: what works here works elsewhere.
set -euo pipefail
# shellcheck source=tests/build/style/files.sh
source "$(dirname "$0")/files.sh"
folders='(^|[^[:alnum:]_$.{}/-])/(root|work|home/[a-z]+)/'
registries='(deb|security|snapshot)\.debian\.org|registry\.npmjs\.org|pypi\.org|files\.pythonhosted\.org|registry\.yarnpkg\.com'
# shellcheck disable=SC2119
mapfile -t files < <(project_files | grep -v -e '^tests/build/style/paths\.sh$' -e '^LICENSE$')
[ ${#files[@]} -gt 20 ]
if grep -nIE -e "$folders" -e "$registries" -- "${files[@]}" || grep -nIF -e "$PWD/" -- "${files[@]}"; then
  echo "these lines name a folder of one machine, or a registry"
  exit 1
fi
