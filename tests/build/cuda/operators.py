"""operators.py ROOT FOLDER CXX KOKKOS_INCLUDES CUDA_FLAGS SHIM: what nvcc makes of the operators' kernels and of the portable streams for
sm_90. Nothing spills. Elementwise and row kernels read 16 bytes at once. Products and attention copy asynchronously, 16 bytes at a time, and
multiply on the matrix unit (fp64, fp16, bf16) or by plain fma (fp32; never tf32). KOKKOS_INCLUDES is a list separated by ';'; SHIM is 1
where these headers are not a CUDA Kokkos and kokkos_gpu/ has to make them one."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

from nvcc import bodies, find_nvcc, resources, run

WIDE = r"\.global(?:\.\w+)*\.v(?:4\.[ubf]32|2\.[ubf]64)\b"
MULTIPLY = {
    "d": r"mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64\b",
    "f": r"fma\.rn\.f32\b",
    "Fp16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32\b",
    "Bf16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32\b",
}
TYPED_BLOCK = re.compile(r"(?:Product|Attention)BlockIN\w*?CudaMachineE(?:(?P<plain>[df])|\w*?4(?P<half>Fp16|Bf16)E)")


def needs_of(name):
    """Patterns that a kernel's PTX must contain, by its mangled name; None for kernels that this test knows nothing about."""
    block = TYPED_BLOCK.search(name)
    if block:
        return [MULTIPLY[block.group("plain") or block.group("half")], r"cp\.async\.cg\.shared\.global \[[^]]+\], \[[^]]+\], 16\b"]
    if "Elementwise" in name:
        return ["ld" + WIDE, "st" + WIDE]
    if "TeamRows" in name:
        return ["ld" + WIDE]
    if re.search(r"gable6kokkos\w*(?:4Copy|5Triad)E", name):
        return ["ld" + WIDE, "st" + WIDE]
    if re.search(r"gable6kokkos\w*3SumE", name):
        return ["ld" + WIDE]
    return None


def compiled(command, source, folder):
    """(source, PTX, ptxas' report)"""
    keep = folder / pathlib.Path(source).stem
    keep.mkdir(parents=True, exist_ok=True)
    report = run(command + ["-Xptxas=-v", "--keep", f"--keep-dir={keep}", "-cubin", "-o", str(keep / "unit.cubin"), source])
    return source, (keep / (pathlib.Path(source).stem + ".ptx")).read_text(), report


def check(source, ptx, report, wrong):
    known = 0
    for name, (_, spilled) in spills(report).items():
        if spilled:
            wrong.append(f"{source}: {name} spills")
    if "tf32" in ptx:
        wrong.append(f"{source}: uses tf32")
    for name, body in bodies(ptx).items():
        needs = needs_of(name)
        if needs is None:
            continue
        known += 1
        for pattern in needs:
            if not re.search(pattern, body):
                wrong.append(f"{source}: {name} has no {pattern}")
        block = TYPED_BLOCK.search(name)
        if block and block.group("plain") == "f" and "mma.sync" in body:
            wrong.append(f"{source}: {name} multiplies fp32 on the matrix unit")
    # one for each of four storage types; three streams
    if known < (3 if source.endswith("streams.cpp") else 4):
        wrong.append(f"{source}: only {known} kernels that this test knows")


def spills(report):
    """As nvcc.resources(), but a stack frame alone, of an array that a reduction walks, is none."""
    without_frame = re.sub(r"\d+ bytes stack frame", "0 bytes stack frame", report)
    return resources(without_frame)


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
    sources = sorted(str(path) for path in pathlib.Path("operators").glob("*.cpp") if path.name != "common.cpp")
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        work = [pool.submit(compiled, command, source, pathlib.Path(folder)) for source in sources + ["backends/kokkos/streams.cpp"]]
        for done in work:
            check(*done.result(), wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
