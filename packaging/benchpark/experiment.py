"""Benchpark experiment of Gable, for Benchpark's folder `experiments/gable` (docs/benchpark.md)."""

from benchpark.directives import variant
from benchpark.error import BenchparkError
from benchpark.experiment import Experiment
from benchpark.openmp import OpenMPExperiment


class Gable(OpenMPExperiment, Experiment):
    """One node, one task: gable starts its own threads, one a core."""

    variant("workload", default="ceilings", description="ceilings of the node")
    variant("mode", default="quick", values=("quick", "full"), description="half a minute, or some minutes")

    def compute_applications_section(self):
        self.add_experiment_variable("n_nodes", "1", True)
        self.add_experiment_variable("n_ranks", "1", True)
        self.add_experiment_variable("mode", self.spec.variants["mode"][0], True)
        self.set_required_variables(n_resources="{n_nodes}", process_problem_size="1", total_problem_size="1")

    def compute_package_section(self):
        # Spack has no sources of Gable to fetch.
        if not self.spec.satisfies("package_manager=user-managed"):
            raise BenchparkError("gable: bring an installed one: package_manager=user-managed prepend_path=PREFIX/bin")
        self.add_package_spec(self.name)
