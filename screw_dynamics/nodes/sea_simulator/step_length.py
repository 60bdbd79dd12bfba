# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Step length of a simulation."""

from __future__ import annotations

import math

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoint, ElasticJoints, LinearSpring
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.springs.layout import COULOMB, COULOMB_VELOCITY, INERTIA, VISCOUS
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation.natural_frequencies import link_mobility, natural_frequencies

# Step times frequency: the error of a step is 0.1^5 / 120 of the amplitude, and the steps are
# stable (up to 2.8) even if springs become 700 times as stiff.
_STEP_ANGLE = 0.1
_MOST = 10000  # steps per period; each takes about ten microseconds


def substeps_for(
    model: ScrewModel, elastic: ElasticJoints, q: Array, period: float, derivative: Array
) -> int:
    """
    Return the number of Runge-Kutta steps per `period` [s], at least 1.

    `q` (n,) are link positions [rad or m], `derivative` (m,) is the feedback gain of the motor
    velocities [N m s/rad or N s/m]. Raises InputError if the stiffness of a spring at rest is not
    known, a joint moves no mass, or the robot vibrates too fast to be simulated.
    """
    try:
        frequencies = natural_frequencies(model, elastic, q)
    except InputError as error:
        raise InputError(
            "parameter 'substeps': expected 1 or more, as 0 takes springs whose stiffness at rest "
            f'is known and links with mass: {error}'
        ) from None
    fastest = float(frequencies.max(initial=0.0)) + _damping_rate(model, elastic, q, derivative)
    steps = period * fastest / _STEP_ANGLE
    if not steps <= _MOST:
        raise InputError(
            f"parameter 'substeps': expected 1 or more, as 0 takes {steps:.3g} steps per state, "
            f'above {_MOST}: something moves at {fastest:.3g} rad/s; make joints that stiff rigid'
        )
    return max(1, math.ceil(steps))


def _damping_rate(model: ScrewModel, elastic: ElasticJoints, q: Array, derivative: Array) -> float:
    """Return the largest damping rate of a motor or link, by dampers, friction and feedback."""
    table = elastic.motors(model)
    joints = [elastic.joints.get(name, ElasticJoint()) for name in model.joint_names]
    dampers = np.array(
        [
            joint.spring.damping if isinstance(joint.spring, LinearSpring) else 0.0
            for joint in joints
        ]
    )[table.joint_of_motor]
    rows = table.rows
    drive = rows[:, VISCOUS] + derivative
    drive = drive + np.where(
        rows[:, COULOMB] > 0.0, rows[:, COULOMB] / rows[:, COULOMB_VELOCITY], 0.0
    )
    mobility = np.diag(link_mobility(model, table, q))[table.joint_of_motor]
    # without rotor inertia, a rigid joint moves the inertia of its link
    inertia = np.where(rows[:, INERTIA] > 0.0, rows[:, INERTIA], 1.0 / mobility)
    rates = (dampers + drive) / inertia + dampers * mobility
    return float(rates.max(initial=0.0))
