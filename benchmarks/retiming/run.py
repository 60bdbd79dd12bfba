# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Durations of `retime` beside those of COPP's TOPP3 and Ruckig (`pip install copp-py ruckig`).

The table between marks of the page is written anew.
"""

from __future__ import annotations

import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

import screw_dynamics as sd
from benchmarks import ROOT
from benchmarks.report import Report, table
from screw_dynamics.common.arrays import Array
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

OPTIONS: dict[str, dict[str, Any]] = {}
FOLDER = ROOT / 'docs'
STRAIGHT, CURVED = 5, 10  # paths
ACCELERATION, JERK = 5.0, 50.0  # of every joint [rad/s^2, rad/s^3]
STATIONS, ROUNDS = 1001, 3  # of COPP; the duration changes by 1e-8 in further rounds
INSTANTS = 20_000
LONGER = 1.02  # most, of the shorter motion of a peer
# C4 from 0 to 1
_SMOOTH = Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])
_POINTS = 101


def measure() -> Report:
    """Return the page with a new table; exit where a peer is missing."""
    missing = [name for name in ('copp-py', 'ruckig') if find_spec(name.replace('-', '_')) is None]
    if missing:
        raise SystemExit(f'expected other libraries, got none: pip install {" ".join(missing)}')
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    n, rng = model.n, np.random.default_rng(0)
    limits = model.limits.velocity, np.full(n, ACCELERATION), np.full(n, JERK)
    report, rows = Report('fastest_motions'), []
    for kind, count, points in (('straight', STRAIGHT, 2), ('cubic', CURVED, 4)):
        found = []
        for _ in range(count):
            ends = rng.uniform(-1.5, 1.5, (points, n))
            found.append(_measured(model, _polynomials(ends), limits))
        ratios, shares, *times = np.array(found).T
        best = 'the shorter one of COPP, Ruckig' if kind == 'straight' else 'COPP'
        rows.append(
            [f'{count} {kind} paths: retime / {best}', f'{np.median(ratios):.4f}',
             f'{ratios.max():.4f}', f'{shares.max():.6f}',
             *(f'{np.median(column):.2g}' for column in times)]
        )  # fmt: skip
        if ratios.max() > LONGER or shares.max() > 1.0:
            report.fail(f'{kind} paths: {ratios.max():.4f}, {shares.max():.6f}')
    header = [
        'durations',
        'median',
        'largest',
        'largest share of a limit',
        'retime [s]',
        'COPP [s]',
    ]
    report.fill(FOLDER / 'fastest_motions.md', {'peers': table(header, rows)})
    return report


def _polynomials(points: Array) -> list[Polynomial]:
    """Return a line, or a cubic with four control points (4, n), of each joint."""
    if len(points) == 2:
        return [Polynomial([p, q - p]) for p, q in points.T]
    return [
        Polynomial([p, 3.0 * (q - p), 3.0 * (p - 2.0 * q + r), s - p + 3.0 * (q - r)])
        for p, q, r, s in points.T
    ]


def _straight(path: list[Polynomial]) -> bool:
    return all(len(p) == 2 for p in path)


def _measured(
    model: sd.ScrewModel, path: list[Polynomial], limits: tuple[Array, Array, Array]
) -> list[float]:
    """Return duration / that of peers, largest share of a limit, and times of computation [s]."""
    velocity, acceleration, jerk = limits
    curve = _curve(model, path)
    begin = time.perf_counter()
    own = {'velocity': velocity, 'acceleration': acceleration, 'jerk': jerk, 'effort': 1e9}
    fast = sd.retime(model, curve, own)
    middle = time.perf_counter()
    durations = [_topp3(path, limits)]
    end = time.perf_counter()
    if _straight(path):
        durations.append(_ruckig(path, limits))
    jets = fast.jets(np.linspace(*fast.breaks[[0, -1]], INSTANTS + 1)[:-1], rows=4)
    share = max(float((np.abs(jets[:, d]) / limits[d - 1]).max()) for d in (1, 2, 3))
    return [fast.duration / min(durations), share, middle - begin, end - middle]


def _curve(model: sd.ScrewModel, path: list[Polynomial]) -> PiecewisePolynomial:
    """Return a motion from rest to rest along the path, which `retime` begins with."""
    u = np.linspace(0.0, 1.0, 2 if _straight(path) else _POINTS)
    s, rate, second = _SMOOTH(u), _SMOOTH.deriv(1)(u), _SMOOTH.deriv(2)(u)
    rows = np.array(
        [
            (p(s), p.deriv(1)(s) * rate, p.deriv(2)(s) * rate**2 + p.deriv(1)(s) * second)
            for p in path
        ]
    )
    return smooth_trajectory(Waypoints(model.joint_names, u, *np.moveaxis(rows, 0, 2)))


def _topp3(path: list[Polynomial], limits: tuple[Array, Array, Array]) -> float:
    """Return the duration that COPP's third-order program finds [s]."""
    copp: Any = import_module('copp_py')
    s = np.linspace(0.0, 1.0, STATIONS)
    rows = [np.stack([p.deriv(d)(s) for p in path], axis=1) for d in range(4)]
    robot = copp.Robot(len(path))
    robot.append_s(s)
    robot.set_q(*rows[:3], 0, dddq=rows[3])
    whole = {'start_idx_s': 0, 'length': STATIONS}
    velocity, acceleration, jerk = limits
    robot.add_velocity_limits(velocity, -velocity, **whole)
    robot.add_acceleration_limits(acceleration, -acceleration, **whole)
    topp2, topp3 = copp.solver.topp2_ra, copp.solver.topp3_socp
    a = topp2.solve(topp2.Problem(robot.constraints, (0, STATIONS - 1), (0.0, 0.0)))
    robot.add_jerk_limits(jerk, -jerk, **whole)
    b = None
    for _ in range(ROUNDS):
        profile = topp3.solve(topp3.Problem(robot.constraints, a, b_linearization=b))
        a, b = profile.a, profile.b
    return float(copp.interpolation.s_to_t_topp3(s, profile)[0])


def _ruckig(path: list[Polynomial], limits: tuple[Array, Array, Array]) -> float:
    """Return the duration of Ruckig along a line, with the tightest limits along it [s]."""
    ruckig: Any = import_module('ruckig')
    lengths = np.abs([p.coef[1] for p in path])
    task, motion = ruckig.InputParameter(1), ruckig.Trajectory(1)
    # of several joints it moves each by a law of its own, unless one limits all derivatives
    task.current_position, task.target_position = [0.0], [1.0]
    task.max_velocity, task.max_acceleration, task.max_jerk = (
        [float((bounds / lengths).min())] for bounds in limits
    )
    ruckig.Ruckig(1).calculate(task, motion)
    return float(motion.duration)
