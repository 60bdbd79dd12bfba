# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Misprints of N2021."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from oracles.errata.record import Erratum
from oracles.errata.robot import MovingRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import adjoint, exp_screw, hat, inertia_parameters, skew
from screw_dynamics.model import ScrewModel
from screw_dynamics.theory.acceleration_energy import energies, equations
from screw_dynamics.theory.acceleration_energy.differential_matrices import differential_matrix
from screw_dynamics.theory.acceleration_energy.tensors import EnergyTensors
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.kinematics.body_fixed import column_jets

_Triple = tuple[Array, Array, Array]


def first_energy(robot: MovingRobot) -> _Triple:
    """Return E^(1) in tensors, (57)."""
    tensors = EnergyTensors(robot.model, robot.jet[0])
    qd, qdd = robot.jet[1:3]
    square = qdd @ tensors.M @ qdd + np.einsum('ijlm,i,j,l,m', tensors.D, qd, qd, qd, qd)
    mixed = qdd @ (tensors.V @ qd @ qd)
    truth = energies.acceleration_energy(robot.model, robot.jet, 1)
    return (square + mixed) / 2, square / 2 + mixed, truth


def energy_of_frames(robot: MovingRobot) -> _Triple:
    """Return E^(1) as energies of the origins and of the rotations about them, (56)."""
    printed = coupling = 0.0
    for pose, inertia in zip(robot.poses[2], robot.model.inertias, strict=True):
        mass, moment, theta = inertia_parameters(inertia)
        second = np.trace(theta) / 2 * np.eye(3) - theta
        turned, moved = pose[:3, :3], pose[:3, 3]
        printed += (mass * moved @ moved + np.trace(turned @ second @ turned.T)) / 2
        coupling += (turned @ moment) @ moved
    truth = energies.acceleration_energy(robot.model, robot.jet, 1)
    return printed, printed + coupling, truth


def coefficients(robot: MovingRobot) -> _Triple:
    """Return Q''' from the energies E^(1) to E^(4), (96)."""
    model = _without_gravity(robot)
    correct = equations.inertia_forces(model, robot.jet, 4, 5)
    system = equations.EnergyPartials(energies.tree_of_energy(model, robot.jet, 4))
    # 9 in place of 14: five of the last energy are missing
    missing = 5.0 * system.partial(4, 5 + 4 - 1 - 8, 5) * 6.0 * 120.0 / 40320.0
    return correct - missing, correct, nth_derivatives.inverse_dynamics(model, robot.jet)[3]


def generalized_forces(robot: MovingRobot) -> _Triple:
    """Return (J^T W)' of a constant wrench in the body's frame, (76)."""
    columns = column_jets(robot.tree)[robot.body]
    wrenches = np.stack([robot.wrench, robot.rng.normal(size=6)])
    printed = columns[:, 0] @ wrenches[1]
    correct = equations.generalized_forces(columns, wrenches)[1]
    later = [robot.slope(lambda q: robot.columns_at(q)[robot.body], j) for j in range(4)]
    rate = sum(rows * s for rows, s in zip(later, robot.jet[1], strict=True))
    return printed, correct, rate @ wrenches[0] + printed


def order_of_indices(robot: MovingRobot) -> _Triple:
    """Return the second derivative of a pose by two joints, tip before root, (43)."""
    columns, pose = robot.columns[robot.body], robot.tree.poses[robot.body]
    printed = pose @ hat(columns[3]) @ hat(columns[0])
    correct = pose @ hat(columns[0]) @ hat(columns[3])
    truth = robot.slope(lambda q: differential_matrix(robot.model, q, robot.body, [0]), 3)
    return printed, correct, truth


def inner_sign(robot: MovingRobot) -> _Triple:
    """Return the derivative of a pose by the second joint as products of exponentials, (20)."""

    def product(sign: float) -> Array:
        result, home = np.eye(4), np.eye(4)
        for joint, q in enumerate(robot.jet[0]):
            home = home @ robot.model.home_poses[joint]
            screw = adjoint(home) @ robot.model.screws[joint]
            if joint == 1:
                result = result @ hat(screw)
            result = result @ exp_screw(screw, q if joint < 1 else sign * q)
        return result @ home

    truth = robot.slope(lambda q: robot.at(q[None]).poses[robot.body], 1)
    return product(-1.0), product(1.0), truth


def exponential_of_a_sum(robot: MovingRobot) -> _Triple:
    """Return the rotation of the last body, (21): exponentials do not commute."""
    home, total, product = np.eye(3), np.zeros((3, 3)), np.eye(3)
    for joint, q in enumerate(robot.jet[0]):
        home = home @ robot.model.home_poses[joint][:3, :3]
        axis = home @ robot.model.screws[joint, :3]
        total = total + q * skew(axis)
        product = product @ _rotation(skew(axis) * q)
    return _rotation(total) @ home, product @ home, robot.poses[0, robot.body, :3, :3]


def column_of_the_jacobian(robot: MovingRobot) -> _Triple:
    """Return the velocity of the last origin by the second joint, (23)."""
    home = np.eye(4)
    screws, motions = [], []
    for joint, q in enumerate(robot.jet[0]):
        home = home @ robot.model.home_poses[joint]
        screws.append(adjoint(home) @ robot.model.screws[joint])
        motions.append(exp_screw(screws[joint], q))
    before, behind, arms = motions[0][:3, :3], np.eye(3), np.zeros(3)
    for motion in motions[1:]:
        arms = arms + behind @ motion[:3, 3]
        behind = behind @ motion[:3, :3]
    axis, linear = skew(screws[1][:3]), screws[1][3:]
    end = behind @ home[:3, 3]
    printed = before @ linear + end + before @ axis @ arms
    correct = before @ (linear + axis @ (arms + end))
    truth = robot.slope(lambda q: robot.at(q[None]).poses[robot.body][:3, 3], 1)
    return printed, correct, truth


def _rotation(matrix: Array) -> Array:
    """Return exp of a skew matrix by its power series."""
    result = term = np.eye(3)
    for k in range(1, 40):
        term = term @ matrix / k
        result = result + term
    return result


def _without_gravity(robot: MovingRobot) -> ScrewModel:
    return replace(robot.model, gravity=np.zeros(3))


ERRATA = (
    Erratum('N2021 (20)', 'exp(-A_k q_k) in the second product', 'exp(A_k q_k)', inner_sign),
    Erratum(
        'N2021 (21), (41) to (54)',
        'exp of the sum of [k ×] q_k',
        'the ordered product of their exponentials',
        exponential_of_a_sum,
    ),
    Erratum(
        'N2021 (23), (42)',
        'the term with p_n(0) without the factors of the term beside it',
        'R_1 .. R_(i-1) [k_i ×] in front of it, as in the matrices (25) to (35)',
        column_of_the_jacobian,
    ),
    Erratum(
        'N2021 (43), (46)',
        'lists of indices in any order',
        'indices sorted from root to tip; in (45) A_ij(p) by q_k, in (48) A_ijk(p) by q_m',
        order_of_indices,
    ),
    Erratum(
        'N2021 (56)',
        'no coupling of rotation and translation',
        '+ sum of (R_i^(p + 1) m_i c_i) . r_i^(p + 1); 0 for frames at mass centres',
        energy_of_frames,
    ),
    Erratum('N2021 (57)', "1/2 in front of q''^T V", '1', first_energy),
    Erratum(
        'N2021 (76), (80), (83)',
        'sum over m = 1..k of comb(k - 1, m - 1) J^(m - 1)^T F^(k - m + 1)',
        'sum over m = 0..k of comb(k, m) J^(m)^T F^(k - m)',
        generalized_forces,
    ),
    Erratum(
        'N2021 (96), (98)',
        'coefficients 1, 2, 5, 9, 14',
        'Catalan numbers 1, 2, 5, 14, 42',
        coefficients,
    ),
)
