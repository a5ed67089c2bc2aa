#!/usr/bin/env python3
"""sass.py CUOBJDUMP PROGRAM ARCH: how often each machine instruction occurs in each ceiling kernel of a CUDA program or cubin built for ARCH (80,
90a, 100), as CSV on standard output: kernel,opcode,count. It needs no GPU. The exit code is 1, with a line on standard error, where a compute
kernel is missing or has its instruction less often than its loop claims; 2 where cuobjdump fails.

sass.py --loops REGEX CUBIN: the innermost loops of the kernels whose mangled name matches: instructions, loads of 16 bytes that are under way at
once, and how often each opcode occurs. It takes nvdisasm: the one that NVDISASM names, that is in PATH, or that sass.py --fetch brought.

sass.py --fetch: downloads Debian's nvidia-cuda-toolkit (84 MB) into the user's cache folder, unpacks its nvdisasm there, installs nothing, and
prints where it is. An nvdisasm older than the cubin's toolkit refuses the file, but it reads the bare instructions that are taken out of it."""
import collections
import csv
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# What the loop of a compute ceiling is made of, as opcode with its modifiers, and how often. Moves and additions that are multiplications by
# name (IMAD.MOV, HFMA2 of constants) do not count, or not often enough.
VECTOR = {
    "chain_kernel<Fp64>": (r"DFMA", 256),
    "chain_kernel<Fp32>": (r"FFMA", 256),
    "chain_kernel<Fp16>": (r"HFMA2(\.MMA)?", 256),
    "chain_kernel<Bf16>": (r"HFMA2(\.MMA)?\.BF16.*", 256),
    "chain_kernel<Int8>": (r"IDP\.4A.*", 256),
    "chain_kernel<Int32>": (r"IMAD", 256),
    "chain_kernel<ExpFp32>": (r"MUFU\.EX2", 128),
    "chain_kernel<ExpFp64>": (r"DFMA", 8),
    "chain_kernel<ConvertFp16>": (r"F2FP.*", 128),
    "chain_kernel<ConvertBf16>": (r"F2FP.*", 128),
}
WARP = {
    "warp_product_kernel<Fp64>": (r"DMMA.*", 16),
    "warp_product_kernel<Tf32>": (r"HMMA.*TF32.*", 16),
    "warp_product_kernel<Fp16>": (r"HMMA.*", 16),
    "warp_product_kernel<Fp16InFp16>": (r"HMMA.*", 16),
    "warp_product_kernel<Bf16>": (r"HMMA.*BF16.*", 16),
    "warp_product_kernel<Int8>": (r"IMMA.*", 16),
}
CLAIMS = {
    "80": VECTOR | WARP | {"warp_product_kernel<Int4>": (r"IMMA.*", 16)},
    "90a": VECTOR | WARP | {
        "warp_product_kernel<Fp64Wide>": (r"DMMA.*", 8),
        "wgmma_kernel<Tf32>": (r"HGMMA.*TF32.*", 8),
        "wgmma_kernel<Fp16>": (r"HGMMA.*", 8),
        "wgmma_kernel<Fp16InFp16>": (r"HGMMA.*", 8),
        "wgmma_kernel<Bf16>": (r"HGMMA.*BF16.*", 8),
        "wgmma_kernel<E4m3>": (r"QGMMA.*", 8),
        "wgmma_kernel<E5m2>": (r"QGMMA.*", 8),
        "wgmma_kernel<Int8>": (r"IGMMA.*", 8),
    },
    "100": VECTOR,
}
COMPUTE = ("chain_kernel<", "warp_product_kernel<", "wgmma_kernel<")
CEILING = "_ZN5gable3gpu"  # the namespace of the ceilings' kernels, mangled
FUNCTION = re.compile(r"\s*Function : (\S+)")
# /*0010*/ @!P0 IMAD.WIDE R2, R0, R7, c[0x0][0x168] ; the second half of the encoding stands alone in a comment
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")


def count(lines):
    """{mangled name of a ceiling kernel: {opcode: how often}}"""
    found = {}
    counts = None
    for line in lines:
        function = FUNCTION.match(line)
        if function:
            name = function.group(1)
            counts = found.setdefault(name, collections.Counter()) if name.startswith(CEILING) else None
            continue
        instruction = INSTRUCTION.match(line) if counts is not None else None
        if instruction:
            counts[instruction.group(1)] += 1
    return found


def short_names(names):
    """gable::gpu::(anonymous namespace)::read_kernel(…) -> read_kernel, chain_kernel<…::Fp64>(…) -> chain_kernel<Fp64>"""
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    plain = [re.sub(r"\(anonymous namespace\)::|gable::gpu::", "", text) for text in done.stdout.splitlines()]
    return [re.sub(r"^void ", "", text).split(">(")[0] + ">" if ">(" in text else text.split("(")[0] for text in plain]


def disassembled(cuobjdump, program):
    with subprocess.Popen([cuobjdump, "-sass", program], stdout=subprocess.PIPE, text=True) as process:
        found = count(process.stdout)
    if process.returncode != 0:
        print(f"sass.py: {cuobjdump} -sass {program} ended with {process.returncode}", file=sys.stderr)
        sys.exit(2)
    return found


def shortfalls(table, claims):
    """A line for each claim that the kernels do not keep."""
    wrong = []
    for kernel, (pattern, least) in claims.items():
        counts = table.get(kernel)
        if counts is None:
            wrong.append(f"{kernel} is missing")
            continue
        seen = sum(number for opcode, number in counts.items() if re.fullmatch(pattern, opcode))
        if seen < least:
            wrong.append(f"{kernel} has {seen} of {pattern}, not {least}")
    wrong += [f"{kernel} has no line in the table of this script" for kernel in table if kernel.startswith(COMPUTE) and kernel not in claims]
    return wrong


# What a test says that needs a disassembler and finds none.
NOT_READ = "no nvdisasm here, so no machine code was read: scripts/sass.py --fetch brings one where Debian's packages can be had"


def cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gable", "nvdisasm")


def find_nvdisasm():
    """Path of a disassembler, or None."""
    for path in (os.environ.get("NVDISASM"), shutil.which("nvdisasm"), os.path.join(cache(), "usr/bin/nvdisasm")):
        if path and os.path.exists(path):
            return path
    return None


def fetch():
    """Debian keeps the package in a part of its archive that is not switched on by default: apt reads lists of its own here."""
    with tempfile.TemporaryDirectory() as folder:
        for part in ("parts", "lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, part))
        for source in glob.glob("/etc/apt/sources.list.d/*.sources"):
            with open(source) as given, open(os.path.join(folder, "parts", os.path.basename(source)), "w") as written:
                written.write(re.sub(r"(?m)^Components:.*$", "Components: main contrib non-free", given.read()))
        apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={folder}/parts",
               "-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache"]
        for command in ([*apt, "update"], [*apt, "download", "nvidia-cuda-toolkit"]):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"sass.py: {' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
        os.makedirs(cache(), exist_ok=True)
        for package in glob.glob(os.path.join(folder, "*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, cache()], check=True)


def kernels(cubin):
    """(mangled name, machine code) of every kernel of a cubin, which is a 64-bit ELF file."""
    with open(cubin, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        sys.exit(f"sass.py: {cubin} is no cubin (nvcc -cubin makes one)")
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    for name, _, _, _, at, length, *_ in sections:
        begin = sections[names][4] + name
        text = data[begin:data.index(b"\0", begin)].decode()
        if text.startswith(".text."):
            yield text[len(".text."):], data[at:at + length]


Instruction = collections.namedtuple("Instruction", "address opcode operands")
# Instructions of sm_90 that Debian's disassembler does not know, by the low 12 bits of their encoding.
LATER = {0x836: "VIADD", 0x9F3: "QGMMA"}
LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")


def instructions(nvdisasm, code, arch="SM90"):
    """Of a kernel's machine code, in order."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        done = subprocess.run([nvdisasm, "-b", arch, file.name], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sass.py: {nvdisasm} ended with {done.returncode}: {done.stderr.strip()}")
    known = {}
    for line in done.stdout.splitlines():
        found = LINE.match(line)
        if found:
            known[int(found[1], 16)] = Instruction(int(found[1], 16), found[2], found[3].strip())
    # An older disassembler leaves out what it does not know, but it counts.
    for address in range(0, max(known, default=0), 16):
        if address not in known:
            number = struct.unpack_from("<H", code, address)[0] & 0xfff
            known[address] = Instruction(address, LATER.get(number, f"UNKNOWN_{number:03x}"), "")
    return [known[address] for address in sorted(known)]


def spans(body):
    """First and last index of each loop: the target of a backward branch, and the branch."""
    index = {one.address: i for i, one in enumerate(body)}
    found = []
    for i, one in enumerate(body):
        target = re.search(r"(0x[0-9a-f]+)", one.operands) if one.opcode.split(".")[0] == "BRA" else None
        if target and index.get(int(target[1], 16), len(body)) < i:
            found.append((index[int(target[1], 16)], i))
    return found


def innermost(body, chosen):
    """The instructions of each of these spans that has no other of them inside."""
    return [body[a:b + 1] for a, b in chosen if not any((c, d) != (a, b) and a <= c and d <= b for c, d in chosen)]


def loops(body):
    """The innermost loops."""
    return innermost(body, spans(body))


WIDE_LOAD = re.compile(r"LDG\.E(?:\.\w+)*\.128(?:\.\w+)*")


def wide_loads(loop):
    """How many loads of 16 bytes from global memory there are."""
    return sum(WIDE_LOAD.fullmatch(one.opcode) is not None for one in loop)


def wide_loads_under_way(loop):
    """Most of them of which nothing was used yet when the last one was begun."""
    most, waiting = 0, []
    for one in loop:
        registers = {int(number) for number in re.findall(r"\bR(\d+)", one.operands)}
        waiting = [load for load in waiting if not load & registers]
        if WIDE_LOAD.fullmatch(one.opcode):
            first = int(re.match(r"R(\d+)", one.operands)[1])
            waiting.append(set(range(first, first + 4)))
            most = max(most, len(waiting))
    return most


def show_loops(pattern, cubin):
    nvdisasm = find_nvdisasm()
    if nvdisasm is None:
        sys.exit("sass.py: no nvdisasm here: 'sass.py --fetch' brings one where Debian's packages can be had")
    for name, code in kernels(cubin):
        if not re.search(pattern, name):
            continue
        body = instructions(nvdisasm, code)
        print(f"{name}: {len(body)} instructions")
        for loop in loops(body):
            counts = collections.Counter(one.opcode for one in loop).most_common()
            print(f"  loop of {len(loop)}, {wide_loads_under_way(loop)} wide loads under way: " + ", ".join(f"{o} {n}" for o, n in counts))


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if sys.argv[1:] == ["--fetch"]:
        if find_nvdisasm() is None:
            fetch()
        print(find_nvdisasm())
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "--loops":
        show_loops(*sys.argv[2:])
        return 0
    if len(sys.argv) != 4 or sys.argv[3] not in CLAIMS:
        print("usage: sass.py CUOBJDUMP PROGRAM 80|90a|100, sass.py --loops REGEX CUBIN, sass.py --fetch", file=sys.stderr)
        sys.exit(2)
    found = disassembled(sys.argv[1], sys.argv[2])
    table = dict(sorted(zip(short_names(found), found.values()), key=lambda row: row[0])) if found else {}
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["kernel", "opcode", "count"])
    for kernel, counts in table.items():
        writer.writerows((kernel, opcode, number) for opcode, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    wrong = shortfalls(table, CLAIMS[sys.argv[3]])
    for line in wrong:
        print("sass.py: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
