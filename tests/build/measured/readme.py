"""readme.py SCRIPT: scripts/readme_figures with a made-up gable, whose answers are short enough to choose from by hand."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

NAMES = ("picture", "run", "ceilings", "operators", "explanation")
PAGE = "# Page\n\n<!-- figures of old.json: made by scripts/readme_figures -->\n" + "\n".join(
    f"by hand {name}\n<!-- begin {name}: made by scripts/readme_figures -->\nold\n<!-- end {name} -->\n"
    for name in NAMES) + "\nthe end\n"



def ceiling(kind, name, value, unit, **more):
    return {"device": "openmp", "scope": "node", "status": "ok", "kind": kind, "name": name, "value": value, "unit": unit,
            "blocks": 8} | more


def compute(name, dtype, value, **more):
    return ceiling("compute", name, value, "flop/s") | {"dtype": dtype, "accumulate": dtype, "operating_point": "burst"} | more


def bandwidth(level, access, value, **more):
    return ceiling("bandwidth", level, value, "byte/s", access=access, **more)


CEILINGS_OF_REPORT = [
    compute("exp", "fp32", 1e9, unit="op/s"),
    compute("scalar", "fp64", 2e9, disturbed_blocks=5),
    compute("vector", "fp32", 3e9, variant="isa_sse2"),
    compute("vector", "fp32", 4e9, clock_hz=3.694e9),
    compute("vector", "fp32", 3.9e9),
    compute("vector", "fp32", 5e9, operating_point="library", ci_low=4.95e9, ci_high=5.05e9),
    compute("matrix", "bf16", 6e9, accumulate="fp32"),
    compute("matrix", "fp16", 6e12, accumulate="fp32", status="error"),
    compute("vector", "fp64", 7e9, scope="core"),
    bandwidth("L1", "write", 7e9, stores="ordinary"),
    bandwidth("L1", "read", 8.12e9),
    bandwidth("DRAM", "copy", 9e9, stores="ordinary"),
    bandwidth("DRAM", "read", 99.96e9, variant="kokkos"),
    ceiling("latency", "L1", 1e-9, "s"),
    ceiling("latency", "DRAM", 90e-9, "s"),
    ceiling("overhead", "kokkos_launch", 3e-6, "s")]


def point(op, size, dtype, intensity, status="ok"):
    return {"id": f"point/{op}/kokkos/{dtype}/n={size}", "operator": op, "implementation": "kokkos", "dtype": dtype,
            "params": f"n={size}", "intensity": intensity, "status": status}


REPORT = {"ceilings": CEILINGS_OF_REPORT,
          "points": [point("relu", 9, "fp32", 0.125, "suspect"), point("softmax", 9, "fp32", 0.625),
                     point("softmax", 99, "fp32", 0.625), point("gemm", 9, "fp32", 341.3), point("sum", 9, "fp32", 0.25)]}
JUDGED = {row["id"]: row for row in REPORT["points"]}


def judged(name, time_s, fraction, regime, limit):
    return JUDGED[name] | {"time_s": time_s, "fraction_of_bound": fraction, "regime": regime, "limit": limit}


DEVICE = {
    "ridges": [{"roof": "matrix bf16 -> fp32 (burst)", "dtype": "bf16", "ridge_flop_per_byte": 60.0},
               {"roof": "vector fp32 (burst)", "dtype": "fp32", "ridge_flop_per_byte": 7.5}],
    "points": [judged("point/sum/kokkos/fp32/n=9", 9e-3, 0.1, "memory_bound", "DRAM read"),
               judged("point/softmax/kokkos/fp32/n=99", 8e-3, 0.2, "memory_bound", "DRAM copy | L3"),
               judged("point/gemm/kokkos/fp32/n=9", 7e-3, 0.705, "compute_bound", "vector fp32 (burst)"),
               judged("point/softmax/kokkos/fp32/n=9", 6e-3, 0.4, "memory_bound", "DRAM copy"),
               judged("point/relu/kokkos/fp32/n=9", 5e-3, 1.5, "memory_bound", "DRAM copy")]}
POINT = f"""softmax (kokkos) on A CPU

What limits it
  {'a line that was wrapped because it is long, ' * 2}and
  goes on here.

How far it is
  Far.

How sure that is
  Not at all.

What would make it faster
  {'3x first lever, told at length, at length, at length' * 2}
  2x second lever
  1.5x third lever
  1.2x fourth lever
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    for kind, content in ((b"IHDR", bytes(13)), (b"IDAT", b"drawn"), (b"IEND", b"")))
PROGRAM = f"""#!{sys.executable} -IS
import json, os, sys
arguments = sys.argv[1:]
assert "GABLE_DEVICES" not in os.environ
result = open(arguments[1], encoding="utf-8").read()
if "broken" in result:
    sys.exit("gable: no such thing")
if arguments[0] == "report" and "--output" in arguments:
    open(arguments[-1], "wb").write({PNG!r})
    open(__file__ + ".drawn", "w").write(" ".join(arguments[2:-2]))
elif "--format" in arguments:
    device = {DEVICE!r} if "no_points" not in result else {DEVICE!r} | {{"points": []}}
    print(json.dumps({REPORT!r} if arguments[0] == "report" else device))
else:
    sys.stdout.buffer.write({POINT!r}.replace("(kokkos)", arguments[2]).encode())
"""

CEILINGS = """```
compute
unit    type             burst           library     clock
------  ----------  ----------  ----------------  --------
scalar  fp64        2 GFLOP/s*
vector  fp32         4 GFLOP/s  5 GFLOP/s ±1.0 %  3.69 GHz
matrix  bf16->fp32   6 GFLOP/s
…

bandwidth
level  access  ordinary stores
-----  ------  ---------------
L1     read          8.12 GB/s
DRAM   read           100 GB/s
…

latency and overhead
kind      what           figure
--------  -------------  ------
latency   DRAM            90 ns
overhead  kokkos_launch    3 us
…

* more than half of its blocks were disturbed, or the value is the mode, or the fastest of several speeds (docs/statistics.md)
```"""
# The first row of each operator that is shown, in the program's order.
OPERATORS = """```
point                           time  of bound  regime         limit
------------------------------  ----  --------  -------------  -------------------
point/softmax/kokkos/fp32/n=99  8 ms      20 %  memory_bound   DRAM copy | L3
point/gemm/kokkos/fp32/n=9      7 ms    70.5 %  compute_bound  vector fp32 (burst)
point/relu/kokkos/fp32/n=9      5 ms   suspect  memory_bound   DRAM copy
…
```"""
SIDES = "`vector fp32 (burst)`, is at 7.5 flop for each byte. Left of it, under the"
EXPLANATION = """What limits it
  a line that was wrapped because it is long, a line that was wrapped because it is long, and goes on here.

How far it is
  Far.

…

What would make it faster
  3x first lever, told at length, at length, at length3x first lever, told at length, at length, at length
  2x second lever
  1.5x third lever
```"""


def row(status):
    return {"device": "openmp", "scope": "node", "status": status}


def result(kind="whole"):
    device = {"id": "openmp", "backend": "openmp", "name": "A CPU", "microarchitecture": "Zen 3", "sockets": 1, "cores": 2,
              "facts": []}
    run = {"started_at": "2026-01-31", "command_line": ["gable", "measure", "--quick", "--force", "--output", "FILE"],
           "facts": [{"name": "hypervisor", "value": "yes"}], "kind": kind}
    return {"build": {}, "workers": [], "run": run, "devices": [device], "curves": [row("ok")],
            "ceilings": [row("ok"), row("suspect"), row("unsupported")], "points": [row("ok")]}


class Place:
    """A folder with a page, a result and a program."""

    def __init__(self, script, folder):
        self.script, self.folder, self.page = script, folder, os.path.join(folder, "README.md")
        self.program = os.path.join(folder, "gable")
        os.mkdir(os.path.join(folder, "docs"))
        self.write("README.md", PAGE)
        self.write("gable", PROGRAM)
        os.chmod(self.program, 0o755)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name="README.md", mode="r"):
        with open(os.path.join(self.folder, name), mode, encoding=None if "b" in mode else "utf-8") as file:
            return file.read()

    def run(self, *arguments):
        command = [sys.executable, "-B", self.script, "--gable", self.program, "--readme", self.page, *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=self.folder,
                              env=os.environ | {"GABLE_DEVICES": "users.json"})


def expect(met, what):
    if not met:
        sys.exit(f"not so: {what}")


def refused(place, word, *arguments):
    before, ended = place.read(), place.run(*arguments)
    expect(ended.returncode == 2 and ended.stderr.count("\n") == 1 and word in ended.stderr,
           f"exit code 2 and one line with '{word}': {ended.returncode} {ended.stderr}")
    expect(place.read() == before, f"nothing is written: {arguments}")


def filling(place):
    refused(place, "old.json")  # the page names a file that is not there
    expect(place.run("new.json", "--check").returncode == 1 and place.read() == PAGE, "--check writes nothing")
    made = place.run("new.json")
    expect(made.returncode == 0, made.stderr)
    text = place.read()
    for words in [f"by hand {name}" for name in NAMES] + [
            "# Page", "the end", "<!-- figures of new.json: made", CEILINGS, OPERATORS, SIDES, EXPLANATION,
            "![Roofline of 2 cores (A CPU, Zen 3, a virtual machine)](docs/roofline.png)", "`gable measure --quick`",
            "2026-01-31: [new.json](new.json). Of its 5 rows 3 have", "1 is suspect",
            "`softmax` (0.625) and `relu` (0.125). Right of it, under the flat roof: `gemm` (341).",
            "`gable explain result.json softmax/kokkos/fp32/n=99` says"]:
        expect(words.replace("\n", " ") in text.replace("\n", " "), f"{words}\nin\n{text}")
    expect("\nold\n" not in text, "every block is replaced")
    expect(place.read("gable.drawn") == "--dtype fp32", "the picture has the types of the operators")
    expect(place.read("docs/roofline.png", "rb").startswith(PNG[:33]), "the picture is the program's")
    expect(place.run("--check").returncode == 0, "the page names its file")
    expect(place.run().returncode == 0 and place.read() == text, "it is the same once more")


def beside(place):
    """Another device in the picture."""
    gpu = result()
    gpu["devices"][0].update(id="cuda:0", backend="cuda", name="A GPU")
    place.write("gpu.json", json.dumps(gpu))
    refused(place, "lost.json", "new.json", "--beside", "lost.json")
    expect(place.run("new.json", "--beside", "gpu.json").returncode == 0, "the picture of two")
    text = place.read().replace("\n", " ")
    for words in ("<!-- figures of new.json beside gpu.json: made", "a virtual machine) and of A GPU](docs/roofline.png)",
                  "A GPU beside it, of [gpu.json](gpu.json)", CEILINGS.replace("\n", " ")):
        expect(words in text, words)
    expect(place.read("gable.drawn").endswith("gpu.json --dtype fp32"), "both are drawn")
    expect(place.run("--check").returncode == 0, "the page names both files")
    place.write("gpu.json", json.dumps(gpu) + "\n")
    expect("is of:" in place.run("--check").stdout, "a picture of another result beside it is found")
    expect(place.run("new.json").returncode == 0 and "beside" not in place.read(), "one alone again")


def differences(place):
    text = place.read()
    place.write("README.md", text.replace("90 ns", "91 ns"))
    found = place.run("--check")
    expect(found.returncode == 1 and "91 ns" in found.stdout and "+latency   DRAM            90 ns" in found.stdout,
           f"the line that differs: {found.stdout}")
    place.write("README.md", text)
    place.write("new.json", json.dumps(result()) + "\n")
    stale = place.run("--check")
    expect(stale.returncode == 1 and "run scripts/readme_figures" in stale.stdout, "a picture of an earlier result is found")
    expect(place.run().returncode == 0 and place.run("--check").returncode == 0, "it is drawn again")
    with open(os.path.join(place.folder, "docs", "roofline.png"), "wb") as file:
        file.write(PNG)
    expect("does not say" in place.run("--check").stdout, "a picture of nobody knows what is found")
    os.remove(os.path.join(place.folder, "docs", "roofline.png"))
    expect("no picture" in place.run("--check").stdout, "a lost picture is found")


def bad_input(place):
    place.write("odd.json", "[]")
    place.write("broken.json", json.dumps(result("broken")))
    place.write("ceilings.json", json.dumps(result("no_points")))
    refused(place, "odd.json", "odd.json")
    refused(place, "no such thing", "broken.json")
    refused(place, "none of the operators", "ceilings.json")
    refused(place, "--chekc", "--chekc")
    refused(place, "other.json", "new.json", "other.json")
    refused(place, "missing.json", "missing.json")
    refused(place, "in the folder of", os.path.join(os.path.dirname(place.script), "status_tables.py"))
    refused(place, "nowhere", "new.json", "--gable", os.path.join(place.folder, "nowhere"))
    text = place.read()
    for lost, word in (("<!-- end ceilings -->", "'ceilings'"), ("<!-- figures of new.json", "figures of FILE")):
        place.write("README.md", text.replace(lost, ""))
        refused(place, word, "new.json")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        place = Place(os.path.abspath(sys.argv[1]), scratch)
        place.write("new.json", json.dumps(result()))
        filling(place)
        beside(place)
        differences(place)
        bad_input(place)


if __name__ == "__main__":
    main()
