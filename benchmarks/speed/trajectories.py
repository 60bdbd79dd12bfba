# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Smooth trajectories and motor feedforward."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmarks.report import Report, Requirement
from benchmarks.speed.peers import iiwa
from benchmarks.timing import race
from screw_dynamics.common.arrays import Array

JOINTS = 7
# points, required [s]
FITS = ((10, 2e-3), (1000, 60e-3), (10_000, 0.7))
INSTANTS = 10_000
SAMPLES = 2000


def measure(report: Report) -> None:
    """Add the bounds of fits, sampling and motor feedforward."""
    report.require(*smooth_trajectories(), *motor_feedforward())


def random_walk(count: int) -> sd.trajectory.Waypoints:
    """Return `count` points of seven joints, 0.2 s to 0.8 s apart, with local extrema."""
    rng = np.random.default_rng(4)
    times = np.cumsum(rng.uniform(0.2, 0.8, count))
    drift = 0.3 * np.sin(0.3 * np.arange(count))[:, None]
    positions = np.cumsum(0.3 * rng.normal(size=(count, JOINTS)) + drift, axis=0)
    free = np.full(positions.shape, np.nan)
    names = tuple(f'joint_{i + 1}' for i in range(JOINTS))
    return sd.trajectory.Waypoints(names, times - times[0], positions, free, free)


def smooth_trajectories() -> list[Requirement]:
    """Measure fits and sampling in one run, in turns; best times."""
    walks = {count: random_walk(count) for count, _ in FITS}
    fit = sd.trajectory.smooth_trajectory
    curve = fit(walks[FITS[0][0]])
    times = np.linspace(0.0, curve.breaks[-1], INSTANTS)
    curve.jets(times)
    calls: dict[str, tuple] = {str(count): (fit, (walk,)) for count, walk in walks.items()}
    calls['jets'] = (curve.jets, (times,))
    measured = race(calls, rounds=9)
    figures = [
        Requirement(
            f'smooth_trajectory, 7 joints, {count} points',
            1e3 * measured[str(count)].best,
            1e3 * required,
            unit=' ms',
        )
        for count, required in FITS
    ]
    per_instant = 1e6 * measured['jets'].best / INSTANTS
    return [
        *figures,
        Requirement('jets of a curve, 7 joints, per instant', per_instant, 0.15, unit=' µs'),
    ]


def _both(call: Callable[[Array], object], one: Array, other: Array) -> None:
    call(one)
    call(other)


def motor_feedforward() -> list[Requirement]:
    """Measure motor commands of seven joints, in units of P, in turns with it."""
    model, peer = iiwa()
    rng = np.random.default_rng(5)
    jets = rng.uniform(-0.5, 0.5, size=(SAMPLES, 5, model.n))
    q, qd, qdd = (row.copy() for row in jets[0, :3])
    linear, mixed = 'linear springs', 'mixed springs and motor friction'
    friction = {'viscous_friction': 0.5, 'coulomb_friction': 1.0, 'coulomb_velocity': 0.1}
    different = [
        sd.LinearSpring(1e4),
        sd.CubicSpring(1e4, 1e6),
        sd.ExponentialSpring(200.0, 20.0),
        sd.AntagonisticPair('exponential', 2e3, spring_stiffness=100.0, rate=20.0),
    ]
    calls: dict[str, tuple] = {
        'P': (pinocchio.rnea, (peer, peer.createData(), q, qd, qdd)),
    }
    for name, springs, motor in (
        (linear, different[:1], sd.Motor(rotor_inertia=0.1)),
        (mixed, different, sd.Motor(rotor_inertia=0.1, **friction)),
    ):
        records = {
            joint: sd.JointDrive(springs[i % len(springs)], motor)
            for i, joint in enumerate(model.joint_names)
        }
        robot = sd.Robot(model, sd.Drives(records))
        loop, one, other = sd.Workspace(robot).motor_commands, jets[0].copy(), jets[1].copy()
        calls[name] = loop, (one,)
        calls[f'{name}, one array'] = partial(_both, loop), (one, one)
        calls[f'{name}, two arrays'] = partial(_both, loop), (one, other)
        calls[f'{name}, function'] = sd.elastic_feedforward, (robot, one)
        calls[f'{name}, batch'] = sd.elastic_feedforward, (robot, jets)
    measured = race(calls, rounds=31)
    p, title = measured['P'], 'Workspace.motor_commands, 7 joints'
    batch = measured[f'{linear}, batch'].ratio(p) / SAMPLES
    gain = measured[mixed].ratio(measured[f'{mixed}, batch']) * SAMPLES
    two = measured[f'{linear}, two arrays'].ratio(measured[f'{linear}, one array'])
    function = measured[f'{linear}, function'].ratio(p)
    return [
        Requirement(f'{title}, {linear} / P', measured[linear].ratio(p), 3.0),
        Requirement(f'{title}, {mixed} / P', measured[mixed].ratio(p), 5.0),
        Requirement(f'{title}, {linear}, two arrays in turns / one array', two, 1.1),
        Requirement(f'elastic_feedforward, 7 joints, {linear}, call / P', function, 3.0),
        Requirement(f'{title}, {mixed} / per sample of a batch', gain, 1.5, at_least=True),
        Requirement(
            f'elastic_feedforward, 7 joints, batch of {SAMPLES}, per sample / P', batch, 0.6
        ),
    ]
