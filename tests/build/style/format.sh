#!/bin/bash
# Every C++ file is as clang-format 14 writes it; other versions write a little differently.
set -euo pipefail
# shellcheck source=tests/build/style/files.sh
source "$(dirname "$0")/files.sh"
formatter=''
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then formatter=$candidate; break; fi
done
if [ -z "$formatter" ]; then
  echo "skipped: no clang-format 14 here"
  exit 77
fi
mapfile -t files < <(project_files '*.cpp' '*.hpp')
[ ${#files[@]} -gt 0 ]
"$formatter" --dry-run --Werror "${files[@]}"
