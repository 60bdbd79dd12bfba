# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""numba is imported as a whole, by whichever thread comes first and despite interruptions."""

from __future__ import annotations

import itertools
import zipfile

import pytest
from scripts import REPOSITORY, run

from screw_dynamics.jit import jit_enabled

pytestmark = pytest.mark.skipif(not jit_enabled(), reason='needs numba')

CALLS = """
import sys, threading
import numpy as np
import screw_dynamics as sd
from screw_dynamics import trajectory as tr
m = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
points = [tr.TrajectoryPoint(0.0, (0.0, 0.0)), tr.TrajectoryPoint(1.0, (1.0, 1.0))]
# smooth_trajectory would import numba
curve = tr.jtc_trajectory(tr.waypoints_from_points(m.joint_names, points, m.joint_names))
calls = {
    'sample': lambda: curve.sample(0.5, np.empty((3, 2))),
    'single': lambda: sd.inverse_dynamics(m, np.zeros((3, 2))),
    'batch': lambda: sd.inverse_dynamics(m, np.zeros((2, 3, 2))),
    'mass': lambda: sd.mass_matrix(m, np.zeros(2)),
}
"""
THREADS = (
    CALLS
    + """
failures = []
begin = threading.Barrier(len(sys.argv) - 1)
def work(call):
    begin.wait()
    try:
        call()
    except BaseException as error:
        failures.append(repr(error))
threads = [threading.Thread(target=work, args=(calls[name],)) for name in sys.argv[1:]]
[t.start() for t in threads]
[t.join() for t in threads]
[call() for call in calls.values()]
print(failures)
"""
)
# Ctrl-C at the moment at which a given module of numba is looked for
INTERRUPTED = (
    CALLS
    + """
import os, signal
class Finder:
    sent = False
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1] and not self.sent:
            self.sent = True
            os.kill(os.getpid(), signal.SIGINT)
finder = Finder()
sys.meta_path.insert(0, finder)
try:
    calls['single']()
except KeyboardInterrupt:
    print('interrupted')
assert finder.sent
[call() for call in calls.values()]
"""
)


@pytest.mark.parametrize(
    'names', [*itertools.combinations(('sample', 'single', 'batch', 'mass'), 2), ('single',) * 8]
)
def test_first_calls_from_several_threads(names):
    assert run(THREADS, *names).splitlines()[-1] == '[]'


@pytest.mark.parametrize('module', ['numba.core', 'numba.core.types', 'numba.np.arrayobj'])
def test_interrupted_import(module):
    assert run(INTERRUPTED, module).splitlines()[-1] == 'interrupted'


def test_sources_in_an_archive(tmp_path):
    archive = tmp_path / 'packed.zip'
    with zipfile.ZipFile(archive, 'w') as packed:
        for path in (REPOSITORY / 'screw_dynamics').rglob('*.py*'):
            packed.write(path, path.relative_to(REPOSITORY))
    script = (
        'import screw_dynamics; from screw_dynamics.kernels.taylor import compiled\n'
        'print(compiled.__file__)'
    )
    assert run(script, first=archive).startswith(str(archive))
