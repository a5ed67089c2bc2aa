# shellcheck shell=bash
# Sourced by tests that compile and throw the results away.

# unit FOLDER SOURCE COMMAND…: compiles one unit into FOLDER and says how long it took; fails if it does not compile.
unit() {
  local folder=$1 source=$2 start=$EPOCHREALTIME result=0
  shift 2
  "$@" -c "$source" -o "$folder/unit.o" >"$folder/unit.log" 2>&1 || result=1
  printf '%6.1f s  %s\n' "$(awk "BEGIN {print $EPOCHREALTIME - $start}")" "$source"
  [ "$result" -eq 0 ] || { cat "$folder/unit.log"; echo "does not compile: $source"; }
  return "$result"
}
