#!/usr/bin/env python3
"""Checks one CPU target of an x86 build: target.py --objdump O --gable G --worker W --kernels LIBRARY --flags FLAG… --folder DIR

1. The machine code of its kernels uses the widest registers that the target's flags allow, and nothing beyond its flags.
2. On processors that lack a flag, `gable` says which, and does not start the worker.
3. The worker runs an operator, here or under an emulator that has the flags (qemu-user; none has AVX-512).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

# Registers and instructions that show a flag in use. Of those that no program asks for by itself none is listed.
SIGNS = {
    "avx": re.compile(r"%ymm"),
    "avx2": re.compile(r"\bvp[a-z0-9]+\s.*%ymm"),
    "fma": re.compile(r"\bvf(n?m(add|sub)|maddsub|msubadd)[0-9]+"),
    "f16c": re.compile(r"\bvcvt(ph2ps|ps2ph)\b"),
    "avx512f": re.compile(r"%zmm|%k[1-7]\b"),
    "avx512_vnni": re.compile(r"\bvpdp(wssd|busd)s?\b"),
    "avx512_bf16": re.compile(r"\bv(cvtne2?ps2?.*bf16|dpbf16ps)"),
    "avx512_fp16": re.compile(r"\bv(?!cvtps2ph\b|cvtph2ps\b)[a-z0-9]+[ps]h\s"),
}
# The widest registers come with these.
WIDEST = ["avx512f", "avx"]
# Processors that qemu-user has, the least one first.
EMULATED = [("Nehalem", {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt"}),
            ("Haswell", {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})]


def check_code(objdump, kernels, flags):
    """Empty, or what is wrong with the kernels' machine code."""
    counts = dict.fromkeys(SIGNS, 0)
    listing = subprocess.Popen([objdump, "--disassemble", "--no-show-raw-insn", kernels], stdout=subprocess.PIPE, text=True)
    for line in listing.stdout:
        for flag, sign in SIGNS.items():
            if sign.search(line):
                counts[flag] += 1
    if listing.wait() != 0:
        return [f"{objdump} failed"]
    print("instructions that need a flag:", ", ".join(f"{flag} {count}" for flag, count in counts.items() if count) or "none")
    wrong = [f"{count} instructions need {flag}, which the target does not name"
             for flag, count in counts.items() if count and flag not in flags]
    widest = next((flag for flag in WIDEST if flag in flags), None)
    if widest and counts[widest] < 10000:
        wrong.append(f"only {counts[widest]} instructions use the registers of {widest}")
    return wrong


def run(command, workers, **environment):
    env = dict(os.environ, GABLE_WORKER_PATH=workers, **environment)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def offer(folder, worker, emulator):
    """A folder that holds the worker alone, started through an emulator if one is given."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = os.path.join(folder, os.path.basename(worker))
    with open(path, "w") as script:
        script.write(f'#!/bin/sh\nexec {" ".join(emulator)} "{worker}"\n')
    os.chmod(path, 0o755)
    return folder


def check_refused(arguments, missing, emulator):
    folder = offer(arguments.folder + "-refused", arguments.worker, ["false"])
    code, text = run(emulator + [arguments.gable, "devices"], folder)
    wanted = f"its code needs {', '.join(missing)}, which this CPU lacks"
    if wanted not in text:
        return [f"{' '.join(emulator) or 'this machine'} lacks {', '.join(missing)}, and gable devices (exit code {code}) says:\n{text}"]
    return []


def check_run(arguments, target, emulator):
    folder = offer(arguments.folder + "-workers", arguments.worker, emulator)
    result = arguments.folder + ".json"
    for left in (result, result + ".journal"):
        if os.path.exists(left):
            os.remove(left)
    code, text = run(emulator + [arguments.gable, "run", "--quick", "--operator", "softmax", "--params", "m=3,n=37", "--dtype", "fp32,bf16",
                      "--output", result], folder)
    if code != 0:
        return [f"gable run ends with {code}:\n{text}"]
    with open(result) as file:
        document = json.load(file)
    wrong = [f"{point['op']} {point['types']}: {point['status']}" for point in document["points"] if point["status"] != "ok"]
    if len(document["points"]) != 2:
        wrong.append(f"{len(document['points'])} points, not 2")
    named = document["workers"][0]["build"].get("target", "")
    if named.split()[0] != target:
        wrong.append(f"the result names the target '{named}'")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    for name in ("objdump", "gable", "worker", "kernels", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--flags", nargs="*", default=[])
    arguments = parser.parse_args()
    flags = [flag for text in arguments.flags for flag in text.split()]
    target = os.path.basename(arguments.worker).removeprefix("gable-worker-openmp-")

    wrong = check_code(arguments.objdump, arguments.kernels, flags)
    with open("/proc/cpuinfo") as cpuinfo:
        here = set(next((line for line in cpuinfo if line.startswith("flags")), "").split())
    missing = [flag for flag in flags if flag not in here]
    emulator = shutil.which("qemu-x86_64")
    ran = []
    if missing:
        wrong += check_refused(arguments, missing, [])
    else:
        ran.append("this machine")
        wrong += check_run(arguments, target, [])
    for cpu, has in EMULATED if emulator else []:
        under = [emulator, "-cpu", cpu]
        lacks = [flag for flag in flags if flag not in has]
        if lacks:
            wrong += check_refused(arguments, lacks, under)
        elif target != "native":
            ran.append(cpu)
            wrong += check_run(arguments, target, under)
    print(f"{target}: ran on {', '.join(ran) or 'nothing here'}" + ("" if emulator else "; no qemu-x86_64 (package qemu-user)"))
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


sys.exit(main())
