"""Compiling a unit of CUDA and reading what came out."""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

Kernel = collections.namedtuple("Kernel", "name body registers spilled")
Unit = collections.namedtuple("Unit", "source arch kernels report cubin")


def find_nvcc():
    """Path of nvcc; ends the test as skipped (77) without one."""
    for path in (shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"):
        if path and pathlib.Path(path).exists():
            return path
    print("skipped: no nvcc in PATH or /usr/local/cuda/bin")
    sys.exit(77)


def ptxas():
    """Path of what nvcc makes machine code with."""
    return str(pathlib.Path(find_nvcc()).with_name("ptxas"))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(" ".join(command) + "\n" + done.stdout + done.stderr)
    return done.stdout + done.stderr


def bodies(ptx):
    """Mangled name -> text of each kernel."""
    parts = re.split(r"\.entry\s+(\w+)\s*\(", ptx)
    return dict(zip(parts[1::2], parts[2::2]))


def resources(report):
    """Mangled name -> (registers, whether anything was spilled or put on a stack), from ptxas -v."""
    found = {}
    for name, text in re.findall(r"entry function '(\w+)'(.*?Used \d+ registers)", report, re.S):
        numbers = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
        registers = int(re.search(r"Used (\d+) registers", text).group(1))
        found[name] = (registers, any(int(number) for number in numbers.groups()))
    return found


def compiled(root, folder, source, arch):
    """A unit compiled for one architecture."""
    keep = folder / f"{pathlib.Path(source).stem}_{arch}"
    keep.mkdir(parents=True, exist_ok=True)
    report = run([find_nvcc(), "-x", "cu", "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-DFMT_USE_CONSTEXPR=1", f"-I{root}",
                  f"-I{root}/backends/cuda", f"-gencode=arch=compute_{arch},code=sm_{arch}", "-Xptxas=-v", "--keep",
                  f"--keep-dir={keep}", "-cubin", "-o", str(keep / "unit.cubin"), str(root / source)])
    used = resources(report)
    ptx = (keep / (pathlib.Path(source).stem + ".ptx")).read_text()
    return Unit(source, arch, [Kernel(name, body, *used[name]) for name, body in bodies(ptx).items()], report, keep / "unit.cubin")


def compile_kernels(root, folder, work):
    """A Unit of each (source, architecture), in order."""
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        yield from pool.map(lambda one: compiled(root, folder, *one), work)
