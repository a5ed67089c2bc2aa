"""loops.py ROOT FOLDER [machine_code]: what nvcc makes of the compute ceilings' loops, per architecture they are built for. In the PTX the innermost loop
holds the claimed instruction as often as the source says, no access to memory, and next to nothing else; ptxas spills nothing, does not
serialise wgmma, and leaves registers for as many blocks as are launched. Of conversions of bf16, which are shifts and masks beside the narrowing
instruction, and of reciprocals, which undo each other, the machine code is read too, where there is a disassembler (scripts/sass.py): conversions
move nothing, no reciprocal is left out. With machine_code it has to be."""
import collections
import pathlib
import re
import sys

from nvcc import compile_kernels, find_nvcc
from ptx import loops

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import sass

REGISTERS = 65536  # of a multiprocessor, since compute capability 5.0


class Loop(collections.namedtuple("Loop", "claims beside blocks")):
    """claims: {instruction: how often}; beside: how many other instructions that are no moves; blocks of 256 threads."""


def loop(claims, beside=3, blocks=4):
    return Loop(claims, beside, blocks)


def mma(text, count=16, blocks=2):
    return loop({"mma.sync.aligned." + text: count}, blocks=blocks)


def wgmma(text):
    # beside: a descriptor and a predicate each, fence, commit, wait, and the loop's own
    return loop({"wgmma.mma_async.sync.aligned." + text: 8}, beside=40, blocks=1)


EXPECTED = {
    "backends/gpu/kernels/compute_vector.cpp": (["80", "90", "100"], {
        "Fp64": loop({"fma.rn.f64": 256}),
        "Fp32": loop({"fma.rn.f32": 256}),
        "Fp16": loop({"fma.rn.f16x2": 256}),
        "Bf16": loop({"fma.rn.bf16x2": 256}),
        "Int8": loop({"dp4a.s32.s32": 256}),
        "Int32": loop({"mad.lo.s32": 256}),
        "ExpFp32": loop({"ex2.approx.ftz.f32": 128, "sub.f32": 128}),
        "ExpFp64": loop({}, beside=400),  # a function of the vendor's: checked only for accesses to memory
        "ConvertFp16": loop({"cvt.f32.f16": 256, "cvt.rn.f16x2.f32": 128}),
        "ConvertBf16": loop({"cvt.rn.bf16x2.f32": 128, "shl.b32": 128, "and.b32": 128}),
        "DivideFp64": loop({"rcp.approx.ftz.f64": 8}),
        "DivideFp32": loop({"rcp.approx.ftz.f32": 8}),
    }),
    "backends/cuda/kernels/matrix_mma.cpp": (["80", "90"], {
        "Fp64": mma("m8n8k4.row.col.f64.f64.f64.f64"),
        "Tf32": mma("m16n8k8.row.col.f32.tf32.tf32.f32"),
        "Fp16": mma("m16n8k16.row.col.f32.f16.f16.f32"),
        "Fp16InFp16": mma("m16n8k16.row.col.f16.f16.f16.f16"),
        "Bf16": mma("m16n8k16.row.col.f32.bf16.bf16.f32"),
        "Int8": mma("m16n8k32.row.col.s32.s8.s8.s32"),
    }),
    "backends/cuda/kernels/matrix_int4.cpp": (["80"], {"Int4": mma("m16n8k64.row.col.s32.s4.s4.s32")}),
    "backends/cuda/kernels/matrix_wide_fp64.cpp": (["90"], {
        "Fp64Wide": mma("m16n8k16.row.col.f64.f64.f64.f64", count=8, blocks=1),
    }),
    "backends/cuda/kernels/wgmma.cpp": (["90a"], {
        "Tf32": wgmma("m64n256k8.f32.tf32.tf32"),
        "Fp16": wgmma("m64n256k16.f32.f16.f16"),
        "Fp16InFp16": wgmma("m64n256k16.f16.f16.f16"),
        "Bf16": wgmma("m64n256k16.f32.bf16.bf16"),
        "E4m3": wgmma("m64n256k32.f32.e4m3.e4m3"),
        "E5m2": wgmma("m64n256k32.f32.e5m2.e5m2"),
        "Int8": wgmma("m64n256k32.s32.s8.s8"),
    }),
}


def check_loop(where, body, expected, wrong):
    every = loops(body)
    first = next(iter(expected.claims), None)
    holding = [counts for counts in every if first is None or counts[first] > 0]
    if len(holding) != 1 and first is not None:
        wrong.append(f"{where}: {len(holding)} loops have {first}")
        return
    for counts in holding:
        for instruction, count in expected.claims.items():
            if counts[instruction] != count:
                wrong.append(f"{where}: {counts[instruction]} {instruction} in the loop, not {count}")
        memory = [name for name in counts if re.match(r"(ld|st|atom|red|cp)\b(?!\.(param|const))", name)]
        if memory:
            wrong.append(f"{where}: the loop accesses memory: {memory}")
        others = {name: count for name, count in counts.items() if name not in expected.claims and not name.startswith("mov")}
        if sum(others.values()) > expected.beside:
            wrong.append(f"{where}: the loop has {sum(others.values())} other instructions: {others}")


def check(source, arch, kernels, table, wrong):
    for name, expected in table.items():
        matches = [kernel for kernel in kernels if f"{len(name)}{name}E" in kernel.name]
        where = f"{source}, {name}, sm_{arch}"
        if len(matches) != 1:
            wrong.append(f"{where}: {len(matches)} kernels of that name")
            continue
        kernel = matches[0]
        check_loop(where, kernel.body, expected, wrong)
        if kernel.spilled:
            wrong.append(f"{where}: spills or has a stack frame")
        # registers are given to a warp in units of 256, that is eight a thread
        if (kernel.registers + 7) // 8 * 8 * 256 * expected.blocks > REGISTERS:
            wrong.append(f"{where}: {kernel.registers} registers do not leave room for {expected.blocks} blocks")
    if len(kernels) != len(table):
        wrong.append(f"{source}: {len(kernels)} kernels, but {len(table)} in the table of this test")


# kernel: an instruction of its loop's machine code, how often, and how many there are at most, with the three of the loop: of a pair of bf16 a shift, a
# mask and a narrowing of both; of a double a lower half for its upper one
MACHINE_CODE = {"ConvertBf16": ("F2FP", 128, 3 * 128 + 3), "DivideFp64": ("MUFU.RCP64H", 8, 2 * 8 + 3), "DivideFp32": ("MUFU.RCP", 8, 8 + 3)}


def check_machine_code(cubin, nvdisasm, wrong):
    bodies = dict(sass.kernels(cubin))
    for kernel, (instruction, count, most) in MACHINE_CODE.items():
        found = 0
        for name in (name for name in bodies if f"{len(kernel)}{kernel}E" in name):
            for one in sass.loops(sass.instructions(nvdisasm, bodies[name])):
                counts = collections.Counter(step.opcode for step in one)
                holds = sum(number for opcode, number in counts.items() if f"{opcode}.".startswith(f"{instruction}."))
                if holds == 0:
                    continue  # the kernel's stamps are read in loops of their own
                found += 1
                if holds != count or len(one) > most:
                    wrong.append(f"{name}: {len(one)} instructions in the loop, {holds} {instruction}, not {most} and {count}: {dict(counts)}")
        if found != 1:
            wrong.append(f"{cubin}: {found} loops of {kernel} have {instruction}")


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    find_nvcc()
    nvdisasm, wrong = sass.find_nvdisasm(), []
    sources = list((root / "backends/gpu/kernels").glob("compute_*.cpp")) + list((root / "backends/cuda/kernels").glob("*.cpp"))
    sources = sorted(str(path.relative_to(root)) for path in sources)
    wrong += [f"{source}: not in the table of this test" for source in sources if source not in EXPECTED]
    for unit in compile_kernels(root, folder, [(source, arch) for source in sources if source in EXPECTED for arch in EXPECTED[source][0]]):
        table = EXPECTED[unit.source][1]
        if "serialized" in unit.report:
            wrong.append(f"{unit.source}, sm_{unit.arch}: {unit.report}")
        check(unit.source, unit.arch, unit.kernels, table, wrong)
        if nvdisasm and unit.arch == "90" and MACHINE_CODE.keys() <= table.keys():
            check_machine_code(unit.cubin, nvdisasm, wrong)
    if not nvdisasm:
        print(sass.NOT_READ)
        if "machine_code" in sys.argv[3:]:
            wrong.append("no machine code was read")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
