# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Generated C of the efforts with two derivatives beside `pinocchio.rnea` from Python."""

from __future__ import annotations

import ctypes
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmark.peers import from_urdf
from benchmark.timing import race

BOUNDS = {
    "generated C, tau, tau', tau'' / P": 0.45,
    'generated C, gcc -O2': 1.0,
    'generated C, code and tables': 40.0,
}
UNITS = ('', ' s', ' kB')
_CALLS = 1000
# the state changes from call to call, so that no call is left out
_LOOP = """
#include "robot.h"
void many(double *jet, double *tau, int calls)
{
    for (int k = 0; k < calls; k++) {
        jet[k % ROBOT_N] += 1e-12;
        robot_inverse_dynamics(jet, tau);
    }
}
"""


def measure() -> dict[str, float]:
    """Return the figures of `BOUNDS`; none if gcc is not installed."""
    if shutil.which('gcc') is None:
        return {}
    urdf = sd.share_path('urdf/iiwa14.urdf')
    model, peer = sd.read_urdf(urdf), from_urdf(urdf)
    jet = np.random.default_rng(1).uniform(-1.0, 1.0, size=(5, model.n))
    tau = np.empty((3, model.n))
    state = tuple(row.copy() for row in jet[:3])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in sd.generate_c(model).files.items():
            (folder / file).write_text(text, encoding='ascii')
        (folder / 'loop.c').write_text(_LOOP, encoding='ascii')
        seconds = _seconds(folder, 'gcc', '-std=c99', '-O2', '-fPIC', '-c', 'robot.c')
        size = _output(folder, 'size', 'robot.o').splitlines()[1].split()
        sources = 'loop.c', 'robot.o', '-o', 'loop.so', '-lm'
        _output(folder, 'gcc', '-std=c99', '-O2', '-fPIC', '-shared', *sources)
        many = ctypes.CDLL(str(folder / 'loop.so')).many
        pointers = (x.ctypes.data_as(ctypes.c_void_p) for x in (jet, tau))
        times = race(
            {
                'P': (pinocchio.rnea, (peer, peer.createData(), *state)),
                'C': (many, (*pointers, _CALLS)),
            },
            rounds=101,
        )
    np.testing.assert_allclose(tau, sd.inverse_dynamics(model, jet), rtol=0.0, atol=1e-10)
    values = times['C'].ratio(times['P']) / _CALLS, seconds, (int(size[0]) + int(size[1])) / 1e3
    return dict(zip(BOUNDS, values, strict=True))


def _output(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def _seconds(folder: Path, *command: str) -> float:
    """Run a command; return its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    _output(folder, *command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
