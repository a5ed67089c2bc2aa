"""files.py PROGRAM FOLDER: every result in FOLDER is valid, plausible and anonymous.

Anonymous is a result that `report --anonymous` leaves as it is.
"""
import json
import os
import subprocess
import sys
import tempfile


def complaints(program, path, scratch):
    copy = os.path.join(scratch, os.path.basename(path))
    for arguments in (["validate", path], ["report", path, "--anonymous", "--output", copy]):
        ended = subprocess.run([program] + arguments, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            yield f"gable {arguments[0]} ended with {ended.returncode}: {ended.stdout}{ended.stderr}"
            return
    with open(path, encoding="utf-8") as first, open(copy, encoding="utf-8") as second:
        if json.load(first) != json.load(second):
            yield "names its machine: write it with gable report FILE --anonymous --output OTHER.json"


def main():
    program, folder = sys.argv[1:]
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                failures += [f"{name}: {text}" for text in complaints(program, os.path.join(folder, name), scratch)]
            elif name != "README.md":
                failures.append(f"{name}: neither a result nor the README")
    print("\n".join(failures) or "valid and anonymous")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
