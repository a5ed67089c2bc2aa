"""Checks what `gable campaign report` writes against its schema, with a validator that is not the program's own.

usage: campaign_schema.py PROGRAM WORKERS SCHEMA
A campaign of four nodes by the fake worker, one of them slow, one absent. The answer must fit, damaged copies must not.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema


def main():
    program, workers, schema_file = (os.path.abspath(path) for path in sys.argv[1:])
    schema = json.loads(pathlib.Path(schema_file).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)

    def gable(folder, *words):
        done = subprocess.run([program, "campaign", *words], cwd=folder, capture_output=True, text=True, check=False,
                              env=dict(os.environ, GABLE_WORKER_PATH=workers))
        if done.returncode == 2:
            sys.exit(done.stderr)
        return done.stdout

    with tempfile.TemporaryDirectory() as folder:
        gable(folder, "init", "c", "--operator", "triad", "--params", "n=1000000", "--dtype", "fp32", "--nodes", "n[1-5]")
        for node in range(1, 5):
            gable(folder, "run", "c", "--node", f"n{node}")
        path = pathlib.Path(folder) / "c" / "nodes" / "n2.summary.json"
        summary = json.loads(path.read_text(encoding="utf-8"))
        for column in ("value", "low", "high"):
            summary["rows"][column] = [value and value * 2 for value in summary["rows"][column]]
        summary["facts"][0]["value"] = "another"
        path.write_text(json.dumps(summary), encoding="utf-8")
        answer = json.loads(gable(folder, "report", "c", "--against", "c/nodes/n1.json", "--json"))
    failures = [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(answer)]
    for key, least in {"nodes": 5, "findings": 1, "metrics": 1, "drifts": 1, "suggested": 1}.items():
        if len(answer[key]) < least:
            failures.append(f"{key} has fewer than {least} entries")
    damages = {
        "a key too many": lambda a: a.update(extra=1),
        "an unknown verdict": lambda a: a["nodes"][0].update(verdict="well"),
        "a metric without unit": lambda a: a["metrics"][0].pop("unit"),
        "a text for a loss": lambda a: a["findings"][0].update(loss="1"),
        "another version": lambda a: a.update(schema_version=2),
    }
    for name, damage in damages.items():
        bad = copy.deepcopy(answer)
        damage(bad)
        if validator.is_valid(bad):
            failures.append(f"accepted with {name}")
    print("\n".join(failures) or "fits")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
