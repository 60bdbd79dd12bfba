# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft-rigid robots: virtual work of material points, exact rigid chains, closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np
from oracles import material_points
from oracles.high_precision import reference_efforts
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from benchmarks.verification.measures import Measure, difference, subject
from benchmarks.verification.scenes import mass_matrix_series
from screw_dynamics.common.arrays import Array
from screw_dynamics.soft import functions
from screw_dynamics.soft.paper import recursion
from screw_dynamics.soft.paper.recursion import chain_efforts, chain_links
from screw_dynamics.soft.statics import stiffness_matrix

SOFT = sd.soft
LENGTH, RADIUS, MASS = 0.3, 0.03, 0.85
COUNT, LARGER = 20, 80
BENDING = 1.5  # N m^2
WORK = 'virtual work of material points'
EXACT = "d'Alembert of the rigid chain in 60 digits"
ENDS = 'the search ends at a relative imbalance of 1e-12'


def arcs(count: int) -> Any:
    """Return planar arcs that hang from the base."""
    return SOFT.SoftRobot([SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS)] * count)


def _points(q: Array) -> tuple[Array, Array]:
    """Return pose and points of an arc with angles (..., 1), from its tangent by quadrature."""
    x, _ = np.polynomial.legendre.leggauss(14)
    x = 0.5 * (x + 1.0)
    weights = 0.5 * np.polynomial.legendre.leggauss(14)[1]
    along = np.append(x, 1.0)
    part = q[..., None] * along[:, None] * x
    axis_x = -LENGTH * along * (np.sin(part) @ weights)
    axis_z = LENGTH * along * (np.cos(part) @ weights)
    sine, cosine = np.sin(q * along), np.cos(q * along)
    pose = np.zeros((*q.shape[:-1], 4, 4), q.dtype)
    pose[..., 0, 0], pose[..., 0, 2], pose[..., 0, 3] = (
        cosine[..., -1], -sine[..., -1], axis_x[..., -1],
    )  # fmt: skip
    pose[..., 2, 0], pose[..., 2, 2], pose[..., 2, 3] = (
        sine[..., -1], cosine[..., -1], axis_z[..., -1],
    )  # fmt: skip
    pose[..., 1, 1] = pose[..., 3, 3] = 1.0
    section = RADIUS / np.sqrt(2.0) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1.0]])
    places = [
        np.stack([axis_x + a * cosine, b + 0.0 * sine, axis_z + a * sine], axis=-1)[..., :-1, :]
        for a, b in section
    ]
    return pose, np.concatenate(places, axis=-2)


def _module() -> Any:
    module = material_points.PointModule(1, _points)
    weights = 0.5 * np.polynomial.legendre.leggauss(14)[1]
    module.masses = MASS * np.tile(0.25 * weights, 4)
    return module


@subject('Soft-rigid robots')
def of_arcs() -> Iterator[Measure]:
    """Compare chains of arcs with virtual work."""
    rng, module = np.random.default_rng(2), _module()
    worst: dict[Any, float] = dict.fromkeys(
        (functions.inverse_dynamics, functions.gravity_forces, functions.bias_forces,
         functions.mass_matrix, functions.forward_dynamics, SOFT.mass_inverse_dynamics,
         SOFT.inertial_inverse_dynamics, SOFT.mass_inertial_inverse_dynamics), 0.0
    )  # fmt: skip

    def keep(function: Any, got: Any, expected: Any, size: float = 0.0) -> None:
        worst[function] = max(worst[function], difference(got, expected, size))

    for count in (1, 2, 3):
        robot, modules = arcs(count), [module] * count
        for _ in range(2):
            q, qd, qdd = jet = rng.uniform(-1.0, 1.0, (3, count))
            still = 0.0 * q

            def work(*rows: Array, modules: Any = modules, robot: Any = robot) -> Array:
                return np.asarray(material_points.efforts(modules, robot.gravity, np.stack(rows)))[
                    0
                ]

            tau, held, moving = work(*jet), work(q, still, still), work(q, qd, still)
            size = float(max(np.abs(x).max() for x in (tau, held, moving)))
            matrix = material_points.mass_matrix(modules, q)
            keep(functions.inverse_dynamics, sd.inverse_dynamics(robot, jet)[0], tau, size)
            keep(functions.gravity_forces, sd.gravity_forces(robot, q), held, size)
            keep(functions.bias_forces, sd.bias_forces(robot, q, qd), moving, size)
            keep(functions.mass_matrix, sd.mass_matrix(robot, q), matrix)
            both = SOFT.mass_inverse_dynamics(robot, q, qd, qdd)
            keep(SOFT.mass_inverse_dynamics, both[0], matrix)
            keep(SOFT.mass_inverse_dynamics, both[1], tau, size)
            inertial = SOFT.inertial_inverse_dynamics(robot, jet)[0]
            keep(SOFT.inertial_inverse_dynamics, inertial, tau - held, size)
            both = SOFT.mass_inertial_inverse_dynamics(robot, q, qd, qdd)
            keep(SOFT.mass_inertial_inverse_dynamics, both[0], matrix)
            keep(SOFT.mass_inertial_inverse_dynamics, both[1], tau - held, size)
            found = sd.forward_dynamics(robot, q, qd, tau)
            keep(functions.forward_dynamics, work(q, qd, found), tau, size)
    calls = _calls(arcs(COUNT)), _calls(arcs(LARGER))
    for function, residual in worst.items():
        pair = (calls[1][function], LARGER / COUNT)
        yield Measure(function, WORK, residual, call=calls[0][function], growth=pair)


def _calls(robot: Any) -> dict[Any, Any]:
    jet = np.random.default_rng(1).uniform(-1.0, 1.0, (5, robot.n))
    q, qd, qdd = (row.copy() for row in jet[:3])
    name = robot.module_names[-1]
    return {
        functions.inverse_dynamics: lambda: sd.inverse_dynamics(robot, jet),
        functions.gravity_forces: lambda: sd.gravity_forces(robot, q),
        functions.bias_forces: lambda: sd.bias_forces(robot, q, qd),
        functions.mass_matrix: lambda: sd.mass_matrix(robot, q),
        functions.forward_dynamics: lambda: sd.forward_dynamics(robot, q, qd, qdd),
        functions.frame_pose: lambda: sd.frame_pose(robot, q, name),
        functions.frame_jacobian: lambda: sd.frame_jacobian(robot, q, name),
        SOFT.mass_inverse_dynamics: lambda: SOFT.mass_inverse_dynamics(robot, q, qd, qdd),
        SOFT.inertial_inverse_dynamics: lambda: SOFT.inertial_inverse_dynamics(robot, jet),
        SOFT.mass_inertial_inverse_dynamics: (
            lambda: SOFT.mass_inertial_inverse_dynamics(robot, q, qd, qdd)
        ),
    }


@subject('Soft-rigid robots')
def of_rigid_chains() -> Iterator[Measure]:
    """Compare chains of rigid modules with the exact efforts of their model."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    chain, rng = SOFT.SoftRobot.from_model(model), np.random.default_rng(5)
    jet = rng.normal(size=(6, model.n))
    exact = reference_efforts(model, jet)
    matrix = np.asarray(mass_matrix_series(model, jet[:1])[0], float)
    links, readable = chain_links(chain, jet), chain_efforts(chain, jet)
    rows = zip(sd.inverse_dynamics(chain, jet), readable, exact.efforts, exact.scale, strict=True)
    compiled, series = zip(
        *((difference(a, c, s), difference(b, c, s)) for a, b, c, s in rows), strict=True
    )
    yield Measure(functions.inverse_dynamics, EXACT, max(compiled))
    yield Measure(
        recursion.inertial_efforts, EXACT, max(series),
        call=lambda: recursion.inertial_efforts(links, chain.gravity),
    )  # fmt: skip
    yield Measure(functions.mass_matrix, EXACT, difference(sd.mass_matrix(chain, jet[0]), matrix))
    yield Measure(
        recursion.mass_matrix, EXACT, difference(recursion.mass_matrix(links), matrix),
        call=lambda: recursion.mass_matrix(links),
    )  # fmt: skip


@subject('Soft-rigid robots')
def of_one_arc() -> Iterator[Measure]:
    """Compare the inertia of one arc with its closed form in 50 digits."""
    robot, worst = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(1.0, 1.0, 1.0)], (0, 0, 0)), 0.0
    for q in (0.0, 1e-9, 1e-5, 1e-3, 0.1, 1.0, 3.0, 6.0):
        with mpmath.workdps(50):
            parts = [
                mpmath.fsum(
                    (-1) ** k * mpmath.mpf(q) ** (2 * k) / mpmath.factorial(2 * k + n)
                    for k in range(60)
                )
                for n in (4, 5)
            ]
            expected = float(2 * parts[0] - 4 * parts[1] + mpmath.mpf(1) / 12)
        worst = max(worst, difference(sd.mass_matrix(robot, [q])[0, 0], expected))
    yield Measure(functions.mass_matrix, 'closed form of an arc in 50 digits', worst)


@subject('Soft-rigid robots')
def of_statics() -> Iterator[Measure]:
    """Compare equilibria with virtual work and with a closed form."""
    rng, count = np.random.default_rng(4), 3
    soft = SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS, BENDING)
    robot, wanted = SOFT.SoftRobot([soft] * count), 0.3 * rng.normal(size=count)
    q = SOFT.equilibrium(robot, wanted)
    jet = np.stack([q, 0 * q, 0 * q])
    held = (
        material_points.efforts([_module()] * count, robot.gravity, jet)[0] + BENDING / LENGTH * q
    )
    size = float(np.abs(held).max() + np.abs(wanted).max())
    larger = SOFT.SoftRobot([soft] * 2 * count)
    yield Measure(
        SOFT.equilibrium, f'{WORK}, linear stiffness', difference(held, wanted, size), 1e-11,
        ENDS, lambda: SOFT.equilibrium(robot, wanted),
        (lambda: SOFT.equilibrium(larger, np.tile(wanted, 2)), 2.0),
    )  # fmt: skip
    light = SOFT.SoftRobot([soft], (0.0, 0.0, 0.0))
    bent = SOFT.equilibrium(light, [0.6])
    yield Measure(
        SOFT.equilibrium, 'closed form under an end moment',
        difference(bent, [0.6 * LENGTH / BENDING]), 1e-11, ENDS,
    )  # fmt: skip
    step = 1e-5
    slopes = [
        (sd.gravity_forces(robot, q + e) + _elastic(robot, q + e)
         - sd.gravity_forces(robot, q - e) - _elastic(robot, q - e)) / (2 * step)
        for e in step * np.eye(count)
    ]  # fmt: skip
    yield Measure(
        stiffness_matrix, 'central differences of the efforts',
        difference(stiffness_matrix(robot, q), np.array(slopes).T), 1e-9,
        'the differences have an error of 1e-10', lambda: stiffness_matrix(robot, q),
    )  # fmt: skip


@subject('Soft-rigid robots')
def of_rods() -> Iterator[Measure]:
    """Compare poses of rods with integrated ones, the loss of stability with that of Euler."""
    counts, rng = {'bend_x': 3, 'bend_y': 3, 'twist': 2, 'stretch': 1}, np.random.default_rng(3)
    basis = SOFT.strain_basis(LENGTH, 'legendre', counts)
    places = rng.uniform(-1.0, 1.0, (20, 9)) * ([1.0] * 8 + [0.05])
    expected = [_integrated_tip(basis, q) for q in places]
    for nodes, order, bound in ((8, 4, 1e-4), (32, 4, 1e-6), (8, 2, 3e-2)):
        rod = SOFT.VariableStrain(LENGTH, RADIUS, MASS, basis, nodes=nodes, order=order)
        found = sd.frame_pose(SOFT.SoftRobot([rod]), places, 'tip')[:, :3, 3]
        largest = float(np.linalg.norm(found - expected, axis=1).max()) / LENGTH
        default = ', the default' if (nodes, order) == (8, 4) else ''
        yield Measure(
            SOFT.VariableStrain, "integration of g' = g xi of 20 rods by DOP853 to 1e-13", largest,
            bound, f'the error of the tip over the length, for nodes={nodes}, order={order}'
            f'{default}',
        )  # fmt: skip
    low, high = 2.0, 3.0
    while high - low > 1e-9:
        load = 0.5 * (low + high)
        low, high = (load, high) if SOFT.is_stable(_column(load), np.zeros(6)) else (low, load)
    straight = _column(2.0)
    yield Measure(
        SOFT.is_stable, 'load of Euler of a clamped column', difference(low, 0.25 * np.pi**2),
        1e-6, 'a rod of 32 nodes', lambda: SOFT.is_stable(straight, np.zeros(6)),
    )  # fmt: skip


def _integrated_tip(basis: Any, q: Array) -> Array:
    def rate(s: float, pose: Array) -> Array:
        strain = np.eye(6)[5] + basis(s) @ q
        return np.asarray((pose.reshape(4, 4) @ material_points.hat(strain)).ravel())

    start = np.eye(4).ravel()
    found = solve_ivp(rate, (0.0, LENGTH), start, method='DOP853', rtol=1e-13, atol=1e-15)
    return np.asarray(found.y[:, -1].reshape(4, 4)[:3, 3])


def _column(load: float) -> Any:
    """Return a rod without mass under a weight, in units of E I / L^2."""
    basis = SOFT.strain_basis(LENGTH, 'legendre', {'bend_y': 6})
    rod = SOFT.VariableStrain(LENGTH, RADIUS, 0.0, basis, stiffness=(BENDING,) * 6, nodes=32)
    mass = load * BENDING / LENGTH**2 / 9.81
    return SOFT.SoftRobot([rod, SOFT.RigidBody(mass, np.zeros(3), np.zeros((3, 3)))])


def _elastic(robot: Any, q: Array) -> Array:
    return np.concatenate(
        [module.elastic_efforts(q[own])
         for module, own in zip(robot.modules, robot.slices, strict=True)]
    )  # fmt: skip


@subject('Soft-rigid robots')
def of_motions() -> Iterator[Measure]:
    """Compare a simulated chain of arcs with itself: its energy without damping."""
    body = SOFT.PlanarConstantCurvature(LENGTH, RADIUS, MASS, BENDING)
    robot = SOFT.SoftRobot([body, body])
    times = np.linspace(0.0, 0.5, 26)

    def run() -> Any:
        return sd.simulate(robot, times, [0.5, -0.3], [0.0, 1.0], method='DOP853', rtol=1e-10)

    motion, module = run(), _module()
    energies = []
    for q, qd in zip(motion.position, motion.velocity, strict=True):
        points = np.real(material_points.world_points([module, module], q + 0j))
        masses = np.concatenate([module.masses, module.masses])
        kinetic = 0.5 * qd @ sd.mass_matrix(robot, q) @ qd
        energies.append(kinetic - masses @ points @ robot.gravity + 0.5 * BENDING / LENGTH * q @ q)
    size = float(np.abs(energies).max())
    yield Measure(
        sd.simulate, 'energy of the material points', float(np.ptp(energies)) / size, 1e-7,
        'steps to a tolerance of 1e-10; the figure is the drift of the energy in 0.5 s', run,
    )  # fmt: skip
