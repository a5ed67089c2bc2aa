"""gable campaign under a real Slurm of four nodes on this machine, on what the fake worker measures.

usage: campaign.py BUILD [WORD…]
BUILD is a build folder with bin/gable and tests/cli/workers; the words stand in front of a command that runs there (in_root.sh
ROOT). Skipped with the reason (exit code 77) where there is no Slurm or the machine denies it; one that starts badly is a failure.
GABLE_SLURM_TEST=Campaign.test_… names tests to run. Nothing of Slurm's is left behind.
"""
import calendar
import collections
import glob
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cluster

NODES = ["n1", "n2", "n3", "n4"]
LIMIT_S = 120  # for whatever is waited for, on a busy machine
BUILD, INSIDE = "", []
SLURM = None
FOLDER = pathlib.Path()
FAKE_TIME = (glob.glob("/usr/lib/*/faketime/libfaketime.so.1") or [""])[0]


def write_program():
    """The program as tasks start it: with the fake worker, and with the variables that a file env.NODE has."""
    (FOLDER / "gable").write_text(f"""#!/bin/bash
variables=({shlex.quote("GABLE_WORKER_PATH=" + BUILD + "/tests/cli/workers")})
node={shlex.quote(str(FOLDER))}/env.${{SLURMD_NODENAME:-none}}
[ ! -e "$node" ] || mapfile -t -O 1 variables <"$node"
exec {shlex.join(INSIDE)} env "${{variables[@]}}" {shlex.quote(BUILD)}/bin/gable "$@"
""", encoding="utf-8")
    (FOLDER / "gable").chmod(0o755)


Outcome = collections.namedtuple("Outcome", "code out err")


class Campaign(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = FOLDER / self.id().rsplit(".", 1)[1]
        self.folder.mkdir()
        self.campaign = self.folder / "c"

    def tearDown(self):
        for path in FOLDER.glob("env.*"):
            path.unlink()
        SLURM.tidy()

    def call(self, *words, **more):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=SLURM.environment | more, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=LIMIT_S)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def gable(self, *words):
        return self.call(FOLDER / "gable", "campaign", *words)

    def init(self, nodes="n[1-4]"):
        done = self.gable("init", self.campaign, "--operator", "triad", "--params", "n=1000000", "--dtype", "fp32",
                          "--nodes", nodes)
        self.assertEqual(done.code, 0, done.err)

    def srun(self, *words, nodes="n[1-4]", each=1):
        """Runs the campaign on nodes, one task a node."""
        count = len(SLURM.hostnames(nodes))
        return self.call("srun", f"--nodelist={nodes}", f"-N{count}", f"--ntasks-per-node={each}", "--kill-on-bad-exit=0",
                         FOLDER / "gable", "campaign", "run", self.campaign, *words)

    def submit(self, script="campaign.sbatch", *options):
        done = self.call("sbatch", "--parsable", *options, self.campaign / script, GABLE=str(FOLDER / "gable"))
        self.assertEqual(done.code, 0, done.err)
        return done.out.strip()

    def wait_for_end(self, job):
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        self.wait(lambda: self.state(job) in ended, f"job {job} does not end")

    def state(self, job):
        """In Slurm's words; empty where slurmctld does not answer in time."""
        said = self.call("scontrol", "show", "job", job).out
        return said.split("JobState=", 1)[1].split()[0] if "JobState=" in said else ""

    def wait(self, done, complaint):
        end = time.monotonic() + LIMIT_S
        while not done():
            self.assertLess(time.monotonic(), end, complaint)
            time.sleep(0.1)

    def slow(self, node, seconds):
        self.variables(node, f"GABLE_FAKE_SLOW={seconds}")

    @staticmethod
    def variables(node, *lines):
        (FOLDER / f"env.{node}").write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def file(self, node, ending=".json"):
        return self.campaign / "nodes" / (node + ending)

    def result(self, node, ending=".json"):
        return json.loads(self.file(node, ending).read_text(encoding="utf-8"))

    def report(self, *words, code=None):
        done = self.gable("report", self.campaign, "--json", *words)
        self.assertIn(done.code, (0, 1), done.err)
        if code is not None:
            self.assertEqual(done.code, code, done.out)
        return json.loads(done.out)

    def verdicts(self, answer):
        return {node["name"]: node["verdict"] for node in answer["nodes"]}

    def begun(self, node):
        """It has measured something: its journal has more than a header."""
        journal = self.file(node, ".json.journal")
        return journal.exists() and journal.read_bytes().count(b"\n") > 1

    def fact(self, node, name):
        return next((fact["value"] for fact in self.result(node)["run"]["facts"] if fact["name"] == name), None)

    def test_lists_of_nodes_are_slurms(self):
        for nodes in ("n[1-4]", "n[001-003,007],login", "r[1-2]n[01-03]", "gpu-[0-1]-[8-11]", "a,b1,b02,b2,b03", "x[9-11],x5",
                      "n[08-12,100]"):
            with self.subTest(nodes):
                shutil.rmtree(self.campaign, ignore_errors=True)
                self.init(nodes)
                answer = self.report(code=1)
                names = sorted(SLURM.hostnames(nodes))
                self.assertEqual(sorted(self.verdicts(answer)), names)
                self.assertEqual(sorted(SLURM.hostnames(answer["failing_nodes"])), names)

    def test_the_generated_script_measures_every_node(self):
        self.init()
        self.wait_for_end(self.submit())
        answer = self.report("--against", self.file("n1"), code=0)
        self.assertEqual(self.verdicts(answer), dict.fromkeys(NODES, "pass"))
        self.assertEqual(SLURM.hostnames(answer["passing_nodes"]), NODES)
        for node in NODES:
            self.assertEqual(self.fact(node, "campaign node"), node)
        before = {node: self.file(node).read_bytes() for node in NODES}
        again = self.srun()
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(again.out.count("measured already"), len(NODES), again.out)
        self.assertEqual({node: self.file(node).read_bytes() for node in NODES}, before)

    def test_nodes_begin_together_whatever_their_clocks_say(self):
        self.init()
        hours = {"n2": 5, "n3": -7} if FAKE_TIME else {}
        if FAKE_TIME:
            shutil.copy(FAKE_TIME, FOLDER / "faketime.so")  # a build root does not see /usr
        for node, skew in hours.items():
            self.variables(node, f"LD_PRELOAD={FOLDER}/faketime.so", f"FAKETIME={skew:+}h", "FAKETIME_DONT_FAKE_MONOTONIC=1")
        done = self.srun("--barrier", "60")
        self.assertEqual(done.code, 0, done.err)
        for node in NODES:
            self.assertEqual(self.fact(node, "campaign barrier"), "4 of 4 nodes began together")
            said = time.strptime(self.result(node)["run"]["finished_at"][:13], "%Y-%m-%dT%H")
            skew = (calendar.timegm(said) - time.time()) / 3600
            self.assertLess(abs(skew - hours.get(node, 0)), 1.1, node)
        self.assertEqual(self.verdicts(self.report("--against", self.file("n1"), code=0)), dict.fromkeys(NODES, "pass"))
        if not FAKE_TIME:
            self.skipTest("no libfaketime here: all clocks told the same")

    def test_a_requeued_job_goes_on(self):
        self.init()
        for node in NODES:
            self.slow(node, 0.3)
        job = self.submit()
        self.wait(lambda: all(map(self.begun, NODES)), "not every node begins")
        SLURM.command("scontrol", "requeue", job)
        self.wait(lambda: self.state(job) == "PENDING", "it does not wait again")
        self.assertFalse(any(self.file(node).exists() for node in NODES))
        waiting = self.report(code=1)
        self.assertEqual(self.verdicts(waiting), dict.fromkeys(NODES, "absent"))
        self.assertIn("began", waiting["nodes"][0]["reason"])
        for node in NODES:
            self.slow(node, 0)

        def starts():  # Slurm's select/linear may take idle nodes for busy after a requeue, until it reads its configuration again
            if "Reason=Resources" in self.call("scontrol", "show", "job", job).out:
                SLURM.command("scontrol", "reconfigure", check=False)
            return self.state(job) not in ("PENDING", "")
        self.wait(starts, "it does not start again")
        self.wait_for_end(job)
        self.assertEqual({node: self.result(node)["run"].get("resumed") for node in NODES}, dict.fromkeys(NODES, 1))

    def test_a_node_that_dies_is_absent_and_goes_on_later(self):
        self.init()
        self.slow("n2", 0.5)
        job = self.submit()
        self.wait(lambda: self.begun("n2") and all(self.file(node).exists() for node in NODES if node != "n2"),
                  "the others do not end")
        SLURM.kill_node("n2")
        self.wait_for_end(job)
        answer = self.report("--against", self.file("n1"), code=1)
        self.assertEqual(self.verdicts(answer), {"n1": "pass", "n2": "absent", "n3": "pass", "n4": "pass"})
        self.assertEqual(answer["failing_nodes"], "n2")
        with open(self.file("n2", ".json.journal"), "ab") as journal:  # it died while it wrote
            journal.write(b'{"round": 2, "ite')
        self.slow("n2", 0)
        SLURM.start_node("n2")
        SLURM.command("scontrol", "update", "NodeName=n2", "State=RESUME")
        SLURM.wait_for_state("n2", "idle")
        self.wait_for_end(self.submit())
        self.assertEqual(self.result("n2")["run"].get("resumed"), 1)
        self.assertEqual(self.verdicts(self.report("--against", self.file("n1"), code=0)), dict.fromkeys(NODES, "pass"))

    def test_two_tasks_on_a_node_are_one(self):
        self.init("n1")
        self.slow("n1", 0.1)
        done = self.srun(nodes="n1", each=2)
        self.assertEqual(done.err.count("is being measured by another task"), 1, done.err)
        self.assertEqual(self.verdicts(self.report("--against", self.file("n1"), code=0)), {"n1": "pass"})

    def test_a_full_disk_leaves_no_half_a_file(self):
        self.campaign = self.folder / "small" / "c"
        (self.folder / "small").mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", self.folder / "small"], text=True,
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
        try:
            self.init("n1")
            filler = self.folder / "small" / "filler"
            with self.assertRaises(OSError):
                with open(filler, "wb", buffering=0) as file:
                    while True:
                        file.write(b"x" * 4096)
            full = self.srun(nodes="n1")
            self.assertNotEqual(full.code, 0)
            self.assertIn("No space left on device", full.err)
            self.assertFalse(self.file("n1").exists())
            self.assertNotEqual(self.verdicts(self.report(code=1))["n1"], "pass")
            filler.unlink()
            done = self.srun(nodes="n1")
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(self.call(FOLDER / "gable", "validate", self.file("n1")).code, 0)
            self.assertEqual(self.verdicts(self.report("--against", self.file("n1"), code=0)), {"n1": "pass"})
        finally:
            subprocess.run(["umount", "--lazy", self.folder / "small"], check=True)

    def test_a_truncated_result_is_named(self):
        self.init("n[1-2]")
        self.assertEqual(self.srun(nodes="n[1-2]").code, 0)
        for ending in (".json", ".summary.json"):
            whole = self.file("n1", ending).read_bytes()
            self.file("n1", ending).write_bytes(whole[:len(whole) // 2])
        answer = self.report(code=1)
        self.assertEqual(self.verdicts(answer)["n1"], "damaged")
        self.assertEqual(answer["failing_nodes"], "n1")
        again = self.srun(nodes="n1")
        self.assertNotEqual(again.code, 0)
        self.assertIn(str(self.file("n1")), again.err)

    def test_drain_lines_are_understood_and_run_by_nobody(self):
        self.init()
        self.variables("n3", "GABLE_FAKE_OPEN=openmp=abort")
        self.assertNotEqual(self.srun().code, 0)
        self.report("--files", self.folder / "out", code=1)
        self.assertEqual((self.folder / "out" / "failing.txt").read_text(encoding="utf-8"), "n3\n")
        lines = (self.folder / "out" / "drain.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 1, lines)
        SLURM.wait_for_state("n3", "idle")
        SLURM.command(*shlex.split(lines[0]))
        SLURM.wait_for_state("n3", "drained")
        self.assertIn("gable: ", SLURM.command("scontrol", "show", "node", "n3"))
        SLURM.command("scontrol", "update", "NodeName=n3", "State=RESUME")
        SLURM.wait_for_state("n3", "idle")

    def test_slow_nodes_are_measured_again_beside_controls(self):
        self.init("n[1-8]")
        self.assertEqual(self.srun().code, 0)
        summary = self.result("n1", ".summary.json")

        def made_up(node, factor):
            other = json.loads(json.dumps(summary)) | {"node": node}
            for column in ("value", "low", "high"):
                other["rows"][column] = [value and value * factor for value in other["rows"][column]]
            self.file(node, ".summary.json").write_text(json.dumps(other), encoding="utf-8")
        for node in ("n5", "n6", "n7", "n8"):
            made_up(node, 1)
        made_up("n3", 0.5)
        written = self.gable("retest", self.campaign)
        self.assertEqual(written.code, 0, written.err)
        self.assertEqual((self.campaign / "retest-1.txt").read_text(encoding="utf-8").split(), ["n3", "n1"])
        self.wait_for_end(self.submit("retest-1.sbatch"))
        starts = {node: [self.result(node, f".retest-1{which}.json")["run"]["started_at"] for which in ("", ".round-2")]
                  for node in ("n3", "n1")}
        self.assertEqual(sorted(starts["n3"] + starts["n1"]), [starts["n3"][0], *starts["n1"], starts["n3"][1]])
        judged = self.gable("retest", self.campaign, "--json")
        self.assertEqual(judged.code, 0, judged.out + judged.err)  # its real figures are those of the others
        self.assertEqual(json.loads(judged.out)["intermittent_nodes"], "n3")

    def test_a_hostile_name_of_a_host_stays_in_the_folder(self):
        self.init("n1")
        named = ("unshare", "--uts", "bash", "-ec", "printf %s \"$1\" >/proc/sys/kernel/hostname; shift; exec \"$@\"", "bash",
                 "../$(touch x);`y`")
        allowed = self.call(*named, "true")
        if allowed.code != 0:
            self.skipTest(f"no host can be renamed here: {allowed.err.strip()}")
        done = self.call(*named, FOLDER / "gable", "campaign", "run", self.campaign)
        self.assertEqual(done.code, 0, done.err)
        self.assertFalse(list(self.folder.glob("**/x")))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"c"})
        self.assertEqual(len(list((self.campaign / "nodes").glob("*.summary.json"))), 1)


def stop(*_):
    """As Ctrl-C does, so that the daemons end; unittest takes SystemExit for an error of a test. timeout sends the signal twice."""
    signal.signal(signal.SIGTERM, lambda *_: None)
    raise KeyboardInterrupt


def run_tests():
    print(SLURM.command("scontrol", "--version").strip())
    chosen = os.environ.get("GABLE_SLURM_TEST", "").split()
    tests = unittest.main(argv=[sys.argv[0], *chosen], verbosity=2, failfast=True, exit=False)
    return 0 if tests.result.wasSuccessful() else 1


def main():
    global BUILD, INSIDE, SLURM, FOLDER
    BUILD, INSIDE = os.path.abspath(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, stop)
    try:
        with tempfile.TemporaryDirectory(prefix="gable-slurm-", ignore_cleanup_errors=True) as name:
            FOLDER = pathlib.Path(name)
            (FOLDER / "slurm").mkdir()
            write_program()
            with cluster.Cluster(FOLDER / "slurm", len(NODES)) as SLURM:
                return run_tests()
    except cluster.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    except KeyboardInterrupt:
        sys.exit("ended by a signal")


if __name__ == "__main__":
    sys.exit(main())
