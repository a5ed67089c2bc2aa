#!/bin/bash
# examples.sh GABLE ROOT: the scripts in data/examples draw plot data. Skipped without gnuplot; matplotlib's only where it is installed.
set -euo pipefail
gable=$1 root=$2
command -v gnuplot >/dev/null || { echo "skipped: there is no gnuplot here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$gable" report "$root/data/measured/amd-zen-4-operators.json" --output plot-data.json
points=$(python3 "$root/data/examples/plot_data_columns.py" plot-data.json points | wc -l)
csv=$("$gable" report "$root/data/measured/amd-zen-4-operators.json" --table points |
  python3 -c 'import csv, sys; print(sum(row["status"] == "ok" and row["intensity"] not in ("", "0") for row in csv.DictReader(sys.stdin)))')
[ "$points" -eq "$csv" ] || { echo "the columns have $points points, the CSV $csv"; exit 1; }
gnuplot -e "folder='$root/data/examples'" "$root/data/examples/roofline.gp"
grep -q '>gemm fp32<' roofline.svg || { echo "gnuplot's picture names no gemm"; exit 1; }
if python3 -c 'import matplotlib' 2>/dev/null; then
  python3 "$root/data/examples/roofline_matplotlib.py" plot-data.json roofline.png
  [ "$(head -c 4 roofline.png | tail -c 3)" = PNG ] || { echo "matplotlib drew no PNG"; exit 1; }
fi
if python3 "$root/data/examples/plot_data_columns.py" "$root/data/models.json" roofs 2>said; then
  echo "a file that is no plot data was taken"
  exit 1
fi
grep -q 'not plot data' said
