#!/usr/bin/env python3
"""The real program with a part of this machine: what taskset, cgroups and OpenMP's variables leave is respected.

    bindings.py CASE GABLE PINNED_THREADS_PROBE

Exit code 77 with the reason where a case cannot be tried: one cpu, no right to make a cgroup.
"""
import contextlib
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

SKIP = 77
GABLE, PINNED_THREADS_PROBE = sys.argv[2:4]
CPUS = sorted(os.sched_getaffinity(0))
# OpenMP variables of the caller's shell must not decide these cases.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_", "KMP_"))}


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


def need_two_cpus():
    if len(CPUS) < 2:
        skip("this process may use one cpu only")


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def device(cpus=None, before=None, **environment):
    """The CPU that `gable devices` shows to a process that is bound to the cpus and has run `before`."""

    def bind():
        if cpus:
            os.sched_setaffinity(0, cpus)
        if before:
            before()

    command = [GABLE, "devices", "--json"]
    done = subprocess.run(command, preexec_fn=bind, env={**ENVIRONMENT, **environment}, capture_output=True, text=True)
    check(done.returncode == 0, f"{command}: {done.returncode} {done.stderr}")
    return next(entry for entry in json.loads(done.stdout)["devices"] if entry["backend"] == "openmp")


def fact(shown, name):
    return next((entry["value"] for entry in shown["facts"] if entry["name"] == name), "")


def check_one_cpu(shown, cpu):
    check(shown["cores"] == 1 and shown["threads"] == 1, f"{shown['cores']} cores, {shown['threads']} threads")
    check(shown["cpus"] == [cpu], f"cpus {shown['cpus']} for cpu {cpu}")
    check(fact(shown, "usable cpus") == f"1 hardware thread on 1 core: {cpu}", fact(shown, "usable cpus"))


def descendants(of):
    """Processes below that one, now."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            text = open(path).read()
            parents[int(text.split(" ", 1)[0])] = int(text.rsplit(")", 1)[1].split()[1])
    found, last = {of}, set()
    while found != last:
        last = set(found)
        found |= {process for process, parent in parents.items() if parent in found}
    return found - {of}


def masks_while_running(process):
    """Masks of cpus that threads of its descendants were seen with, until it ends, with names of such threads."""
    seen = {}
    while process.poll() is None:
        for child in descendants(process.pid):
            for path in glob.glob(f"/proc/{child}/task/*/status"):
                with contextlib.suppress(OSError):
                    status = dict(line.rstrip("\n").split(":", 1) for line in open(path) if ":" in line)
                    seen.setdefault(status["Cpus_allowed_list"].strip(), set()).add(status["Name"].strip())
        time.sleep(0.02)
    return seen


def one_cpu_is_one_core():
    for cpu in (CPUS[0], CPUS[-1]):
        check_one_cpu(device({cpu}), cpu)


def threads_stay_on_their_cpu():
    """Seen from outside, while the worker measures."""
    cpu = CPUS[-1]
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "result.json")
        command = [GABLE, "run", "--operator", "triad", "--params", "n=100000", "--dtype", "fp64", "--output", output]
        process = subprocess.Popen(command, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}), env=ENVIRONMENT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        masks = masks_while_running(process)
        check(process.returncode in (0, 1), f"exit code {process.returncode}")
        check(set(masks) == {str(cpu)}, f"threads were seen on {masks}, not on cpu {cpu} alone")
        result = json.load(open(output))
    check_one_cpu(next(entry for entry in result["devices"] if entry["backend"] == "openmp"), cpu)
    threads = {row["threads"] for row in result["points"]}
    check(threads == {1}, f"rows of {threads} threads")


def places_of_openmp():
    """OMP_PLACES names cpus: those of them that the mask leaves count, and if it leaves none, the mask does."""
    need_two_cpus()
    first, last = CPUS[0], CPUS[-1]
    check_one_cpu(device(OMP_PLACES=f"{{{last}}}", OMP_PROC_BIND="true"), last)
    check_one_cpu(device(GOMP_CPU_AFFINITY=str(last)), last)
    check_one_cpu(device({last}, OMP_PLACES=f"{{{first}}},{{{last}}}", OMP_PROC_BIND="close"), last)
    check_one_cpu(device({last}, OMP_PLACES=f"{{{first}}}", OMP_PROC_BIND="true"), last)


def caches_that_the_system_hides():
    """Processors are then asked themselves, but none that this process must not use."""
    need_two_cpus()
    cpu = CPUS[-1]
    # a build root is no mount, so that unshare cannot make all of it private; what hides the caches stays in /sys
    hide = ("mount --make-rprivate /sys || exit 77; for folder in /sys/devices/system/cpu/cpu*/cache; "
            'do mount -t tmpfs none "$folder" || exit 77; done; exec "$@"')
    command = ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", hide, "sh"]
    done = subprocess.run([*command, PINNED_THREADS_PROBE, "topology"], text=True, capture_output=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {cpu}), env=ENVIRONMENT)
    if done.returncode == SKIP or "unshare" in done.stderr:
        skip(f"caches cannot be hidden here: {done.stderr.strip()}")
    *masks, level = done.stdout.splitlines()
    check(masks and set(masks) == {f"cpus {cpu}"}, f"the mask of cpu {cpu} alone became: {masks}")
    check(level.startswith("L1 ") and level.endswith(", 1 cores"), level)


def own_group(controller):
    """This process's folder in the hierarchy of a controller of version 1, or of version 2 if that has it, and which."""
    for line in open("/proc/self/cgroup"):
        _, names, path = line.rstrip("\n").split(":", 2)
        if controller in names.split(","):
            return f"/sys/fs/cgroup/{controller}{path}", 1
    for line in open("/proc/self/cgroup"):
        _, names, path = line.rstrip("\n").split(":", 2)
        controllers = f"/sys/fs/cgroup{path}/cgroup.controllers"
        if not names and os.path.exists(controllers) and controller in open(controllers).read().split():
            return f"/sys/fs/cgroup{path}", 2
    skip(f"no control group has the controller {controller}")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


@contextlib.contextmanager
def group(controller):
    """A control group of this test: its folder and version. Skips where it cannot be made."""
    parent, version = own_group(controller)
    folder = os.path.join(parent, f"gable-test-{os.getpid()}")
    try:
        os.mkdir(folder)
    except OSError as error:
        skip(f"cannot make a control group: {error}")
    try:
        if version == 2 and controller not in open(f"{folder}/cgroup.controllers").read().split():
            skip(f"the control group of this process hands {controller} to none below it")
        yield folder, version
    finally:
        for _ in range(100):  # a group can only be removed some time after its last process has ended
            with contextlib.suppress(OSError):
                os.rmdir(folder)
                break
            time.sleep(0.05)


def set_up(folder, settings):
    """Writes settings of a group that only an administrator may change."""
    try:
        for name, value in settings.items():
            write(f"{folder}/{name}", value)
    except OSError as error:
        skip(f"cannot set up a control group: {error}")


def enter(folder):
    return lambda: write(f"{folder}/cgroup.procs", str(os.getpid()))


def memory_nodes():
    line = next(line for line in open("/proc/self/status") if line.startswith("Mems_allowed_list:"))
    return line.split()[1]


def cpuset_of_a_cgroup():
    need_two_cpus()
    with group("cpuset") as (folder, _):
        set_up(folder, {"cpuset.cpus": str(CPUS[-1]), "cpuset.mems": memory_nodes()})
        check_one_cpu(device(before=enter(folder)), CPUS[-1])


def quota_of_a_cgroup():
    cores = device()["cores"]
    if cores < 2:
        skip("this process may use one core only")
    for quota, expected in ((1.5, 1), (cores, cores), (0.5, 1)):
        with group("cpu") as (folder, version):
            period = 100000
            values = [str(int(quota * period)), str(period)]
            set_up(folder, {"cpu.max": " ".join(values)} if version == 2 else {"cpu.cfs_quota_us": values[0]})
            shown = device(before=enter(folder))
        check(shown["cores"] == expected, f"{shown['cores']} cores under a quota of {quota}")
        check(fact(shown, "cpu quota") == f"{quota:.2f} cpus", fact(shown, "cpu quota"))


def cpuset_that_shrinks():
    """A cpu that is taken away after the device was looked at is one line, not a figure of other cpus."""
    need_two_cpus()
    if device()["cores"] < 2:
        skip("the cpus of this process are one core")
    nodes = memory_nodes()
    with group("cpuset") as (folder, _):
        set_up(folder, {"cpuset.cpus": f"{CPUS[0]},{CPUS[-1]}", "cpuset.mems": nodes})
        probe = subprocess.Popen([PINNED_THREADS_PROBE, "wait"], preexec_fn=enter(folder), env=ENVIRONMENT, text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        check(probe.stdout.readline() == "looked\n", "pinned_threads_probe does not answer")
        write(f"{folder}/cpuset.cpus", str(CPUS[0]))
        said, _ = probe.communicate("go on\n")
    expected = f"cannot pin a thread to cpu {CPUS[-1]}: this process may no longer use it\n"
    check(probe.returncode == 2 and said == expected, f"{probe.returncode} {said}")


CASES = (one_cpu_is_one_core, threads_stay_on_their_cpu, caches_that_the_system_hides, places_of_openmp,
         cpuset_of_a_cgroup, quota_of_a_cgroup, cpuset_that_shrinks)
next(case for case in CASES if case.__name__ == sys.argv[1])()
