#!/bin/bash
# help.sh SCRIPTS: every script tells what it is with --help, and refuses an option that it does not have with one line and exit code 2.
set -euo pipefail
scripts=$1
failed=0
for script in budgets.py cuda_toolkit.sh gpu_kit.sh in_root.sh model_cases on_gpu.sh operators_page.py page_bundle quickstart readme_figures sass.py status_tables.py test; do
  if ! text=$(timeout 20 "$scripts/$script" --help 2>&1) || ! grep -q "${script%.*}" <<<"$text"; then
    echo "$script --help: $text"
    failed=1
  fi
  code=0
  text=$(timeout 20 "$scripts/$script" --nonsense 2>&1) || code=$?
  if [ $code -ne 2 ] || [ "$(wc -l <<<"$text")" -ne 1 ]; then
    echo "$script --nonsense ends with $code and not with one line: $text"
    failed=1
  fi
done
exit $failed
