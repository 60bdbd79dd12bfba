# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Generated C of the efforts with two derivatives beside `pinocchio.rnea` from Python.

C that CasADi generates is measured too if the variable CASADI_PYTHON names an interpreter that has
it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmark.peers import from_urdf
from benchmark.timing import race

BOUNDS = {
    "generated C, tau, tau', tau'' / P": 0.45,
    'generated C, gcc': 1.0,
    'generated C, code and tables': 40.0,
    "generated C, tau, tau', tau'' / that of CasADi": 1.0,
}
UNITS = ('', ' s', ' kB', '')
_CALLS = 1000
# gcc 12 packs pairs of doubles at -O2, which does not pay here
_GCC = 'gcc', '-std=c99', '-O2', '-fno-tree-vectorize', '-fPIC'
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
_CASADI_LOOP = """
#include "robot.h"
int efforts(const double **arg, double **res, long long *iw, double *w, int mem);
void many(double *jet, double *tau, int calls)
{
    static double w[100000];
    const double *arguments[] = {jet};
    double *results[] = {tau};
    for (int k = 0; k < calls; k++) {
        jet[k % ROBOT_N] += 1e-12;
        efforts(arguments, results, 0, w, 0);
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
    state = tuple(row.copy() for row in jet[:3])
    calls = {'P': (pinocchio.rnea, (peer, peer.createData(), *state))}
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in sd.generate_c(model).files.items():
            (folder / file).write_text(text, encoding='ascii')
        seconds = _seconds(folder, *_GCC, '-c', 'robot.c')
        size = _output(folder, 'size', 'robot.o').splitlines()[1].split()
        results['C'] = jet.copy(), np.empty((3, model.n))
        calls['C'] = _many(folder, 'robot', _LOOP), (*_pointers(*results['C']), _CALLS)
        python = os.environ.get('CASADI_PYTHON')
        if python:
            _write_casadi(folder, python, model)
            results['casadi'] = jet.copy(), np.empty((3, model.n))
            many = _many(folder, 'casadi', _CASADI_LOOP)
            calls['casadi'] = many, (*_pointers(*results['casadi']), _CALLS)
        times = race(calls, rounds=101)
    for moved, tau in results.values():
        np.testing.assert_allclose(tau, sd.inverse_dynamics(model, moved), rtol=0.0, atol=1e-10)
    own = times['C']
    values = [own.ratio(times['P']) / _CALLS, seconds, (int(size[0]) + int(size[1])) / 1e3]
    if 'casadi' in times:
        values.append(own.ratio(times['casadi']))
    return dict(zip(BOUNDS, values, strict=False))


def _pointers(*arrays: np.ndarray) -> list[ctypes.c_void_p]:
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


def _many(folder: Path, source: str, loop: str) -> Callable[..., object]:
    """Return the loop of calls, compiled beside a source."""
    (folder / f'{source}_loop.c').write_text(loop, encoding='ascii')
    library = f'{source}.so'
    files = f'{source}.c', f'{source}_loop.c', '-o', library, '-lm'
    _output(folder, *_GCC, '-shared', *files)
    function: Callable[..., object] = ctypes.CDLL(str(folder / library)).many
    return function


def _write_casadi(folder: Path, python: str, model: sd.ScrewModel) -> None:
    np.savez(
        folder / 'robot.npz',
        parents=model.parents, homes=model.home_poses, screws=model.screws,
        inertias=model.inertias, gravity=model.gravity,
    )  # fmt: skip
    script = str(Path(__file__).with_name('casadi_process.py'))
    _output(folder, python, script, str(folder / 'robot.npz'), str(folder))


def _output(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def _seconds(folder: Path, *command: str) -> float:
    """Run a command; return its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    _output(folder, *command)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
