#!/usr/bin/env python3
"""compare.py GABLE USE_C FILE…: the program, the C interface and the Python module say the same of the same files.

The module `gable` is found by PYTHONPATH; without it only the C interface is compared.
"""
import json
import subprocess
import sys

try:
    import gable
except ImportError:
    gable = None

program, use_c, *files = sys.argv[1:]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def same(what, one, other):
    if one != other:
        sys.exit(f"{what}: {one!r}, and {other!r}")


def time_by_program(file, dtype, flop, byte):
    answer = json.loads(run(program, "predict", "--on", file, "--flop", str(flop), "--byte", str(byte), "--dtype", dtype,
                            "--format", "json"))
    return answer["predictions"][0]["time_s"]


for file in files:
    result = json.load(open(file))
    said = run(use_c, file).splitlines()
    time = time_by_program(file, "fp32", 1000000000, 1000000)
    _, c_time, c_limit = next(line for line in said if line.startswith("bound ")).split(" ", 2)
    same(f"{file}: bound by C", float(c_time), time)
    points = {point["id"]: point for point in result["points"]}
    told = [line.split(" ") for line in said if line.startswith("point ")]
    same(f"{file}: points of C", sorted(words[1] for words in told), sorted(points))
    for _, name, status, seconds, _ in told:
        same(f"{name} by C", (status, float(seconds)), (points[name]["status"], points[name]["time_s"] or 0))
    if gable is None:
        continue
    same(f"{file}: as a dict", gable.load(file), result)
    machine = gable.Machine(file)
    bound = machine.judge("fp32", operations=1e9, bytes_read=1e6, cold=True)
    same(f"{file}: bound by Python", (bound["time_s"], bound["limit"]), (time, c_limit))
    same(f"{file}: points of Python", {point["id"]: point for point in machine.points}, points)
    same(f"{file}: roofs of Python and C", [f"roof {roof['label']}" for roof in machine.roofs],
         [line.rsplit(" ", 3)[0] for line in said if line.startswith("roof ")])
    for finding in gable.validate(file):
        same(f"{file}: fatal finding", finding["fatal"], False)

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
                    (lambda: h100.judge("fp32", operations=float("nan")), "operations")]:
    try:
        call()
    except gable.Error as error:
        if named not in str(error) or "\n" in str(error):
            sys.exit(f"the error does not name {named!r} in one line: {error}")
    else:
        sys.exit(f"{named!r} is taken")
