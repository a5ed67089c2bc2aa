"""kernels.py ROOT FOLDER [machine_code]: what nvcc makes of the ceiling kernels of memory and launches. Per architecture: no spills and no stack
frame; in the PTX the instructions each kernel claims, as often as its source says, and every kernel has an entry here. In the machine code of sm_80
and sm_90a, where there is a disassembler (scripts/sass.py), the loop over the passes has every access of a pass: ptxas takes loads out of a loop
whose addresses stay the same, volatile ones too, and the PTX does not show it. With machine_code it has to be read."""
import collections
import pathlib
import re
import sys

from nvcc import compile_kernels, find_nvcc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import sass

ARCHITECTURES = ["80", "90a", "100"]
DISASSEMBLED = {"80": "SM80", "90a": "SM90"}
# source: {kernel: {instruction: how often}}; {} for kernels that are no ceiling
EXPECTED = {
    "backends/gpu/kernels/stream.cpp": {
        "read_kernelILb0E": {"ld.global.cg.v4.u32": 8},
        "read_kernelILb1E": {"ld.global.cg.v4.u32": 8},
        "write_kernelILi8E": {"st.global.v4.u32": 8},
        "copy_kernelILi8E": {"ld.global.cg.v4.u32": 8, "st.global.v4.u32": 8},
        "triad_kernelILi8E": {"ld.global.cg.v4.u32": 16, "st.global.v2.f64": 8, "fma.rn.f64": 16},
        "write_kernelILi1E": {"st.global.v4.u32": 1},
        "copy_kernelILi1E": {"ld.global.cg.v4.u32": 1, "st.global.v4.u32": 1},
        "triad_kernelILi1E": {"ld.global.cg.v4.u32": 2, "st.global.v2.f64": 1, "fma.rn.f64": 2},
        "fill_kernel": {},
    },
    "backends/gpu/kernels/near.cpp": {
        "shared_read_kernel": {"ld.shared.v4.u32": 8},
        "l1_read_kernel": {"ld.global.ca.v4.u32": 8},
    },
    "backends/gpu/kernels/chase.cpp": {
        "shared_chase_kernel": {"ld.shared.u32": 17},
        "chase_kernelILNS0_10ChaseLevelE1E": {"ld.global.ca.u64": 17},
        "chase_kernelILNS0_10ChaseLevelE3E": {"ld.global.cg.u64": 17},
        "link_kernel": {},
    },
    "backends/gpu/kernels/empty.cpp": {"empty_kernel": {}, "lead_in_kernel": {}},
}
# kernel: every access of its loop that has the most
ACCESSES = {
    "read_kernelILb0E": {"LDG.E.128.STRONG.GPU": 8},
    "read_kernelILb1E": {"LDG.E.128.STRONG.GPU": 8},
    "write_kernelILi8E": {"STG.E.128": 8},
    "copy_kernelILi8E": {"LDG.E.128.STRONG.GPU": 8, "STG.E.128": 8},
    "triad_kernelILi8E": {"LDG.E.128.STRONG.GPU": 16, "STG.E.128": 8},
    "write_kernelILi1E": {"STG.E.128": 1},
    "copy_kernelILi1E": {"LDG.E.128.STRONG.GPU": 1, "STG.E.128": 1},
    "triad_kernelILi1E": {"LDG.E.128.STRONG.GPU": 2, "STG.E.128": 1},
    "shared_read_kernel": {"LDS.128": 8},
    "l1_read_kernel": {"LDG.E.128.STRONG.SM": 8},
    "shared_chase_kernel": {"LDS": 16},
    "chase_kernelILNS0_10ChaseLevelE1E": {"LDG.E.64.STRONG.SM": 16},
    "chase_kernelILNS0_10ChaseLevelE3E": {"LDG.E.64.STRONG.GPU": 16},
}


def check_ptx(source, kernels, wrong):
    found = {kernel.name: kernel.body for kernel in kernels}
    expected = EXPECTED.get(source, {})
    for name in found:
        if kernel_of(name, expected) is None:
            wrong.append(f"{source}: kernel {name} is not in the table of this test")
    for kernel, counts in expected.items():
        matches = [text for name, text in found.items() if kernel_of(name, expected) == kernel]
        if len(matches) != 1:
            wrong.append(f"{source}: {len(matches)} kernels called {kernel}")
            continue
        for instruction, count in counts.items():
            seen = len(re.findall(re.escape(instruction) + r"\b", matches[0]))
            if seen != count:
                wrong.append(f"{source}: {kernel} has {seen} {instruction}, not {count}")


def check_accesses(where, cubin, body_of, wrong):
    """How many kernels of the table were looked at."""
    seen = 0
    for name, code in sass.kernels(cubin):
        claims = ACCESSES.get(kernel_of(name, ACCESSES))
        if claims is None:
            continue
        seen += 1
        first = next(iter(claims))
        loop = max(sass.loops(body_of(code)), key=lambda one: sum(step.opcode == first for step in one), default=[])
        accesses = collections.Counter(step.opcode for step in loop if re.match(r"(LD|ST|ATOM|RED)(?!C)", step.opcode))
        if accesses != claims:
            wrong.append(f"{where}: the loop of {name} has {dict(accesses)}, not {claims}")
    return seen


def kernel_of(name, expected):
    """The longest name of the table that the mangled one contains."""
    return max((kernel for kernel in expected if kernel in name), key=len, default=None)


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    find_nvcc()
    # loops.py has those of compute ceilings
    sources = sorted(str(path.relative_to(root)) for path in (root / "backends/gpu/kernels").glob("*.cpp") if not path.name.startswith("compute_"))
    nvdisasm, wrong, read = sass.find_nvdisasm(), [], collections.Counter()
    for unit in compile_kernels(root, folder, [(source, arch) for source in sources for arch in ARCHITECTURES]):
        wrong += [f"{unit.source}: {kernel.name} spills or has a stack frame on sm_{unit.arch}" for kernel in unit.kernels if kernel.spilled]
        if not unit.kernels:
            wrong.append(f"{unit.source}: no kernel for sm_{unit.arch}")
        if unit.arch == "90a":
            check_ptx(unit.source, unit.kernels, wrong)
        if nvdisasm and unit.arch in DISASSEMBLED:
            body_of = lambda code: sass.instructions(nvdisasm, code, DISASSEMBLED[unit.arch])
            read[unit.arch] += check_accesses(f"{unit.source}, sm_{unit.arch}", unit.cubin, body_of, wrong)
    if not nvdisasm:
        print(sass.NOT_READ)
        if "machine_code" in sys.argv[3:]:
            wrong.append("no machine code was read")
    elif read != {arch: len(ACCESSES) for arch in DISASSEMBLED}:
        wrong.append(f"kernels whose machine code was read: {dict(read)}, not {len(ACCESSES)} each")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
