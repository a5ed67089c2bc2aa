# shellcheck shell=bash
# project_files PATTERN…: the project's files that match, one a line; in a checkout those that git does not ignore.
# Sourced; the project's root is $1 of the script that sources it.
cd "${1:?}" || exit 1
# shellcheck disable=SC2120 # no pattern: every file
project_files() {
  if git ls-files --error-unmatch CMakeLists.txt >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -- "$@"
  else
    local pattern names=()
    for pattern in "${@:-*}"; do names+=(-o -path "./$pattern"); done
    find . -path ./build -prune -o -type f \( "${names[@]:1}" \) -print | sed 's|^\./||'
  fi | while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}
