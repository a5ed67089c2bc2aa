#!/usr/bin/env python3
"""recipes.py ROOT GABLE: the recipes of packaging/ run with stand-ins for their tools, and name what Gable has.

A stand-in knows the names that its tool has and no other, so that a recipe which asks for another one fails here, too.
Every recipe names what CMake requires, every CMake option that one sets exists, every file that one looks for is
installed, and every pattern that takes a figure out of Gable's output finds one in it. What `gable export` writes in
Python runs, too.
"""
import csv
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import types

root, gable = pathlib.Path(sys.argv[1]), sys.argv[2]
packaging = root / "packaging"
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def run(path, **members):
    scope = {"__name__": "recipe", **members}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope


def nothing(*_, **__):
    """A directive that this test has no question about."""


def version_of(text):
    return tuple(int(part) for part in re.findall(r"\d+", text or "0"))


def cmake_files():
    return [root / "CMakeLists.txt", *root.glob("cmake/*.cmake"), *root.glob("core/**/CMakeLists.txt"),
            *root.glob("backends/openmp/**/CMakeLists.txt")]


options = {"VALIJSON_INCLUDE_DIR"}
for source in [root / "CMakeLists.txt", *root.glob("cmake/*.cmake")]:
    options |= set(re.findall(r"\b(?:option|set)\((GABLE_\w+)", source.read_text()))

# What a CPU build stops without, and the least version: {name in CMake: version}.
required = {"Kokkos": "4.6"}
for source in cmake_files():
    text = source.read_text()
    required |= dict(re.findall(r"find_package\((\w+)(?: ([\d.]+))?[^)]*REQUIRED", text))
    required |= dict(re.findall(r"pkg_check_modules\((\w+) REQUIRED[^)]*>=([\d.]+)", text))
    for name in re.findall(r"find_path\((\w+)_INCLUDE_DIR[^)]*\)", text):
        if f"NOT {name}_INCLUDE_DIR)\n  message(FATAL_ERROR" in text:
            required[name] = (re.findall(rf"{name}_VERSION VERSION_LESS ([\d.]+)", text) or [""])[0]
for compilers_own in ("Threads", "OpenMP", "CUDAToolkit", "hip"):
    required.pop(compilers_own, None)
# Their names in Spack, EasyBuild and Debian. EasyBuild has no valijson: the recipe brings it along.
NAMES = {
    "Boost": ("boost", "Boost", "libboost-dev"),
    "fmt": ("fmt", "fmt", "libfmt-dev"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json3-dev"),
    "Kokkos": ("kokkos", "Kokkos", "libkokkos-dev"),
    "hwloc": ("hwloc", "hwloc", "libhwloc-dev"),
    "ZLIB": ("zlib-api", "zlib", "zlib1g-dev"),
    "PkgConfig": ("pkgconfig", "pkgconf", "pkg-config"),
    "GABLE_HIGHWAY": ("highway", "Highway", "libhwy-dev"),
    "VALIJSON": ("valijson", None, "libvalijson-dev"),
}
expect(set(required) == set(NAMES), f"CMake requires {sorted(required)}, this test knows {sorted(NAMES)}")

# Spack: cmake_args() of the kinds of builds, and the dependencies.
# Facts of Spack's recipe of Kokkos: the architectures that its table of the compiler's options has, and from which version on.
KOKKOS_CUDA = {"80": "3.0", "90": "4.0", "100": "4.7"}
KOKKOS_ROCM = {"gfx90a": "3.6", "gfx942": "4.2", "gfx950": "5.1", "gfx1100": "4.1"}
KOKKOS_VARIANTS = {"openmp", "cuda", "rocm", "cmake_lang"}
depends, versions, conflicting = [], [], []


class When:
    def __init__(self, *_): pass
    def __enter__(self): return self
    def __exit__(self, *_): return False


class CMakePackage:
    run_tests = False

    def define(self, name, value):
        return f"-D{name}={value}"


class Spec:
    def __init__(self, *variants, target="zen4", **values):
        self.on = variants
        self.target = types.SimpleNamespace(name=target)
        self.variants = {name: types.SimpleNamespace(value=[value]) for name, value in values.items()}

    def satisfies(self, variant):
        return variant in self.on


def depends_on(spec, when="", type=("build", "link"), **unknown):
    expect(not unknown, f"spack: depends_on has no {unknown}")
    depends.append((spec, when))


def version(name, **words):
    expect(set(words) <= {"sha256", "url"}, f"spack: a version with {words}, and no `git` that it could come from")
    versions.append(name)


CUDA_ARCHS = ("70", "80", "86", "89", "90", "90a", "100", "120")
ROCM_TARGETS = ("gfx906", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100")
module("spack_repo")
module("spack_repo.builtin")
module("spack_repo.builtin.build_systems")
module("spack_repo.builtin.build_systems.cmake", CMakePackage=CMakePackage, generator=nothing)
module("spack_repo.builtin.build_systems.cuda",
       CudaPackage=type("CudaPackage", (), {"cuda_arch_values": CUDA_ARCHS}))
module("spack_repo.builtin.build_systems.rocm",
       ROCmPackage=type("ROCmPackage", (), {"amdgpu_targets": ROCM_TARGETS}))
module("spack")
module("spack.package", license=nothing, variant=nothing, when=When, join_path=None, which=None, version=version,
       depends_on=depends_on, conflicts=lambda spec, when="", msg="": conflicting.append(spec))
package = run(packaging / "spack/package.py")["Gable"]()
expect(versions == ["main"], f"spack: versions {versions}")
for spec, wanted in [
    (Spec("+cpu"), {"-DGABLE_BACKEND=openmp", "-DGABLE_WORKER=True", "-DGABLE_CPU_TARGETS=native"}),
    (Spec("+cpu", target="x86_64_v3"), {"-DGABLE_CPU_TARGETS=x86-64-v3"}),
    (Spec("+cpu", target="x86_64"), {"-DGABLE_CPU_TARGETS=baseline"}),
    (Spec(), {"-DGABLE_BACKEND=openmp", "-DGABLE_WORKER=False"}),
    (Spec("+cuda", cuda_arch="90a"), {"-DGABLE_BACKEND=cuda", "-DGABLE_CUDA_ARCH=90a"}),
    (Spec("+rocm", amdgpu_target="gfx942"), {"-DGABLE_BACKEND=hip", "-DGABLE_HIP_ARCH=gfx942"}),
]:
    package.spec = spec
    given = set(package.cmake_args())
    expect(wanted <= given, f"spack, {spec.on}: {given} lacks {wanted - given}")
    for name in (word[2:].split("=")[0] for word in given):
        expect(name in options, f"spack: CMake has no option {name}")
targets = set(re.findall(r"^gable_cpu_target\((\S+)", (root / "cmake/GableCpuTargets.cmake").read_text(), re.MULTILINE))
for target in ("x86_64", "x86_64_v2", "x86_64_v3", "x86_64_v4", "aarch64"):
    package.spec = Spec("+cpu", target=target)
    given = next(word.split("=")[1] for word in package.cmake_args() if "CPU_TARGETS" in word)
    expect(given in targets, f"spack: {target} is built for {given}, which CMake does not know")
for name, least in required.items():
    found = [spec for spec, _ in depends if re.match(rf"{NAMES[name][0]}(?![\w-])", spec)]
    expect(found, f"spack: no dependency on {NAMES[name][0]}")
    for spec in found:
        asked = re.search(r"@([\d.]+)", spec)
        expect(not least or asked and version_of(asked[1]) >= version_of(least), f"spack: {spec}, CMake wants {least}")
backend = (root / "cmake/GableBackend.cmake").read_text()
for variant, key, table, known, ours, cmake_list in [
    ("+cuda", "cuda_arch", KOKKOS_CUDA, CUDA_ARCHS, "cuda_arch", "GABLE_CUDA_ARCH"),
    ("+rocm", "amdgpu_target", KOKKOS_ROCM, ROCM_TARGETS, "amdgpu_target", "GABLE_HIP_ARCH"),
]:
    archs = set(re.search(rf"CACHE {cmake_list} PROPERTY STRINGS ([^)]+)\)", backend)[1].split())
    excluded = {spec.split("=")[1] for spec in conflicting if spec.startswith(f"{ours}=")}
    expect(archs.isdisjoint(excluded), f"spack: {archs & excluded} are excluded, and kernels are written for them")
    expect(set(known) - archs <= excluded, f"spack: {set(known) - archs - excluded} are not excluded")
    for arch in archs:
        needed = [spec for spec, when in depends if spec.startswith("kokkos") and when == f"{variant} {ours}={arch}"]
        expect(len(needed) == 1, f"spack: {arch} has {len(needed)} dependencies on Kokkos")
        for spec in needed:
            asked, oldest = re.search(rf"{key}=(\w+)", spec)[1], re.search(r"@([\d.]+):", spec)[1]
            expect(asked in table, f"spack: Kokkos has no {key}={asked}")
            expect(version_of(oldest) >= version_of(table.get(asked)), f"spack: Kokkos {oldest} has no {asked}")
            # GableKokkos.cmake stops at a Kokkos that was not built with CMake's language of the GPU
            expect("+cmake_lang" in spec, f"spack: {spec} lacks +cmake_lang")
for spec, _ in depends:
    if spec.startswith("kokkos"):
        expect(set(re.findall(r"[+~](\w+)", spec)) <= KOKKOS_VARIANTS, f"spack: Kokkos has no such variants: {spec}")
steps = (root / "docs/spack.md").read_text()
expect("/spack_repo/" in steps, "docs/spack.md: a repository of Spack 1.0 is a folder in spack_repo")
for line in re.findall(r"^    (spack.*(?:develop|install).*)", steps, re.MULTILINE):
    expect(line.startswith("spack -e "), f"docs/spack.md: {line}: only an environment can be developed in")
for arch in re.findall(r"cuda_arch=(\w+)", steps):
    expect(arch in ("80", "90a", "100"), f"docs/spack.md: Spack's recipe has no cuda_arch={arch}")

# EasyBuild: a file of assignments, of which EasyBuild knows these names.
KNOWN = {"easyblock", "name", "version", "homepage", "description", "toolchain", "toolchainopts", "sources", "checksums",
         "builddependencies", "dependencies", "configopts", "sanity_check_paths", "sanity_check_commands",
         "modextrapaths", "moduleclass"}
recipe = run(packaging / "easybuild/Gable-0.1.0-foss-2023b.eb")
unknown = {name for name in recipe if not name.startswith(("__", "local_"))} - KNOWN
expect(not unknown, f"easybuild: there are no parameters {unknown}")
version = re.search(r"project\(gable VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
expect(recipe["version"] == version, f"easybuild: version {recipe['version']}, the project's is {version}")
expect(recipe["name"].lower() == "gable" and recipe["toolchain"] and recipe["moduleclass"] == "perf", "easybuild: names")
expect("easybuild" not in recipe["homepage"], f"easybuild: the homepage is another project's: {recipe['homepage']}")
given = dict(re.findall(r"-D(\w+)=(\S+)", recipe["configopts"]))
for name in given:
    expect(name in options, f"easybuild: CMake has no option {name}")
packages = dict(recipe["builddependencies"] + recipe["dependencies"])
for name, least in required.items():
    package = NAMES[name][1]
    if package:
        expect(package in packages, f"easybuild: no dependency on {package}")
        expect(version_of(packages.get(package)) >= version_of(least), f"easybuild: {package}, CMake wants {least}")
brought = [source for source in recipe["sources"] if isinstance(source, dict)]
valijson = next((source["filename"] for source in brought if "valijson" in source["filename"]), "")
expect(valijson and given.get("VALIJSON_INCLUDE_DIR") == f"%(builddir)s/{valijson[:-len('.tar.gz')]}/include",
       f"easybuild: valijson comes as {valijson!r}, CMake looks in {given.get('VALIJSON_INCLUDE_DIR')}")
checksums = recipe.get("checksums", [])
expect(len(checksums) == len(recipe["sources"]), "easybuild: a checksum for each source, or None")
for source, checksum in zip(recipe["sources"], checksums):
    expect(isinstance(source, str) or re.fullmatch(r"[0-9a-f]{64}", checksum or ""), f"easybuild: {source} has no SHA-256")
worker = "libexec/gable/gable-worker-openmp-" + given.get("GABLE_CPU_TARGETS", "native")
expect(worker in recipe["sanity_check_paths"]["files"], f"easybuild: {worker} is built, and not looked for")
install = (root / "cmake/GableInstall.cmake").read_text()
expect("gable.h" in install and "gable/python" in install, "easybuild: installed files")

# ReFrame and Ramble: their patterns, on what gable prints. ReFrame runs a job in a folder of its own.


class RunOnlyRegressionTest:
    stdout = "stdout"


patterns = []
utility = module("reframe.utility.sanity", make_performance_function=lambda one, unit: (one, unit),
                 extractsingle=lambda pattern, *_: patterns.append(pattern) or pattern,
                 assert_found=lambda pattern, *_: patterns.append(pattern) or pattern)
module("reframe", RunOnlyRegressionTest=RunOnlyRegressionTest, simple_test=lambda test: test)
module("reframe.utility", sanity=utility)


def hook(stages):
    def at(stage):
        expect(stage in stages, f"reframe: no stage {stage} for a hook")
        return lambda function: function
    return at


checks = run(packaging / "reframe/gable_checks.py", variable=lambda *_, value=None: value,
             parameter=lambda values: values[0], sanity_function=lambda function: function,
             run_before=hook({"setup", "run", "sanity", "performance", "cleanup"}),
             run_after=hook({"init", "setup", "run", "sanity", "performance", "cleanup"}))
test = checks["GableCeilings"]()
test.measure()
expect(test.executable_opts[:2] == ["measure", "--quick"], f"reframe: {test.executable_opts}")
test.set_figures()
test.measured()
accepted = checks["GableAcceptance"]()
accepted.accepted = "reference.json"
accepted.find_reference()
accepted.measure()
accepted.judge()
words = shlex.split(accepted.postrun_cmds[0])
against = pathlib.Path(words[words.index("--against") + 1])
expect(against == pathlib.Path("reference.json").absolute(), f"reframe: the job would look for {against} where it runs")
commands = [*test.postrun_cmds, *accepted.postrun_cmds]

foms = []


def executable(name, template, use_mpi=True):
    commands.append(template)


def figure_of_merit(name, fom_regex, group_name, log_file="{log_file}", units="", contexts=()):
    foms.append((name, fom_regex, group_name))


def success_criteria(name, mode, match=None, file="{log_file}"):
    expect(mode == "string" and match, f"ramble: {name} has nothing to match")


module("ramble")
module("ramble.appkit", ExecutableApplication=object, tags=lambda *_: None, executable=executable,
       workload=lambda name, executables=None: None, figure_of_merit=figure_of_merit, success_criteria=success_criteria,
       workload_variable=lambda name, default, description, workloads=None: None)
run(packaging / "benchpark/application.py")
for name, _, group in foms:
    expect(name == group, f"ramble: {name} is taken from the group {group}")


class Experiment:
    """What an experiment of Benchpark finds: variables that must be set, and a package."""

    name = "gable"

    def __init__(self, **variants):
        self.told, self.packages = {}, {}
        self.spec = types.SimpleNamespace(
            variants={name: [value] for name, value in variants.items()},
            satisfies=lambda text: variants.get(text.split("=")[0]) == text.split("=")[1])

    def add_experiment_variable(self, name, value, named=False, matrixed=False):
        self.told[name] = value

    def set_required_variables(self, n_resources, process_problem_size, total_problem_size):
        self.told["n_resources"] = n_resources

    def add_package_spec(self, name, spec=None):
        self.packages[name] = spec


class BenchparkError(Exception):
    pass


variants_asked = {}  # of the experiment: {name: values, or None for any}


def variant(name, default, description, values=None):
    expect(values is None or default in values, f"benchpark: the default of {name} is {default}, which is none of {values}")
    variants_asked[name] = values


module("benchpark")
module("benchpark.directives", variant=variant)
module("benchpark.error", BenchparkError=BenchparkError)
module("benchpark.experiment", Experiment=Experiment)
module("benchpark.openmp", OpenMPExperiment=type("OpenMPExperiment", (), {}))
Gable = run(packaging / "benchpark/experiment.py")["Gable"]
experiment = Gable(mode="quick", package_manager="user-managed")
experiment.compute_applications_section()
wanted = {"n_nodes": "1", "n_ranks": "1", "mode": "quick", "n_resources": "{n_nodes}"}
expect(experiment.told == wanted, f"benchpark: {experiment.told}")
experiment.compute_package_section()
expect(experiment.packages == {"gable": None}, f"benchpark: {experiment.packages}, which nothing can fetch")
refusal = ""
try:
    Gable(mode="quick", package_manager="spack").compute_package_section()
    expect(False, "benchpark: Spack is asked for Gable, which it cannot fetch")
except BenchparkError as error:
    refusal = str(error)
    expect("package_manager=user-managed" in refusal, f"benchpark: {refusal}")
# The command in the documentation has no variants but the experiment's and those of Benchpark that its refusal asks for,
# and of the programming models those whose class it derives from.
asked_for = dict(re.findall(r"(\w+)=(\S+)", refusal))
page = (root / "docs/benchpark.md").read_text()
line = next(line for line in page.replace("\\\n", "").splitlines() if line.startswith("    benchpark experiment init"))
models = {base.__name__.removesuffix("Experiment").lower() for base in Gable.__mro__ if base.__name__ != "Experiment"
          and base.__name__.endswith("Experiment")}
named = re.search(rf" {Gable.name}((?:\+\w+)*) ", line)
expect(named and set(re.findall(r"\w+", named[1])) == models, f"docs/benchpark.md: {line.strip()}: the models are {models}")
given = dict(re.findall(r"(?<!-)\b(\w+)=(\S+)", line))
given.pop("dest", None)
for name, value in given.items():
    expect(name in {*variants_asked, *asked_for}, f"docs/benchpark.md: the experiment has no variant {name}")
    values = variants_asked.get(name)
    expect(values is None or value in values, f"docs/benchpark.md: {name}={value} is none of {values}")
for name, value in asked_for.items():
    expect(given.get(name) == value, f"docs/benchpark.md: {line.strip()} lacks {name}={value}, which the experiment asks for")
expect(variants_asked, "benchpark: the experiment has variants")

printed = ""
for file in sorted((root / "data/measured").glob("*.json")):
    printed += subprocess.run([gable, "check", file, "--against", file, "--fom"], capture_output=True, text=True,
                              check=True).stdout
expect(len(foms) == 4 and len(patterns) >= 5, "there are patterns to try")
for pattern in [*patterns, *(regex for _, regex, _ in foms)]:
    expect("accepted" in pattern or re.search(pattern, printed, re.MULTILINE), f"nothing is found by {pattern}")
for command in commands:
    for option in re.findall(r"--([a-z]+)", command):
        text = subprocess.run([gable, "help", "check" if " check " in command else "measure"], capture_output=True,
                              text=True, check=True).stdout
        expect(f"--{option}" in text or option in ("quick", "full") or "{mode}" in command, f"{command}: no --{option}")

# Exported Python runs, whatever the device is called, and holds the figures of the table.
name = 'A "CPU" \\ of \'two\'\nimport nothing'
document = json.loads((root / "data/measured/amd-zen-3-quick.json").read_text())
document["devices"][0]["name"] = name
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "named.json"
    file.write_text(json.dumps(document))
    exported = {form: subprocess.run([gable, "export", file, "--format", form], capture_output=True, text=True,
                                     check=True).stdout for form in ("csv", "reframe", "llm-viewer")}
rows = list(csv.DictReader(io.StringIO(exported["csv"])))
scopes = {}
for form in ("reframe", "llm-viewer"):
    scopes[form] = {}
    exec(compile(exported[form], form, "exec"), scopes[form])


def near(figure, text, relative=1e-5):
    return abs(figure - float(text)) <= relative * abs(float(text))


reference = scopes["reframe"]["reference"]["*"]
expect(rows and len(reference) == len(rows), f"reframe: {len(reference)} references of {len(rows)} peaks")
for (value, low, high, unit), row in zip(reference.values(), rows):
    expect(near(value, row["value"]) and unit == row["unit"], f"reframe: {value} {unit}, the table has {row}")
    if row["low"] and row["high"]:
        ends = [float(row[end]) / float(row["value"]) - 1 for end in ("low", "high")]
        expect(low <= 0 <= high and abs(low - ends[0]) < 1e-4 and abs(high - ends[1]) < 1e-4, f"reframe: {low}, {high}: {row}")
    else:
        expect(low is None and high is None, f"reframe: ends of {row}")
hardware = scopes["llm-viewer"]["hardware_params"]
expect(list(hardware) == [name], f"llm-viewer: the device is called {list(hardware)}")
expect("bandwidth" in hardware.get(name, {}), f"llm-viewer: no bandwidth in {hardware}")
for key, figure in hardware.get(name, {}).items():
    expect(any(near(figure, row["value"]) for row in rows), f"llm-viewer: {key} is {figure}, which is no peak of the table")

# Containers: nothing that a build made here goes into an image; packages are those that the project's own scripts install, options are
# CMake's.
left_out = set((root / ".containerignore").read_text().splitlines())
for made in (root / ".gitignore").read_text().split():
    expect(made.strip("/") in left_out, f".containerignore does not leave out {made}, as .gitignore does")
expect(".git" not in left_out, ".containerignore leaves out .git: the program would not know its commit")
lib = (root / "scripts/lib.sh").read_text()
known = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", lib))
for name in ("Containerfile", "gable.def"):
    text = (packaging / "container" / name).read_text()
    built = text.split("FROM")[1] if name == "Containerfile" else text
    for _, _, package in NAMES.values():
        expect(re.search(rf"(?<![\w-]){re.escape(package)}(?![\w-])", built), f"{name}: no {package}, which CMake requires")
    for word in re.findall(r"\b(?:lib[a-z0-9.+-]+-dev|g\+\+|ninja-build|cmake)(?![\w-])", built):
        expect(word in known, f"{name}: scripts/lib.sh installs no {word}")
    for option in re.findall(r"-D(GABLE_\w+)", text):
        expect(option in options, f"{name}: CMake has no option {option}")

if failures:
    sys.exit("\n".join(failures))
