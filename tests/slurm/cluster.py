"""A real Slurm of a few nodes on one machine: one slurmctld, one slurmd a node, munge; its configuration, ports, key and state
are its own and gone with it. Needs root and Debian's packages slurm-wlm and munge; nothing of the host's configuration is read."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "sinfo", "squeue", "scancel", "setpriv")
START_S = 120  # until all nodes are idle
COMMAND_S = 120
REQUEUE_S = 30  # until a requeued job may start; as long is a credential valid, which a busy machine may need
LAST_COMMAND_S = 10  # at the end, when slurmctld may be what hangs
END_S = 10  # for daemons, and for what they started
DENIED = re.compile("permission denied|not permitted|read-only file system|function not implemented", re.IGNORECASE)


class Unavailable(Exception):
    """Why there can be no Slurm here, through no fault of the tests: no program, no root, or a machine that denies what munged or
    slurmctld need. Whatever else goes wrong is an AssertionError."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def environment_of(process):
    try:
        text = pathlib.Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return {}
    return dict(pair.split(b"=", 1) for pair in text.split(b"\0") if b"=" in pair)


class Cluster:
    """Nodes n1 … nN. Use it in a with statement."""

    def __init__(self, folder, nodes):
        missing = [name for name in PROGRAMS if not shutil.which(name, path=self.path())]
        if missing:
            raise Unavailable(f"there is no {missing[0]} here")
        if os.geteuid() != 0:
            raise Unavailable("only root can start these daemons")
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.daemons = {}
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH"))}
        self.environment |= {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": self.path(), "LC_ALL": "C.UTF-8"}

    @staticmethod
    def path():
        return os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin"

    def __enter__(self):
        try:
            self._configure()
            munge = self.folder / "munge"
            self._start("munged", "munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                        f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
            self._wait("munged makes no socket", (munge / "socket").exists, may_be_denied="munged")
            self._start("slurmctld", "slurmctld", "-D", "-c")
            self._wait("slurmctld does not answer", lambda: " UP" in self._ask("scontrol", "ping"), may_be_denied="slurmctld")
            for node in self.nodes:
                self.start_node(node)
            self._wait("the nodes do not become idle", self._idle)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if "slurmctld" in self.daemons:
                self.cancel_jobs()
        except (subprocess.SubprocessError, OSError):
            pass  # its processes end below, whatever Slurm says
        finally:
            others = [daemon for name, daemon in self.daemons.items() if name != "munged"]
            self._end(others)
            self._end([self.daemons[name] for name in self.daemons if name == "munged"])  # the others speak through it
            self._sweep()

    def _configure(self):
        for name in ("munge", "spool", "state", "log"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        first, *ports = free_ports(1 + len(self.nodes))
        folder = self.folder
        lines = [
            "ClusterName=gable", "SlurmctldHost=localhost(127.0.0.1)", f"SlurmctldPort={first}",
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
            f"AuthInfo=socket={folder}/munge/socket,cred_expire={REQUEUE_S}", "SchedulerParameters=sched_interval=5",
            f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={folder}/spool/%n",
            f"SlurmctldPidFile={folder}/slurmctld.pid", f"SlurmdPidFile={folder}/slurmd.%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld", f"SlurmdLogFile={folder}/log/slurmd.%n",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none", "SelectType=select/linear",
            "MailProg=/bin/true", "JobCompType=jobcomp/none", "ReturnToService=2", "KillWait=10", "SlurmdTimeout=300",
            "InactiveLimit=0", "MessageTimeout=60", "SlurmdParameters=config_overrides",
        ]
        lines += [f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=2"
                  for node, port in zip(self.nodes, ports)]
        lines.append("PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _start(self, name, *words):
        """It dies with this process, even if that is killed; a signal to this process's group does not reach it."""
        with open(self.folder / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *words], env=self.environment, cwd=self.folder,
                                                  stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)

    @staticmethod
    def _end(daemons):
        for daemon in daemons:
            daemon.terminate()
        end = time.monotonic() + END_S
        for daemon in daemons:
            try:
                daemon.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _wait(self, complaint, done, may_be_denied=None):
        end = time.monotonic() + START_S
        while not done():
            gone = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if gone or time.monotonic() > end:
                logs = "\n".join(f"{path.name}: {path.read_text(encoding='utf-8', errors='replace')[-500:]}"
                                 for path in sorted((self.folder / "log").iterdir()))
                if may_be_denied in gone and DENIED.search(logs):
                    raise Unavailable(f"this machine does not let {may_be_denied} start\n{logs}")
                raise AssertionError(f"{f'{gone[0]} has ended' if gone else complaint}\n{logs}")
            time.sleep(0.2)

    def start_node(self, node):
        self._start(node, "slurmd", "-D", "-N", node)

    def states(self):
        """State of each node in Slurm's words, without the mark of one that does not answer in time (the machine may be busy);
        empty while slurmctld does not answer."""
        words = self._ask("sinfo", "-h", "-N", "-o", "%N %T").split()
        return {node: state.rstrip("*") for node, state in zip(words[::2], words[1::2])}

    def wait_for_state(self, node, state):
        self._wait(f"{node} does not become {state}", lambda: self.states().get(node) == state)

    def _idle(self):
        return self.states() == dict.fromkeys(self.nodes, "idle")

    def cancel_jobs(self):
        jobs = self.command("squeue", "-h", "-o", "%A", check=False, limit=LAST_COMMAND_S).split()
        if jobs:
            self.command("scancel", *jobs, check=False, limit=LAST_COMMAND_S)

    def tidy(self):
        """As after the start: no job, and every node idle."""
        self.cancel_jobs()
        for node in self.nodes:
            if node not in self.daemons or self.daemons[node].poll() is not None:
                self.start_node(node)

        def idle():
            for node, state in self.states().items():
                if state.startswith(("down", "drain")):
                    self._ask("scontrol", "update", f"NodeName={node}", "State=RESUME")
            return self._idle()
        self._wait("the nodes do not become idle again", idle)

    def command(self, *words, check=True, limit=COMMAND_S):
        """What a program of Slurm prints."""
        done = subprocess.run(words, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False, timeout=limit)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def _ask(self, *words):
        """The same, for what is asked again: empty where there is no answer in time."""
        try:
            return self.command(*words, check=False, limit=30)
        except subprocess.TimeoutExpired:
            return ""

    def hostnames(self, nodelist):
        return self.command("scontrol", "show", "hostnames", nodelist).split()

    def _processes(self, node):
        """What runs in this cluster's jobs on that node, or on all nodes for None, with its parents of Slurm's."""
        ours = os.fsencode(self.environment["SLURM_CONF"])

        def belongs(process):
            variables = environment_of(process)
            return variables.get(b"SLURM_CONF") == ours and node in (None, variables.get(b"SLURMD_NODENAME", b"").decode())
        return {int(name) for name in os.listdir("/proc") if name.isdigit() and (belongs(name) or self._is_stepd(name, node))}

    def _is_stepd(self, process, node):
        """A slurmstepd has hidden its environment, and writes to the log of its slurmd."""
        try:
            if b"slurmstepd" not in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
                return False
            files = [os.readlink(file) for file in pathlib.Path(f"/proc/{process}/fd").iterdir()]
        except OSError:
            return False
        return any(str(self.folder / "log" / f"slurmd.{name}") in files for name in ([node] if node else self.nodes))

    def _sweep(self, node=None):
        """Kills them until there are no more: one may start another meanwhile."""
        end = time.monotonic() + END_S
        while (found := self._processes(node)) and time.monotonic() < end:
            for process in found:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)

    def kill_node(self, node):
        """As if its power failed: its daemons and all that they started end at once, and Slurm takes it for down. start_node() and
        State=RESUME bring it back."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        self._sweep(node)
        self.command("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=killed")
