"""script.py SCRIPT: scripts/status_tables.py on made-up results, whose tables are worked out by hand here."""
import json
import os
import runpy
import subprocess
import sys
import tempfile

NAMES = ("processors", "ceilings", "kernels", "operators", "gpu operators")
PAGE = "# Page\n\n" + "\n".join(
    f"by hand {name}\n<!-- begin {name}: made by scripts/status_tables.py -->\nold\n<!-- end {name} -->\n"
    for name in NAMES) + "\nthe end\n"


def ceiling(kind, name, value, **more):
    row = {"id": f"{kind}/{name}/{more}", "device": "openmp", "scope": "node", "kind": kind, "name": name, "access": "none",
           "stores": "none", "at": "none", "implementation": "avx2", "variant": "", "unit": "byte/s", "value": value,
           "ci_low": value * 0.9, "ci_high": value * 1.1, "status": "ok", "reason": ""}
    return row | more


def point(op, dtype, time_s, bound_s, **more):
    row = {"id": op + dtype, "device": "openmp", "scope": "node", "op": op, "implementation": "kokkos", "params": "n=9",
           "types": {"a": dtype}, "stages": [{"working_set_bytes": 1e9}], "cold": False, "time_s": time_s,
           "ci_low_s": time_s * 0.8, "ci_high_s": time_s * 1.25, "bound_s": bound_s,
           "fraction_of_limit": bound_s / time_s, "limit": "DRAM read", "status": "ok", "reason": ""}
    return row | more


def result(mode, ceilings, points):
    build = {"version": "0.1.0", "commit": "0123456789", "dirty": False, "compiler": "GNU 12.2.0"}
    device = {"id": "openmp", "backend": "openmp", "name": "A CPU", "microarchitecture": "Zen 3", "isa": ["sse2", "avx2"],
              "sockets": 1, "cores": 2, "facts": [{"name": "family and model", "value": "25, 1"}],
              "memory": [{"name": "L1", "size_bytes": 1e3, "instances": 2},
                         {"name": "L2", "size_bytes": 1e6, "instances": 2},
                         {"name": "DRAM", "size_bytes": 1e10, "instances": 1}]}
    run = {"started_at": "2026-01-31", "mode": mode, "facts": [{"name": "hypervisor", "value": "none"}]}
    return {"build": build, "workers": [{"name": "gable-worker-openmp-native", "build": build}], "run": run,
            "devices": [device], "ceilings": ceilings, "curves": [], "points": points}


FULL = result("full", [
    ceiling("bandwidth", "DRAM", 20e9, access="read"),
    ceiling("bandwidth", "DRAM", 25e9, access="read"),
    ceiling("bandwidth", "DRAM", 90e9, access="copy", stores="non_temporal"),
    ceiling("bandwidth", "L1", 300e9, access="read", ci_low=None, ci_high=None),
    ceiling("compute", "vector", 1e11, at="burst", dtype="fp64", unit="flop/s", status="suspect", reason="disturbed"),
    ceiling("overhead", "kokkos_launch", 2e-6, unit="s", implementation="kokkos"),
], [])
QUICK = result("quick", [ceiling("bandwidth", "DRAM", 5e9, access="read", implementation="avx512")], [
    point("sum", "fp32", 2.0, 1.0),
    point("sum", "fp64", 4.0, 3.0, status="skipped"),
    point("sum", "int8", 4.0, 3.0),
    point("relu", "fp32", 2.0, 1.0, stages=[{"working_set_bytes": 1e6}]),  # in L2
    point("gemm", "bf16", 2.0, 1.5, stages=[{"working_set_bytes": 1e3}], limit="vector bf16 (burst)"),
    point("spmv", "fp64", 2.0, 1.0, params="matrix=banded,rows=9"),
])
GPU = result("quick", [ceiling("compute", "matrix", 9e14, at="burst", dtype="bf16", unit="flop/s", implementation="wgmma"),
                       ceiling("compute", "matrix", 0, at="burst", dtype="int4", status="unsupported")],
             [point("sum", "fp32", 2.0, 1.0), point("sum", "bf16", 4.0, 3.0), point("sum", "bf16", 4.0, 2.0, implementation="vendor")])
GPU["devices"][0].update(id="cuda:0", backend="cuda", name="A GPU")
for GPU_ROW in GPU["ceilings"] + GPU["points"]:
    GPU_ROW["device"] = "cuda:0"
EXPECTED = (
    "| bf16 matrix unit, burst |  | 900 Tflop/s (810 to 990) |",
    "| `wgmma` | A GPU |",
    "| GPU | operator | fp32 | bf16 |",
    "| A GPU | sum | 0.50 (0.40-0.62) | 0.75 (0.60-0.94) |",
    "| A GPU | sum, vendor |  | 0.50 (0.40-0.62) |",
    "| Zen 3, 2 cores | A CPU | 25, 1 | sse2 avx2 | bare metal | 2026-01-31 | full | 0.1.0 (0123456) | GNU 12.2.0 "
    "| 5 / 1 / 0 / 0 / 0 | `b.json` |",
    "| main memory, read | 25.0 GB/s (22.5 to 27.5) |  |",
    "| L1, read | 300 GB/s (no interval) |  |",
    "| fp64 vector unit, burst | suspect |  |",
    "| kokkos launch | 2.00 µs (1.80 to 2.20) |  |",
    "| file | `b.json` | `c.json` |",
    "| `avx512` | Zen 3, 2 cores |",
    "| `amx` | never |",
    # 1 / 2, 1 / (2 x 1.25), 1 / (2 x 0.8); 3 / 4, 3 / 5, 3 / 3.2
    "| sum | fp64 | skipped |",
    "| sum | fp32 | 0.50 (0.40-0.62) |",
    "| sum | int8 | 0.75 (0.60-0.94) |",
    "| gemm | bf16 | 0.75 (0.60-0.94) |",
    "| spmv banded | fp64 | 0.50 (0.40-0.62) |",
)


# Documents that are no results, or hold a row that is none.
ODD = (
    [], {}, 7,
    result("full", [{"device": "openmp"}], []),
    result("full", [ceiling("bandwidth", "DRAM", 20e9, access="read", scope="blade")], []),
    result("full", [ceiling("bandwidth", "DRAM", 20e9, access="read", ci_low="much")], []),
    result("full", [], [point("sum", "fp32", 2.0, 1.0, types={})]),
    result("full", [], [point("sum", "fp32", 2.0, 1.0, params="n")]),
    result("full", [], [point("sum", "fp32", 2.0, 1.0, limit=None)]),
    result("full", [], [point("sum", "fp32", 2.0, 1.0, ci_high_s="long")]),
)


class Place:
    """A folder of results and a page."""

    def __init__(self, script, folder):
        self.script, self.folder, self.page = script, os.path.join(folder, "measured"), os.path.join(folder, "page.md")
        os.mkdir(self.folder)
        self.write(self.page, PAGE)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self):
        with open(self.page, encoding="utf-8") as file:
            return file.read()

    def put(self, name, document):
        self.write(os.path.join(self.folder, name), json.dumps(document))

    def run(self, *arguments):
        command = [sys.executable, "-B", self.script, "--measured", self.folder, "--status", self.page, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def expect(met, what):
    if not met:
        sys.exit(f"not so: {what}")


def main():
    schema = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), os.pardir, "data", "result.schema.json")
    with open(schema, encoding="utf-8") as file:
        storable = json.load(file)["definitions"]["dtype"]["enum"]
    sys.path.insert(0, os.path.dirname(sys.argv[1]))
    expect(sorted(runpy.run_path(sys.argv[1])["DTYPES"]) == sorted(storable), "every type of a result has lines in the table of ceilings")
    with tempfile.TemporaryDirectory() as scratch:
        place = Place(os.path.abspath(sys.argv[1]), scratch)
        expect(place.run("--check").returncode == 1, "an old table is found")
        expect(place.read() == PAGE, "--check writes nothing")
        expect(place.run().returncode == 0 and place.read().count("no result yet") == len(NAMES), "an empty folder is said")
        place.put("a.json", QUICK)
        place.put("b.json", FULL)
        place.put("c.json", GPU)
        expect(place.run("--check").returncode == 1, "a new file is found")
        expect(place.run().returncode == 0 and place.run("--check").returncode == 0, "tables are up to date once made")
        text = place.read()
        for line in EXPECTED:
            expect(line in text.split("\n"), line)
        expect("int4" not in text, "a type that nothing measured can do has no line")
        expect("| relu" not in text, "an operator in a cache is not one in main memory")
        for words in [f"by hand {name}" for name in NAMES] + ["# Page", "the end"]:
            expect(words in text, f"'{words}' stays")
        for odd in ODD:
            place.put("c.json", odd)
            broken = place.run()
            expect(broken.returncode == 2 and broken.stderr.count("\n") == 1 and "c.json" in broken.stderr, f"one line: {odd}")
            expect(place.read() == text, f"nothing is written: {odd}")
        os.remove(os.path.join(place.folder, "c.json"))
        place.write(place.page, PAGE.replace("<!-- end kernels -->", ""))
        lost = place.run()
        expect(lost.returncode == 2 and "'kernels'" in lost.stderr, "a lost mark is named")


if __name__ == "__main__":
    main()
