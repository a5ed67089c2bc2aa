#!/usr/bin/env python3
"""plot_data_columns.py FILE roofs|points: what plot data of gable report hold, as columns for gnuplot and others.

roofs: two lines (intensity, flop/s) and an empty one a roof. points: intensity, flop/s and "label".
"""
import json
import sys


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("roofs", "points"):
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    if data.get("format") != "gable-plot-data":
        sys.exit(f"{sys.argv[1]}: not plot data of gable report")
    if sys.argv[2] == "roofs":
        for roof in data["roofs"]:
            for intensity in (roof["from"], roof["to"]):
                print(intensity, roof["rate"] * (1 if roof["kind"] == "compute" else intensity))
            print()
        return
    for point in data["points"]:
        if point["drawn"]:
            label = f"{point['operator']} {point['dtype']}".replace('"', "'")
            print(point["intensity"], point["flop_per_s"], f'"{label}"')


main()
