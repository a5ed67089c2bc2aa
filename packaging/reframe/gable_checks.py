"""ReFrame tests of Gable (4.6 and later): ceilings of a node as performance figures, and acceptance against a reference
(docs/reframe.md).

    reframe -c packaging/reframe/gable_checks.py -r --exec-policy=serial \\
        -S gable=PREFIX/bin/gable -S accepted=reference.json
"""

import os
import shlex

import reframe as rfm
import reframe.utility.sanity as sn

# Name of the figure here, and in the lines "FOM NAME VALUE UNIT" of `gable check --fom` behind the device's id.
FIGURES = {
    'dram_triad': ('bandwidth/node/memory/triad/ordinary/sustained', 'byte/s'),
    'dram_read': ('bandwidth/node/memory/read/sustained', 'byte/s'),
    'fp64_peak': ('compute/node/vector/fp64/burst', 'flop/s'),
    'fp32_peak': ('compute/node/vector/fp32/burst', 'flop/s'),
}


class GableRun(rfm.RunOnlyRegressionTest):
    """Measures the node that the job gets, and prints its figures."""

    descr = 'Ceilings of a node, measured by Gable'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    gable = variable(str, value='gable')
    device = variable(str, value='openmp')
    mode = parameter(['quick'])
    num_tasks = 1
    num_tasks_per_node = 1
    exclusive_access = True
    time_limit = '20m'
    maintainers = ['gable']
    tags = {'performance', 'roofline'}

    @run_before('run')
    def measure(self):
        self.executable = self.gable
        self.executable_opts = ['measure', f'--{self.mode}', '--output', 'result.json']
        self.keep_files = ['result.json']
        self.postrun_cmds = [f'{self.gable} check result.json --against result.json --fom']  # all figures, none judged

    def figure(self, path, unit):
        pattern = rf'^FOM {self.device}/{path} (\S+) {unit}$'
        return sn.extractsingle(pattern, self.stdout, 1, float)

    @run_before('performance')
    def set_figures(self):
        self.perf_variables = {
            name: sn.make_performance_function(self.figure(path, unit), unit) for name, (path, unit) in FIGURES.items()
        }

    @sanity_function
    def measured(self):
        return sn.assert_found(r'^FOM \S+ \S+ \S+$', self.stdout)


@rfm.simple_test
class GableCeilings(GableRun):
    """The figures alone: ReFrame's own `reference` of the system judges them."""


@rfm.simple_test
class GableAcceptance(GableRun):
    """Judged by Gable against a reference file, whose interval and the node's count: exit code 0, all rows passed."""

    accepted = variable(str)
    tolerance = variable(str, value='10%')

    @run_after('init')
    def find_reference(self):
        """The job runs in ReFrame's stage folder: a relative path is that of the caller's."""
        self.accepted = os.path.abspath(self.accepted)

    @run_before('run')
    def judge(self):
        self.postrun_cmds = [
            f'{self.gable} check result.json --against {shlex.quote(self.accepted)} --tolerance {self.tolerance} '
            '--fom --junit result.xml && echo "Gable: accepted"'
        ]
        self.keep_files += ['result.xml']

    @sanity_function
    def measured(self):
        return sn.assert_found(r'^Gable: accepted$', self.stdout)
