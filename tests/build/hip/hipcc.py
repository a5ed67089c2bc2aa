"""Compiling a unit of HIP to assembly and reading what came out."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

# numbers: .vgpr_count and its like of the code object's metadata, by their names
Kernel = collections.namedtuple("Kernel", "name lines numbers")

# A load of 16 bytes from memory, at the beginning of a line.
WIDE_LOAD = re.compile(r"(global|flat|buffer)_load_(dwordx4|b128)\b")


def find_hipcc():
    """Path of hipcc; ends the test as skipped (77) without one that is new enough."""
    for path in (shutil.which("hipcc"), "/opt/rocm/bin/hipcc"):
        if path and pathlib.Path(path).exists():
            version = re.search(r"HIP version: (\d+)\.", run([path, "--version"]))
            if version and int(version.group(1)) >= 6:
                return path
            print(f"skipped: HIP {version.group(1) if version else '(unknown)'} of {path} is older than 6")
            sys.exit(77)
    print("skipped: no hipcc in PATH or /opt/rocm/bin")
    sys.exit(77)


def find_mca(hipcc):
    """llvm-mca of the compiler that hipcc calls, or None."""
    folder = re.search(r"^InstalledDir: (.+)$", run([hipcc, "--version"]), re.M)
    path = pathlib.Path(folder.group(1)) / "llvm-mca" if folder else None
    return str(path) if path and path.exists() else None


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(" ".join(command) + "\n" + done.stdout + done.stderr)
    return done.stdout + done.stderr


def knows(hipcc, arch):
    """Whether the compiler has that chip."""
    empty = [hipcc, "-x", "hip", f"--offload-arch={arch}", "--offload-device-only", "-nogpulib", "-nogpuinc", "-fsyntax-only", "/dev/null"]
    return subprocess.run(empty, capture_output=True, text=True).returncode == 0


def compile_kernels(hipcc, root, folder, source, arch):
    """The kernels of a unit."""
    folder.mkdir(parents=True, exist_ok=True)
    assembly = folder / f"{pathlib.Path(source).stem}_{arch}.s"
    run([hipcc, "-x", "hip", "-std=c++20", "-O3", f"--offload-arch={arch}", f"-I{root}", f"-I{root}/backends/hip", "-S", "--offload-device-only",
         "-Wno-pass-failed", "-o", str(assembly), str(root / source)])
    return kernels_in(assembly.read_text())


def kernels_in(text):
    """The kernels of an assembly."""
    metadata = {}
    for entry in re.split(r"^  - \.", text[text.index("amdhsa.kernels:"):], flags=re.M)[1:]:
        pairs = dict(re.findall(r"^ *-? *\.?(\w+): +(\S+)$", entry, re.M))
        metadata[pairs["name"]] = {name: int(value) for name, value in pairs.items() if value.isdigit()}
    found = []
    for name, body in re.findall(r"^(_Z\w+):.*?\n(.*?)^\.Lfunc_end", text, re.M | re.S):
        if name in metadata:
            lines = [re.sub(r"\s*;.*", "", line).strip() for line in body.split("\n")]
            found.append(Kernel(name, [line for line in lines if line and not re.match(r"\.(?!L)", line)], metadata[name]))
    return found


def innermost_loops(lines):
    """Lines of every loop that has no other inside, from its label to the branch back to it."""
    labels = {line[:-1]: number for number, line in enumerate(lines) if line.startswith(".L") and line.endswith(":")}
    spans = {}
    for number, line in enumerate(lines):
        branch = re.match(r"s_c?branch\w*\s+(\.L\w+)$", line)
        if branch and labels.get(branch.group(1), number) < number:
            spans[labels[branch.group(1)]] = number
    inner = [(begin, end) for begin, end in spans.items() if not any(begin < other and spans[other] <= end for other in spans)]
    return [lines[begin:end + 1] for begin, end in inner]


def wide_loads_under_way(lines):
    """Most loads of 16 bytes from memory that are under way at once. Accesses to memory end in their order; s_waitcnt vmcnt(n) waits for all but
    the last n of them."""
    most, waiting = 0, []  # of each access under way whether it is such a load
    for line in lines:
        wait = re.match(r"s_waitcnt\b.*\bvmcnt\((\d+)\)", line)
        if wait:
            waiting = waiting[max(0, len(waiting) - int(wait.group(1))):]
        elif re.match(r"(global|flat|buffer|scratch)_(load|store|atomic)", line):
            waiting.append(WIDE_LOAD.match(line) is not None)
            most = max(most, sum(waiting))
    return most


def operations(lines):
    """How often each instruction occurs, without the suffix that says how it is encoded."""
    words = (line.split()[0] for line in lines if not line.endswith(":"))
    return collections.Counter(re.sub(r"_(e32|e64|sdwa|dpp)$", "", word) for word in words)


def slots(mca, arch, lines, folder):
    """Issue slots of an iteration of a loop, as LLVM's model of the chip has them."""
    unit = folder / "loop.s"
    unit.write_text("\n".join(lines) + "\n")
    iterations = 100
    report = run([mca, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", f"-iterations={iterations}", "-instruction-info=0", "-resource-pressure=0", str(unit)])
    return int(re.search(r"Total Cycles: +(\d+)", report).group(1)) / iterations
