#!/usr/bin/env python3
"""commands.py --gable PROGRAM --fake FOLDER [--update]: runs every command of README.md, docs/ and --help as it stands there.

Each document has a folder of its own, in which its commands run one after another. What would measure only plans
(--list), by the fake worker in FOLDER; what would start a profiler starts a stand-in. A file that a command reads and none before it wrote is one of data/measured/
under that name, or the JSON or CSV that the document shows. Exit code and first line of every command must be those of expected.txt beside this
file, which --update writes anew: look at what it changes. What a document shows below "$ gable …" must be printed, too.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
MEASURED = ROOT / "data" / "measured" / "amd-zen-4-operators.json"
GOLDEN = ROOT / "tests" / "cli" / "golden" / "inputs"
STAND_IN = HERE.parent.parent / "cli" / "stand_in_profiler.py"
MEASURING = {"measure", "calibrate", "run", "experiment"}
WRITTEN = {"--output", "--report", "--junit"}
LIKWID = "STRUCT,Info,3\nTABLE,Region a,Group 1 Metric,{0},2\nMetric,HWThread 0\nRuntime (RDTSC) [s],2\n{1}\n"
TABLES = {
    "app_counter_collection.csv":
        "Agent_Id,Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n4,1,axpy,FETCH_SIZE,1024\n4,1,axpy,WRITE_SIZE,512\n",
    "app_kernel_trace.csv": "Kind,Agent_Id,Dispatch_Id,Kernel_Name,Start_Timestamp,End_Timestamp\nKERNEL_DISPATCH,4,1,axpy,1000,3000\n",
    "app.points.csv": "name,dtype,flops,bytes,time_s\nsolve / axpy,fp64,2097152,25165824,0.002\n",
    "flops.csv": LIKWID.format("FLOPS_DP", "DP [MFLOP/s],100"),
    "mem.csv": LIKWID.format("MEM", "Memory data volume [GBytes],1.5"),
    "ncu.csv": '"ID","Process ID","Kernel Name","gpu__time_duration.sum","dram__bytes.sum"\n'
               '"","","","us","Mbyte"\n"0","1","axpy(double*)","12.5","6.25"\n',
    "roofline.json": '{"empirical": {"gbytes": {"data": [["DRAM", 40.5]]}}}',
    "limits.csv": "name,lower,upper,unit\nopenmp/bandwidth/node/L1/read/sustained,1e10,,byte/s\n",
    "names.csv": "student\nAda\nBob\n",
    "my.csv": "name,dtype,flops,bytes,time_s\nmine,fp32,1e9,1e9,0.1\n",
    "shapes.csv": "m,n,k,count\n64,64,64,2\n",
}
WEIGHTS = {"softmax": 2, "gemm": 5}


def commands_of(text):
    """Lines of code blocks that call gable, continued ones as one, without remarks."""
    text = re.sub(r"\\\n\s*", "", text)
    fenced = [line for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    indented = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    for line in fenced + indented:
        found = re.match(r"(?:\$ )?(?:\./scripts/)?gable ([a-z]+\b.*)", line)
        if found:
            yield re.split(r"\s#\s|\s>\s", found[1])[0].strip()


def shown_lines(text, command):
    """What a document shows below "$ gable COMMAND", in the same block."""
    found = re.search(r"^    \$ (?:\./scripts/)?gable " + re.escape(command) + r"\n((?:    .*\n|\n(?=    ))*)", text, re.M)
    lines = [line.strip() for line in found[1].splitlines()] if found else []
    return [line for line in lines if line not in ("", "…")]


def shown_json(text):
    """The JSON objects that a document shows, by the name that a command reads: in the order of both."""
    blocks = []
    for block in re.findall(r"^```json\n(.*?)^```", text, re.M | re.S):
        try:
            blocks.append(json.loads(block))
        except ValueError:
            continue
    return [block for block in blocks if "devices" in block or "cpus" in block]


def result_as(name, device):
    """A measured result under another name: files of "b", "h200" and the like are of another device."""
    result = json.loads(MEASURED.read_text(encoding="utf-8"))
    first = re.match(r"(b\d?|h200|other|after)\.json", name)
    if first:
        for one in result["devices"]:
            one["name"] = "Other CPU"
    result["run"]["hostname"] = "node"
    for row in result["ceilings"] + result["points"]:
        row["conditions"]["power_w"] = 200
    result["run"]["started_at"] = f"2026-01-01T00:00:{sum(map(ord, name)) % 60:02}Z"
    result["run"]["kernel"] = f"6.{sum(map(ord, name)) % 7}"
    if name in ("calibration.json", "ceilings.json"):
        result["points"] = []
    if name in ("operators.json",):
        result["ceilings"], result["curves"] = [], []
    text = json.dumps(result)
    return text.replace('"openmp"', json.dumps(device)) if device else text


def provide(folder, words, objects):
    """Writes what the command reads and is not there yet."""
    for i, word in enumerate(words):
        if i > 0 and words[i - 1] in WRITTEN or words[0] == "plan" and i > 0 and words[i - 1] == "--suite":
            continue
        name, _, device = word.partition(":")
        path = folder / name
        if words[:2] == ["lab", "grade"] and path.exists():  # filled in, as a class does
            path.write_text(re.sub("^,", "Ada,", path.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
        if path.exists() and not device and words[0] != "health" or not name.endswith((".json", ".csv")):
            continue
        if (ROOT / name).is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
            continue
        if "--from" in words:
            path.write_text((GOLDEN / "fusion.json").read_text(encoding="utf-8"), encoding="utf-8")
        elif name in TABLES:
            path.write_text(TABLES[name], encoding="utf-8")
        elif name.endswith(".json") and words[i - 1] == "--devices-file":
            path.write_text(json.dumps(objects.pop(0)), encoding="utf-8")
        elif words[i - 1] == "--weights" and name.endswith(".json"):
            path.write_text(json.dumps(WEIGHTS), encoding="utf-8")
        elif name.endswith(".json"):
            device = device if ":" in device or device == "openmp" else ""
            result = result_as(name, device)
            path.write_text(result.replace("AMD EPYC", "Fake CPU") if words[0] == "health" else result, encoding="utf-8")


def run(program, fake, folder, words):
    if words[0] in MEASURING and "--list" not in words and "--from" not in words:
        words = [*words, "--list"]
    elif "--output" in words or "--report" in words or "--junit" in words:
        words = [*words, "--force"]
    environment = dict(os.environ, GABLE_WORKER_PATH=str(fake), COLUMNS="160")
    for name in ("GABLE_DEVICES", "GABLE_MODELS"):
        environment.pop(name, None)
    if words[0] == "verify-counters" and "--help" not in words:
        words = [*words, "--profiler", str(STAND_IN), "--quiet"]
        environment["GABLE_STAND_IN_LOG"] = os.devnull
        if "ncu" in words:
            environment.update(GABLE_FAKE_DEVICES="cuda:0", GABLE_FAKE_MEMORY="8e9")
    done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode == 2 and "built without the page" in done.stderr:
        return 0, "", set()  # where there was no npm to make it
    lines = (done.stderr if done.returncode == 2 else done.stdout).splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    if words[0] in MEASURING and done.returncode != 2 or words[:1] == ["devices"] and len(words) < 3:
        first = "…"  # of the fake worker or of this machine
    return done.returncode, re.sub(r"\s+", " ", first)[:150], {line.strip() for line in done.stdout.splitlines()}


def sources(program):
    yield "README.md", (ROOT / "README.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").glob("*.md")):
        yield f"docs/{path.name}", path.read_text(encoding="utf-8")
    help_text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z-]+) {2,}", help_text, re.M)
    texts = [help_text] + [subprocess.run([program, name, "--help"], capture_output=True, text=True, check=True).stdout for name in names]
    examples = [line for text in texts for line in text.splitlines() if line.startswith("  gable ")]
    yield "--help", "\n".join("  " + line for line in examples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gable", required=True)
    parser.add_argument("--fake", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    program, fake = os.path.abspath(arguments.gable), os.path.abspath(arguments.fake)
    lines, stale = [], []
    for source, text in sources(program):
        objects = shown_json(text)
        with tempfile.TemporaryDirectory() as name:
            for command in dict.fromkeys(commands_of(text)):
                words = shlex.split(command)
                provide(pathlib.Path(name), words, objects)
                code, first, printed = run(program, fake, name, words)
                lines.append(f"{source}: gable {command}\n    {code} {first}\n")
                stale += [f"{source}: gable {command} does not print: {line}" for line in shown_lines(text, command) if line not in printed]
    found = "".join(lines)
    expected = HERE / "expected.txt"
    if arguments.update:
        expected.write_text(found, encoding="utf-8")
        return 0
    wanted = expected.read_text(encoding="utf-8")
    if found == wanted and not stale:
        print(f"{len(lines)} commands")
        return 0
    print("\n".join(stale))
    for one in sorted(set(lines) - set(re.findall(r"[^ ].*\n    .*\n", wanted))):
        print("not as expected:", one, end="")
    for one in sorted(set(re.findall(r"[^ ].*\n    .*\n", wanted)) - set(lines)):
        print("expected:", one, end="")
    return 1


if __name__ == "__main__":
    sys.exit(main())
