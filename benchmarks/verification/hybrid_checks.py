# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft segments behind a rigid chain: virtual work, and tensions of threads within limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from oracles import material_points
from oracles.hybrid_points import arc_module, rigid_module
from scipy.optimize import lsq_linear

import screw_dynamics as sd
from benchmarks.verification.measures import Measure, difference, subject
from screw_dynamics.soft import functions
from screw_dynamics.soft.segments.thread_set import ThreadSet

WORK = 'virtual work of the material points of a rigid chain with an arc'
ARC = """
segments:
  - {name: trunk, type: constant_curvature, length: 0.3, radius: 0.02, mass: 0.4,
     bending_stiffness: 0.06, axial_stiffness: 630.0, damping: 0.1}
"""
PLACES = np.array([[0.015, 0.0], [-0.008, 0.013], [-0.007, -0.013], [0.0, 0.018]])
LEAST, MOST = np.array([1.0, 0.0, 2.0, 0.5]), np.array([30.0, 10.0, 40.0, 25.0])


def hybrid(arc: str = ARC) -> Any:
    """Return the planar arm with a segment."""
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    return sd.soft.append_segments(arm, arc)


@subject('Soft-rigid robots')
def of_hybrids() -> Iterator[Measure]:
    """Compare the arm with an arc with virtual work."""
    robot, rng = hybrid(), np.random.default_rng(6)
    rigid = robot.rigid
    modules = [
        rigid_module(*parts)
        for parts in zip(rigid.home_poses, rigid.screws, rigid.inertias, strict=True)
    ]
    modules.append(arc_module(np.eye(4), 0.3, 0.02, 0.4, [0.2, 0.2, 2100.0], 0.1))
    jets = rng.uniform(-0.5, 0.5, (4, 3, robot.n))
    jets[:, :, 4] *= 0.05
    worst = dict.fromkeys(
        (functions.inverse_dynamics, functions.mass_matrix, functions.forward_dynamics), 0.0
    )
    for jet in jets:
        efforts = material_points.efforts(modules, rigid.gravity, jet)[0]
        matrix = material_points.mass_matrix(modules, jet[0])
        found = (
            (functions.inverse_dynamics, sd.inverse_dynamics(robot, jet)[0], efforts),
            (functions.mass_matrix, sd.mass_matrix(robot, jet[0]), matrix),
        )
        for function, got, expected in found:
            worst[function] = max(worst[function], difference(got, expected))
        moved = np.array([*jet[:2], sd.forward_dynamics(robot, *jet[:2], efforts)])
        again = material_points.efforts(modules, rigid.gravity, moved)[0]
        function = functions.forward_dynamics
        worst[function] = max(worst[function], difference(again, efforts))
    for function, residual in worst.items():
        yield Measure(function, WORK, residual)


@subject('Soft-rigid robots')
def of_external_forces() -> Iterator[Measure]:
    """Compare efforts of wrenches and forces, with two derivatives, with virtual work."""
    robot, rng = hybrid(), np.random.default_rng(9)
    rigid = robot.rigid
    modules = [
        rigid_module(*parts)
        for parts in zip(rigid.home_poses, rigid.screws, rigid.inertias, strict=True)
    ]
    modules.append(arc_module(np.eye(4), 0.3, 0.02, 0.4, np.zeros(3), 0.0, sections=12))
    jet = rng.uniform(-0.5, 0.5, (5, robot.n))
    jet[:, 4] *= 0.05
    wrench = rng.normal(size=(3, 6))
    got = sd.inverse_dynamics(robot, jet) - sd.inverse_dynamics(robot, jet, {'trunk': wrench})
    expected = material_points.wrench_efforts(modules, wrench, jet[:3])
    yield Measure(
        functions.inverse_dynamics, 'virtual work of a wrench at the end of an arc, to order 2',
        difference(got, expected), call=lambda: sd.inverse_dynamics(robot, jet, {'trunk': wrench}),
    )  # fmt: skip
    before = sum(len(module.masses) for module in modules[:-1])
    forces = np.zeros((3, before + 48, 3))
    forces[:, before:] = rng.normal(size=(3, 48, 3))
    own = {'trunk': forces[:, before:]}
    yield Measure(
        sd.soft.point_force_efforts, 'virtual work of forces on the points of an arc, to order 2',
        difference(
            sd.soft.point_force_efforts(robot, jet[:3], own),
            material_points.force_efforts(modules, forces, jet[:3]),
        ),
        call=lambda: sd.soft.point_force_efforts(robot, jet[:3], own),
    )  # fmt: skip


@subject('Soft-rigid robots')
def of_tensions() -> Iterator[Measure]:
    """Compare tensions within limits with another solver, and their rates with differences."""
    text = ARC.replace('damping', 'elongation: false, damping') + 'threads:\n' + ''.join(
        f'  - {{name: thread_{i}, offsets: {{trunk: [{x}, {y}]}}, least_tension: {low}, '
        f'most_tension: {high}}}\n'
        for i, ((x, y), low, high) in enumerate(zip(PLACES, LEAST, MOST, strict=True))
    )  # fmt: skip
    threads, rng = hybrid(text).threads, np.random.default_rng(8)
    scale = 1e-5 * np.linalg.norm(PLACES)
    system = np.vstack([PLACES.T, scale * np.eye(4)])
    jet, worst, slope = np.zeros((4, 4)), 0.0, 0.0
    for _ in range(20):
        efforts = np.zeros((2, 4))
        efforts[:, 2:] = rng.uniform(-0.4, 0.4, (2, 2))
        found = threads.tensions(jet, efforts)[0]
        right = np.append(efforts[0, 2:] - PLACES.T @ LEAST, np.zeros(4))
        expected = lsq_linear(system, right, (0.0, MOST - LEAST), method='bvls', tol=1e-15)
        worst = max(worst, difference(found[0], LEAST + expected.x))
        step = np.zeros((1, 4))
        step[0, 2:] = 1e-3 * efforts[1, 2:]
        ends = [threads.tensions(jet, efforts[:1] + sign * step)[0][0] for sign in (1.0, -1.0)]
        slope = max(slope, difference(found[1], (ends[0] - ends[1]) / 2e-3))
    yield Measure(
        ThreadSet.tensions, 'bounded least squares of scipy', worst, 1e-5,
        'eps over 1e-10, the square of the weight by which tensions of equal efforts are chosen',
        lambda: threads.tensions(jet, efforts),
    )  # fmt: skip
    yield Measure(
        ThreadSet.tensions, 'central differences of the tensions', slope, 1e-3,
        'rounding of the tensions over the step of 1e-3 s',
    )  # fmt: skip
