#!/bin/bash
# run.sh ROOT FOLDER GABLE…: tests the page of gable report in headless Chromium. GABLE… is the program, or what runs it; FOLDER keeps what npm
# fetches. Skipped, with the reason, where there is no Node.js with npm, no Chromium (GABLE_CHROMIUM names another), or no page in the program.
set -euo pipefail
root=$1 folder=$2
shift 2
skip() { echo "skipped: $1"; exit 77; }

for program in node npm; do
  command -v "$program" >/dev/null || skip "there is no $program here"
done
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] || skip "Node.js is older than 18"
for browser in "${GABLE_CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$browser" ] && GABLE_CHROMIUM=$(command -v "$browser"); then break; fi
done
[ -n "${GABLE_CHROMIUM:-}" ] || skip "there is no Chromium here"
export GABLE_CHROMIUM
try=$(mktemp -d)
said=$("$@" report T4 --output "$try/page.html" 2>&1) || true
rm -r "$try"
if grep -q 'built without the page' <<<"$said"; then skip "the program was built without the page"; fi

mkdir -p "$folder"
cp "$root"/tests/page/*.mjs "$root"/tests/page/package*.json "$root"/tests/page/.npmrc "$folder/"
cd "$folder"
if ! cmp -s package-lock.json fetched-lock.json; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >&2 || skip "npm cannot fetch playwright-core"
  cp package-lock.json fetched-lock.json
fi
exec node "${GABLE_PAGE_RUN:-run}.mjs" "$root" "$@"
