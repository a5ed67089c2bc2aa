"""operators.py ROOT FOLDER KOKKOS_INCLUDES: what ROCm's compiler makes of the operators' kernels and of the portable streams for gfx942, and of those
made of tiles for gfx90a, gfx950 and gfx1100. No kernel of this project spills a vector register, has a frame in memory, or a functor of 512 bytes or
more; scalar registers that go to lanes of vector ones are reported. Elementwise and row kernels read 16 bytes at once. Products and attention
multiply on the matrix cores in all four types (fp32 in fp32; gfx1100: products of fp16, bf16 and int8) and read 16 bytes at once from memory and, but
for a transposed left operand, from LDS. Every form of a product is there. On gfx90a and gfx942 products and attention leave the registers for two
waves of a SIMD, on gfx942 row operators those for four, but for the quantised gemv. There every loop of row operators, reductions and the portable
sum that has four loads of 16 bytes or more has four under way, of 4, 8 and 12 all, whether it stores or not, and so have at least half of all loops
that load so. Elementwise kernels and the loops of row kernels divide no 64-bit integers. KOKKOS_INCLUDES is a list separated by ';'; kokkos_gpu/
makes them a HIP Kokkos, whose headers are compiled once."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

from hipcc import WIDE_LOAD, find_hipcc, innermost_loops, kernels_in, run, wide_loads_under_way

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from operator_kernels import TILES as TILE_KERNELS
from operator_kernels import READERS, STEP_BY_STEP, Tally, check_loads, forms, origin_of, passed_otherwise, sources

TILES = ["operators/attention_fused.cpp", "operators/attention_naive.cpp", "operators/gemm.cpp"]
TILES_OF = {
    "gfx90a": TILES,
    "gfx950": TILES + ["operators/gemm_int8.cpp"],
    "gfx1100": ["operators/attention_decode.cpp", "operators/attention_naive.cpp", "operators/gemm.cpp", "operators/gemm_int8.cpp", TILE_KERNELS],
}
DEFINES = {
    "gfx942": ["-DKOKKOS_ARCH_AMD_GFX942"],
    "gfx90a": ["-DKOKKOS_ARCH_AMD_GFX90A", "-DKOKKOS_ARCH_VEGA", "-DKOKKOS_ARCH_VEGA90A"],
    "gfx950": ["-DKOKKOS_ARCH_AMD_GFX950"],
    "gfx1100": ["-DKOKKOS_ARCH_AMD_GFX1100", "-DKOKKOS_ARCH_NAVI", "-DKOKKOS_ARCH_NAVI1100"],
}
# Loads and stores of 16 bytes from and to memory, writes and reads of LDS; RDNA3 names them otherwise.
NAMES = r"global_load_dwordx4\b", r"global_store_dwordx4\b", r"ds_write_b128\b", r"ds_read_b128\b"
NAMES_1100 = r"global_load_b128\b", r"global_store_b128\b", r"ds_store_b128\b", r"ds_load_b128\b"
MULTIPLY = {
    "d": r"v_mfma_f64_16x16x4_?f64\b",
    "f": r"v_mfma_f32_16x16x4_?f32\b",
    "a": r"v_mfma_i32_16x16x32_?i8\b",
    "Fp16": r"v_mfma_f32_16x16x16_?f16\b",
    "Bf16": r"v_mfma_f32_16x16x16_?bf16(?:_1k)?\b",
}

# The same on gfx950: types of two bytes and of one take 16 bytes of a lane at once, which is its full rate.
MULTIPLY_950 = MULTIPLY | {
    "a": r"v_mfma_i32_16x16x64_?i8\b",
    "Fp16": r"v_mfma_f32_16x16x32_?f16\b",
    "Bf16": r"v_mfma_f32_16x16x32_?bf16\b",
}
MULTIPLY_1100 = {"a": r"v_wmma_i32_16x16x16_iu8\b", "Fp16": r"v_wmma_f32_16x16x16_f16\b", "Bf16": r"v_wmma_f32_16x16x16_bf16\b"}
MULTIPLY_OF = {"gfx950": MULTIPLY_950, "gfx1100": MULTIPLY_1100}
# And what gfx950 must not multiply by: instructions of half that depth.
HALF_DEPTH = re.compile(r"v_mfma_(?:f32_16x16x16_?b?f16|i32_16x16x32_?i8)")

# What must be there of products and attention.
FLOATS = ("d", "f", "Fp16", "Bf16")
BY_WAVES = forms("Product", "Hip", FLOATS) | forms("Attention", "Hip", FLOATS)
INT8 = forms("Product", "Hip", ("a",))
REQUIRED = {"gfx942": BY_WAVES | INT8, "gfx90a": BY_WAVES, "gfx950": BY_WAVES | INT8, "gfx1100": forms("Product", "Rdna3", ("a", "Fp16", "Bf16"))}

# Registers of a lane, those of accumulation among them, with which two waves share a SIMD of CDNA, which has 512. The epilogue of fp64 with a
# GELU needs more, so its blocks ask for room for one (docs/kernels.md).
TWO_WAVES = 256
ONE_WAVE = re.compile(r"ProductBlockIN\w*?MachineEdLb[01]ELb[01]EN\w*?8BiasGelu")

# The same with which four waves do: no row operator needs more but the quantised gemv, whatever its launch bounds allow.
FOUR_WAVES = 128
# In the reciprocal by which the compiler begins a division of 64-bit integers: the greatest float below 2^64.
DIVISION = re.compile(r"0x5f7ffffc\b")

# Registers of a lane with which six waves of 32 share a SIMD of RDNA3, which has 1536 of them and hands them out by 24.
SIX_WAVES = 240

# A product's block whose left operand lies across the depth, from where a lane gathers its elements one by one.
TRANSPOSED_A = re.compile(r"ProductBlockIN\w*?Lb[01]ELb1E")


def needs_of(name, origin, arch):
    """Patterns that a kernel's assembly must contain."""
    load, store, lds_write, lds_read = NAMES_1100 if arch == "gfx1100" else NAMES
    if origin.type:
        needs = [MULTIPLY_OF.get(arch, MULTIPLY)[origin.type], load, lds_write]
        return needs if TRANSPOSED_A.search(name) else needs + [lds_read]
    both = [load, store]
    return {"Elementwise": both, "HeldRows": both, "Copy": both, "Triad": both, "TeamRows": [load], "Sum": [load]}.get(origin.driver, [])


def check_reads(where, name, driver, lines, wrong):
    """Loads under way, and divisions where there must be none: in the loops over a row of a row kernel, anywhere in an elementwise one."""
    loops = innermost_loops(lines) if driver in READERS else []
    divided = "\n".join(lines if driver == "Elementwise" else [line for loop in loops for line in loop])
    if DIVISION.search(divided):
        wrong.append(f"{where}: {name} divides 64-bit integers for each element or step")
    if driver in READERS:
        check_loads(where, name, [(wide_loads_under_way(loop), sum(WIDE_LOAD.match(line) is not None for line in loop)) for loop in loops], wrong)


def check(source, arch, assembly, wrong):
    """Origins of the unit's kernels."""
    origins = []
    for name, lines, numbers in kernels_in(assembly):
        origin, body = origin_of(name), "\n".join(lines)
        if origin is None:
            continue
        origins.append(origin)
        vectors, scalars, frame = numbers["vgpr_spill_count"], numbers["sgpr_spill_count"], numbers["private_segment_fixed_size"]
        print(f"{arch} {numbers['vgpr_count']:4d} registers, {frame:3d} bytes of frame, {scalars:3d} scalars in lanes  {name}")
        if passed_otherwise(name):
            wrong.append(f"{arch} {source}: {name} has a functor of 512 bytes or more")
        if vectors or frame:
            wrong.append(f"{arch} {source}: {name} spills {vectors} registers, its frame is {frame} bytes")
        wrong += [f"{arch} {source}: {name} has no {pattern}" for pattern in needs_of(name, origin, arch) if not re.search(pattern, body)]
        if arch == "gfx942":
            check_reads(f"{arch} {source}", name, origin.driver, lines, wrong)
        if arch == "gfx942" and origin.driver in ("TeamRows", "HeldRows") and numbers["vgpr_count"] > FOUR_WAVES and not STEP_BY_STEP.search(name):
            wrong.append(f"{arch} {source}: {numbers['vgpr_count']} registers of {name} leave no room for four waves of a SIMD")
        if arch in ("gfx90a", "gfx942") and origin.type and numbers["vgpr_count"] > TWO_WAVES and not ONE_WAVE.search(name):
            wrong.append(f"{arch} {source}: {numbers['vgpr_count']} registers of {name} leave no room for two waves of a SIMD")
        if arch == "gfx1100" and origin.type and numbers["vgpr_count"] > SIX_WAVES:
            wrong.append(f"{arch} {source}: {numbers['vgpr_count']} registers of {name} leave no room for six waves of a SIMD")
        if arch == "gfx950" and origin.type and HALF_DEPTH.search(body):
            wrong.append(f"{arch} {source}: {name} multiplies by instructions of half the rate")
        if "xf32" in body:
            wrong.append(f"{arch} {source}: {name} multiplies fp32 in a shorter type")
    return origins


def precompiled(command, folder, arch):
    """Arguments that give a unit Kokkos' headers, compiled once: they are most of what most units consist of. None from a compiler that cannot."""
    header, result = folder / f"kokkos_{arch}.cpp", folder / f"kokkos_{arch}.pch"
    header.write_text("#include <Kokkos_Core.hpp>\n")
    done = subprocess.run(command + ["-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(result), str(header)], capture_output=True)
    return ["-Xclang", "-include-pch", "-Xclang", str(result)] if done.returncode == 0 else []


def main():
    root, folder, includes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    hipcc = find_hipcc()
    os.chdir(root)
    folder.mkdir(parents=True, exist_ok=True)
    general = [hipcc, "-x", "hip", "-std=c++20", "-O3", "-fopenmp=libomp", "-I.", f"-I{root}/tests/build/kokkos_gpu", "-DKOKKOS_ENABLE_HIP",
               "-DDESUL_ATOMICS_ENABLE_HIP", "-DKOKKOS_DEPENDENCE", "-Wno-pass-failed", "--offload-device-only"]
    general += [word for path in includes.split(";") if path for word in ("-isystem", path)]
    command = {arch: general + defines + [f'-DKOKKOS_ARCH_AMD_GPU="{arch}"', f"--offload-arch={arch}"] for arch, defines in DEFINES.items()}
    headers = {arch: precompiled(command[arch], folder, arch) for arch in command}

    def compiled(source, arch):
        out, start = folder / f"{pathlib.Path(source).stem}_{arch}.s", time.monotonic()
        run(command[arch] + headers[arch] + ["-S", "-o", str(out), source])
        return source, arch, out.read_text(), time.monotonic() - start

    wrong, tally = [], Tally()
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        work = [(source, "gfx942") for source in sources()] + [(source, arch) for arch, tiles in TILES_OF.items() for source in tiles]
        for done in [pool.submit(compiled, *unit) for unit in work]:
            source, arch, assembly, seconds = done.result()
            print(f"{arch} {source}: {seconds:.1f} s")
            tally.add_source(source, arch, check(source, arch, assembly, wrong), wrong)
    tally.finish(REQUIRED, wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
