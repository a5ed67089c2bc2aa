#!/usr/bin/env python3
"""Checks one CPU target of an x86 build: target.py --objdump O --gable G --worker W --kernels LIBRARY… --flags FLAG… --folder DIR

1. The machine code of its kernels uses the widest registers that the target's flags allow, and none of SIGNS beyond its flags.
2. On processors that lack a flag, `gable` says which, and does not start the worker.
3. The worker runs an operator, here or under an emulator that has the flags (qemu-user; none has AVX-512).
Exit code 77 (skipped) if all is right but there is no emulator.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

# Instructions that show a flag in use, and the flags of which one is then needed. In AT&T form, as objdump prints it.
SIGNS = [
    (("ssse3",), r"\b(pshufb|palignr|phadd[wd]|phsub[wd]|psign[bwd]|pabs[bwd]|pmulhrsw|pmaddubsw)\s"),
    (("sse4_1",), r"\b(pmulld|p(min|max)[su][bwd]|ptest|blendv?p[sd]|p?blend(w|vb)|round[ps][sd]|insertps|dpp[sd]|pmov[sz]x\w+|packusdw"
                  r"|pextr[bdq]|pinsr[bdq]|pcmpeqq)\s(?!.*%mm)"),
    (("popcnt",), r"\bpopcnt"),
    (("avx",), r"\bv[a-z]+[a-z0-9]*\s.*%[xyz]mm"),
    (("avx2",), r"\bvp(?!erm2f128|ermilp|test)[a-z0-9]+\s.*%ymm"),
    (("fma",), r"\bvf(n?m(add|sub)|maddsub|msubadd)[0-9]+"),
    (("f16c", "avx512f"), r"\bvcvt(ph2ps|ps2ph)\b"),
    (("bmi1",), r"\b(andn|bextr|blsi|blsr|blsmsk)[lq]?\s"),
    (("bmi2",), r"\b(sarx|shlx|shrx|rorx|mulx|pdep|pext|bzhi)[lq]?\s"),
    (("abm",), r"\blzcnt"),
    (("movbe",), r"\bmovbe"),
    (("avx512f",), r"%zmm|%k[1-7]\b"),
    (("avx512vl",), r"%[xy]mm(1[6-9]|2[0-9]|3[01])\b"),
    (("avx512_vnni", "avx_vnni"), r"\bvpdp(wss|bus)ds?\b"),
    (("avx512_bf16",), r"\bv(cvtne2?ps2bf16|dpbf16ps)"),
    (("avx512_fp16",), r"\bv(?!cvtps2ph\b|cvtph2ps\b)(\w+[ps]h|cvt\w*ph2?\w*|movw)\s.*%[xyz]mm"),
]
# The widest registers that a flag gives, and what shows them.
WIDEST = [("avx512f", r"%zmm"), ("avx", r"%ymm"), ("pni", r"%xmm")]
# Processors that qemu-user has, the least one first.
EMULATED = [("Nehalem", {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt"}),
            ("Haswell", {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})]


def instructions(objdump, libraries):
    """How often each mnemonic with the same registers occurs, other operands left out."""
    parts = re.compile(r":\t(?:(?:lock|rep[nz]*|data16|notrack|bnd) )*(\S+)(.*)")
    registers = re.compile(r"%(?:[xyz]?mm[0-9]+|k[0-7])")
    counts = collections.Counter()
    for library in libraries:
        listing = subprocess.Popen([objdump, "--disassemble", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True)
        for line in listing.stdout:
            if found := parts.search(line):
                counts[f" {found[1]} " + " ".join(registers.findall(found[2]))] += 1
        if listing.wait() != 0:
            sys.exit(f"{objdump} failed")
    return counts


def check_code(objdump, libraries, flags):
    """Empty, or what is wrong with the kernels' machine code."""
    signs = [(needed, re.compile(sign)) for needed, sign in SIGNS]
    width, widest = next((flag, re.compile(sign)) for flag, sign in WIDEST if flag in flags or flag == "pni")
    counts, wide, example = [0] * len(signs), 0, {}
    for text, count in instructions(objdump, libraries).items():
        wide += count if widest.search(text) else 0
        for at, (_, sign) in enumerate(signs):
            if sign.search(text):
                counts[at] += count
                example.setdefault(at, text.strip())
    named = [f"{needed[0]} {count}" for (needed, _), count in zip(signs, counts) if count]
    print(f"instructions that need a flag: {', '.join(named) or 'none'}; with the registers of {width}: {wide}")
    wrong = [f"{count} instructions need {' or '.join(signs[at][0])}, which the target does not name: {example[at]}"
             for at, count in enumerate(counts) if count and not set(signs[at][0]) & set(flags)]
    if wide < 10000:
        wrong.append(f"only {wide} instructions use the registers of {width}")
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
    with open(path, "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\nexec {" ".join(emulator)} "{worker}"\n')
    os.chmod(path, 0o755)
    return folder


def check_refused(arguments, missing, emulator):
    where = " ".join(emulator) or "this machine"
    folder = offer(arguments.folder + "-refused", arguments.worker, ["echo", "started", ">", '"$0.started"', "#"])
    code, text = run(emulator + [arguments.gable, "devices"], folder)
    wrong = []
    if f"its code needs {', '.join(missing)}, which this CPU lacks" not in " ".join(text.split()):  # its lines are wrapped
        wrong.append(f"{where} lacks {', '.join(missing)}, and gable devices (exit code {code}) says:\n{text}")
    if len(os.listdir(folder)) != 1:
        wrong.append(f"{where} lacks {', '.join(missing)}, and gable starts the worker")
    return wrong


def check_run(arguments, target, emulator, tries=5):
    """Empty, or what is wrong with a run. One in which no row found the time for a figure is made again."""
    folder = offer(arguments.folder + "-workers", arguments.worker, emulator)
    result = arguments.folder + ".json"
    for left in (result, result + ".journal"):
        if os.path.exists(left):
            os.remove(left)
    code, text = run(emulator + [arguments.gable, "run", "--quick", "--operator", "softmax", "--params", "m=3,n=37", "--dtype", "fp32,bf16",
                      "--output", result], folder)
    if code not in (0, 1) or not os.path.exists(result):  # 1: a row without a figure, see below
        return [f"gable run ends with {code}:\n{text}"]
    with open(result) as file:
        document = json.load(file)
    # A busy machine makes figures suspect, and under an emulator it may run an operator too slowly for its time limit.
    ran = [point["status"] in ("ok", "suspect") or "finding a batch of" in point["reason"] for point in document["points"]]
    wrong = [f"{point['op']} {point['types']}: {point['status']}: {point['reason']}"
             for point, fine in zip(document["points"], ran) if not fine]
    if not any(point["status"] in ("ok", "suspect") for point in document["points"]):
        if tries > 1 and not wrong:
            return check_run(arguments, target, emulator, tries - 1)
        wrong.append(f"no point was timed with {' '.join(emulator) or 'this machine'}")
    if len(document["points"]) != 2:
        wrong.append(f"{len(document['points'])} points, not 2")
    named = document["workers"][0]["build"].get("target", "")
    if named.split(" ")[0] != target:
        wrong.append(f"the result names the target '{named}'")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    for name in ("objdump", "gable", "worker", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--kernels", nargs="+", required=True)
    parser.add_argument("--flags", nargs="*", default=[])
    arguments = parser.parse_args()
    flags = [flag for text in arguments.flags for flag in text.split()]
    target = os.path.basename(arguments.worker).removeprefix("gable-worker-openmp-")

    wrong = check_code(arguments.objdump, arguments.kernels, flags)
    with open("/proc/cpuinfo") as cpuinfo:
        here = set(next((line for line in cpuinfo if line.startswith("flags")), "").split())
    if "avx2" in here:  # what has it has lzcnt too, which a kernel in a virtual machine on Zen 5 does not show
        here.add("abm")
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
    if not wrong and not emulator:
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
