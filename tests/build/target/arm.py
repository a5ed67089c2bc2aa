#!/usr/bin/env python3
"""Builds the project for 64-bit Arm and runs it under qemu-user: arm.py --cmake C --generator G --source S --libraries L --folder DIR
[--option NAME=VALUE]…; L is a folder with Debian's arm64 packages, the options are of the build.

1. Everything that runs on a CPU is cross-compiled: `gable`, the worker of armv8.2-a with all operators, the conformance program.
2. Every operator matches its reference in every type, NaN and infinity too, on an emulated Neoverse N1, in cases of few elements.
3. `gable` runs an operator there, and on a Cortex-A72 says what the worker needs and that processor lacks.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

from target import check_refused, check_run

TARGET = "armv8.2-a"
LACKS_ON_A72 = ["atomics", "asimdrdm", "asimdhp", "asimddp"]
# Cases with more elements take minutes under the emulator.
ELEMENTS = "50000"
TESTS = "*Conformance.MatchesTheReference/*:*NotANumber*:EmptySizes.*:LargeValues.*:SparseFile.*:Causal*"


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def step(what, command, **options):
    """Runs a command and says how long it took; its output if it fails."""
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(f"{what}: {time.monotonic() - start:.0f} s", flush=True)
    return done.returncode, done.stdout


def build(arguments):
    toolchain = os.path.join(arguments.source, "cmake", "toolchains", "aarch64-linux-gnu.cmake")
    command = [arguments.cmake, "-G", arguments.generator, "-S", arguments.source, "-B", arguments.folder, "--toolchain", toolchain,
               f"-DCMAKE_SYSROOT={arguments.libraries}", f"-DGABLE_CPU_TARGETS={TARGET}", "-DGABLE_TESTS=ON", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"]
    code, text = step("configure", command + [f"-D{option}" for option in arguments.option])
    if code != 0 and "No Kokkos:" in text:
        skip("no Kokkos for Arm: neither among the libraries nor as a source tree, and its release cannot be downloaded")
    if code == 0:
        code, text = step("build", [arguments.cmake, "--build", arguments.folder, "--parallel", str(len(os.sched_getaffinity(0))),
                                    "--target", "gable", f"gable_worker_{TARGET}", "test_conformance"])
    if code != 0:
        print(text)
        sys.exit(1)


def check_conformance(folder, emulator):
    """The cases are shared out to as many processes as there are cores. OpenMP's threads wait without turning: qemu is slow at that."""
    shards = len(os.sched_getaffinity(0))
    start = time.monotonic()
    running = []
    for shard in range(shards):
        env = dict(os.environ, GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(shard), GABLE_CONFORMANCE_ELEMENTS=ELEMENTS,
                   OMP_WAIT_POLICY="passive")
        command = emulator + [os.path.join(folder, "bin", "test_conformance"), f"--gtest_filter={TESTS}", "--gtest_brief=1"]
        running.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    wrong, passed = [], 0
    for process in running:
        text = process.communicate()[0]
        passed += sum(int(count) for count in re.findall(r"\[  PASSED  \] (\d+) test", text))
        if process.returncode != 0:
            wrong.append(f"conformance ends with {process.returncode}:\n{text}")
    print(f"conformance: {time.monotonic() - start:.0f} s, {passed} tests passed", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    for name in ("cmake", "generator", "source", "libraries", "folder"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    for tool in ("aarch64-linux-gnu-g++", "qemu-aarch64"):
        if not shutil.which(tool):
            skip(f"{tool} is missing (packages g++-aarch64-linux-gnu and qemu-user)")
    if not os.path.isdir(arguments.libraries):
        skip("no libraries for 64-bit Arm: scripts/test --all unpacks them, and GABLE_ARM_LIBRARIES names their folder")
    build(arguments)

    emulators = {cpu: ["qemu-aarch64", "-cpu", cpu, "-L", arguments.libraries] for cpu in ("neoverse-n1", "cortex-a72")}
    wrong = check_conformance(arguments.folder, emulators["neoverse-n1"])
    arguments.gable = os.path.join(arguments.folder, "bin", "gable")
    arguments.worker = os.path.join(arguments.folder, "bin", f"gable-worker-openmp-{TARGET}")
    arguments.folder = os.path.join(arguments.folder, "run")
    start = time.monotonic()
    wrong += check_run(arguments, TARGET, emulators["neoverse-n1"])
    wrong += check_refused(arguments, LACKS_ON_A72, emulators["cortex-a72"])
    print(f"gable: {time.monotonic() - start:.0f} s")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


sys.exit(main())
