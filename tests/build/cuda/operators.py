"""operators.py ROOT FOLDER CXX KOKKOS_INCLUDES CUDA_FLAGS SHIM [machine_code] [BUILD]: what nvcc makes of the operators' kernels and of the portable streams
for sm_90a, and of products and attention for sm_80, which has neither wgmma nor the wide product of fp64. Every form of a product is there. No kernel
of this project spills, has a frame in memory (but for three products of sm_80), or a functor of 512 bytes or more. Elementwise and row kernels read
16 bytes at once. Products and attention copy asynchronously, 16 bytes at a time, and multiply on the matrix unit (fp64, fp16, bf16, int8) or by plain
fma (fp32; never tf32; what runs along the depth of a product is copied 4 bytes at a time). So does decode attention in fp16, bf16 and int8, which it
multiplies as fp16. Products of 2-byte types, int8 and fp8 have another kernel for warpgroups (wgmma), which ptxas does not serialise. Elementwise
kernels and the loops of row kernels divide no 64-bit integers. In the machine code, where there is a disassembler (scripts/sass.py), every loop of
row operators, reductions and the portable sum that has four loads of 16 bytes or more has four under way, of 4, 8 and 12 all, and so have at least
half of all loops that load so; products of 2-byte types by warps have at most 55 instructions beside 32 mma.sync, their loads and copies in their
main loop, those of fp32 35 beside 512 fma, and products by wgmma 30 beside each, the copies and a fence, begin,
commit and wait for each four. Attention in 2-byte types and fp32 has one instruction for each exponential, and on whole blocks at most 20 beside each
copy of 16 bytes, none of them a 64-bit multiplication. Attention by wgmma waits for the products of values behind the exponentials that they hide, and
has at most 11 instructions for each score. Kernels that hold rows in registers have at most 20 instructions for each element, softmax
one exponential. With machine_code it has to be read. Sources that share kernels are compiled in one unit. KOKKOS_INCLUDES is a list separated by ';'; SHIM is 1 where these
headers are not a CUDA Kokkos and kokkos_gpu/ has to make them one. BUILD is a build folder of tests/gpu/emulated for sm_90a: the PTX that its objects
hold is read, and not compiled a second time."""
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from nvcc import bodies, find_nvcc, ptxas, resources, run

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "scripts")]
import sass
from operator_kernels import LOADS_UNDER_WAY, READERS, TILES, Tally, check_loads, forms, is_of, origin_of, passed_otherwise, sources
from ptx import loops as ptx_loops

# Those of these share kernels; the others are about as many.
PRODUCTS = re.compile(r"/(gemm|mlp|attention|tile)[^/]*$")
# Built for sm_80 too.
OF_80 = ["operators/attention_fused.cpp", "operators/gemm.cpp", "operators/gemm_int8.cpp", TILES]
FLOATS = ("d", "f", "Fp16", "Bf16")
BY_WARPS = forms("Product", "Cuda", (*FLOATS, "a")) | forms("Attention", "Cuda", FLOATS)
BY_GROUPS = forms("Product", "Hopper", ("Fp16", "Bf16", "a", "Fp8E4m3")) | forms("Attention", "Hopper", ("Fp16", "Bf16"))
DECODE = forms("DecodeTile", "Cuda", ("Fp16", "Bf16", "a"))
REQUIRED = {"90a": BY_WARPS | BY_GROUPS | DECODE, "80": BY_WARPS}

# On sm_80 two blocks of these leave a thread 128 registers, and ptxas puts so many bytes of a frame aside (docs/status.md).
FRAME_80 = {"Fp16": 48, "Bf16": 48, "a": 56}

DIVISION = re.compile(r"(div|rem)\.[su]64\b")
# Of the twelve loads of the loop that writes its result, one waits, because 64 registers are all that a thread has: more threads are worth more.
ALL_BUT_ONE = re.compile(r"ResidualLayernormBodyIfE")
# {type: (what multiplies, how many of them, how many instructions beside them, their loads and copies the main loop of a product may have)}. A
# multiprocessor issues four instructions a cycle, and 32 mma.sync.m16n8k16 take about 64 cycles of a matrix unit; of fp32, which is multiplied by
# plain fma, all others together should be few beside these.
BESIDE_PRODUCTS = {"Fp16": ("HMMA", 32, 55), "Bf16": ("HMMA", 32, 55), "f": ("FFMA", 512, 35)}
# The same beside a wgmma of 64 x 256, which takes 128 cycles: eight warps, two of whose groups share the unit, have 512 issue slots in that time.
BESIDE_GROUP_PRODUCT = 30
GROUP_PRODUCTS = 4  # of a stage
# Rows in registers, and the instructions that a thread has for each element of a row, all told: an H100 at 3.3e12 byte/s and 1.7 GHz moves 3.7
# elements of bf16 in and out a cycle and multiprocessor, which issues 4 x 32 in that time, 35 an element. fp64's exponential has more.
HELD = re.compile(r"HeldRowsI(?:\w*?\d(?P<named>Fp16|Bf16)E|(?P<plain>[fd]))Li\d+ELi(?P<packs>\d+)E.*?(?P<operator>Softmax|Rmsnorm|Layernorm)Body")
HELD_FORMS = 48  # four for each type of three operators
PACK = {"Fp16": 8, "Bf16": 8, "f": 4, "d": 2}
INSTRUCTIONS_AN_ELEMENT = 20

# Exponentials that a lane takes for each 64 keys, one instruction each: of its part of 16 x 64 weights, and of the factor of each of its rows.
EXPONENTIALS = {"Fp16": 32 + 2, "Bf16": 32 + 2, "f": 32 + 4}
# What a longer form of an exponential has: it halves the exponent and squares the result.
SCALING = re.compile(r"R\d+, (R\d+)(?:\.reuse)?, (?:0\.5|\1(?:\.reuse)?)$")
# The arithmetic of attention, which ptxas puts between the copies.
ATTENDS = re.compile(r"(HMMA|LDSM|LDS|F2FP|F(FMA|ADD|MUL|SEL|SETP|MNMX)|MUFU|SHFL)\b")
BESIDE_COPY = 20
ITEM_COPIES = 4  # 16 bytes each, of a thread: an item is 8 KiB, a block has 128 threads
# No loop over whole blocks has these: copies that may be shorter than 16 bytes, 64-bit multiplications, memory for registers.
NOT_WHOLE = re.compile(r"LDGSTS\b.*ZFILL.*|IMAD\.(WIDE|HI)\b.*|(LDL|STL)\b.*")

WIDE = r"\.global(?:\.\w+)*\.v(?:4\.[ubf]32|2\.[ubf]64)\b"
MULTIPLY = {
    "d": r"mma\.sync\.aligned\.m16n8k4\.row\.col\.f64\.f64\.f64\.f64\b",
    "f": r"fma\.rn\.f32\b",
    "a": r"mma\.sync\.aligned\.m16n8k32\.row\.col\.s32\.s8\.s8\.s32\b",
    "Fp16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32\b",
    "Bf16": r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32\b",
}
MULTIPLY_80 = MULTIPLY | {"d": r"mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64\b"}
GROUP_MULTIPLY = {
    "a": r"wgmma\.mma_async\.sync\.aligned\.m64n256k32\.s32\.s8\.s8\b",
    "Fp8E4m3": r"wgmma\.mma_async\.sync\.aligned\.m64n256k32\.f32\.e4m3\.e4m3\b",
    "Fp16": r"wgmma\.mma_async\.sync\.aligned\.m64n256k16\.f32\.f16\.f16\b",
    "Bf16": r"wgmma\.mma_async\.sync\.aligned\.m64n256k16\.f32\.bf16\.bf16\b",
}
# In the main loop of a product by warpgroups, in machine code, and how often: copies are waited for in two ways.
GROUP_LOOP = {
    r"[HI]GMMA\.64x256x(16|32)\..*|QGMMA.*": [GROUP_PRODUCTS],
    r"WARPGROUP\.ARRIVE": [1],
    r"WARPGROUP\.DEPBAR\.LE": [1],
    r"BAR\.SYNC.*": [1],
    r"FENCE\.VIEW\.ASYNC.*": [1, 2],
    r"LDGSTS\.E\.BYPASS\.128": [12],
    r"IMAD\.(WIDE|HI).*": [0],  # 64-bit multiplications
    r"(LDL|STL).*": [0],
}
# Attention by warpgroups, of heads of 64 or 128: what its loop over keys has for 128 of them. A thread has 64 scores of 64 rows, and two factors. Each
# score takes a maximum, an fma, an exponential, a sum, half a rounding, and in heads of 128 a factor of a sum: with all others, and copies in two places, twice these.
GROUP_SCORES = 64
GROUP_ATTENTION = {
    r"MUFU\.EX2": [GROUP_SCORES + 2],
    r"[HI]GMMA\.64x(64|128)x16\..*": [8 + 4, 8 + 8],
    r"WARPGROUP\.DEPBAR\.LE": [2],
    r"BAR\.SYNC.*": [3],
    r"BAR\.ARV.*": [2],
    r"LDGSTS\.E\.BYPASS\.128": [16, 32],
    r"IMAD\.(WIDE|HI).*": [3],  # the place of a tile of V, one of three
    r"LDGSTS\b.*ZFILL.*|(LDL|STL).*": [0],
}
A_SCORE = 11


def needs_of(origin, arch):
    """Patterns that a kernel's PTX must contain."""
    if origin.machine == "Hopper":
        product = GROUP_MULTIPLY[origin.type].replace("m64n256", "m64n128" if origin.driver == "Attention" else "m64n256")
        return [product, r"fence\.proxy\.async\.shared::cta", r"cp\.async\.cg\.shared\.global \[[^]]+\], \[[^]]+\], 16\b"]
    if origin.driver == "DecodeTile":  # int8 becomes fp16
        return [MULTIPLY["Fp16" if origin.type == "a" else origin.type], r"cp\.async\.cg\.shared\.global\.L2::cache_hint \[[^]]+\], \[[^]]+\], 16\b"]
    if origin.type:
        copy = r"cp\.async\.c[ag]\.shared\.global \[[^]]+\], \[[^]]+\], " + ("(16|4)" if origin.type == "f" else "16") + r"\b"
        return [(MULTIPLY_80 if arch == "80" else MULTIPLY)[origin.type], copy]
    both = ["ld" + WIDE, "st" + WIDE]
    return {"Elementwise": both, "HeldRows": both, "Copy": both, "Triad": both, "TeamRows": both[:1], "Sum": both[:1]}.get(origin.driver, [])


Unit = collections.namedtuple("Unit", "name arch ptx")  # ptx: what makes it, a function


def units_to_compile(command, folder):
    """The sources for sm_90a in two, those for sm_80 in one."""
    every = sources()
    for name, arch, chosen in (("others", "90a", [source for source in every if not PRODUCTS.search(source)]),
                               ("products", "90a", [source for source in every if PRODUCTS.search(source)]), ("products", "80", OF_80)):
        unit = folder / f"{name}_{arch}.cu"
        unit.write_text("".join(f'#include "{source}"\n' for source in chosen))

        def compiled(unit=unit, arch=arch):
            run(command[arch] + ["-ptx", "-o", str(unit.with_suffix(".ptx")), str(unit)])
            return unit.with_suffix(".ptx").read_text()
        yield Unit(name, arch, compiled)


def units_of(build):
    """The PTX for sm_90a in the objects of a build, where it is not compressed and ends with a zero."""
    for path in sorted(build.rglob("gable_operator_kernels_sm_90a*.o")):
        for part, text in enumerate(re.findall(rb"\.version \d[^\0]*", path.read_bytes())):
            yield Unit(f"{path.name.split('.')[0]}_{part}", "90a", text.decode)


def assembled(unit, folder):
    """(unit, PTX, ptxas' report, cubin, s it took)"""
    start = time.monotonic()
    text = unit.ptx()
    ptx, cubin = folder / f"{unit.name}_{unit.arch}.ptx", folder / f"{unit.name}_{unit.arch}.cubin"
    ptx.write_text(text)
    report = run([ptxas(), f"-arch=sm_{unit.arch}", "-m64", "-v", str(ptx), "-o", str(cubin)])
    return unit, text, report, cubin, time.monotonic() - start


def divisions(origin, body):
    """64-bit divisions and remainders where there must be none: anywhere in an elementwise kernel, in the loops over a row of a row kernel. Where a block
    holds a row in registers, its loop is over rows, and Kokkos divides before it."""
    if origin.driver == "Elementwise":
        return len(DIVISION.findall(body))
    if origin.driver in READERS or origin.driver == "HeldRows":
        return sum(count for loop in ptx_loops(body, innermost=True) for name, count in loop.items() if DIVISION.match(name))
    return 0


def check_product(where, name, type, body, wrong):
    """The main loop on whole blocks: of those that multiply, the one with the fewest instructions."""
    product, count, most = BESIDE_PRODUCTS[type]
    found = []
    for loop in sass.loops(body):
        multiplying = sum(bool(re.match(product + r"\b", one.opcode)) for one in loop)
        others = [one for one in loop if not re.match(rf"({product}|LDSM|LDS|LDGSTS)\b", one.opcode)]
        if multiplying >= count:
            found.append(round(len(others) * count / multiplying, 1))
    where = f"{where}: {name}"
    print(f"{where}: {min(found, default=None)} instructions beside {count} {product}, their loads and copies")
    if not found or min(found) > most:
        wrong.append(f"{where}: instructions beside {count} {product} in loops that multiply: {found}, not {most}")


def group_loop(where, body, counts, wrong):
    """The only innermost loop that multiplies by warpgroups; counts: how often patterns of opcodes may be there. What leads back from behind the
    kernel's end is no loop."""
    found = [loop for loop in sass.loops(body) if any("GMMA" in one.opcode for one in loop) and all(one.opcode != "EXIT" for one in loop)]
    if len(found) != 1:
        wrong.append(f"{where}: {len(found)} innermost loops multiply, not 1")
        return []
    for pattern, allowed in counts.items():
        seen = sum(bool(re.fullmatch(pattern, one.opcode)) for one in found[0])
        if seen not in allowed:
            wrong.append(f"{where}: {seen} of {pattern} in its main loop, not {allowed}")
    return found[0]


def check_group_attention(where, body, wrong):
    """Its loop over whole tiles of keys: the scores are waited for before the first exponential, the products of values behind the last."""
    opcodes = [one.opcode for one in group_loop(where, body, GROUP_ATTENTION, wrong)]
    place = [i for i, opcode in enumerate(opcodes) if opcode.startswith(("MUFU.EX2", "WARPGROUP.DEPBAR"))]
    order = [opcodes[i].startswith("MUFU") for i in place]
    print(f"{where}: {len(opcodes) / GROUP_SCORES:.1f} instructions for each score")
    if order[:1] + order[-1:] != [False, False] or not all(order[1:-1]):
        wrong.append(f"{where}: its exponentials do not stand between the waits for scores and values")
    if len(opcodes) > A_SCORE * GROUP_SCORES:
        wrong.append(f"{where}: {len(opcodes)} instructions in its loop over keys, not {A_SCORE} for each of {GROUP_SCORES} scores")


def check_group_product(where, body, wrong):
    """The loop of a product by warpgroups on whole blocks."""
    loop = group_loop(where, body, GROUP_LOOP, wrong)
    beside = sum(not re.match(r"(\wGMMA|LDGSTS)\b", one.opcode) for one in loop) / GROUP_PRODUCTS
    print(f"{where}: {beside} instructions beside each wgmma and the copies")
    if beside > BESIDE_GROUP_PRODUCT:
        wrong.append(f"{where}: {beside} instructions beside each wgmma and the copies, not {BESIDE_GROUP_PRODUCT}")


def fetches(loop):
    """(copies of 16 bytes, instructions beside them and attention's arithmetic) of each fetch of an item, from a barrier to the end of a group."""
    begin, found = 0, []
    for i, one in enumerate(loop):
        if one.opcode.startswith("BAR.SYNC"):
            begin = i
        if one.opcode == "LDGDEPBAR":
            fetch = [other.opcode for other in loop[begin:i + 1]]
            copies = sum(opcode == "LDGSTS.E.BYPASS.128" for opcode in fetch)
            found.append((copies, sum(ATTENDS.match(opcode) is None for opcode in fetch) - copies))
    return found


def key_loops(body):
    """The innermost of the loops that copy and take exponentials. What leads back from behind the kernel's end is no loop."""
    found = []
    for first, last in sass.spans(body):
        opcodes = {one.opcode for one in body[first:last + 1]}
        if {"LDGDEPBAR", "MUFU.EX2"} <= opcodes and "EXIT" not in opcodes:
            found.append((first, last))
    return sass.innermost(body, found)


def check_attention(where, type, body, wrong):
    """The two loops over keys: of whole blocks, and of others, whose copies may be shorter."""
    exponentials, wholes = EXPONENTIALS[type], 0
    for loop in key_loops(body):
        opcodes = [one.opcode for one in loop]
        scaled = sum(one.opcode == "FMUL" and SCALING.match(one.operands) is not None for one in loop)
        if opcodes.count("MUFU.EX2") != exponentials or scaled:
            wrong.append(f"{where}: {opcodes.count('MUFU.EX2')} exponentials in a loop over keys, not {exponentials}, and {scaled} scaled")
        if any("ZFILL" in opcode for opcode in opcodes):
            continue
        wholes += 1
        strange = [opcode for opcode in opcodes if NOT_WHOLE.fullmatch(opcode)]
        found = fetches(loop)
        print(f"{where}: (copies of K's or V's items, instructions beside them) of each fetch: {found}")
        # A thread copies an item of K or one of V; both ways are counted as if it took the two of them.
        if strange or any(copies < 2 * ITEM_COPIES or beside > BESIDE_COPY * ITEM_COPIES for copies, beside in found):
            wrong.append(f"{where}: {found} (copies, instructions beside them) of fetches, not {BESIDE_COPY} beside each of {ITEM_COPIES}; {strange}")
    if wholes != 1:
        wrong.append(f"{where}: {wholes} loops over keys of whole blocks, not 1")


def check_held(where, name, body, wrong):
    """All packs of a row, but for one of eight, are loaded before the first is waited for. Kokkos makes the whole block a loop over rows. Type and
    operator come from the name. Of softmax in fp64, some of eight packs wait for registers."""
    found = HELD.search(name)
    packs, type, operator = int(found["packs"]), found["named"] or found["plain"], found["operator"]
    elements, long = packs * PACK[type], type == "d" and operator == "Softmax"
    loops = [loop for loop in sass.loops(body) if sass.wide_loads(loop)]
    seen = [(sum(one.opcode == "MUFU.EX2" for one in loop), sass.wide_loads_under_way(loop), len(loop)) for loop in loops]
    least = LOADS_UNDER_WAY if long else packs - (packs > LOADS_UNDER_WAY)
    text = f"{where}: {name}: (exponentials, loads of 16 bytes under way, instructions) for {packs} packs of {PACK[type]}: {seen}"
    print(text)
    exponentials = elements if operator == "Softmax" and not long else 0
    if len(seen) != 1 or seen[0][0] != exponentials or seen[0][1] < least or (seen[0][2] > INSTRUCTIONS_AN_ELEMENT * elements and type != "d"):
        wrong.append(f"{text}, not [({exponentials}, {least} or more, at most {INSTRUCTIONS_AN_ELEMENT * elements})]")


def check_machine_code(source, cubin, nvdisasm, wrong):
    """How many kernels were looked at that read rows, and the names of those that hold them in registers."""
    seen, held = 0, set()
    for name, code in sass.kernels(cubin):
        origin = origin_of(name)
        if origin is not None and origin.machine == "Hopper":
            check = check_group_attention if origin.driver == "Attention" else check_group_product
            check(f"{source}: {name}", sass.instructions(nvdisasm, code), wrong)
        elif origin is not None and origin.driver == "Product" and origin.type in BESIDE_PRODUCTS:
            check_product(source, name, origin.type, sass.instructions(nvdisasm, code), wrong)
        elif origin is not None and origin.driver == "Attention" and origin.type in EXPONENTIALS:
            check_attention(f"{source}: {name}", origin.type, sass.instructions(nvdisasm, code), wrong)
        elif origin is not None and origin.driver == "HeldRows":
            check_held(source, name, sass.instructions(nvdisasm, code), wrong)
            held.add(name)
        if origin is None or origin.driver not in READERS:
            continue
        loops = sass.loops(sass.instructions(nvdisasm, code))
        check_loads(source, name, [(sass.wide_loads_under_way(loop), sass.wide_loads(loop)) for loop in loops], wrong, ALL_BUT_ONE)
        seen += 1
    return seen, held


def frame_of(report, name):
    """Bytes of a kernel's stack frame, where spilled registers lie, too."""
    return int(re.search(rf"entry function '{name}'.*?(\d+) bytes stack frame", report, re.S).group(1))


def check(source, arch, ptx, report, wrong):
    """{mangled name: origin} of the unit's kernels."""
    origins = {}
    used = resources(report)
    if arch != "90a" and "wgmma" in ptx:
        wrong.append(f"{source}: uses wgmma on sm_{arch}")
    if "serialized" in report:
        wrong.append(f"{source}: ptxas serialises wgmma: {[line for line in report.splitlines() if 'serialized' in line]}")
    if "tf32" in ptx:
        wrong.append(f"{source}: uses tf32")
    for name, body in bodies(ptx).items():
        origin = origin_of(name)
        if origin is None:
            continue
        origins[name] = origin
        if passed_otherwise(name):
            wrong.append(f"{source}: {name} has a functor of 512 bytes or more")
        allowed = FRAME_80.get(origin.type, 0) if arch == "80" and origin.driver == "Product" else 0
        if used[name][1] and frame_of(report, name) > allowed:
            wrong.append(f"{source}, sm_{arch}: {name} spills or has a frame in memory, {frame_of(report, name)} bytes")
        wrong += [f"{source}: {name} has no {pattern}" for pattern in needs_of(origin, arch) if not re.search(pattern, body)]
        if divisions(origin, body):
            wrong.append(f"{source}: {name} divides 64-bit integers {divisions(origin, body)} times for each element or step")
        if origin.type == "f" and "mma.sync" in body:
            wrong.append(f"{source}: {name} multiplies fp32 on the matrix unit")
    return origins


def before(root, includes):
    """Options of nvcc for these Kokkos headers, as cmake/GableKokkos.cmake gives them."""
    found = subprocess.run(["grep", "-rhoE", "#define KOKKOS_VERSION [0-9]+", *includes], capture_output=True, text=True).stdout
    version = int((re.findall(r"\d+", found) or ["0"])[0])
    return ["-include", f"{root}/backends/cuda/kokkos4.h"] if version < 50000 else []


def main():
    root, folder, cxx, includes, flags, shim = sys.argv[1:7]
    includes = [path for path in includes.split(";") if path]
    nvcc = find_nvcc()
    os.chdir(root)
    general = [nvcc, "-x", "cu", "-std=c++20", "-O3", "-ccbin", cxx, "-I.", "-DFMT_USE_CONSTEXPR=1", "-DKOKKOS_DEPENDENCE",
               "--expt-relaxed-constexpr", "-extended-lambda", "-Wext-lambda-captures-this", "-Xcompiler=-fopenmp", *before(root, includes), *shlex.split(flags)]
    general += [word for path in includes for word in ("-isystem", path)]
    command = {"90a": general + ["-arch=sm_90a", "-DGABLE_WGMMA"], "80": general + ["-arch=sm_80"]}
    if shim == "1":
        for arch, name in (("90a", "HOPPER"), ("80", "AMPERE")):
            command[arch] += [f"-I{root}/tests/build/kokkos_gpu", "-DKOKKOS_ENABLE_CUDA", f"-DKOKKOS_ARCH_{name}",
                              f"-DKOKKOS_ARCH_{name}{arch[:2]}", "-DDESUL_ATOMICS_ENABLE_CUDA"]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    work = list(units_to_compile(command, folder))
    given = [word for word in sys.argv[7:] if word != "machine_code"]
    if given:
        work = [unit for unit in work if unit.arch != "90a"] + list(units_of(pathlib.Path(given[0])))
    wrong, tally, origins = [], Tally(), {"90a": {}, "80": {}}
    nvdisasm, readers, held = sass.find_nvdisasm(), 0, set()
    with concurrent.futures.ThreadPoolExecutor(min(8, len(os.sched_getaffinity(0)))) as pool:
        for done in [pool.submit(assembled, unit, folder) for unit in work]:
            unit, ptx, report, cubin, seconds = done.result()
            print(f"sm_{unit.arch} {unit.name}: {seconds:.1f} s")
            origins[unit.arch] |= check(unit.name, unit.arch, ptx, report, wrong)
            if nvdisasm and unit.arch == "90a":
                seen = check_machine_code(unit.name, cubin, nvdisasm, wrong)
                readers, held = readers + seen[0], held | seen[1]
    # what tells the tiles' products from an operator's is fp8, which sm_80 lacks
    for arch, those in (("90a", sources()), ("80", [source for source in OF_80 if source != TILES])):
        for source in those:
            tally.add_source(source, arch, [origin for name, origin in origins[arch].items() if is_of(source, name)], wrong)
    if nvdisasm is None:
        print(sass.NOT_READ)
        if "machine_code" in sys.argv[7:]:
            wrong.append("no machine code was read")
    elif readers < 50 or len(held) != HELD_FORMS:
        wrong.append(f"machine code of only {readers} row kernels and {len(held)} kernels that hold rows in registers was read")
    tally.finish(REQUIRED, wrong)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
