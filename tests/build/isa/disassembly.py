#!/usr/bin/env python3
"""Compares the hot loop of every ISA kernel with what its table claims.

usage: disassembly.py <objdump> <command that prints the kernels> ...
The last word of the command is the program that is looked into.
A hot loop is the region of a backward branch that holds no other; where a function has several, the longest. A region that
holds a return is no loop: compilers move rare code behind the end of the function, from where it branches back.
compute: exactly the claimed number of the claimed instructions, each of them present, beside loop control nothing but register moves in exp,
         convert and divide; no memory operand, but constants in exp.
stream:  the loads and stores that the access needs, in full vectors, stores of the right kind, nothing on the stack. random: a load of
         16 bytes in each of eight parts.
"""
import re
import subprocess
import sys

CONTROL = {"sub", "subs", "add", "cmp", "test", "dec", "jne", "jnz", "b.ne", "cbnz", "b.hi", "b.cs", "b.ls", "b.cc",
           "nop", "nopl", "nopw", "mov", "ptrue", "incb", "incd", "addvl", "b.any", "lsl"}
MOVES = {"vmovaps", "vmovapd", "vmovdqa", "vmovdqa64", "vmovdqa32", "movaps", "movapd", "mov", "movprfx"}

CONSTANTS = {"fmov", "ld1rd", "ld1rw"}
BROADCASTS = {"vbroadcastsd", "vbroadcastss"}  # of constants in memory, where registers are few


def functions(objdump, program):
    """The steps of every function by its address, and the address of the function that kernels are found from."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], check=True, capture_output=True, text=True).stdout
    found, current, origin = {}, None, None
    for line in text.splitlines():
        start = re.match(r"([0-9a-f]+) <(.+)>:", line)
        if start:
            address = int(start.group(1), 16)
            current = found.setdefault(address, [])
            origin = address if start.group(2) == "list_kernels_origin" else origin
            continue
        step = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if step and current is not None:
            operands = re.split(r"\s+(?:#|//)", step.group(3))[0]
            current.append((int(step.group(1), 16), step.group(2), operands))
    return found, origin


def hot_loop(body):
    regions = []
    for address, mnemonic, operands in body:
        target = re.search(r"([0-9a-f]+) <", operands)
        if target and re.match(r"j|b\.|cbn?z|b$", mnemonic) and int(target.group(1), 16) <= address:
            regions.append((int(target.group(1), 16), address))
    inner = [r for r in regions if not any(o != r and r[0] <= o[0] and o[1] <= r[1] for o in regions)]
    loops = [[step for step in body if first <= step[0] <= last] for first, last in inner]
    loops = [loop for loop in loops if not any(re.match(r"ret", step[1]) for step in loop)]
    return max(loops, key=len, default=[])


def normal(mnemonic):
    if mnemonic == "fdivr":
        return "fdiv"
    return re.sub(r"^(vfn?m(?:add|sub))(?:132|213|231)", r"\1", mnemonic)


def memory(operands):
    return "(%" in operands or "[" in operands


def reads_constant(operands):
    """A source in the constant section, or in a stack slot that the compiler filled before the loop (a store has memory last)."""
    return ("(%rip)" in operands or "(%rsp)" in operands) and not operands.rstrip().endswith(")")


def check_compute(loop, unit, mnemonics, count):
    wanted = {normal(m) for m in mnemonics.split("+")}
    claimed = [step for step in loop if normal(step[1]) in wanted and "%r" not in re.sub(r"\(%r(ip|sp)\)", "", step[2])
               and not re.match(r"[xw]\d", step[2])]
    rest = [step for step in loop if step not in claimed]
    faults = []
    if len(claimed) != count:
        faults.append(f"{len(claimed)} of {'+'.join(sorted(wanted))}, claimed {count}")
    present = {normal(step[1]) for step in claimed}
    # Compilers choose which operand of a fused multiply-add is overwritten, for which SVE has mnemonics, and where a sign is turned.
    fused = {"fmad", "fmla", "fmsb", "fmls"}
    if wanted - present - (fused if present & fused else set()):
        faults.append(f"no {', '.join(sorted(wanted - present))}")
    if unit in ("exp", "convert", "divide"):
        rest = [step for step in rest if step[1] not in MOVES]
    if unit == "exp":
        rest = [step for step in rest
                if step[1] not in CONSTANTS and not (step[1] in BROADCASTS and reads_constant(step[2]))]
    if len(rest) > 3 or any(step[1] not in CONTROL for step in rest):
        faults.append("also " + ", ".join(f"{m} {o}" for _, m, o in rest[:6]))
    for _, mnemonic, operands in loop:
        if memory(operands) and not (unit == "exp" and (reads_constant(operands) or mnemonic in CONSTANTS)):
            faults.append(f"memory: {mnemonic} {operands}")
    return faults


def check_stream(loop, access, bits, stores, arm):
    loads, ordinary, non_temporal, faults = 0, 0, 0, []
    for _, mnemonic, operands in loop:
        if not memory(operands) or mnemonic.startswith("lea"):
            continue
        frame = r"%rsp|\bsp\b" if access == "random" else r"%[re][sb]p|\bsp\b"  # whose addresses need every register
        if re.search(frame, operands):
            faults.append(f"stack: {mnemonic} {operands}")
        vectors = 2 if mnemonic in ("ldp", "stp", "stnp") else 1
        is_store = mnemonic.startswith(("st",)) if arm else operands.rstrip().endswith(")")
        width = 128 if access == "random" else bits
        if not arm and f"%{ {128: 'x', 256: 'y', 512: 'z'}[width] }mm" not in operands:
            faults.append(f"not a full vector: {mnemonic} {operands}")
        if not is_store:
            loads += vectors
        elif "nt" in mnemonic or mnemonic == "stnp":
            non_temporal += vectors
        else:
            ordinary += vectors
    scalable = any(re.search(r"\bz\d", o) for _, _, o in loop)
    group = (1024 if access in ("copy", "triad") else 4096) // bits
    if scalable:
        group = 4 if access == "read" else 8  # four of each half
    want_loads = 8 if access == "random" else {"read": 1, "write": 0, "copy": 1, "update": 1, "triad": 2}[access] * group
    want_stores = 0 if access in ("read", "random") else group
    want = (want_loads, want_stores * (stores == "ordinary"), want_stores * (stores == "non_temporal"))
    if (loads, ordinary, non_temporal) != want:
        faults.append(f"loads, stores, non-temporal stores are {(loads, ordinary, non_temporal)}, should be {want}")
    return faults


def main():
    objdump, *command = sys.argv[1:]
    code, origin = functions(objdump, command[-1])
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    failed = checked = 0
    for line in filter(None, lines):
        kind, name, offset, what, bits, *rest = line.split()
        body = code.get(origin + int(offset), [])
        loop = hot_loop(body)
        if not loop:
            faults = ["no loop found"]
        elif kind == "compute":
            faults = check_compute(loop, what, rest[0], int(rest[1]))
        else:
            faults = check_stream(loop, what, int(bits), rest[0], "aarch64" in objdump or name.startswith(("neon", "sve")))
            names = [m for _, m, _ in body]
            if rest[0] == "non_temporal" and any("movnt" in m for m in names) and "sfence" not in names:
                faults.append("no sfence after non-temporal stores")
        checked += 1
        for fault in faults:
            failed += 1
            print(f"{name}: {fault}")
    print(f"{checked} kernels, {failed} faults")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
