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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmark.peers import from_urdf
from benchmark.timing import Measured, race
from screw_dynamics.arrays import Array

COUNT, MANY, BATCH = 20, 200, 1000
# the data of P2025, Simulation 3
LENGTH, RADIUS, DENSITY = 0.3, 0.03, 1000.0
MASS = DENSITY * np.pi * RADIUS**2 * LENGTH


def planar_chain(count: int) -> Any:
    """Return a chain of planar arcs."""
    body = sd.soft.PlanarConstantCurvature
    return sd.soft.SoftRobot([body(LENGTH, RADIUS, MASS) for _ in range(count)])


def rod_chain(count: int, build: Callable[[], Any]) -> Any:
    """Return a chain of rods."""
    return sd.soft.SoftRobot([build() for _ in range(count)])


def jets_of(robot: Any, order: int, samples: int | None = None) -> Array:
    """Return random motions."""
    shape = (order + 3, robot.n) if samples is None else (samples, order + 3, robot.n)
    return np.random.default_rng(4).uniform(-1.0, 1.0, shape)


def measure(rod: Callable[[], Any]) -> tuple[dict[str, Measured], dict[str, float]]:
    """Return the times of all calls in turns, and the figures; `rod` makes one GVS body."""
    start = time.perf_counter()
    arcs = planar_chain(COUNT)
    sd.mass_matrix(arcs, np.zeros(arcs.n))
    build = time.perf_counter() - start
    start = time.perf_counter()
    planar_chain(COUNT)
    again = time.perf_counter() - start
    many, rods = planar_chain(MANY), rod_chain(COUNT, rod)
    urdf = sd.share_path('urdf/iiwa14.urdf')
    peer = from_urdf(urdf)
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 7))
    calls: dict[str, tuple] = {'P': (pinocchio.rnea, (peer, peer.createData(), q, qd, qdd))}
    for name, robot in (('arcs', arcs), ('many arcs', many), ('rods', rods)):
        for order in (0, 1, 2, 4):
            calls[f'{name}, order {order}'] = sd.inverse_dynamics, (robot, jets_of(robot, order))
        state = tuple(row.copy() for row in jets_of(robot, 0))
        calls[f'{name}, mass_inverse_dynamics'] = sd.soft.mass_inverse_dynamics, (robot, *state)
        calls[f'{name}, mass_matrix'] = sd.mass_matrix, (robot, state[0])
    calls['arcs, batch'] = sd.inverse_dynamics, (arcs, jets_of(arcs, 0, BATCH))
    for function, arguments in calls.values():
        function(*arguments)
    times = race(calls, rounds=21)
    p, single = times['P'], times['arcs, order 0']
    figures = {
        'arcs / P': single.ratio(p),
        'arcs, order 2 / order 0': times['arcs, order 2'].ratio(single),
        'arcs, M and efforts / efforts': times['arcs, mass_inverse_dynamics'].ratio(single),
        'rods / P': times['rods, order 0'].ratio(p),
        'exponent': float(np.log10(times['many arcs, order 0'].ratio(single))),
        'build': min(build, again),
        'batch / P': times['arcs, batch'].ratio(p) / BATCH,
    }
    return times, figures


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
