# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiff springs of every law: commands approach those of the rigid robot."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_joint_jet

import screw_dynamics as sd

MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)
BOTH = sd.Motor(4e-3, 10.0, 2e-2, 4e-2, 1.0)
TABLE = np.linspace(-2.0, 2.0, 9)
# of stiffness K and more; pairs hold their co-contraction as they become stiffer
SPRINGS = {
    'linear': sd.LinearSpring,
    'damped': lambda k: sd.LinearSpring(k, 0.02 * k),
    'cubic': lambda k: sd.CubicSpring(k, 3.0 * k),
    'exponential': lambda k: sd.ExponentialSpring(k, 4.0),
    'tabulated': lambda k: sd.TabulatedSpring(TABLE, k * (TABLE + 0.2 * TABLE**3)),
    'variable': sd.VariableStiffness,
    'exponential pair': lambda k: sd.AntagonisticPair(
        'exponential', 3.0 * k, spring_stiffness=k, rate=2.0
    ),
    'quadratic pair': lambda k: sd.AntagonisticPair('quadratic', k, quadratic_stiffness=k),
    'cubic pair': lambda k: sd.AntagonisticPair(
        'cubic', 4.0 * k, spring_stiffness=k, cubic_stiffness=k
    ),
}


@pytest.mark.parametrize('name', SPRINGS)
def test_the_limit_is_the_rigid_robot(name, model, rng):
    jet = random_joint_jet(rng, model.n, 2)
    pair = 'pair' in name
    rigid = sd.elastic_feedforward(
        sd.Robot(
            model,
            sd.Drives(
                dict.fromkeys(model.joint_names, sd.JointDrive(motor=BOTH if pair else MOTOR))
            ),
        ),
        jet,
    )
    stiffnesses, efforts, motions = 10.0 ** np.arange(4, 8), [], []
    for stiffness in stiffnesses:
        joint = sd.JointDrive(SPRINGS[name](stiffness), MOTOR)
        drives = sd.Drives(dict.fromkeys(model.joint_names, joint))
        result = sd.elastic_feedforward(sd.Robot(model, drives), jet)
        # both motors of a pair share the effort
        shares = result.motor_effort.reshape(model.n, -1)
        efforts.append(np.abs(shares.sum(axis=1) - rigid.motor_effort).max())
        rates = result.motor_jet[1:3].reshape(2, model.n, -1) - jet[1:3, :, np.newaxis]
        motions.append(np.abs(rates).max())
    # proportional to 1 / K
    for errors in (efforts, motions):
        np.testing.assert_allclose(errors[-1] / np.array(errors), stiffnesses / 1e7, rtol=0.05)
    assert efforts[-1] < 1e-4 * np.abs(rigid.motor_effort).max()
