#!/bin/bash
# quickstart.sh SCRIPTS: what scripts/quickstart does around the program: first, second, interrupted and refused runs. cmake and gable
# are stand-ins; the Kokkos that is found is an empty folder, so that nothing is installed or built.
set -euo pipefail
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp -r "$1" "$project/scripts"
mkdir -p "$project/tools" "$project/cache/gable/kokkos" "$project/build/openmp/bin"
touch "$project/cache/gable/kokkos/CMakeLists.txt"
fail() { echo "$*"; exit 1; }

# no apt-get, so that the script takes what is installed
for tool in bash cat chmod cp cut date dirname env grep head ls mkdir mv rm sed sha256sum sort touch paste uname id; do
  ln -s "$(command -v $tool)" "$project/tools/"
done
printf '#!/bin/bash\nexit 0\n' >"$project/tools/cmake"
cat >"$project/build/openmp/bin/gable" <<'PROGRAM'
#!/bin/bash
echo "$*" >>"$LOG"
case "$1 ${2:-}" in
  "measure --resume") [ "$RESUME" -ne 0 ] || { rm gable-out/result.json.journal; echo resumed >gable-out/result.json; }; exit "$RESUME" ;;
  measure*) [ "$MEASURE" -gt 1 ] || echo measured >gable-out/result.json; exit "$MEASURE" ;;
  report*) echo drawn >"${!#}" ;;
esac
PROGRAM
chmod +x "$project/tools/cmake" "$project/build/openmp/bin/gable"
export LOG=$project/log MEASURE=0 RESUME=0
cd "$project"  # where the results go
# run EXPECTED_EXIT_CODE
run() {
  local status=0
  : >"$LOG"
  env PATH="$project/tools" XDG_CACHE_HOME="$project/cache" bash "$project/scripts/quickstart" >"$project/said" 2>&1 || status=$?
  [ "$status" -eq "$1" ] || fail "exit code $status, not $1: $(cat "$project/said")"
}

run 0
[ "$(head -n 1 "$LOG")" = "measure --quick --output gable-out/result.json" ] || fail "first run: $(cat "$LOG")"
[ "$(cat gable-out/roofline.svg gable-out/roofline.png)" = $'drawn\ndrawn' ] || fail "first run: no pictures"

run 0
[ "$(cat gable-out/result-*.json)" = measured ] || fail "second run: the earlier result is gone"
rm gable-out/result-*

MEASURE=1 run 1
grep -q 'report.*svg' "$LOG" || fail "failed rows: no picture"
MEASURE=130 run 130
! grep -q report "$LOG" || fail "interrupted, and drew"
rm -f gable-out/result*

echo begun >gable-out/result.json.journal
run 0
[ "$(head -n 1 "$LOG")" = "measure --resume gable-out/result.json" ] || fail "interrupted run: $(cat "$LOG")"
[ "$(grep -c measure "$LOG")" -eq 1 ] || fail "interrupted run: measured twice"
rm -f gable-out/result*

echo refused >gable-out/result.json.journal
RESUME=2 run 0
[ "$(cat gable-out/result.json)" = measured ] || fail "refused: not measured afresh"
[ "$(cat gable-out/result-*.json.journal)" = refused ] || fail "refused: the journal is gone"
