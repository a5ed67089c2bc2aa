#!/usr/bin/env python3
"""sass.py CUOBJDUMP PROGRAM ARCH: how often each machine instruction occurs in each ceiling kernel of a CUDA program or cubin built for ARCH (80,
90a, 100), as CSV on standard output: kernel,opcode,count. It needs no GPU. The exit code is 1, with a line on standard error, where a compute
kernel is missing or has its instruction less often than its loop claims; 2 where cuobjdump fails."""
import collections
import csv
import re
import subprocess
import sys

# What the loop of a compute ceiling is made of, as opcode with its modifiers, and how often. Moves and additions that are multiplications by
# name (IMAD.MOV, HFMA2 of constants) do not count, or not often enough.
VECTOR = {
    "chain_kernel<Fp64>": (r"DFMA", 256),
    "chain_kernel<Fp32>": (r"FFMA", 256),
    "chain_kernel<Fp16>": (r"HFMA2(\.MMA)?", 256),
    "chain_kernel<Bf16>": (r"HFMA2(\.MMA)?\.BF16.*", 256),
    "chain_kernel<Int8>": (r"IDP\.4A.*", 256),
    "chain_kernel<Int32>": (r"IMAD", 256),
    "chain_kernel<ExpFp32>": (r"MUFU\.EX2", 128),
    "chain_kernel<ExpFp64>": (r"DFMA", 8),
    "chain_kernel<ConvertFp16>": (r"F2FP.*", 128),
    "chain_kernel<ConvertBf16>": (r"F2FP.*", 128),
}
WARP = {
    "warp_product_kernel<Fp64>": (r"DMMA.*", 16),
    "warp_product_kernel<Tf32>": (r"HMMA.*TF32.*", 16),
    "warp_product_kernel<Fp16>": (r"HMMA.*", 16),
    "warp_product_kernel<Fp16InFp16>": (r"HMMA.*", 16),
    "warp_product_kernel<Bf16>": (r"HMMA.*BF16.*", 16),
    "warp_product_kernel<Int8>": (r"IMMA.*", 16),
}
CLAIMS = {
    "80": VECTOR | WARP | {"warp_product_kernel<Int4>": (r"IMMA.*", 16)},
    "90a": VECTOR | WARP | {
        "warp_product_kernel<Fp64Wide>": (r"DMMA.*", 8),
        "wgmma_kernel<Tf32>": (r"HGMMA.*TF32.*", 8),
        "wgmma_kernel<Fp16>": (r"HGMMA.*", 8),
        "wgmma_kernel<Fp16InFp16>": (r"HGMMA.*", 8),
        "wgmma_kernel<Bf16>": (r"HGMMA.*BF16.*", 8),
        "wgmma_kernel<E4m3>": (r"QGMMA.*", 8),
        "wgmma_kernel<E5m2>": (r"QGMMA.*", 8),
        "wgmma_kernel<Int8>": (r"IGMMA.*", 8),
    },
    "100": VECTOR,
}
COMPUTE = ("chain_kernel<", "warp_product_kernel<", "wgmma_kernel<")
CEILING = "_ZN5gable3gpu"  # the namespace of the ceilings' kernels, mangled
FUNCTION = re.compile(r"\s*Function : (\S+)")
# /*0010*/ @!P0 IMAD.WIDE R2, R0, R7, c[0x0][0x168] ; the second half of the encoding stands alone in a comment
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")


def count(lines):
    """{mangled name of a ceiling kernel: {opcode: how often}}"""
    found = {}
    counts = None
    for line in lines:
        function = FUNCTION.match(line)
        if function:
            name = function.group(1)
            counts = found.setdefault(name, collections.Counter()) if name.startswith(CEILING) else None
            continue
        instruction = INSTRUCTION.match(line) if counts is not None else None
        if instruction:
            counts[instruction.group(1)] += 1
    return found


def short_names(names):
    """gable::gpu::(anonymous namespace)::read_kernel(…) -> read_kernel, chain_kernel<…::Fp64>(…) -> chain_kernel<Fp64>"""
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    plain = [re.sub(r"\(anonymous namespace\)::|gable::gpu::", "", text) for text in done.stdout.splitlines()]
    return [re.sub(r"^void ", "", text).split(">(")[0] + ">" if ">(" in text else text.split("(")[0] for text in plain]


def disassembled(cuobjdump, program):
    with subprocess.Popen([cuobjdump, "-sass", program], stdout=subprocess.PIPE, text=True) as process:
        found = count(process.stdout)
    if process.returncode != 0:
        print(f"sass.py: {cuobjdump} -sass {program} ended with {process.returncode}", file=sys.stderr)
        sys.exit(2)
    return found


def shortfalls(table, claims):
    """A line for each claim that the kernels do not keep."""
    wrong = []
    for kernel, (pattern, least) in claims.items():
        counts = table.get(kernel)
        if counts is None:
            wrong.append(f"{kernel} is missing")
            continue
        seen = sum(number for opcode, number in counts.items() if re.fullmatch(pattern, opcode))
        if seen < least:
            wrong.append(f"{kernel} has {seen} of {pattern}, not {least}")
    wrong += [f"{kernel} has no line in the table of this script" for kernel in table if kernel.startswith(COMPUTE) and kernel not in claims]
    return wrong


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) != 4 or sys.argv[3] not in CLAIMS:
        print("usage: sass.py CUOBJDUMP PROGRAM 80|90a|100", file=sys.stderr)
        sys.exit(2)
    found = disassembled(sys.argv[1], sys.argv[2])
    table = dict(sorted(zip(short_names(found), found.values()), key=lambda row: row[0])) if found else {}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["kernel", "opcode", "count"])
    for kernel, counts in table.items():
        writer.writerows((kernel, opcode, number) for opcode, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    wrong = shortfalls(table, CLAIMS[sys.argv[3]])
    for line in wrong:
        print("sass.py: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
