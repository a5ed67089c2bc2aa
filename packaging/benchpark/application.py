"""Ramble application of Gable, for Benchpark's folder `repo/gable` (docs/benchpark.md)."""

from ramble.appkit import *


class Gable(ExecutableApplication):
    """Ceilings of a node, measured: bandwidth of each memory level, arithmetic of each type, launch overhead."""

    name = "gable"
    tags("micro-benchmark", "memory-bandwidth", "compute", "roofline")

    executable("measure", "gable measure --{mode} --output result.json", use_mpi=False)
    executable("figures", "gable check result.json --against result.json --fom", use_mpi=False)
    workload("ceilings", executables=["measure", "figures"])
    workload_variable("mode", default="quick", description="quick or full", workloads=["ceilings"])

    log = "{experiment_run_dir}/{experiment_name}.out"
    for figure, path, unit in (
        ("dram_triad", "bandwidth/node/memory/triad/ordinary/sustained", "byte/s"),
        ("dram_read", "bandwidth/node/memory/read/sustained", "byte/s"),
        ("fp64_peak", "compute/node/vector/fp64/burst", "flop/s"),
        ("fp32_peak", "compute/node/vector/fp32/burst", "flop/s"),
    ):
        figure_of_merit(
            figure,
            log_file=log,
            fom_regex=rf"^FOM openmp/{path} (?P<{figure}>\S+) {unit}$",
            group_name=figure,
            units=unit,
        )
    success_criteria("measured", mode="string", match=r"^FOM \S+ \S+ \S+$", file=log)
