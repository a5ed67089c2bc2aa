#!/usr/bin/env python3
"""What the real program says of machines that are not at hand, made up after public reports.

    machines.py CASE GABLE

A mount namespace shows it other files in /proc and /sys, HWLOC_XMLFILE another topology. Exit code 77 with the reason
only where this user may not mount; that is a failure where GABLE_MUST_MOUNT is set.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77
GABLE = sys.argv[2]
GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10
APART = ["unshare", "--mount", "--propagation", "unchanged"]
SHOW = ('mount --make-rprivate /proc && mount --make-rprivate /sys || exit 77; while [ "$1" != -- ]; do '
        'mount --rbind "$1" "$2" || exit 77; shift 2; done; shift; exec "$@"')


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def cannot_mount(why):
    check("GABLE_MUST_MOUNT" not in os.environ, f"this user may not mount, and has to: {why}")
    print("skipped: this user may not mount:", why)
    sys.exit(SKIP)


def mask(numbers):
    """A set as hwloc writes it: groups of 32 bits."""
    bits = sum(1 << number for number in numbers)
    groups = []
    while bits or not groups:
        groups.insert(0, f"0x{bits & 0xffffffff:08x}")
        bits >>= 32
    return ",".join(groups)


class Topology:
    """hwloc's XML of one machine. Parts are nested: (type, attributes, memory nodes, parts); a memory node is (number,
    GiB, subtype)."""

    def __init__(self, parts, nodes=(), kinds=()):
        self.count = 0
        cpus = mask(self.cpus(parts))
        nodeset = mask(self.numbers(nodes, parts))
        root = self.element("Machine", 'os_index="0" ' + self.sets("allowed_", cpus, nodeset), cpus, nodeset,
                            self.memory(nodes, cpus) + self.inside(parts, nodes))
        self.text = ('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
                     f'<topology version="2.0">\n{root}{"".join(kinds)}</topology>\n')

    def cpus(self, parts):
        return [cpu for kind, attributes, _, inner in parts
                for cpu in ([attributes] if kind == "PU" else self.cpus(inner))]

    def numbers(self, nodes, parts):
        return [node[0] for node in nodes] + [number for part in parts for number in self.numbers(part[2], part[3])]

    @staticmethod
    def sets(prefix, cpus, nodeset):
        return f'{prefix}cpuset="{cpus}" {prefix}nodeset="{nodeset}" '

    def element(self, kind, attributes, cpus, nodeset, inner=""):
        self.count += 1
        head = (f'<object type="{kind}" {attributes}{self.sets("", cpus, nodeset)}'
                f'{self.sets("complete_", cpus, nodeset)}gp_index="{self.count}"')
        return f"{head}>\n{inner}</object>\n" if inner else head + "/>\n"

    def memory(self, nodes, cpus):
        return "".join(
            self.element("NUMANode", f'os_index="{number}" local_memory="{gib * GIB}" ' +
                         (f'subtype="{subtype}" ' if subtype else ""), cpus, mask([number]))
            for number, gib, subtype in nodes)

    def inside(self, parts, near):
        text = ""
        for kind, attributes, nodes, inner in parts:
            if kind == "PU":
                text += self.element(kind, f'os_index="{attributes}" ', mask([attributes]), mask(n[0] for n in near))
                continue
            here = nodes or ([] if kind == "Group" else near)
            cpus = mask(self.cpus(inner))
            nodeset = mask(self.numbers(nodes, inner) or [node[0] for node in here])
            text += self.element(kind, attributes, cpus, nodeset, self.memory(nodes, cpus) + self.inside(inner, here))
        return text


def core(number, *cpus):
    return ("Core", f'os_index="{number}" ', (), [("PU", cpu, (), ()) for cpu in cpus])


def cache(level, size, *inner):
    kind = 'cache_type="1" ' if level == 1 else 'cache_type="0" '
    return (f"L{level}Cache", f'cache_size="{size}" depth="{level}" cache_linesize="64" cache_associativity="8" {kind}',
            (), list(inner))


def package(number, nodes, *inner):
    return ("Package", f'os_index="{number}" ', nodes, list(inner))


def die(nodes, *inner):
    return ("Group", 'kind="0" subkind="0" ', nodes, list(inner))


def kind(cpus, name, mhz, efficiency):
    return (f'<cpukind cpuset="{mask(cpus)}" forced_efficiency="{efficiency}"><info name="CoreType" value="{name}"/>'
            f'<info name="FrequencyMaxMHz" value="{mhz}"/></cpukind>\n')


def cpuinfo(name, vendor, family, model, flags, cpus):
    return "".join(f"processor\t: {cpu}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
                   f"model name\t: {name}\nflags\t\t: fpu sse sse2 sse4_1 sse4_2 avx fma avx2 {flags}\n\n" for cpu in cpus)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def run(words, topology=None, processors=None, clocks=None, group=None, memory=None):
    """Exit code and what GABLE prints on the machine. clocks: kHz (base, highest) of cpus that are online; group: files
    of its cgroups; memory: GiB of each of the system's nodes."""
    with tempfile.TemporaryDirectory() as folder:
        shown, environment = [], dict(os.environ)
        if topology:
            environment["HWLOC_XMLFILE"] = write(f"{folder}/topology.xml", topology.text)
        if processors:
            shown += [write(f"{folder}/cpuinfo", processors), "/proc/cpuinfo"]
        if clocks:
            online = ",".join(str(cpu) for cpu in sorted(clocks))
            write(f"{folder}/cpu/online", online + "\n")
            write(f"{folder}/cpu/present", f"0-{max(clocks)}\n")
            for cpu, (base, highest) in clocks.items():
                write(f"{folder}/cpu/cpu{cpu}/cpufreq/base_frequency", f"{base}\n")
                write(f"{folder}/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq", f"{highest}\n")
            shown += [f"{folder}/cpu", "/sys/devices/system/cpu"]
        if memory:
            for node, gib in memory.items():
                write(f"{folder}/node/node{node}/meminfo", f"Node {node} MemTotal: {gib * MIB} kB\n")
            shown += [write(f"{folder}/meminfo", f"MemTotal: {sum(memory.values()) * MIB} kB\n"), "/proc/meminfo",
                      f"{folder}/node", "/sys/devices/system/node"]
        if group:  # the top of all groups, whatever group this process is in
            for name, text in group.items():
                write(f"{folder}/group/{name}", text)
            shown += [f"{folder}/group", "/sys/fs/cgroup"]
        command = [*APART, "sh", "-c", SHOW, "sh", *shown, "--", GABLE, *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode == SKIP:
        cannot_mount(done.stderr.strip())
    return done


def device(**machine):
    done = run(["devices", "--json"], **machine)
    check(done.returncode == 0, f"{done.returncode} {done.stderr}")
    return next(entry for entry in json.loads(done.stdout)["devices"] if entry["backend"] == "openmp")


def facts(shown):
    return {fact["name"]: fact["value"] for fact in shown["facts"]}


def level(shown, name):
    return next(entry for entry in shown["memory"] if entry["name"] == name)


def peak(shown, name):
    return next((entry["value"] for entry in shown["peaks"] if entry["name"] == name), None)


def same(found, expected, what):
    check(found == expected, f"{what}: {found}, not {expected}")


def four_dies(*gib):
    """A socket of four dies of two cores, each with so much memory."""
    return package(0, (), *(die([(number, size, "")] if size else (), cache(3, 8 * MIB, core(2 * number, 2 * number),
                            core(2 * number + 1, 2 * number + 1))) for number, size in enumerate(gib)))


def dies_without_memory():
    """All four channels of this processor are on two dies: 4 x 2933e6 x 8 byte/s. On others each die has its share."""
    shown = device(topology=Topology([four_dies(64, 0, 64, 0)]),
                   processors=cpuinfo("AMD Ryzen Threadripper 2970WX", "AuthenticAMD", 23, 8, "", range(8)))
    same({node["id"]: node["cpus"] for node in shown["numa"]}, {0: [0, 1], 2: [4, 5]}, "cpus of nodes")
    same(facts(shown).get("memory of other nodes"), "yes", "memory of other nodes")
    same(shown["cores"], 8, "cores")
    check(abs(peak(shown, "DRAM") / (4 * 2933e6 * 8) - 1) < 0.01, f"DRAM {peak(shown, 'DRAM')}")
    half = device(topology=Topology([four_dies(64, 0, 64, 0)]),
                  processors=cpuinfo("AMD EPYC 7763 64-Core Processor", "AuthenticAMD", 25, 1, "", range(8)))
    same(peak(half, "DRAM"), 4 * 3200e6 * 8, "DRAM of half of the dies")


def socket_without_memory():
    cores = [core(number, number) for number in range(4)]
    shown = device(topology=Topology([package(0, [(0, 64, "")], *cores[:2]), package(1, (), *cores[2:])]),
                   processors=cpuinfo("AMD EPYC 7763 64-Core Processor", "AuthenticAMD", 25, 1, "", range(4)))
    same(shown["sockets"], 2, "sockets")
    same(peak(shown, "DRAM"), 8 * 3200e6 * 8, "DRAM of the socket with modules")
    same(facts(shown).get("memory of other nodes"), "yes", "memory of other nodes")
    virtual = device(topology=Topology([package(cpu, (), core(cpu, cpu)) for cpu in range(8)], nodes=[(0, 64, "")]),
                     processors=cpuinfo("AMD EPYC 7763", "AuthenticAMD", 25, 1, "hypervisor", range(8)))
    same(peak(virtual, "DRAM"), None, "DRAM of eight sockets that a hypervisor shows")


def unequal_caches():
    """96 and 32 MiB, 128 in all."""
    chiplets = [cache(3, size * MIB, *(core(number, number) for number in cpus)) for size, cpus in ((96, (0, 1)), (32, (2, 3)))]
    shown = device(topology=Topology([package(0, [(0, 64, "")], *chiplets)]),
                   processors=cpuinfo("AMD Ryzen 9 7950X3D", "AuthenticAMD", 25, 97, "", range(4)))
    l3 = level(shown, "L3")
    same([(one["size_bytes"], one["cores"]) for one in l3.get("unequal", ())], [(96 * MIB, 2), (32 * MIB, 2)], "L3")
    check("128 MiB in all" in l3["source"], l3["source"])


def hybrid_machine(kinds=True):
    """Two cores of two hardware threads, and four slower ones that share an L2."""
    fast, slow = range(4), range(4, 8)
    fast_cores = [cache(2, 1280 * KIB, cache(1, 48 * KIB, core(number, 2 * number, 2 * number + 1))) for number in (0, 1)]
    slow_cores = cache(2, 2 * MIB, *(cache(1, 32 * KIB, core(number, number)) for number in slow))
    told = [kind(fast, "IntelCore", 5200, 1), kind(slow, "IntelAtom", 3900, 0)] if kinds else ()
    return {"topology": Topology([package(0, [(0, 32, "")], cache(3, 30 * MIB, *fast_cores, slow_cores))], kinds=told),
            "clocks": {cpu: (3200000, 5200000) if cpu in fast else (2400000, 3900000) for cpu in range(8)},
            "processors": cpuinfo("Intel(R) Xeon(R) 6980P", "GenuineIntel", 6, 173, "avx512f avx512_vnni", range(8))}


def hybrid():
    for told_by_hwloc in (True, False):
        shown = device(**hybrid_machine(told_by_hwloc))
        same((shown["cores"], shown["threads"]), (6, 8), "cores and threads")
        said = facts(shown).get("kinds of cores", "")
        check(said.startswith("two kinds of cores: 2 and 4 ("), said)
        check("5.2 GHz" in said and "3.9 GHz" in said, said)
        check("max_clock_hz" not in shown and "base_clock_hz" not in shown, "a clock of one kind stands for all")
        check(not [entry for entry in shown["peaks"] if "dtype" in entry], "a peak of one kind stands for all")
        same([one["size_bytes"] for one in level(shown, "L2")["unequal"]], [1280 * KIB, 1280 * KIB, 2 * MIB], "L2")
        same([one["cores"] for one in level(shown, "L2")["unequal"]], [1, 1, 4], "cores at L2")


def three_kinds():
    cores = [core(number, number) for number in range(4)]
    shown = device(topology=Topology([package(0, [(0, 32, "")], *cores)]),
                   clocks={0: (0, 2500000), 1: (0, 3800000), 2: (0, 5100000), 3: (0, 5100000)})
    check(facts(shown).get("kinds of cores", "").startswith("three kinds of cores: 2, 1 and 1 ("), str(facts(shown)))
    same(shown["cpus"], [2, 3, 1, 0], "the fastest first")


def group_of(limit, used, file_bytes):
    """In version 2, and in version 1, which has a folder for each controller."""
    pages = f"inactive_file {file_bytes}\nactive_file 0\n"
    return {"memory.max": f"{limit}\n", "memory.high": "max\n", "memory.current": f"{used}\n", "memory.stat": pages,
            "memory/memory.limit_in_bytes": f"{limit}\n", "memory/memory.usage_in_bytes": f"{used}\n",
            "memory/memory.stat": pages + f"total_inactive_file {file_bytes}\n"}


def group_full_of_files():
    """950 MiB of a GiB are copies of files."""
    shown = device(group=group_of(GIB, 1000 * MIB, 950 * MIB))
    same(shown["free_memory_bytes"], 24 * MIB + 950 * MIB, "free memory")


def group_without_room():
    """What main memory must serve is skipped, not run in a cache."""
    shown = device()
    caches = sum(entry["size_bytes"] * entry["instances"] for entry in shown["memory"][:-1])
    with tempfile.TemporaryDirectory() as folder:
        done = run(["run", "--quick", "--operator", "triad", "--dtype", "fp64", "--output", f"{folder}/result.json"],
                   group=group_of(GIB, GIB - 40 * MIB, 0))
    same(done.returncode, 2, done.stdout)
    said = re.search(r"needs ([0-9.]+) MB, a run may take [0-9.]+ MB \(a quarter of the free memory\)", done.stderr)
    check(said, done.stderr)
    check(float(said[1]) * 1e6 >= 4 * caches, f"{said[1]} MB beside caches of {caches} byte")


def flat_hbm():
    shown = device(topology=Topology([package(0, [(0, 64, ""), (1, 16, "HBM")], core(0, 0), core(1, 1))]))
    dram = level(shown, "DRAM")
    same((dram["size_bytes"], dram["instances"]), (64 * GIB, 1), "DRAM")
    check("0: DRAM, 1: HBM" in facts(shown).get("memory kinds", ""), str(facts(shown)))


def flat_hbm_of_two_sockets():
    """Two sockets in SNC4: each of the eight domains has a node of DRAM and one of HBM."""
    sockets = [package(socket, (), *(die([(node, 64, ""), (8 + node, 16, "HBM")], core(2 * node, 2 * node),
                                         core(2 * node + 1, 2 * node + 1)) for node in range(4 * socket, 4 * socket + 4)))
               for socket in range(2)]
    shown = device(topology=Topology(sockets))
    dram = level(shown, "DRAM")
    same((shown["sockets"], shown["cores"]), (2, 16), "sockets and cores")
    same((dram["size_bytes"], dram["instances"]), (64 * GIB, 8), "DRAM")
    same({node["id"]: node["cpus"] for node in shown["numa"]}, {node: [2 * node, 2 * node + 1] for node in range(8)}, "nodes")
    kinds = facts(shown).get("memory kinds", "")
    check("DRAM" in kinds and "HBM" in kinds, str(facts(shown)))


def grace_hopper():
    """The GPU's memory is a node of the processor's socket, and so are seven empty ones for its parts."""
    cores = [cache(2, MIB, core(number, number)) for number in range(72)]
    nodes = [(0, 480, ""), (1, 96, "GPUMemory"), *((number, 0, "") for number in range(2, 9))]
    arm = "".join(f"processor\t: {cpu}\nFeatures\t: fp asimd fphp asimdhp asimddp sve sve2 svebf16 svei8mm bf16 i8mm\n"
                  "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n"
                  "CPU revision\t: 0\n\n" for cpu in range(72))
    shown = device(topology=Topology([package(0, nodes, cache(3, 114 * MIB, *cores))]), processors=arm)
    dram = level(shown, "DRAM")
    same((shown["sockets"], shown["cores"]), (1, 72), "sockets and cores")
    same((dram["size_bytes"], dram["instances"]), (480 * GIB, 1), "DRAM")
    same([node["id"] for node in shown["numa"]], [0], "nodes")


def gpu_memory_left_out():
    """hwloc leaves out the nodes of GPUs, whose memory the system counts."""
    shown = device(topology=Topology([package(0, [(0, 64, "")], core(0, 0), core(1, 1))]), memory={0: 64, 252: 32, 253: 32})
    same((level(shown, "DRAM")["size_bytes"], level(shown, "DRAM")["instances"]), (64 * GIB, 1), "DRAM")


def other_memory():
    """A node behind CXL is no core's own."""
    shown = device(topology=Topology([package(0, [(0, 64, "")], core(0, 0), core(1, 1))], nodes=[(1, 128, "CXL-DRAM")]))
    same(level(shown, "DRAM")["size_bytes"], 64 * GIB, "DRAM")
    same([node["id"] for node in shown["numa"]], [0], "nodes")


def offline_cpus():
    cpus = (2, 3, 5)
    shown = device(topology=Topology([package(0, [(0, 64, "")], *(core(cpu, cpu) for cpu in cpus))]),
                   clocks={cpu: (2000000, 3900000) for cpu in cpus},
                   processors=cpuinfo("Intel(R) Xeon(R) 6980P", "GenuineIntel", 6, 173, "avx512f", cpus))
    same((shown["cores"], shown["cpus"]), (3, [2, 3, 5]), "cores")
    same(facts(shown)["offline cpus"], "0-1,4", "offline cpus")
    same((shown["base_clock_hz"], shown["max_clock_hz"]), (2e9, 3.9e9), "clock of cpu 2")


CASES = (dies_without_memory, socket_without_memory, unequal_caches, hybrid, three_kinds, group_full_of_files,
         group_without_room, flat_hbm, flat_hbm_of_two_sockets, grace_hopper, gpu_memory_left_out, other_memory,
         offline_cpus)
asked = subprocess.run([*APART, "true"], capture_output=True, text=True)
if asked.returncode != 0:
    cannot_mount(asked.stderr.strip())
next(case for case in CASES if case.__name__ == sys.argv[1])()
