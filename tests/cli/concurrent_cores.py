#!/usr/bin/env python3
"""concurrent_cores.py GABLE: cores of this machine, alone and together. What is there is asserted, never a figure."""
import json
import os
import subprocess
import sys
import tempfile

gable = sys.argv[1]
if len(os.sched_getaffinity(0)) < 2:
    print("skipped: this test needs two cores")
    sys.exit(77)


def run(*words, folder, allowed=(0,)):
    done = subprocess.run([gable, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"gable {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    devices = json.loads(run("devices", "--json", folder=folder))["devices"]
    processor = next(one for one in devices if one["backend"] == "openmp")
    if processor["cores"] < 2:
        print("skipped: this test needs two cores")
        sys.exit(77)
    table = run("calibrate", "--concurrent", "--scope", "core", "--device", "openmp", "--dtype", "fp64", "--retry-budget", "0",
                "--output", "r.json", folder=folder, allowed=(0, 1))  # 1: a busy machine has not one good row
    run("validate", "r.json", folder=folder)
    with open(os.path.join(folder, "r.json"), encoding="utf-8") as file:
        result = json.load(file)
    parts = [device["id"] for device in result["devices"]]
    assert parts[:2] == ["openmp:core0", "openmp:core1"], parts
    for part in parts:
        rows = {row["id"]: row for row in result["ceilings"] if row["device"] == part}
        met = [name for name in rows if name.endswith("/with_cores")]
        assert any("/DRAM/read/" in name for name in met) and any("/vector/fp64/" in name for name in met), met
        for name in met:
            alone = rows[name.removesuffix("/with_cores")]
            for row in (alone, rows[name]):
                assert row["threads"] == (1 if "core" == part.split(":")[1].rstrip("0123456789") else row["threads"]), row["id"]
                assert row["status"] in ("ok", "suspect", "skipped"), (part, row["id"], row["status"], row["reason"])
    if any(row["status"] == "ok" and row["variant"] == "with_cores" for row in result["ceilings"]):
        assert "alone and together" in table or all(row["status"] != "ok" for row in result["ceilings"] if not row["variant"]), table
print("passed")
