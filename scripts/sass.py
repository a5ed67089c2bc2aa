#!/usr/bin/env python3
"""sass.py CUOBJDUMP PROGRAM: how often each machine instruction occurs in each ceiling kernel of a CUDA program or cubin, as CSV on standard
output: kernel,opcode,count. It needs no GPU. The exit code is 1, with a line on standard error, where a compute kernel lacks the instruction
that it is there to measure, or where there is no ceiling kernel at all; 2 where cuobjdump fails."""
import collections
import csv
import re
import subprocess
import sys

# The instruction a compute ceiling is made of. Modifiers follow a dot: HGMMA.64x256x16.F32
CLAIMS = {
    "chain_kernel<Fp64>": "DFMA",
    "chain_kernel<Fp32>": "FFMA",
    "chain_kernel<Fp16>": "HFMA2",
    "chain_kernel<Bf16>": "HFMA2",
    "chain_kernel<Int8>": "IDP",
    "chain_kernel<Int32>": "IMAD",
    "chain_kernel<ExpFp32>": "MUFU",
    "chain_kernel<ExpFp64>": "DFMA",
    "chain_kernel<ConvertFp16>": "F2FP",
    "chain_kernel<ConvertBf16>": "F2FP",
    "warp_product_kernel<Fp64>": "DMMA",
    "warp_product_kernel<Fp64Wide>": "DMMA",
    "warp_product_kernel<Tf32>": "HMMA",
    "warp_product_kernel<Fp16>": "HMMA",
    "warp_product_kernel<Fp16InFp16>": "HMMA",
    "warp_product_kernel<Bf16>": "HMMA",
    "warp_product_kernel<Int8>": "IMMA",
    "warp_product_kernel<Int4>": "IMMA",
    "wgmma_kernel<Tf32>": "HGMMA",
    "wgmma_kernel<Fp16>": "HGMMA",
    "wgmma_kernel<Fp16InFp16>": "HGMMA",
    "wgmma_kernel<Bf16>": "HGMMA",
    "wgmma_kernel<E4m3>": "QGMMA",
    "wgmma_kernel<E5m2>": "QGMMA",
    "wgmma_kernel<Int8>": "IGMMA",
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


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sass.py CUOBJDUMP PROGRAM")
    found = disassembled(sys.argv[1], sys.argv[2])
    table = sorted(zip(short_names(found), found.values()), key=lambda row: row[0])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["kernel", "opcode", "count"])
    wrong = [] if table else [f"no ceiling kernel in {sys.argv[2]}"]
    for kernel, counts in table:
        writer.writerows((kernel, opcode, number) for opcode, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        claim = CLAIMS.get(kernel)
        if claim and not any(opcode.split(".")[0] == claim for opcode in counts):
            wrong.append(f"{kernel} has no {claim}")
        if not claim and kernel.startswith(COMPUTE):
            wrong.append(f"{kernel} has no instruction in the table of this script")
    for line in wrong:
        print("sass.py: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
