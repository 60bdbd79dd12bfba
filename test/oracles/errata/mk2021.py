# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Misprints of MK2021."""

from __future__ import annotations

from oracles.errata.record import Erratum
from oracles.errata.robot import MovingRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.theory.closed_form import nth_derivatives


def second_mass_matrix(robot: MovingRobot) -> tuple[Array, Array, Array]:
    """Return M'' from the matrix M^(2) of (43)."""
    system = robot.system
    inertia, path, product = system.Mm, system.A, system.Aa

    def first(rates: Array) -> Array:
        one_side = -inertia @ path @ rates
        return one_side + one_side.T

    inner = inertia @ (product @ path - product) @ system.a()
    outer = first(system.a()) @ product
    rest = inner + inner.T - outer - outer.T
    printed, correct = (
        system.J.T @ (first(rates) + rest) @ system.J for rates in (system.a(), system.a(1))
    )
    return printed, correct, nth_derivatives.mass_matrix(robot.model, robot.jet)[2]


ERRATA = (
    Erratum(
        'MK2021 (43)',
        "M^(1)(q, q') as the first term, and in the sentence below",
        "M^(1)(q, q'')",
        second_mass_matrix,
    ),
    Erratum(
        'MK2021, section 2.1',
        "Ad'_{C_{i,j}} = .. Ad_{C_{i,-1}}",
        "Ad'_{C_{i,i-1}} = -q_i' ad_{X_i} Ad_{C_{i,i-1}}",
    ),
    Erratum(
        'MK2021, section 4',
        'inserting (48) with (49) into (46); the first form (51)',
        'inserting (47) with (48); the first form (50)',
    ),
    Erratum(
        'MK2021, section 6.1',
        'L_i^2 m_i as the entry (1, 1) of M_1, M_2',
        '0 for a point mass on the x axis; the plane efforts are the same',
    ),
    Erratum(
        'MK2021 (1), (27)',
        '+ Q_ext for a load on the robot',
        '- J^T W for a wrench W ON the bodies; + is the load that the robot exerts',
    ),
)
