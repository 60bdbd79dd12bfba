# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Orders of convergence of integrators, and their drift of energy and momentum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from oracles import two_links
from oracles.random_models import BodyRecipe, random_model
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from benchmarks.timing import best_times
from benchmarks.verification.measures import Integration, integrations
from screw_dynamics import lie
from screw_dynamics.common.arrays import Array
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.theory.geometric_integration import free_body, joint_space, runge_kutta
from screw_dynamics.theory.geometric_integration.absolute_coordinates import AbsoluteCoordinates
from screw_dynamics.theory.geometric_integration.munthe_kaas import System, integrate
from screw_dynamics.theory.geometric_integration.runge_kutta import Tableau
from screw_dynamics.theory.lagrange.energies import kinetic_energy

METHODS = {
    'Euler': runge_kutta.EULER,
    'explicit midpoint': runge_kutta.EXPLICIT_MIDPOINT,
    'Kutta': runge_kutta.KUTTA,
    'classical': runge_kutta.CLASSICAL,
    'Dormand-Prince': runge_kutta.DORMAND_PRINCE,
    'implicit midpoint': runge_kutta.IMPLICIT_MIDPOINT,
}
ON_TREES = ('classical', 'Dormand-Prince', 'implicit midpoint')
BODY_STEPS, TREE_STEPS, ELASTIC_STEPS = 1000, 200, 100_000
TREE_STEP = 0.02
NO_POSES = np.zeros((0, 4, 4))
TREE = [
    BodyRecipe('revolute', coordinate_axis=True),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe('revolute', parent_back=2),
]


def _order(error: Callable[[int], float], steps: int) -> float:
    """Return the order from the errors with steps and twice as many."""
    return float(np.log2(error(steps) / error(2 * steps)))


def _end(
    system: System, method: Tableau, poses: Array, y: Array, duration: float, steps: int
) -> tuple[Array, Array]:
    *_, (_, poses, y) = integrate(system, method, poses, y, duration / steps, steps)
    return poses, y


def _drift(values: Sequence[float | Array]) -> float:
    """Return the largest deviation from the first value, relative to that."""
    array = np.asarray(values, dtype=float)
    return float(np.abs(array - array[0]).max() / np.abs(array[0]).max())


@integrations
def of_free_bodies() -> Iterator[Integration]:
    """Yield the free symmetric top, whose motion is known in closed form."""
    moments = np.array([0.5, 0.5, 0.8])
    inertia = lie.inertia_matrix(1.3, np.zeros(3), np.diag(moments))
    pose = lie.pose(lie.exp_so3(np.array([0.3, -0.7, 0.4])), np.zeros(3))
    twist = np.array([1.5, -0.8, 2.0, 0.0, 0.0, 0.0])
    angular = pose[:3, :3] @ (moments * twist[:3])
    own = moments[2] * twist[2] * (1.0 / moments[2] - 1.0 / moments[0])
    turn = lie.exp_so3(np.array([0.0, 0.0, own]))
    exact = lie.exp_so3(angular / moments[0]) @ pose[:3, :3] @ turn
    starts = {
        free_body.body_fixed_form: twist,
        free_body.spatial_form: lie.adjoint(pose) @ twist,
        free_body.momentum_form: free_body.spatial_momentum(inertia, pose, twist),
    }
    for form, y in starts.items():
        system = form(inertia)
        for name, method in METHODS.items():

            def error(
                steps: int, system: System = system, method: Tableau = method, y: Array = y
            ) -> float:
                at = _end(system, method, pose[None], y, 1.0, steps)[0][0, :3, :3]
                return float(np.abs(at - exact).max())

            energies, momenta = [], []
            for t, poses, now in integrate(system, method, pose[None], y, 0.02, BODY_STEPS):
                own_twist = system.rates(t, poses, now)[0][0]
                if form is not free_body.body_fixed_form:  # these displace on the left
                    own_twist = lie.adjoint_inverse(poses[0]) @ own_twist
                energies.append(0.5 * own_twist @ inertia @ own_twist)
                momenta.append(free_body.spatial_momentum(inertia, poses[0], own_twist))
            (seconds,) = best_times([partial(_end, system, method, pose[None], y, 0.02, 1)])
            yield Integration(
                form, name, 'closed form of the symmetric top', method.order, _order(error, 32),
                BODY_STEPS, _drift(energies), _drift(momenta), seconds,
            )  # fmt: skip


@integrations
def of_trees() -> Iterator[Integration]:
    """Yield a tree without gravity, whose first coordinate is cyclic."""
    rng = np.random.default_rng(3)
    model = replace(random_model(rng, TREE), gravity=np.zeros(3))
    q, qd = rng.normal(size=(2, model.n)) * [[0.4], [1.5]]
    duration = 0.5

    def derivative(_: float, y: Array) -> Array:
        position, velocity = np.split(y, 2)
        accelerations = sd.forward_dynamics(model, position, velocity, np.zeros(model.n))
        return np.append(velocity, accelerations)

    start = np.append(q, qd)
    found = solve_ivp(derivative, (0, duration), start, 'DOP853', rtol=1e-13, atol=1e-14)
    last, last_rate = np.split(found.y[:, -1], 2)
    robot = AbsoluteCoordinates(model)
    poses, twists = robot.state(q, qd)
    last_poses, _ = robot.state(last, last_rate)
    momenta = joint_space.momenta(model, q, qd)

    def of_state(_: Array, y: Array) -> tuple[float, float]:
        position, velocity = np.split(y, 2)
        return float(kinetic_energy(model, position, velocity)), float(
            joint_space.momenta(model, position, velocity)[0]
        )

    def of_phase(at: Array, y: Array) -> tuple[float, float]:
        position, p = np.split(y, 2)
        rate = joint_space.velocities(model, position, p)
        return of_state(at, np.append(position, rate))[0], float(p[0])

    def of_twists(at: Array, y: Array) -> tuple[float, float]:
        own = y.reshape(-1, 6)
        return float(robot.energy(at, own)), _about_first(model, at, own)

    def of_momenta(at: Array, y: Array) -> tuple[float, float]:
        return of_twists(at, robot.twists(at, y).ravel())

    cases: tuple[tuple[Any, System, Array, Array, Any], ...] = (
        (joint_space.velocity_form, joint_space.velocity_form(model), NO_POSES, start, of_state),
        (
            joint_space.momentum_form,
            joint_space.momentum_form(model),
            NO_POSES,
            np.append(q, momenta),
            of_phase,
        ),
        (
            AbsoluteCoordinates.twist_form,
            robot.twist_form(),
            poses,
            twists.ravel(),
            of_twists,
        ),
        (
            AbsoluteCoordinates.momentum_form,
            robot.momentum_form(),
            poses,
            robot.momenta(poses, twists),
            of_momenta,
        ),
    )
    for form, system, at, y, invariants in cases:
        for name in ON_TREES:
            method = METHODS[name]

            def error(
                steps: int,
                system: System = system,
                method: Tableau = method,
                at: Array = at,
                y: Array = y,
            ) -> float:
                there, now = _end(system, method, at, y, duration, steps)
                if len(there):
                    return float(np.abs(there - last_poses).max())
                return float(np.abs(now[: model.n] - last).max())

            rows = [
                invariants(there, now)
                for _, there, now in integrate(system, method, at, y, TREE_STEP, TREE_STEPS)
            ]
            energies, first = zip(*rows, strict=True)
            (seconds,) = best_times([partial(_end, system, method, at, y, TREE_STEP, 1)])
            yield Integration(
                form, name, 'DOP853 of the compiled accelerations', method.order,
                _order(error, 5), TREE_STEPS, _drift(energies), _drift(first), seconds,
            )  # fmt: skip


def _about_first(model: sd.ScrewModel, poses: Array, twists: Array) -> float:
    """Return the momentum of all bodies about the axis of the first joint, which does not move."""
    home = model.home_poses[0]
    axis = lie.adjoint(home) @ model.screws[0]
    total = sum(
        free_body.spatial_momentum(inertia, pose, twist)
        for inertia, pose, twist in zip(model.inertias, poses, twists, strict=True)
    )
    return float(axis @ np.asarray(total))


@integrations
def of_elastic_robots() -> Iterator[Integration]:
    """Yield the steps of `ElasticRobot` with linear springs and no friction."""
    stiffness = np.array(two_links.STIFFNESS)
    robot = ElasticRobot(two_links.robot())
    rotors = np.array(two_links.ROTORS)
    start, effort = robot.state([-1.4, 0.5], None, [-1.45, 0.45]), np.zeros(2)

    def nothing(t: float, state: Array | None = None) -> Array:
        return effort

    exact = robot.integrate([0.0, 0.1], nothing, start, rtol=1e-13).position[-1]

    def error(steps: int) -> float:
        state = robot.step(start.copy(), effort, 0.1 / steps, steps=steps)
        return float(np.abs(robot.split(state)[0] - exact).max())

    def energy(state: Array) -> float:
        q, qd, theta, rate = state.reshape(4, 2)
        wound = 0.5 * stiffness @ np.square(theta - q)
        return float(two_links.energy(q, qd) + 0.5 * rotors @ rate**2 + wound)

    state, energies = start.copy(), [energy(start)]
    for _ in range(100):
        robot.step(state, effort, 1e-4, steps=ELASTIC_STEPS // 100)
        energies.append(energy(state))
    (seconds,) = best_times([lambda: robot.step(start.copy(), effort, 1e-4, steps=1000)])
    yield Integration(
        ElasticRobot.step, 'classical', 'adaptive steps to 1e-13', 4, _order(error, 50),
        ELASTIC_STEPS, _drift(energies), float('nan'), seconds / 1000,
    )  # fmt: skip
