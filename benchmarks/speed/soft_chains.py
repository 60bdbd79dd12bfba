# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Speed of soft-rigid chains: planar arcs, rods of variable strain, and growth with their number.

The peer SoRoMoX (JAX) is measured too if the variable SOROMOX_PYTHON names an interpreter that
has it; it runs in a process of its own, in turns with the calls of this one.
"""

from __future__ import annotations

import os
import subprocess
import time
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmarks.report import Report, Requirement, microseconds
from benchmarks.speed.peers import iiwa
from benchmarks.timing import Measured, race
from screw_dynamics.common.arrays import Array

COUNT, MANY, BATCH = 20, 200, 1000
# the data of P2025, Simulation 3
LENGTH, RADIUS, DENSITY = 0.3, 0.03, 1000.0
MASS = DENSITY * np.pi * RADIUS**2 * LENGTH


def planar_chain(count: int) -> Any:
    """Return a chain of planar arcs."""
    body = sd.soft.PlanarConstantCurvature
    return sd.soft.SoftRobot([body(LENGTH, RADIUS, MASS) for _ in range(count)])


def rod_chain(count: int) -> Any:
    """Return a chain of rods of variable strain, four coordinates and eight nodes each."""
    rod = sd.soft.VariableStrain(LENGTH, RADIUS, MASS, _strain_basis, nodes=8)
    return sd.soft.SoftRobot([rod] * count)


def _strain_basis(s: float) -> Array:
    """Return bending in both planes, linear in one of them, and elongation."""
    basis = np.zeros((6, 4))
    basis[0, 0] = basis[1, 1] = basis[5, 3] = 1.0
    basis[1, 2] = s / LENGTH
    return basis


def jets_of(robot: Any, order: int, samples: int | None = None) -> Array:
    """Return random motions."""
    shape = (order + 3, robot.n) if samples is None else (samples, order + 3, robot.n)
    return np.random.default_rng(4).uniform(-1.0, 1.0, shape)


def _build_seconds() -> float:
    start = time.perf_counter()
    assert len(planar_chain(COUNT).kernel_table.modules) > COUNT
    return time.perf_counter() - start


def measure(report: Report) -> None:
    """Add the times of all calls, taken in turns."""
    arcs, many, rods = planar_chain(COUNT), planar_chain(MANY), rod_chain(COUNT)
    peer = iiwa()[1]
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 7))
    calls: dict[str, tuple] = {
        'pinocchio rnea, 7 joints': (pinocchio.rnea, (peer, peer.createData(), q, qd, qdd))
    }
    for name, robot in (('arcs', arcs), ('many arcs', many), ('rods', rods)):
        for order in (0, 1, 2, 4):
            calls[f'{name}, order {order}'] = sd.inverse_dynamics, (robot, jets_of(robot, order))
        state = tuple(row.copy() for row in jets_of(robot, 0))
        calls[f'{name}, mass_inverse_dynamics'] = sd.soft.mass_inverse_dynamics, (robot, *state)
        calls[f'{name}, mass_matrix'] = sd.mass_matrix, (robot, state[0])
    calls[f'arcs, batch of {BATCH}'] = sd.inverse_dynamics, (arcs, jets_of(arcs, 0, BATCH))
    for function, arguments in calls.values():
        function(*arguments)
    times = race(calls, rounds=21)
    batch = f'arcs, batch of {BATCH}'
    times[f'{batch}, per sample'] = Measured(times.pop(batch).seconds / BATCH)
    p, single = times['pinocchio rnea, 7 joints'], times['arcs, order 0']
    arcs_of_more = float(np.log10(times['many arcs, order 0'].ratio(single)))
    build, both = min(_build_seconds() for _ in range(5)), times['arcs, mass_inverse_dynamics']
    rods_of_p = times['rods, order 0'].ratio(p)
    report.require(
        Requirement('20 planar arcs, order 0 / P', single.ratio(p), 40.0),
        Requirement(
            '20 planar arcs, order 2 / order 0', times['arcs, order 2'].ratio(single), 3.0
        ),
        Requirement('20 planar arcs, M and efforts / efforts', both.ratio(single), 3.0),
        Requirement('20 rods of variable strain, 8 nodes each, order 0 / P', rods_of_p, 300.0),
        Requirement('growth exponent in arcs, 20 to 200', arcs_of_more, 1.1),
        Requirement('model of 20 arcs and its tables', build, 0.1, unit=' s'),
    )
    report.heading('Soft-rigid chains')
    report.text(
        'Chains of 20 planar arcs of constant curvature with closed-form inertia, of 200 such '
        'arcs, and of 20 rods of variable strain (4 coordinates, 8 nodes and 9 steps of fourth '
        'order each). All calls are from Python.'
    )
    cells = [[name, microseconds(one.best), f'{one.ratio(p):.2f}'] for name, one in times.items()]
    report.table(['call', 'µs (best)', '/ P (median)'], cells)
    python = os.environ.get('SOROMOX_PYTHON')
    if python is None:
        report.text(
            'SoRoMoX was not measured (`pip install soromox` in an environment of its own, named '
            'by the variable `SOROMOX_PYTHON`).'
        )
        return
    ratio, deviation = beside_soromox(python)
    report.text(
        'SoRoMoX (JAX, compiled, one thread, 8 Gauss points) needs for mass matrix and efforts of '
        f'the 20 arcs {ratio:.1f} times as long as `soft.mass_inverse_dynamics`; the largest '
        f'difference of the efforts is {deviation:.0e} of the largest.'
    )


class SoRoMoX:
    """SoRoMoX in another process: mass matrix, Coriolis and gravity forces of the planar arcs."""

    def __init__(self, python: str, count: int) -> None:
        script = Path(__file__).with_name('soromox_process.py')
        arguments = [python, str(script), *map(str, (count, LENGTH, RADIUS, DENSITY))]
        environment = {k: v for k, v in os.environ.items() if k != 'PYTHONPATH'}
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._ask, self._answers = self._process.stdin, self._process.stdout
        self.efforts = np.array(self._read())

    def _read(self) -> list[float]:
        return [float(word) for word in self._answers.readline().split()]

    def seconds(self, repeats: int) -> float:
        """Return the seconds per call of so many calls."""
        self._ask.write(f'{repeats}\n')
        self._ask.flush()
        return self._read()[0]

    def close(self) -> None:
        """End the process."""
        self._ask.close()
        self._process.wait()


def beside_soromox(python: str, count: int = COUNT, rounds: int = 21) -> tuple[float, float]:
    """Return the median ratio of SoRoMoX to `mass_inverse_dynamics`, and the largest deviation."""
    robot, peer = planar_chain(count), SoRoMoX(python, count)
    q = np.ones(count)
    ours = timeit.Timer(lambda: sd.soft.mass_inverse_dynamics(robot, q, q, q))
    deviation = np.abs(sd.soft.mass_inverse_dynamics(robot, q, q, q)[1] - peer.efforts).max()
    ratios = [peer.seconds(50) / (ours.timeit(200) / 200) for _ in range(rounds)]
    peer.close()
    return float(np.median(ratios)), float(deviation / np.abs(peer.efforts).max())
