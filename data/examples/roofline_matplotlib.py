#!/usr/bin/env python3
"""roofline_matplotlib.py FILE PICTURE: a roofline of your own out of `gable report result.json --output plot-data.json`."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of a back end that needs no screen)

MARKERS = {"memory_bound": "o", "compute_bound": "s", "overhead_bound": "^", "link_bound": "*", "below_roof": "d"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    colours = {device["id"]: device["colour"] for device in data["devices"]}
    figure, axes = plt.subplots(figsize=(9, 6))
    for roof in data["roofs"]:
        ends = (roof["from"], roof["to"])
        heights = [roof["rate"] * (1 if roof["kind"] == "compute" else intensity) for intensity in ends]
        axes.plot(ends, heights, color=colours[roof["device"]], linewidth=1)
        axes.annotate(roof["label"], (ends[1], heights[1]), fontsize=6)
    for point in data["points"]:
        if point["drawn"]:
            axes.plot(point["intensity"], point["flop_per_s"], MARKERS.get(point.get("regime"), "x"),
                      color=colours[point["device"]])
            axes.annotate(point["operator"], (point["intensity"], point["flop_per_s"]), fontsize=6)
    axes.set(xscale="log", yscale="log", xlabel="Arithmetic intensity (FLOP/byte)", ylabel="Performance (FLOP/s)")
    figure.savefig(sys.argv[2])


main()
