# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fastest motions with springs and motors: limits are kept, and reached."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from helpers.curves import even, random_curve

import screw_dynamics as sd


def elastic(model, friction=0.0):
    stiffness = [5e3, 5e3, 4e3, 4e3, 2e3, 2e3, 2e3]
    inertia = [2.5e-4, 2.5e-4, 1.5e-4, 1.5e-4, 6e-5, 4e-5, 3e-5]
    return sd.Drives(
        {
            name: sd.JointDrive(
                sd.LinearSpring(k),
                sd.Motor(
                    rotor_inertia=j,
                    gear_ratio=100.0,
                    coulomb_friction=0.05 * friction,
                    viscous_friction=1e-3 * friction,
                    max_effort=effort / 100.0,
                    max_velocity=102.0 * velocity,
                ),
                max_effort_rate=1500.0,
                max_deflection=0.05,
            )
            for name, k, j, effort, velocity in zip(
                model.joint_names,
                stiffness,
                inertia,
                model.limits.effort,
                model.limits.velocity,
                strict=True,
            )
        }
    )


@pytest.mark.parametrize('friction', [pytest.param(0.0, marks=pytest.mark.long), 1.0])
def test_springs_and_motors_keep_their_limits(iiwa, friction):
    drives = elastic(iiwa, friction)
    curve = random_curve(iiwa, np.random.default_rng(1))
    fast = sd.retime(sd.Robot(iiwa, drives), curve)
    times = even(fast, 20001)
    report = sd.check_feasibility(sd.Robot(iiwa, drives), fast.jets(times), times)
    assert report.feasible, report.violations[0]
    checked = {check.quantity for check in report.checks}
    assert {'effort rate', 'deflection', 'motor velocity', 'motor effort'} <= checked
    assert max(check.excess for check in report.checks if check.quantity != 'position') > -0.05
    rigid = sd.retime(iiwa, curve)
    assert rigid.duration < fast.duration < 1.15 * rigid.duration


STIFFNESS = np.array([2000.0, 2000.0, 1500.0, 1500.0, 1000.0, 700.0, 500.0])
ROTORS = np.array([3.0, 3.0, 2.0, 2.0, 1.0, 0.4, 0.2])  # behind gears of 100 [kg m^2]


def soft(model):
    """Return soft springs, whose motors share out effort between spring and rotor."""
    limits = zip(STIFFNESS, ROTORS, model.limits.effort, model.limits.velocity, strict=True)
    records = [
        sd.JointDrive(
            sd.LinearSpring(k),
            sd.Motor(
                rotor_inertia=rotor / 100.0**2,
                gear_ratio=100.0,
                max_effort=effort / 100.0,
                max_velocity=105.0 * velocity,
            ),
        )
        for k, rotor, effort, velocity in limits
    ]
    return sd.Drives(dict(zip(model.joint_names, records, strict=True)))


def shares_of_soft_motors(model, motion, count):
    """Return the largest shares of velocity, effort and motor limits, of Pinocchio's efforts."""
    pinocchio = pytest.importorskip('pinocchio')
    twin = pinocchio.buildModelFromUrdf(str(sd.share_path('urdf/iiwa14.urdf')))
    data, h = twin.createData(), 2e-4
    jets = motion.jets(even(motion, count))

    def efforts(shift):
        """Return the efforts a little later on the motion with the same derivatives."""
        powers = [shift**d / factorial(d) for d in range(5)]
        q, qd, qdd = (sum(powers[k - d] * jets[:, k] for k in range(d, 5)) for d in range(3))
        return np.array(
            [pinocchio.rnea(twin, data, *state) for state in zip(q, qd, qdd, strict=True)]
        )

    before, now, after = efforts(-h), efforts(0.0), efforts(h)
    motor_velocity = jets[:, 1] + (after - before) / (2.0 * h) / STIFFNESS
    motor_acceleration = jets[:, 2] + (after - 2.0 * now + before) / h**2 / STIFFNESS
    velocity, effort = model.limits.velocity, model.limits.effort
    return {
        'velocity': np.abs(jets[:, 1] / velocity).max(),
        'effort': np.abs(now / effort).max(),
        'motor velocity': np.abs(motor_velocity / (1.05 * velocity)).max(),
        'motor effort': np.abs((now + ROTORS * motor_acceleration) / effort).max(),
    }


def test_a_motion_of_soft_springs_reaches_a_limit_of_the_robot(iiwa):
    """Efforts of motors contain the snap: they were exceeded between stations, and slowed for."""
    curve = random_curve(iiwa, np.random.default_rng(4))
    fast = sd.retime(sd.Robot(iiwa, soft(iiwa)), curve)
    shares = shares_of_soft_motors(iiwa, fast, 20001)
    assert 0.9995 < max(shares.values()) <= 1.0
    assert min(shares['motor velocity'], shares['motor effort']) > 0.99


@pytest.mark.long
@pytest.mark.parametrize('seed', [0, 2, 4])
def test_many_intervals_gain_little(iiwa, seed):
    curve, drives = random_curve(iiwa, np.random.default_rng(seed)), soft(iiwa)
    usual = sd.retime(sd.Robot(iiwa, drives), curve)
    assert (
        usual.duration <= 1.005 * sd.retime(sd.Robot(iiwa, drives), curve, intervals=400).duration
    )
