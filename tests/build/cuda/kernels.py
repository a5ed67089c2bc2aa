"""kernels.py ROOT FOLDER: what nvcc makes of the ceiling kernels. Per architecture: no spills and no stack frame; in the PTX the
instructions each kernel claims, as often as its source says, and every kernel has an entry here."""
import pathlib
import re
import sys

from nvcc import compile_kernels, find_nvcc

ARCHITECTURES = ["80", "90a", "100"]
# source: {kernel: {instruction: how often}}; {} for kernels that are no ceiling
EXPECTED = {
    "backends/gpu/kernels/stream.cpp": {
        "read_kernel": {"ld.global.cg.v4.u32": 8},
        "write_kernel": {"st.global.v4.u32": 8},
        "copy_kernel": {"ld.global.cg.v4.u32": 8, "st.global.v4.u32": 8},
        "triad_kernel": {"ld.global.cg.v4.u32": 16, "st.global.v2.f64": 8, "fma.rn.f64": 16},
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


def kernel_of(name, expected):
    """The longest name of the table that the mangled one contains."""
    return max((kernel for kernel in expected if kernel in name), key=len, default=None)


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    find_nvcc()
    # loops.py has those of compute ceilings
    sources = sorted(str(path.relative_to(root)) for path in (root / "backends/gpu/kernels").glob("*.cpp") if not path.name.startswith("compute_"))
    wrong = []
    for unit in compile_kernels(root, folder, [(source, arch) for source in sources for arch in ARCHITECTURES]):
        wrong += [f"{unit.source}: {kernel.name} spills or has a stack frame on sm_{unit.arch}" for kernel in unit.kernels if kernel.spilled]
        if not unit.kernels:
            wrong.append(f"{unit.source}: no kernel for sm_{unit.arch}")
        if unit.arch == "90a":
            check_ptx(unit.source, unit.kernels, wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
