"""operators.py ROOT FOLDER KOKKOS_INCLUDES: what ROCm's compiler makes of the operators' kernels and of the portable streams for gfx942, and of
those made of tiles for gfx90a. No kernel spills a vector register or has a frame in memory; scalar registers that go to lanes of vector ones are
reported. Elementwise and row kernels read 16 bytes at once. Products and attention multiply on the matrix cores in all four types (fp32 in fp32)
and read 16 bytes at once from memory and, but for a transposed left operand, from LDS. KOKKOS_INCLUDES is a list separated by ';'; kokkos_gpu/ makes them a HIP Kokkos."""
import concurrent.futures
import os
import pathlib
import re
import sys

from hipcc import find_hipcc, kernels_in, run

TILES = ["operators/attention_fused.cpp", "operators/attention_naive.cpp", "operators/gemm.cpp"]
DEFINES = {
    "gfx942": ["-DKOKKOS_ARCH_AMD_GFX942"],
    "gfx90a": ["-DKOKKOS_ARCH_AMD_GFX90A", "-DKOKKOS_ARCH_VEGA", "-DKOKKOS_ARCH_VEGA90A"],
}
LOAD, STORE = r"global_load_dwordx4\b", r"global_store_dwordx4\b"
MULTIPLY = {
    "d": r"v_mfma_f64_16x16x4_?f64\b",
    "f": r"v_mfma_f32_16x16x4_?f32\b",
    "Fp16": r"v_mfma_f32_16x16x16_?f16\b",
    "Bf16": r"v_mfma_f32_16x16x16_?bf16(?:_1k)?\b",
}
TYPED_BLOCK = re.compile(r"(?:Product|Attention)BlockIN\w*?HipMachineE(?:(?P<plain>[df])|\w*?4(?P<half>Fp16|Bf16)E)")

# A product's block whose left operand lies across the depth, from where a lane gathers its elements one by one.
TRANSPOSED_A = re.compile(r"ProductBlockIN\w*?Lb[01]ELb1E")


def needs_of(name):
    """Patterns that a kernel's assembly must contain, by its mangled name; None for kernels that this test knows nothing about."""
    block = TYPED_BLOCK.search(name)
    if block:
        needs = [MULTIPLY[block.group("plain") or block.group("half")], LOAD, r"ds_write_b128\b"]
        return needs if TRANSPOSED_A.search(name) else needs + [r"ds_read_b128\b"]
    if "Elementwise" in name:
        return [LOAD, STORE]
    if "TeamRows" in name:
        return [LOAD]
    if re.search(r"gable6kokkos\w*(?:4Copy|5Triad)E", name):
        return [LOAD, STORE]
    if re.search(r"gable6kokkos\w*3SumE", name):
        return [LOAD]
    return None


def check(source, arch, assembly, wrong):
    known = 0
    for name, lines, numbers in kernels_in(assembly):
        needs, body = needs_of(name), "\n".join(lines)
        if needs is None:
            continue
        known += 1
        vectors, scalars, frame = numbers["vgpr_spill_count"], numbers["sgpr_spill_count"], numbers["private_segment_fixed_size"]
        print(f"{arch} {numbers['vgpr_count']:4d} registers, {frame:3d} bytes of frame, {scalars:3d} scalars in lanes  {name}")
        if vectors or frame:
            wrong.append(f"{arch} {source}: {name} spills {vectors} registers, its frame is {frame} bytes")
        wrong += [f"{arch} {source}: {name} has no {pattern}" for pattern in needs if not re.search(pattern, body)]
        if "xf32" in body:
            wrong.append(f"{arch} {source}: {name} multiplies fp32 in a shorter type")
    # one for each of four storage types; three streams
    if known < (3 if source.endswith("streams.cpp") else 4):
        wrong.append(f"{arch} {source}: only {known} kernels that this test knows")


def main():
    root, folder, includes = sys.argv[1:4]
    hipcc = find_hipcc()
    os.chdir(root)
    command = [hipcc, "-x", "hip", "-std=c++20", "-O3", "-fopenmp=libomp", "-I.", f"-I{root}/tests/build/kokkos_gpu", "-DKOKKOS_ENABLE_HIP",
               "-DDESUL_ATOMICS_ENABLE_HIP", "-DKOKKOS_DEPENDENCE", "-Wno-pass-failed", "-S", "--offload-device-only"]
    command += [word for path in includes.split(";") if path for word in ("-isystem", path)]
    sources = sorted(str(path) for path in pathlib.Path("operators").glob("*.cpp") if path.name != "common.cpp")
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)

    def compiled(source, arch):
        out = pathlib.Path(folder) / f"{pathlib.Path(source).stem}_{arch}.s"
        run(command + DEFINES[arch] + [f'-DKOKKOS_ARCH_AMD_GPU="{arch}"', f"--offload-arch={arch}", "-o", str(out), source])
        return source, arch, out.read_text()

    wrong = []
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        units = [(source, "gfx942") for source in sources + ["backends/kokkos/streams.cpp"]] + [(source, "gfx90a") for source in TILES]
        for done in [pool.submit(compiled, *unit) for unit in units]:
            check(*done.result(), wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
