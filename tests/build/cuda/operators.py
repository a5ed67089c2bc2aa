"""operators.py ROOT FOLDER CXX KOKKOS_INCLUDES CUDA_FLAGS SHIM: what nvcc makes of the operators' kernels and of the portable streams for
sm_90. No kernel of this project spills or has a frame in memory. Elementwise and row kernels read 16 bytes at once. Products and attention copy asynchronously, 16 bytes at a time, and
multiply on the matrix unit (fp64, fp16, bf16) or by plain fma (fp32; never tf32). KOKKOS_INCLUDES is a list separated by ';'; SHIM is 1
where these headers are not a CUDA Kokkos and kokkos_gpu/ has to make them one."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from nvcc import bodies, find_nvcc, resources, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from operator_kernels import Tally, origin_of, units

WIDE = r"\.global(?:\.\w+)*\.v(?:4\.[ubf]32|2\.[ubf]64)\b"
MULTIPLY = {
    "d": r"mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64\b",
    "f": r"fma\.rn\.f32\b",
    "a": r"mma\.sync\.aligned\.m16n8k32\.row\.col\.s32\.s8\.s8\.s32\b",
    "Fp16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32\b",
    "Bf16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32\b",
}


def needs_of(origin):
    """Patterns that a kernel's PTX must contain."""
    if origin.type:
        return [MULTIPLY[origin.type], r"cp\.async\.cg\.shared\.global \[[^]]+\], \[[^]]+\], 16\b"]
    both = ["ld" + WIDE, "st" + WIDE]
    return {"Elementwise": both, "Copy": both, "Triad": both, "TeamRows": both[:1], "Sum": both[:1]}.get(origin.driver, [])


def compiled(command, source, folder):
    """(source, PTX, ptxas' report, s it took)"""
    start = time.monotonic()
    keep = folder / pathlib.Path(source).stem
    keep.mkdir(parents=True, exist_ok=True)
    report = run(command + ["-Xptxas=-v", "--keep", f"--keep-dir={keep}", "-cubin", "-o", str(keep / "unit.cubin"), source])
    return source, (keep / (pathlib.Path(source).stem + ".ptx")).read_text(), report, time.monotonic() - start


def check(source, ptx, report, wrong):
    """Origins of the unit's kernels."""
    origins = []
    used = resources(report)
    if "tf32" in ptx:
        wrong.append(f"{source}: uses tf32")
    for name, body in bodies(ptx).items():
        origin = origin_of(name, "Cuda")
        if origin is None:
            continue
        origins.append(origin)
        if used[name][1]:
            wrong.append(f"{source}: {name} spills or has a frame in memory")
        wrong += [f"{source}: {name} has no {pattern}" for pattern in needs_of(origin) if not re.search(pattern, body)]
        if origin.type == "f" and "mma.sync" in body:
            wrong.append(f"{source}: {name} multiplies fp32 on the matrix unit")
    return origins


def refused(nvcc, includes, flags):
    """Why these Kokkos headers cannot be compiled by this nvcc; empty if they can."""
    found = subprocess.run(["grep", "-rhoE", "#define KOKKOS_VERSION [0-9]+", *includes], capture_output=True, text=True).stdout
    version = int((re.findall(r"\d+", found) or ["0"])[0])
    toolkit = int(re.search(r"release (\d+)\.", run([nvcc, "--version"])).group(1))
    if version < 50000 and toolkit >= 13 and not flags:
        return f"Kokkos {version} needs CMAKE_CUDA_FLAGS with a header that gives it the calls CUDA {toolkit} changed"
    return ""


def main():
    root, folder, cxx, includes, flags, shim = sys.argv[1:7]
    includes = [path for path in includes.split(";") if path]
    nvcc = find_nvcc()
    reason = refused(nvcc, includes, flags)
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    os.chdir(root)
    command = [nvcc, "-x", "cu", "-std=c++20", "-O3", "-ccbin", cxx, "-arch=sm_90", "-I.", "-DFMT_USE_CONSTEXPR=1",
               "-DKOKKOS_DEPENDENCE", "--expt-relaxed-constexpr", "-extended-lambda", "-Wext-lambda-captures-this", "-Xcompiler=-fopenmp",
               *shlex.split(flags)]
    if shim == "1":
        command += [f"-I{root}/tests/build/kokkos_gpu", "-DKOKKOS_ENABLE_CUDA", "-DKOKKOS_ARCH_HOPPER", "-DKOKKOS_ARCH_HOPPER90",
                    "-DDESUL_ATOMICS_ENABLE_CUDA"]
    command += [word for path in includes for word in ("-isystem", path)]
    wrong, tally = [], Tally()
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        for done in [pool.submit(compiled, command, source, pathlib.Path(folder)) for source in units()]:
            source, ptx, report, seconds = done.result()
            print(f"{source}: {seconds:.1f} s")
            tally.add_unit(source, check(source, ptx, report, wrong), wrong)
    tally.finish(wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
