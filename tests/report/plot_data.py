#!/usr/bin/env python3
"""plot_data.py GABLE ROOT: plot data of measured files, of noisy ones, of datasheets and of a made-up network obey
data/plot-data.schema.json, and their figures are those of the CSV tables and of the SVG picture. Needs the module jsonschema; the SVG needs gnuplot."""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

gable, root = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((root / "data" / "plot-data.schema.json").read_text(encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
folder = pathlib.Path(tempfile.mkdtemp())
wrong = []



def report(files, output):
    path = folder / output
    path.unlink(missing_ok=True)
    run = subprocess.run([gable, "report", *map(str, files), "--all-roofs", "--output", str(path)], capture_output=True, text=True)
    return run, path


def table(files, name):
    run = subprocess.run([gable, "report", *map(str, files), "--table", name], capture_output=True, text=True, check=True)
    return list(csv.DictReader(run.stdout.splitlines()))


def same(cell, value):
    """Whether a cell of the CSV says what the plot data say: an absent key is an empty cell."""
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    if isinstance(value, (int, float)):
        return cell != "" and float(cell) == value
    return cell.lstrip("'") == value.lstrip("'")


def compare_rows(names, rows, lines, what):
    if len(rows) != len(lines):
        wrong.append(f"{names}: {len(rows)} {what} beside {len(lines)} lines of the CSV")
        return
    for row, line in zip(rows, lines):
        for column, cell in line.items():
            if not same(cell, row.get(column)):
                wrong.append(f"{names}: {what} {row['id']}: {column} is {row.get(column)!r}, in the CSV {cell!r}")


def check_picture(names, files, data):
    """Lines and markers of the SVG stand where the figures of the plot data say."""
    run, path = report(files, "p.svg")
    if run.returncode == 2 and "gnuplot" in run.stderr:
        print("the SVG is not compared:", run.stderr.strip())
        return
    svg = path.read_text(encoding="utf-8")
    flats = [roof for roof in data["roofs"] if roof["kind"] == "compute"]
    places = {}
    for part in svg.split('<g id="gnuplot_plot_')[1:]:
        label = re.search(r"<title>roof: ([^<]*)</title>", part)
        line = re.search(r" d='M[0-9.]+,([0-9.]+) L[0-9.]+,([0-9.]+)", part)
        if label and line:
            places[label[1].replace("&gt;", ">")] = (float(line[1]), float(line[2]))
    high, low = max(flats, key=lambda roof: roof["rate"]), min(flats, key=lambda roof: roof["rate"])
    y_high, y_low = places[high["label"]][1], places[low["label"]][1]
    scale = (y_low - y_high) / math.log(high["rate"] / low["rate"])
    for roof in flats:
        if roof["label"] not in places:
            wrong.append(f"{names}: the SVG has no roof {roof['label']}")
            continue
        expected = y_high + scale * math.log(high["rate"] / roof["rate"])
        if abs(expected - places[roof["label"]][1]) > 0.03:
            wrong.append(f"{names}: {roof['label']} stands at {places[roof['label']][1]} pt, not at {expected:.2f}")
    if len(places) != len(data["roofs"]):
        wrong.append(f"{names}: the SVG has {len(places)} roofs, the plot data {len(data['roofs'])}")


def checked(names, files, output):
    """Plot data of the files, held against the schema and the table of ceilings; nothing where there is no report."""
    run, path = report(files, output)
    if run.returncode != 0:
        wrong.append(f"{names}: {run.stderr.strip()}")
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    for error in validator.iter_errors(data):
        wrong.append(f"{names}: /{'/'.join(map(str, error.path))}: {error.message[:200]}")
    compare_rows(names, data["ceilings"], table(files, "ceilings"), "ceiling")
    return data


def check(files):
    names = " ".join(pathlib.Path(file).name for file in files)
    data = checked(names, files, "t-plot-data.json")
    if data is None:
        return
    if not any(device["datasheet"] for device in data["devices"]):
        compare_rows(names, data["points"], table(files, "points"), "point")
    for point in data["points"]:
        if not point["drawn"]:
            continue
        if not math.isclose(point["intensity"], point["flops"] / point["bytes"], rel_tol=1e-12):
            wrong.append(f"{names}: {point['id']}: intensity is not flops / bytes")
        if not math.isclose(point["flop_per_s"], point["flops"] / point["time_s"], rel_tol=1e-12):
            wrong.append(f"{names}: {point['id']}: flop_per_s is not flops / time_s")
        if "regime" in point and not point.get("diagnosis"):
            wrong.append(f"{names}: {point['id']}: a regime and no diagnosis")
    for ridge in data["ridges"]:
        if not ridge["low"] <= ridge["intensity"] <= ridge["high"]:
            wrong.append(f"{names}: ridge {ridge['label']} is outside its interval")
    check_picture(names, files, data)


def network(base):
    """A result of two nodes, made up out of a measured one: 2 us and 10 GB/s between hosts' memories. No figure of it is a measurement."""
    result = {**base, "ceilings": [], "curves": [], "points": [], "notes": []}
    result["devices"] = [{**base["devices"][0], "id": "mpi", "backend": "mpi", "name": "2 ranks on 2 nodes"}]
    form = next(row for row in base["ceilings"] if row["kind"] == "latency")
    for unit, variant, value in (("s", "8_bytes", 2e-6), ("byte/s", "one_direction_4194304_bytes", 10e9)):
        row = {**form, **dict.fromkeys(("value", "median", "ci_low", "ci_high", "median_ci_low", "median_ci_high"), value)}
        row |= {"device": "mpi", "kind": "link", "name": "between_nodes", "unit": unit, "variant": variant, "implementation": "mpi", "threads": 2, "status": "ok", "reason": ""}
        row |= {"samples": [value], "blocks": 1, "used_blocks": 1, "id": f"ceiling/link/between_nodes/{variant}/mpi"}
        for key in ("sample_rounds", "disturbed_samples"):
            row.pop(key, None)
        result["ceilings"].append(row)
    curve = {**base["curves"][0], "device": "mpi", "threads": 2, "reason": "", "series": "between_nodes"}
    result["curves"].append({**curve, "name": "message_latency", "id": "curve/1", "x": [8, 80000], "y": [2e-6, 10e-6]})
    result["curves"].append({**curve, "name": "messages_per_synchronisation", "id": "curve/2", "series": "between_nodes, 8 bytes", "x": [1, 64], "y": [1e6, 9e7]})
    return result


def check_network(base):
    """The lines of the message roofline are those of docs/network.md."""
    file = folder / "network.json"
    file.write_text(json.dumps(network(base)), encoding="utf-8")
    data = checked("network", [file], "n-plot-data.json")
    if data is None:
        return
    (drawn,) = data["messages"]
    lines = {(line["roof"], line.get("messages_before_wait")): line for line in drawn["lines"]}
    expected = {(True, None), (True, 1), (True, 64), (False, 1), (False, 64)}
    if set(lines) != expected or len(drawn["lines"]) != len(expected):
        wrong.append(f"network: the lines are {[(line['roof'], line.get('messages_before_wait')) for line in drawn['lines']]}")
        return
    if lines[True, None]["byte_per_s"] != [10e9, 10e9]:
        wrong.append("network: the peak is not 10 GB/s")
    for messages in (1, 64):
        slope = lines[True, messages]
        for size, rate in zip(slope["byte"], slope["byte_per_s"]):
            if not math.isclose(rate, min(10e9, messages * size / 2e-6), rel_tol=1e-9):
                wrong.append(f"network: {messages} messages of {size} byte reach {rate} byte/s")
    if lines[False, 1]["byte"] != [8, 80000] or not math.isclose(lines[False, 1]["byte_per_s"][1], 8e9, rel_tol=1e-12):
        wrong.append("network: a message of 80 kB in 10 us is not 8 GB/s")
    if (lines[False, 64]["byte"], lines[False, 64]["byte_per_s"]) != ([8], [9e7]):
        wrong.append("network: 64 messages of 8 byte do not reach 90 MB/s")


measured = sorted((root / "data" / "measured").glob("*.json"))
noisy = sorted((root / "tests" / "page" / "results").glob("*.json"))
for file in [*measured, *noisy]:
    check([file])
check(measured[-10:])  # a picture shows no more
check([measured[0], "H200 SXM 141GB"])
check(["T4"])
check_network(json.loads(measured[0].read_text(encoding="utf-8")))
print("\n".join(wrong[:30]) or f"{len(measured) + len(noisy) + 4} reports agree")
sys.exit(bool(wrong))
