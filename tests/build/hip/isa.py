"""isa.py ROOT FOLDER: what ROCm's compiler makes of the ceiling kernels; compiled, never run. Per architecture: no scratch and no spills, and
registers and LDS leave room for as many blocks as are launched. A compute ceiling's loop holds the claimed instruction as often as the source
says, no access to memory, and next to nothing else; those of gfx950 for types of 4 to 8 bits name the type's format. Streams and near reads load
and store 16 bytes at once, eight of them (by one access a thread all) in flight before the first wait. And where LLVM has a model of the chip, the
slots in which it issues a ceiling's loop give the data sheet's rate within 5 %."""
import collections
import pathlib
import re
import sys

from hipcc import compile_kernels, find_hipcc, find_mca, innermost_loops, knows, operations, slots

# registers and their unit of allocation: 32-bit registers of a SIMD's lane, accumulation registers among them, and waves at most (LLVM,
# AMDGPUUsage and its subtarget's features); lds in bytes, of a compute unit, on gfx1100 of a workgroup processor, which is what HIP counts there.
Chip = collections.namedtuple("Chip", "registers unit waves wave lds device units clock")
CHIPS = {
    "gfx90a": Chip(512, 8, 8, 64, 64 << 10, "MI210", 104, 1.7e9),
    "gfx942": Chip(512, 8, 8, 64, 64 << 10, "MI300X", 304, 2.1e9),
    "gfx950": Chip(512, 8, 8, 64, 160 << 10, "MI355X", 256, 2.4e9),
    "gfx1100": Chip(1536, 24, 16, 32, 128 << 10, "RX 7900 XTX", 48, 2.498e9),
}
SIMDS = 4
THREADS = 256
TOLERANCE = 0.05

# claims: {instruction: how often}; beside: how many others, none of them of the vector unit unless `function`; operations of a wave's
# instruction; peak: {chip: operations/s of the data sheet}, as far as there is a figure
Loop = collections.namedtuple("Loop", "claims beside blocks operations peaks function")


def loop(instruction, operations_each, peaks, count=256, blocks=4):
    return Loop({instruction: count}, 3, blocks, operations_each, peaks, False)


def matrix(instruction, m, n, k, peaks):
    # beside: the loop's own, and a wait between what the loop before wrote and the first instruction
    return Loop({instruction: 8}, 5, 2, 2 * m * n * k, peaks, False)


def function(instruction, count):
    """Made of several instructions: only that it stays away from memory, and that the one named is in it."""
    return Loop({instruction: count}, 2000, 4, 0, {}, True)


def vector_loops(dot, exp, product):
    """Peaks of gfx90a: MI210's brochure, packed fp32 and fp16 from the CDNA2 white paper; gfx942: ROCm's documentation of MI300X."""
    return {
        "Fp64": loop("v_fma_f64", 128, {"gfx90a": 22.6e12, "gfx942": 81.7e12}),
        "Fp32": loop("v_pk_fma_f32", 256, {"gfx90a": 45.3e12, "gfx942": 163.4e12}),
        "Fp16": loop("v_pk_fma_f16", 256, {"gfx90a": 45.3e12, "gfx942": 163.4e12}),
        "Int8": loop(dot, 512, {}),
        "Int32": loop(product, 128, {}),
        "ExpFp32": loop(exp, 64, {}, count=128),
        "ExpFp64": function("v_ldexp_f64", 4),
        "DivideFp64": loop("v_rcp_f64", 64, {}, count=8),
        "DivideFp32": loop("v_rcp_f32", 64, {}, count=8),
        "ConvertFp16": function("v_cvt_f32_f16", 256),
        "ConvertBf16": function("v_bfe_u32", 256),  # no instruction before CDNA4
    }


CDNA = {
    "MfmaFp64": ("v_mfma_f64_16x16x4{}f64", 16, 16, 4, {"gfx90a": 45.3e12, "gfx942": 163.4e12, "gfx950": 78.6e12}),
    "MfmaFp32": ("v_mfma_f32_32x32x2{}f32", 32, 32, 2, {"gfx90a": 45.3e12, "gfx942": 163.4e12, "gfx950": 157.3e12}),
}
CDNA23 = {
    "MfmaFp16": ("v_mfma_f32_32x32x8{}f16", 32, 32, 8, {"gfx90a": 181.0e12, "gfx942": 1307.4e12}),
    "MfmaBf16": ("v_mfma_f32_32x32x8{}bf16", 32, 32, 8, {"gfx90a": 181.0e12, "gfx942": 1307.4e12}),
}


def matrices(table, between):
    return {name: matrix(text.format(between), *shape) for name, (text, *shape) in table.items()}


EXPECTED = {
    ("backends/gpu/kernels/compute_vector.cpp", "gfx90a"): vector_loops("v_dot4c_i32_i8", "v_exp_f32", "v_mad_u64_u32"),
    ("backends/gpu/kernels/compute_vector.cpp", "gfx942"): vector_loops("v_dot4c_i32_i8", "v_exp_f32", "v_mad_u64_u32"),
    ("backends/hip/kernels/mfma_cdna2.cpp", "gfx90a"): matrices(CDNA | CDNA23, "") | {
        "MfmaBf16": matrix("v_mfma_f32_32x32x8bf16_1k", 32, 32, 8, {"gfx90a": 181.0e12}),
        "Int8": matrix("v_mfma_i32_32x32x8i8", 32, 32, 8, {"gfx90a": 181.0e12}),
    },
    ("backends/hip/kernels/mfma_cdna3.cpp", "gfx942"): matrices(CDNA | CDNA23, "_") | {
        "Xf32": matrix("v_mfma_f32_32x32x4_xf32", 32, 32, 4, {"gfx942": 653.7e12}),
        "E4m3": matrix("v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, {"gfx942": 2614.9e12}),
        "E5m2": matrix("v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, {"gfx942": 2614.9e12}),
        "Int8": matrix("v_mfma_i32_32x32x16_i8", 32, 32, 16, {"gfx942": 2614.9e12}),
    },
    ("backends/hip/kernels/mfma_cdna4.cpp", "gfx950"): matrices(CDNA, "_") | {
        "Fp16": matrix("v_mfma_f32_32x32x16_f16", 32, 32, 16, {"gfx950": 2516.6e12}),
        "Bf16": matrix("v_mfma_f32_32x32x16_bf16", 32, 32, 16, {"gfx950": 2516.6e12}),
        # LLVM's model gives this instruction the time that it takes for fp4 and fp6, whatever the format
        "Fp8E4m3": matrix("v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, {}),
        "Fp8E5m2": matrix("v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, {}),
        "Fp6E2m3": matrix("v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "Fp6E3m2": matrix("v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "Fp4E2m1": matrix("v_mfma_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "MxFp8E4m3": matrix("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, {}),
        "MxFp8E5m2": matrix("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, {}),
        "MxFp6E2m3": matrix("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "MxFp6E3m2": matrix("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "MxFp4": matrix("v_mfma_scale_f32_32x32x64_f8f6f4", 32, 32, 64, {"gfx950": 10066.3e12}),
        "Int8": matrix("v_mfma_i32_32x32x32_i8", 32, 32, 32, {"gfx950": 5033.2e12}),
    },
    # beside: s_delay_alu, hints that take no slot of their own; each instruction is two fma
    ("backends/hip/kernels/dual_rdna3.cpp", "gfx1100"): {"DualFp32": Loop({"v_dual_fmac_f32": 256}, 100, 4, 128, {}, False)},
    # no rates: LLVM's model of RDNA3 has the latency of v_wmma only, not how often one is issued
    ("backends/hip/kernels/wmma_rdna3.cpp", "gfx1100"): {
        "Fp16": matrix("v_wmma_f32_16x16x16_f16", 16, 16, 16, {}),
        "Bf16": matrix("v_wmma_f32_16x16x16_bf16", 16, 16, 16, {}),
        "Int8": matrix("v_wmma_i32_16x16x16_iu8", 16, 16, 16, {}),
        "Int4": matrix("v_wmma_i32_16x16x16_iu4", 16, 16, 16, {}),
    },
}

# {kernel: accesses of its loop that has the most}, all others narrower or elsewhere being wrong
LOAD, STORE, LDS = "global_load_dwordx4", "global_store_dwordx4", "ds_read_b128"
STREAMS = {
    "backends/gpu/kernels/stream.cpp": {
        "read_kernelILb0E": {LOAD: 8},
        "read_kernelILb1E": {LOAD: 8},
        "write_kernelILi8E": {STORE: 8},
        "copy_kernelILi8E": {LOAD: 8, STORE: 8},
        "triad_kernelILi8E": {LOAD: 16, STORE: 8},
        "write_kernelILi1E": {STORE: 1},
        "copy_kernelILi1E": {LOAD: 1, STORE: 1},
        "triad_kernelILi1E": {LOAD: 2, STORE: 1},
        "fill_kernel": {},
    },
    "backends/gpu/kernels/near.cpp": {"shared_read_kernel": {LDS: 8}, "l1_read_kernel": {LOAD: 8}},
    "backends/gpu/kernels/chase.cpp": {
        "shared_chase_kernel": {"ds_read_b32": 16},
        "chase_kernelILNS0_10ChaseLevelE1E": {"global_load_dwordx2": 16},
        "chase_kernelILNS0_10ChaseLevelE3E": {"global_load_dwordx2": 16},
        "link_kernel": {},
    },
    "backends/gpu/kernels/empty.cpp": {"empty_kernel": {}, "lead_in_kernel": {}},
}
NEAR_BLOCKS = 4
# Whether a chase's loads carry a bit by which they miss L1: glc of CDNA2, sc1 of CDNA3.
PAST_L1 = {"chase_kernelILNS0_10ChaseLevelE1E": False, "chase_kernelILNS0_10ChaseLevelE3E": True}
MEMORY = re.compile(r"(global|flat|buffer|scratch|ds)_(?!nop)|s_load|s_buffer_load")


def check_resources(where, chip, kernel, blocks, wrong):
    numbers = kernel.numbers
    for name in ("private_segment_fixed_size", "vgpr_spill_count", "sgpr_spill_count"):
        if numbers[name] != 0:
            wrong.append(f"{where}: {name} is {numbers[name]}")
    registers = max(1, numbers["vgpr_count"])  # those of accumulation are counted in
    waves = min(chip.waves, chip.registers // (-(-registers // chip.unit) * chip.unit))
    needed = blocks * THREADS // chip.wave // SIMDS
    if waves < needed:
        wrong.append(f"{where}: {registers} registers leave room for {waves} waves a SIMD, not {needed}")
    if numbers["group_segment_fixed_size"] * blocks > chip.lds:
        wrong.append(f"{where}: {blocks} blocks need more than {chip.lds} bytes of LDS")
    return registers, waves


def check_rate(where, arch, lines, expected, mca, folder, wrong):
    """A SIMD of CDNA takes 4 clocks for an issue slot of LLVM's model, in which 64 lanes go through its 16; a matrix instruction of p passes
    is p slots. With four SIMDs a compute unit does an instruction's work for one wave a clock and slot: rate = operations / slots."""
    chip = CHIPS[arch]
    if not mca or arch not in expected.peaks:
        return ""
    (count,) = expected.claims.values()
    rate = expected.operations * count / slots(mca, arch, lines, folder)
    sheet = expected.peaks[arch] / (chip.units * chip.clock)
    if abs(rate / sheet - 1) > TOLERANCE:
        wrong.append(f"{where}: {rate:.1f} operations a clock and compute unit by LLVM's model, {sheet:.1f} by the data sheet of {chip.device}")
    return f", {rate:.1f} operations a clock and unit by LLVM's model, {sheet:.1f} by the data sheet of {chip.device}"


def check_loop(where, kernel, expected, wrong):
    """The loop of a compute ceiling, or None."""
    found = [lines for lines in innermost_loops(kernel.lines) if all(operations(lines)[name] for name in expected.claims)]
    if len(found) != 1:
        wrong.append(f"{where}: {len(found)} loops have {list(expected.claims)}")
        return None
    counts = operations(found[0])
    for name, count in expected.claims.items():
        if counts[name] != count:
            wrong.append(f"{where}: {counts[name]} {name} in the loop, not {count}")
    others = {name: count for name, count in counts.items() if name not in expected.claims}
    if any(MEMORY.match(name) for name in others):
        wrong.append(f"{where}: the loop accesses memory: {others}")
    if sum(others.values()) > expected.beside or (not expected.function and any(name.startswith("v_") for name in others)):
        wrong.append(f"{where}: the loop has other instructions: {others}")
    return found[0]


# What v_mfma_[scale_]f32_32x32x64_f8f6f4 takes its operands for (CDNA4 Instruction Set Architecture: CBSZ of A, BLGP of B; 0 is not printed).
FORMATS = {"Fp8E4m3": 0, "MxFp8E4m3": 0, "Fp8E5m2": 1, "MxFp8E5m2": 1, "Fp6E2m3": 2, "MxFp6E2m3": 2, "Fp6E3m2": 3, "MxFp6E3m2": 3, "Fp4E2m1": 4,
           "MxFp4": 4}


def check_formats(where, lines, expected, wrong):
    for line in lines:
        if "f8f6f4" in line:
            found = [int((re.search(rf"\b{operand}:(\d)", line) or [0, 0])[1]) for operand in ("cbsz", "blgp")]
            if found != [expected, expected]:
                wrong.append(f"{where}: takes operands for formats {found}, not {expected}: {line}")


def check_compute(source, arch, kernels, table, mca, folder, wrong):
    for name, expected in table.items():
        matches = [kernel for kernel in kernels if f"{len(name)}{name}E" in kernel.name]
        where = f"{source}, {name}, {arch}"
        if len(matches) != 1:
            wrong.append(f"{where}: {len(matches)} kernels of that name")
            continue
        registers, waves = check_resources(where, CHIPS[arch], matches[0], expected.blocks, wrong)
        lines = check_loop(where, matches[0], expected, wrong)
        rate = check_rate(where, arch, lines, expected, mca, folder, wrong) if lines else ""
        if lines and any("f8f6f4" in claim for claim in expected.claims):
            check_formats(where, lines, FORMATS[name], wrong)
        print(f"{where}: {registers} registers, {waves} waves a SIMD{rate}")
    if len(kernels) != len(table):
        wrong.append(f"{source}, {arch}: {len(kernels)} kernels, but {len(table)} in the table of this test")


def check_accesses(where, kernel, claims, wrong):
    first = next(iter(claims))
    lines = max(innermost_loops(kernel.lines), key=lambda inner: operations(inner)[first], default=[])
    accesses = {name: count for name, count in operations(lines).items() if MEMORY.match(name)}
    if accesses != claims:
        wrong.append(f"{where}: the loop has {accesses}, not {claims}")
    wide = [name for name in (LOAD, LDS) if name in claims]
    before = 0
    for line in lines:
        if re.match(r"s_waitcnt\b.*(vmcnt|lgkmcnt)", line) and before:
            break
        before += bool(wide) and line.startswith(wide[0])
    if wide and before < min(8, claims[wide[0]]):
        wrong.append(f"{where}: the first wait comes after {before} loads")


def check_streams(source, arch, kernels, table, wrong):
    for name, claims in table.items():
        matches = [kernel for kernel in kernels if re.search(rf"\d{name}", kernel.name)]
        where = f"{source}, {name}, {arch}"
        if len(matches) != 1:
            wrong.append(f"{where}: {len(matches)} kernels of that name")
            continue
        registers, waves = check_resources(where, CHIPS[arch], matches[0], NEAR_BLOCKS if "near" in source else 1, wrong)
        if claims:
            check_accesses(where, matches[0], claims, wrong)
        if name in PAST_L1:
            loads = [line for line in matches[0].lines if "global_load_dwordx2" in line and "off" in line.split()]
            past = [bool(re.search(r"\b(glc|sc1)\b", line)) for line in loads]
            if not past or sum(past) < 16 * PAST_L1[name] or (any(past) and not PAST_L1[name]):
                wrong.append(f"{where}: {sum(past)} of {len(past)} loads miss L1")
        print(f"{where}: {registers} registers, {waves} waves a SIMD")
    if len(kernels) != len(table):
        wrong.append(f"{source}, {arch}: {len(kernels)} kernels, but {len(table)} in the table of this test")


# The kernel of the GPU tests that says where it runs, and the registers that it reads: all 32 bits, by name or by number.
PLACES = "tests/gpu/dealt_blocks.cpp"
PLACE_REGISTERS = {"gfx90a": ["HW_REG_HW_ID"], "gfx942": ["HW_REG_HW_ID", "HW_REG_XCC_ID"], "gfx950": ["HW_REG_HW_ID", "HW_REG_XCC_ID"],
                   "gfx1100": ["HW_REG_HW_ID1"]}


def check_places(arch, kernels, wrong):
    if len(kernels) != 1:
        wrong.append(f"{PLACES}, {arch}: {len(kernels)} kernels, not one")
        return
    read = [line for line in kernels[0].lines if line.startswith("s_getreg_b32")]
    for register in PLACE_REGISTERS[arch]:
        if not any(re.search(rf"hwreg\({register}(, 0, 32)?\)", line) for line in read):
            wrong.append(f"{PLACES}, {arch}: does not read {register}: {read}")


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    hipcc = find_hipcc()
    mca = find_mca(hipcc)
    if not mca:
        print("no llvm-mca beside the compiler: rates are not compared")
    wrong = []
    known = {arch for arch in CHIPS if knows(hipcc, arch)}
    wrong += [f"{hipcc} does not compile for {arch}" for arch in ("gfx90a", "gfx942") if arch not in known]
    tabled = {source for source, _ in EXPECTED} | STREAMS.keys()
    for path in [*(root / "backends/gpu/kernels").glob("*.cpp"), *(root / "backends/hip/kernels").glob("*.cpp")]:
        if str(path.relative_to(root)) not in tabled:
            wrong.append(f"{path.relative_to(root)}: not in the table of this test")
    for (source, arch), table in EXPECTED.items():
        if arch in known:
            check_compute(source, arch, compile_kernels(hipcc, root, folder, source, arch), table, mca, folder, wrong)
        else:
            print(f"{source}: the compiler does not know {arch}")
    for source, table in STREAMS.items():
        for arch in ("gfx90a", "gfx942"):
            check_streams(source, arch, compile_kernels(hipcc, root, folder, source, arch), table, wrong)
    for arch in PLACE_REGISTERS:
        if arch in known:
            check_places(arch, compile_kernels(hipcc, root, folder, PLACES, arch), wrong)
    for line in wrong:
        print("WRONG: " + line)
    sys.exit(1 if wrong else 0)


main()
