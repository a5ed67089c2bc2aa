#!/usr/bin/env python3
"""recipes.py ROOT GABLE: the recipes of packaging/ run with stand-ins for their tools, and name what Gable has.

Every CMake option that a recipe sets exists, every file that one looks for is installed, and every pattern that takes
a figure out of Gable's output finds one in it.
"""
import pathlib
import re
import subprocess
import sys
import types

root, gable = pathlib.Path(sys.argv[1]), sys.argv[2]
packaging = root / "packaging"
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


class Anything:
    """Takes every call and attribute."""

    def __init__(self, *_, **__): pass
    def __call__(self, *_, **__): return self
    def __getattr__(self, _): return self
    def __enter__(self): return self
    def __exit__(self, *_): return False
    def __iter__(self): return iter(())


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def run(path, **members):
    scope = {"__name__": "recipe", **members}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope


options = set()
for source in [root / "CMakeLists.txt", *root.glob("cmake/*.cmake")]:
    options |= set(re.findall(r"\b(?:option|set)\((GABLE_\w+)", source.read_text()))

# Spack: cmake_args() of the four kinds of builds.
depends = []


class CMakePackage:
    run_tests = False

    def define(self, name, value):
        return f"-D{name}={value}"


class Spec:
    def __init__(self, *variants, **values):
        self.on = variants
        self.variants = {name: types.SimpleNamespace(value=[value]) for name, value in values.items()}

    def satisfies(self, variant):
        return variant in self.on


directives = {name: Anything() for name in ("license", "version", "variant", "conflicts", "generator", "when")}
directives["depends_on"] = lambda *words, **_: depends.append(words[0])
module("spack")
module("spack.package", CMakePackage=CMakePackage,
       CudaPackage=type("CudaPackage", (), {"cuda_arch_values": ("70", "80", "90", "90a", "100")}),
       ROCmPackage=type("ROCmPackage", (), {"amdgpu_targets": ("gfx90a", "gfx942")}), join_path=None, which=None,
       **directives)
package = run(packaging / "spack/package.py")["Gable"]()
for spec, wanted in [
    (Spec("+cpu"), {"-DGABLE_BACKEND=openmp", "-DGABLE_WORKER=True"}),
    (Spec(), {"-DGABLE_BACKEND=openmp", "-DGABLE_WORKER=False"}),
    (Spec("+cuda", cuda_arch="90a"), {"-DGABLE_BACKEND=cuda", "-DGABLE_CUDA_ARCH=90a"}),
    (Spec("+rocm", amdgpu_target="gfx942"), {"-DGABLE_BACKEND=hip", "-DGABLE_HIP_ARCH=gfx942"}),
]:
    package.spec = spec
    given = set(package.cmake_args())
    expect(wanted <= given, f"spack, {spec.on}: {given} lacks {wanted - given}")
    for name in (word[2:].split("=")[0] for word in given):
        expect(name in options, f"spack: CMake has no option {name}")
for library in ("boost", "fmt", "nlohmann-json", "hwloc", "kokkos", "valijson", "highway"):
    expect(any(re.match(rf"{library}\b", word) for word in depends), f"spack: no dependency on {library}")

# EasyBuild: a file of assignments.
recipe = run(packaging / "easybuild/Gable-0.1.0-foss-2023b.eb")
version = re.search(r"project\(gable VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
expect(recipe["version"] == version, f"easybuild: version {recipe['version']}, the project's is {version}")
expect(recipe["name"].lower() == "gable" and recipe["toolchain"] and recipe["moduleclass"] == "perf", "easybuild: names")
for name in re.findall(r"-D(\w+)=", recipe["configopts"]):
    expect(name in options, f"easybuild: CMake has no option {name}")
install = (root / "cmake/GableInstall.cmake").read_text()
expect("gable.h" in install and "gable/python" in install, "easybuild: installed files")

# ReFrame and Ramble: their patterns, on what gable prints.
built_in = Anything()


class RunOnlyRegressionTest:
    stdout = "stdout"


patterns = []
utility = module("reframe.utility.sanity", make_performance_function=lambda one, unit: (one, unit),
                 extractsingle=lambda pattern, *_: patterns.append(pattern) or pattern,
                 assert_found=lambda pattern, *_: patterns.append(pattern) or pattern)
module("reframe", RunOnlyRegressionTest=RunOnlyRegressionTest, simple_test=lambda test: test)
module("reframe.utility", sanity=utility)
plain = {name: (lambda *_, **__: lambda function: function) for name in ("run_before",)}
checks = run(packaging / "reframe/gable_checks.py", variable=lambda *_, value=None: value, parameter=lambda values: values[0],
             sanity_function=lambda function: function, **plain)
test = checks["GableCeilings"]()
test.measure()
expect(test.executable_opts[:2] == ["measure", "--quick"], f"reframe: {test.executable_opts}")
test.set_figures()
test.measured()
accepted = checks["GableAcceptance"]()
accepted.accepted = "reference.json"
accepted.measure()
accepted.judge()
commands = [*test.postrun_cmds, *accepted.postrun_cmds]

foms = []
module("ramble")
module("ramble.appkit", ExecutableApplication=object, tags=built_in, workload=built_in, workload_variable=built_in,
       executable=lambda _, command, **__: commands.append(command),
       figure_of_merit=lambda name, fom_regex, group_name, **_: foms.append((name, fom_regex, group_name)),
       success_criteria=built_in)
run(packaging / "benchpark/application.py")
for name, _, group in foms:
    expect(name == group, f"ramble: {name} is taken from the group {group}")
module("benchpark")
module("benchpark.directives", variant=built_in)
module("benchpark.experiment", Experiment=object)
module("benchpark.openmp", OpenMPExperiment=type("OpenMPExperiment", (), {}))
experiment = run(packaging / "benchpark/experiment.py")["Gable"]()
told = {}
experiment.add_experiment_variable = lambda name, value, *_: told.update({name: value})
experiment.spec = types.SimpleNamespace(variants={"mode": ["quick"]})
experiment.compute_applications_section()
expect(told == {"n_nodes": "1", "n_ranks": "1", "mode": "quick"}, f"benchpark: {told}")

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

# Containers: packages are those that the project's own scripts install, options are CMake's.
lib = (root / "scripts/lib.sh").read_text()
known = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", lib))
for name in ("Containerfile", "gable.def"):
    text = (packaging / "container" / name).read_text()
    built = text.split("FROM")[1] if name == "Containerfile" else text
    for word in re.findall(r"\b(?:lib[a-z0-9.+-]+-dev|g\+\+|ninja-build|cmake)(?![\w-])", built):
        expect(word in known, f"{name}: scripts/lib.sh installs no {word}")
    for option in re.findall(r"-D(GABLE_\w+)", text):
        expect(option in options, f"{name}: CMake has no option {option}")

if failures:
    sys.exit("\n".join(failures))
