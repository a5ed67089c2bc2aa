#!/bin/bash
# Every shell script passes shellcheck.
set -euo pipefail
# shellcheck source=tests/build/style/files.sh
source "$(dirname "$0")/files.sh"
if ! command -v shellcheck >/dev/null; then
  echo "skipped: no shellcheck here"
  exit 77
fi
# shellcheck disable=SC2119
mapfile -t files < <(project_files | while IFS= read -r file; do
  case $file in
    *.sh) echo "$file" ;;
    *.*) case $file in .ci/*) echo "$file" ;; esac ;;
    *) if head -c 20 "$file" | grep -qa '^#!/bin/\(ba\)\?sh'; then echo "$file"; fi ;;
  esac
done)
[ ${#files[@]} -gt 5 ]
shellcheck --external-sources --source-path=SCRIPTDIR --source-path=. "${files[@]}"
