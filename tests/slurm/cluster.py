"""A real Slurm of a few nodes on one machine: one slurmctld, one slurmd a node, munge; its configuration, ports, key and state
are its own and gone with it. Needs root and Debian's packages slurm-wlm and munge; nothing of the host's configuration is read."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol", "sinfo", "squeue", "scancel")
START_S = 120  # until all nodes are idle


class Unavailable(Exception):
    """Why there can be no Slurm here."""


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


def parent_of(process):
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(status.split("\nPPid:", 1)[1].split()[0])


class Cluster:
    """Nodes n1 … nN. Use it in a with statement."""

    def __init__(self, folder, nodes):
        missing = [name for name in PROGRAMS if not shutil.which(name, path=self.path())]
        if missing:
            raise Unavailable(f"there is no {missing[0]} here")
        if os.geteuid() != 0:
            raise Unavailable("only root can start these daemons")
        self.folder = pathlib.Path(folder)
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
            self._wait("munged makes no socket", (munge / "socket").exists)
            self._start("slurmctld", "slurmctld", "-D", "-c")
            for node in self.nodes:
                self.start_node(node)
            self._wait("the nodes do not become idle", lambda: self.states() == {node: "idle" for node in self.nodes})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for job in self.command("squeue", "-h", "-o", "%A", check=False).split():
            self.command("scancel", job, check=False)
        for name in sorted(self.daemons, key=lambda name: name == "munged"):  # the others speak through it
            self._end(self.daemons[name])
        for process in self._steps():
            os.kill(process, signal.SIGKILL)

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
            "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge", f"AuthInfo=socket={folder}/munge/socket",
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
        with open(self.folder / "log" / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(words, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                                  stdout=output, stderr=output, start_new_session=True)

    @staticmethod
    def _end(daemon):
        daemon.terminate()
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def _wait(self, complaint, done):
        end = time.monotonic() + START_S
        while not done():
            gone = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if gone or time.monotonic() > end:
                logs = [path.read_text(encoding="utf-8", errors="replace")[-500:] for path in (self.folder / "log").iterdir()]
                raise Unavailable(f"Slurm does not start: {f'{gone[0]} has ended' if gone else complaint}\n" + "\n".join(logs))
            time.sleep(0.2)

    def start_node(self, node):
        self._start(node, "slurmd", "-D", "-N", node)

    def states(self):
        """State of each node in Slurm's words, without the mark of one that does not answer in time (the machine may be busy); empty
        while slurmctld does not answer."""
        words = self.command("sinfo", "-h", "-N", "-o", "%N %T", check=False).split()
        return {node: state.rstrip("*") for node, state in zip(words[::2], words[1::2])}

    def wait_for_state(self, node, state):
        self._wait(f"{node} does not become {state}", lambda: self.states().get(node) == state)

    def command(self, *words, check=True, **more):
        """What a program of Slurm prints."""
        done = subprocess.run(words, env=self.environment | more, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False, timeout=300)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def hostnames(self, nodelist):
        return self.command("scontrol", "show", "hostnames", nodelist).split()

    def _steps(self):
        """Daemons of steps, slurmstepd: parents of what runs in this cluster's jobs."""
        ours = os.fsencode(self.environment["SLURM_CONF"])
        tasks = {int(name): environment_of(name) for name in os.listdir("/proc") if name.isdigit()}
        return {parent_of(process): found.get(b"SLURMD_NODENAME", b"").decode() for process, found in tasks.items()
                if found.get(b"SLURM_CONF") == ours and b"SLURM_JOB_ID" in found
                and self._is_stepd(parent_of(process))}

    @staticmethod
    def _is_stepd(process):
        try:
            return b"slurmstepd" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return False

    def kill_node(self, node):
        """As if its power failed: its daemons and all that they started end at once, and Slurm takes it for down. start_node() and
        State=RESUME bring it back."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        for process, of in self._steps().items():
            if of == node:
                os.kill(process, signal.SIGKILL)
        ours = os.fsencode(self.environment["SLURM_CONF"])
        for name in os.listdir("/proc"):
            found = environment_of(name) if name.isdigit() else {}
            if found.get(b"SLURM_CONF") == ours and found.get(b"SLURMD_NODENAME") == node.encode():
                try:
                    os.kill(int(name), signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.command("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=killed")
