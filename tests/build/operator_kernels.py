"""What the tests of both GPU compilers know of the operators' units and kernels."""
import collections
import functools
import pathlib
import re

# Units whose only implementation is a vendor's library: they have no kernel.
VENDOR_ONLY = {"operators/fft3d.cpp"}
STREAMS = "backends/kokkos/streams.cpp"
# Every form of the tile primitive's products, for the tests on a GPU.
TILES = "tests/gpu/tile_kernels.cpp"
# {driver: kernels that all units have of it, at least}: a type of storage each, and what has a pattern is found by its name
LEAST = {"Elementwise": 4, "TeamRows": 4, "HeldRows": 12, "Reduction": 4, "Product": 4, "Attention": 4, "Copy": 1, "Triad": 1, "Sum": 1}

# Drivers whose loops read as fast as memory delivers, and how many loads of 16 bytes those have under way. Four steps are two loops: of whole fours,
# and of what is left, with fewer loads. So those that have so many, and at least half of all.
READERS = {"TeamRows", "Reduction", "Sum"}
LOADS_UNDER_WAY = 4
# Of each of the four steps a loop loads one to three operands, all of them before it waits for the first: four of one step alone may be those that
# lie in a cache. Longer loops have steps with more loads than registers.
ALL_UNDER_WAY = (4, 8, 12)
# But not the quantised gemv, which has its weights under way and then reads x and the scales, which lie in caches, step by step.
STEP_BY_STEP = re.compile(r"TeamRowsI.*QuantisedBody")

# driver: a key of LEAST, or None for a kernel of its own; type: of what a block of tiles multiplies (d, f, a: int8, Fp16, Bf16, Fp8E4m3), else
# None; machine: which one the block is written for (Cuda, Hopper, Hip, Rdna3), else None
Origin = collections.namedtuple("Origin", "driver type machine")


def sources():
    """Those with operators' kernels, the portable streams, and the tile primitive's products."""
    return sorted(str(path) for path in pathlib.Path("operators").glob("*.cpp") if path.name != "common.cpp") + [STREAMS, TILES]


# How kernels are called whose functors stand in headers, by the source that launches them.
CALLED = {
    "operators/attention_decode.cpp": r"Decode(Tile)?Block",
    "operators/attention_fused.cpp": r"AttentionBlock",
    "operators/elementwise.cpp": r"7AddBody|8AxpyBody|9ChainBody",
    "operators/gemm.cpp": r"ProductBlock\w+Lb0ELb0EN\w+AsTheyAre",
    "operators/gemm_bias_gelu.cpp": r"ProductBlock\w+8BiasGelu",
    "operators/gemm_int8.cpp": r"ProductBlock\w+MachineEaLb1ELb0E",
    "operators/gemm_transposed.cpp": r"ProductBlock\w+(Lb0ELb1EN\w+AsTheyAre|Machine(Ed|Ef|\w+(Fp16|Bf16)E)Lb1ELb0E)",
    "operators/mlp.cpp": r"ProductBlock\w+7AddBias|8BiasBodyI",
    "operators/softmax.cpp": r"SoftmaxBodyI",
    TILES: r"ProductBlock\w+Fp8E4m3",
}


@functools.cache
def name_of(source):
    """A pattern that the names of a source's kernels match: a type that it defines is part of them. Those that other sources launch, too, are of each."""
    defined = re.findall(r"(?m)^(?:struct|class) (\w+)", pathlib.Path(source).read_text())
    return re.compile(CALLED.get(source) or "|".join(f"{len(name)}{name}" for name in defined))


def is_of(source, kernel):
    """Whether a kernel, by its mangled name, is one that a source launches."""
    return name_of(source).search(kernel) is not None


def origin_of(name):
    """Where a kernel comes from, by its mangled name; None for one that is not this project's."""
    if "5gable" not in name:
        return None
    block = re.search(r"(Product|Attention|DecodeTile)BlockIN\w*?\d(Cuda|Hopper|Hip|Rdna3)MachineE(?:(?P<plain>[dfa])|\w*?\d(?P<named>Fp16|Bf16|Fp8E4m3)E)", name)
    if block:
        return Origin(block.group(1), block.group("plain") or block.group("named"), block.group(2))
    driver = re.search(r"(Elementwise|TeamRows|Reduction|HeldRows)I", name) or re.search(r"gable6kokkos\w*(Copy|Triad|Sum)E", name)
    return Origin(driver.group(1) if driver else None, None, None)


def check_loads(where, name, loops, wrong, all_but_one=None):
    """loops: (loads of 16 bytes under way, all of them) of each innermost loop of a reader. all_but_one: pattern of the names that may have one of
    twelve loads wait."""
    found = sorted(pair for pair in loops if pair[1] > 0)
    text = f"{where}: {name}: (loads of 16 bytes under way, all of them) in its loops: {found}"
    print(text)
    if not found or found[len(found) // 2][0] < LOADS_UNDER_WAY:
        wrong.append(f"{text}, not {LOADS_UNDER_WAY} in half of them")
    for most, count in found:
        least = LOADS_UNDER_WAY
        if count in ALL_UNDER_WAY and not STEP_BY_STEP.search(name):
            least = count - (count == 12 and all_but_one is not None and all_but_one.search(name) is not None)
        if most < least <= count:
            wrong.append(f"{text}, not {least} of {count}")


def forms(driver, machine, types):
    """What Tally.finish() wants: the kernels of a driver for one machine, by the types that they multiply."""
    return {(driver, machine, type) for type in types}


def passed_otherwise(name):
    """Kokkos hands a kernel its functor as an argument unless that has 512 bytes or more. Those go through a buffer, whose reuse waits for an
    event: such a launch cannot be captured in a graph twice."""
    return re.search(r"parallel_launch_(?:constant|global)_memory", name) is not None


class Tally:
    """Counts the project's kernels of every source and driver."""

    def __init__(self):
        self.drivers = collections.Counter()
        self.forms = collections.defaultdict(set)

    def add_source(self, source, arch, origins, wrong):
        """origins: of the source's kernels for that architecture, without None."""
        self.drivers.update(origin.driver for origin in origins)
        self.forms[arch] |= {(origin.driver, origin.machine, origin.type) for origin in origins}
        if not origins and source not in VENDOR_ONLY:
            wrong.append(f"{source}: no kernel of this project")
        if origins and source in VENDOR_ONLY:
            wrong.append(f"{source}: kernels, but it is listed as having none")

    def finish(self, required, wrong):
        """required: {architecture: forms() that its units must have}: a kernel that is no longer made is no kernel with a fault."""
        for arch, wanted in required.items():
            wrong += [f"{arch}: no kernel of {form}" for form in sorted(wanted - self.forms[arch])]
        for driver, least in LEAST.items():
            if self.drivers[driver] < least:
                wrong.append(f"{self.drivers[driver]} kernels are called after the driver {driver}, not {least} or more")
