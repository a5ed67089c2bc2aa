#!/usr/bin/env python3
"""compare.py GABLE USE_C FILE…: the program, the C interface and the Python module say the same of the same files.

Every roof is one of the file's own ceilings, with its interval; those that `gable report` draws are among them; every
figure of a point is the one that `gable report` writes; a bound is that of `gable predict`. The module `gable` is found
by PYTHONPATH; without it only the C interface is compared.
"""
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile

try:
    import gable
except ImportError:
    gable = None

program, use_c, *files = sys.argv[1:]
KINDS = ("none", "compute", "bandwidth", "overhead", "link")  # gable_kind of gable.h
ROOF = ("kind", "label", "level", "unit", "dtype", "operating_point", "access", "value", "low", "high")
POINT = ("id", "status", "limit", "time_s", "low_s", "high_s", "operations", "bytes", "bound_s", "fraction")
FIGURES = {"value", "low", "high", "time_s", "low_s", "high_s", "operations", "bytes", "bound_s", "fraction"}


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def same(what, one, other):
    if one != other:
        sys.exit(f"{what}: {one!r}, and {other!r}")


def records(said, word, keys):
    """Lines of use_c that begin with the word, as dicts."""
    for line in said:
        first, *cells = line.split("\t")
        if first == word:
            same(f"cells of {line!r}", len(cells), len(keys))
            yield {key: float(cell) if key in FIGURES else cell for key, cell in zip(keys, cells)}


def report(file):
    """What `gable report` shows of a file, as data."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "plot-data.json")
        run(program, "report", file, "--output", output)
        return json.loads(output.read_text())


def time_by_program(file, dtype, flop, byte):
    answer = json.loads(run(program, "predict", "--on", file, "--flop", str(flop), "--byte", str(byte), "--dtype", dtype,
                            "--format", "json"))
    return answer["predictions"][0]["time_s"]


def is_of(roof, ceiling):
    """Whether a ceiling of a result file is what a roof of the library says it is, with the same figures."""
    if ceiling["status"] != "ok" or ceiling["kind"] != roof["kind"]:
        return False
    if roof["kind"] == "compute":
        if (ceiling["name"], ceiling["dtype"], ceiling["at"]) != (roof["unit"], roof["dtype"], roof["operating_point"]):
            return False
    elif roof["kind"] == "bandwidth" and (ceiling["name"], ceiling["access"]) != (roof["level"], roof["access"]):
        return False
    value = ceiling["value"]
    low, high = (value if end is None else end for end in (ceiling["ci_low"], ceiling["ci_high"]))
    if roof["kind"] == "overhead":  # a launch is never judged by more than was measured
        high = value
    return (roof["value"], roof["low"], roof["high"]) == (value, low, high)


def by_report(point):
    """The figures of a point of plot data, named as in gable_point: empty or 0 where the report has none."""
    return {"id": point["id"], "status": point["status"], "limit": point.get("limit", ""), "time_s": point["time_s"],
            "low_s": point["ci_low_s"], "high_s": point["ci_high_s"], "operations": point.get("flops", 0),
            "bytes": point.get("bytes", 0), "bound_s": point.get("bound_s", 0),
            "fraction": point.get("fraction_of_limit", 0)}


compared = 0
for file in files:
    result = json.load(open(file))
    shown = report(file)
    said = run(use_c, file).splitlines()
    time = time_by_program(file, "fp32", 1000000000, 1000000)
    _, c_time, c_limit = next(line for line in said if line.startswith("bound ")).split(" ", 2)
    same(f"{file}: bound by C", float(c_time), time)

    roofs = list(records(said, "roof", ROOF))
    for roof in roofs:
        roof["kind"] = KINDS[int(roof["kind"])]
        same(f"{file}: ceilings that are the roof {roof}", sum(is_of(roof, one) for one in result["ceilings"]), 1)
    figures = [(roof["kind"], roof["value"], roof["low"], roof["high"]) for roof in roofs]
    for roof in shown["roofs"]:
        drawn = (roof["kind"], roof["rate"], roof["low"], roof["high"])
        same(f"{file}: roofs of C with the figures that the report draws as {roof['label']}", figures.count(drawn), 1)

    points = list(records(said, "point", POINT))
    expected = {point["id"]: by_report(point) for point in shown["points"] if point["status"] == "ok"}
    bound = {point["id"]: point["bound_s"] for point in result["points"]}
    same(f"{file}: points of C", {point["id"] for point in points}, set(bound))
    for point in points:
        same(f"{file}: bound of {point['id']} by C", point["bound_s"], bound[point["id"]] or 0)
        if point["status"] == "ok":
            same(f"{file}: a point by C", point, expected[point["id"]])
            compared += 1
    if not roofs or not shown["roofs"]:
        sys.exit(f"{file}: no roofs to compare")

    if gable is None:
        continue
    same(f"{file}: as a dict", gable.load(pathlib.Path(file)), result)
    machine = gable.Machine(pathlib.Path(file))
    judged = machine.judge("fp32", operations=1e9, bytes_read=1e6, cold=True)
    same(f"{file}: bound by Python", (judged["time_s"], judged["limit"]), (time, c_limit))
    same(f"{file}: points of Python", {point["id"] for point in machine.points}, set(bound))
    held = {point["id"]: point for point in result["points"]}
    for point in machine.points:  # a file of an earlier day may lack what is judged today
        kept = held[point["id"]]
        same(f"{file}: {point['id']} by Python", {key: point.get(key) for key in kept}, kept)
    same(f"{file}: roofs of Python and C", [{key: roof.get(key) or "" for key in ROOF} for roof in machine.roofs], roofs)
    for finding in gable.validate(file):
        same(f"{file}: fatal finding", finding["fatal"], False)
if not compared:
    sys.exit("no file has a point to compare")

if gable is None:
    print("skipped: no Python module gable; the C interface agrees with the program")
    sys.exit(77)

# An H100 SXM by its datasheet (docs/catalogue.md): 989.4 TFLOP/s in bf16, 3.352 TB/s; a ridge of 295 flop/byte.
h100 = gable.Machine("H100 SXM5 80GB")
same("points of a product", h100.points, [])
catalogued = next(device for device in gable.catalogue() if device["name"] == "H100 SXM5 80GB")
peak = max(figure["value"] for figure in catalogued["peaks"] if figure["dtype"] == "bf16")
same("ridge", h100.ridge("bf16"), peak / catalogued["memory_byte_per_s"])
same("attainable below the ridge", h100.attainable("bf16", 1.0), catalogued["memory_byte_per_s"])
same("attainable above it", h100.attainable("bf16", 1e4), peak)
for call, named in [(lambda: gable.load("missing.json"), "missing.json"), (lambda: gable.Machine("no such"), "no such"),
                    (lambda: h100.judge("fp33", operations=1), "fp33"), (lambda: h100.ridge("fp33"), "fp33"),
                    (lambda: h100.judge("fp32", operations=float("nan")), "operations"),
                    (lambda: gable.Machine("x" * 5000), "xxx"), (lambda: gable.load("x" * 5000), "xxx"),
                    (lambda: gable.validate("x" * 5000), "xxx"), (lambda: gable.load(b"a\xff"), "a\udcff"),
                    (lambda: gable.Machine.__new__(gable.Machine).roofs, "__init__"),
                    (lambda: repr(gable.Machine.__new__(gable.Machine)), "__init__")]:
    try:
        call()
    except gable.Error as error:
        if named not in str(error) or "\n" in str(error):
            sys.exit(f"the error does not name {named!r} in one line: {error}")
    else:
        sys.exit(f"{named!r} is taken")
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    try:
        pickle.dumps(h100, protocol)
    except TypeError:
        continue
    sys.exit(f"a Machine is pickled by protocol {protocol}")
