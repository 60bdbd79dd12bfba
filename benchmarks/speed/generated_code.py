# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Generated C beside `pinocchio.rnea` from Python.

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmarks.report import Report, Requirement
from benchmarks.speed.peers import iiwa
from benchmarks.timing import Measured, race

_CALLS = 1000
_FRAME = 'flange'
# gcc 12 packs pairs of doubles at -O2, which does not pay here
_GCC = 'gcc', '-std=c99', '-O2', '-fno-tree-vectorize', '-fPIC'


class Function(NamedTuple):
    """A call of generated code of rows x and a result y, and the shapes of both for n joints."""

    call: str
    rows: int
    result: Callable[[int], tuple[int, ...]]


FUNCTIONS = {
    'inverse_dynamics': Function('inverse_dynamics(x, y)', 5, lambda n: (3, n)),
    'mass_matrix': Function('mass_matrix(x, y)', 1, lambda n: (n, n)),
    'gravity_forces': Function('gravity_forces(x, y)', 1, lambda n: (n,)),
    'bias_forces': Function('bias_forces(x, x + ROBOT_N, y)', 2, lambda n: (n,)),
    'frame_pose': Function(f'frame_pose_{_FRAME}(x, y)', 1, lambda n: (4, 4)),
    'frame_jacobian': Function(f'frame_jacobian_{_FRAME}(x, y)', 1, lambda n: (6, n)),
}
# the state changes from call to call, so that no call is left out
_LOOP = """
void many_{name}(double *x, double *y, int calls)
{{
    for (int k = 0; k < calls; k++) {{
        x[k % ROBOT_N] += 1e-12;
        {call};
    }}
}}
"""
_CASADI_CALL = """
int {name}(const double **arg, double **res, long long *iw, double *w, int mem);
static double w_{name}[100000];
static void call_{name}(const double *x, double *y)
{{
    {name}(&x, &y, 0, w_{name}, 0);
}}
"""


def measure(report: Report) -> None:
    """Add the times of `FUNCTIONS`, and of those of CasADi; nothing if gcc is missing."""
    if shutil.which('gcc') is None:
        return
    model, peer = iiwa()
    state = np.random.default_rng(1).uniform(-1.0, 1.0, size=(5, model.n))
    calls: dict[str, tuple[Callable[..., object], Sequence[object]]] = {
        'P': (pinocchio.rnea, (peer, peer.createData(), *(row.copy() for row in state[:3]))),
    }
    moved: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, sd.generate_c(model))
        seconds = _seconds(folder, *_GCC, '-c', 'robot.c')
        size = _output(folder, 'size', 'robot.o').splitlines()[1].split()
        kinds = [kind for kind in FUNCTIONS if kind != 'inverse_dynamics']
        _write(folder, sd.generate_c(model, 'terms', quantities=kinds, frames=[_FRAME]))
        libraries = {'own': _own_library(folder)}
        python = os.environ.get('CASADI_PYTHON')
        if python:
            _write_casadi(folder, python, model)
            libraries['casadi'] = _casadi_library(folder)
        for source, library in libraries.items():
            for kind, function in FUNCTIONS.items():
                arrays = state[: function.rows].copy(), np.empty(function.result(model.n))
                moved[f'{source} {kind}'] = arrays
                run = getattr(library, f'many_{kind}')
                calls[f'{source} {kind}'] = run, (*_pointers(*arrays), _CALLS)
        times = race(calls, rounds=101)
    for name, (x, y) in moved.items():
        expected = _expected(model, name.split()[1], x)
        np.testing.assert_allclose(y, expected, rtol=0.0, atol=1e-10)
    each = {name: Measured(one.seconds / _CALLS) for name, one in times.items()}
    own = each['own inverse_dynamics']
    title, what = 'generated C', "generated C, tau, tau', tau''"
    kilobytes = (int(size[0]) + int(size[1])) / 1e3
    report.require(
        Requirement(f'{what} / P', own.ratio(times['P']), 0.45),
        Requirement(f'{title}, gcc', seconds, 1.0, unit=' s'),
        Requirement(f'{title}, code and tables', kilobytes, 40.0, unit=' kB'),
    )
    report.heading('Generated C')
    report.text('Calls in C, with the options of the table in [C code](../code_generation.md).')
    cells = [[kind, f'{each[f"own {kind}"].best * 1e6:.3f}', '', ''] for kind in FUNCTIONS]
    if python:
        ratio = own.ratio(each['casadi inverse_dynamics'])
        report.require(Requirement(f'{what} / that of CasADi', ratio, 1.0))
        for row in cells:
            peer = each[f'casadi {row[0]}']
            row[2:] = f'{peer.best * 1e6:.3f}', f'{each[f"own {row[0]}"].ratio(peer):.2f}'
    report.table(['function', 'µs (best)', 'CasADi, µs (best)', 'ratio (median)'], cells)
    if not python:
        report.text('CASADI_PYTHON named no interpreter with CasADi.')


def _expected(model: sd.ScrewModel, kind: str, x: np.ndarray) -> np.ndarray:
    """Return what the library computes."""
    if kind == 'inverse_dynamics':
        return sd.inverse_dynamics(model, x)
    further = (_FRAME,) if kind.startswith('frame') else ()
    if kind == 'frame_jacobian':
        further = _FRAME, 'hybrid'
    function: Callable[..., np.ndarray] = getattr(sd, kind)
    return function(model, *x, *further)


def _write(folder: Path, code: sd.CCode) -> None:
    for file, text in code.files.items():
        (folder / file).write_text(text, encoding='ascii')


def _pointers(*arrays: np.ndarray) -> list[ctypes.c_void_p]:
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


def _own_library(folder: Path) -> ctypes.CDLL:
    """Return the loops of calls, compiled beside the generated sources."""
    text = '#include "robot.h"\n#include "terms.h"\n'
    for kind, function in FUNCTIONS.items():
        prefix = 'robot' if kind == 'inverse_dynamics' else 'terms'
        text += _LOOP.format(name=kind, call=f'{prefix}_{function.call}')
    return _library(folder, 'own_loops', text, 'robot.c', 'terms.c')


def _casadi_library(folder: Path) -> ctypes.CDLL:
    """Return the loops of calls of CasADi's code."""
    text = '#include "robot.h"\n'
    for kind in FUNCTIONS:
        text += _CASADI_CALL.format(name=kind) + _LOOP.format(name=kind, call=f'call_{kind}(x, y)')
    return _library(folder, 'casadi_loops', text, 'casadi.c')


def _library(folder: Path, name: str, text: str, *sources: str) -> ctypes.CDLL:
    (folder / f'{name}.c').write_text(text, encoding='ascii')
    _output(folder, *_GCC, '-shared', f'{name}.c', *sources, '-o', f'{name}.so', '-lm')
    return ctypes.CDLL(str(folder / f'{name}.so'))


def _write_casadi(folder: Path, python: str, model: sd.ScrewModel) -> None:
    np.savez(
        folder / 'robot.npz',
        parents=model.parents, homes=model.home_poses, screws=model.screws,
        inertias=model.inertias, gravity=model.gravity, frame=model.frame(_FRAME).pose,
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
