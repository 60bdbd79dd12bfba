# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements about a run, on motions with known errors; the light feedback."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('mujoco', reason='the comparison runs in MuJoCo too')

from screw_dynamics.dynamics import inverse_dynamics  # noqa: E402
from screw_dynamics.simulation import Motion  # noqa: E402
from sea_study.arms import IIWA, MOTION, REST, Arm  # noqa: E402
from sea_study.scene import EXACT, PERIOD, scene  # noqa: E402
from sea_study.tracking import FALLEN, OWN, _outcome  # noqa: E402

TIMES = PERIOD * np.arange(round((MOTION + REST) / PERIOD) + 1, dtype=np.float64)
MOVING = TIMES <= MOTION


def outcome(error, deflection):
    """The outcome of a run with this error of the third joint and deflection of the fifth."""
    place = scene(Arm(IIWA, 'soft', 'hanging'))
    position = place.reference(TIMES)[:, 0].copy()
    position[:, 2] += error
    motor = position.copy()
    motor[:, 4] += deflection
    motion = Motion(TIMES, position, np.zeros_like(motor), motor, np.zeros_like(motor), 0)
    return _outcome(place, EXACT, False, OWN, motion)


def test_errors_are_those_of_the_motion():
    found = outcome(np.where(MOVING, 0.01 * np.cos(TIMES), 0.2), 0.0 * TIMES)
    assert found.largest == pytest.approx(0.01, abs=1e-15)
    mean = np.mean(np.square(0.01 * np.cos(TIMES[MOVING])))
    assert found.rms == pytest.approx(np.sqrt(mean / 7.0), rel=1e-12)
    assert found.errors[-1] == pytest.approx(0.2, abs=1e-15)


def test_oscillation_is_the_amplitude_at_rest_without_the_trend():
    swing = np.where(TIMES < MOTION, 0.1, 0.003) * np.cos(2.0 * np.pi * 20.0 * TIMES)
    trend = 0.05 + 0.02 * TIMES - 0.01 * TIMES**3
    assert outcome(0.0 * TIMES, swing + trend).oscillation == pytest.approx(0.003, rel=0.02)
    assert outcome(0.0 * TIMES, trend).oscillation < 1e-12


def test_an_arm_falls_beyond_its_error():
    late = np.where(MOVING, 0.0, 1.0)
    assert np.isnan(outcome(1.01 * FALLEN * late, 0.0 * TIMES).oscillation)
    assert outcome(0.99 * FALLEN * late, 0.0 * TIMES).oscillation == 0.0
    assert np.isnan(outcome(np.nan * late, 0.0 * TIMES).oscillation)


def test_feedback_is_as_light_as_it_is_said():
    place = scene(Arm(IIWA, 'soft', 'hanging'))
    stiffness, damping = place.feedback_gains
    start = place.reference(np.zeros(1))[0, 0]
    for j in range(7):
        jet = np.zeros((3, 7))
        jet[0] = start
        weight = inverse_dynamics(place.model, jet)[0, j]
        jet[2, j] = 1.0
        link = inverse_dynamics(place.model, jet)[0, j] - weight
        drives = IIWA.drives
        inertia = link + drives.gear_ratios[j] ** 2 * drives.rotor_inertias[j]
        # rotor and link on this feedback: 1 Hz, half of the critical damping
        poles = np.roots([inertia, damping[j], stiffness[j]])
        assert np.abs(poles) == pytest.approx(2.0 * np.pi, rel=1e-12)
        assert poles.real == pytest.approx(-np.pi, rel=1e-12)


def test_friction_is_stated_at_the_joint():
    arm = Arm(IIWA, 'soft', 'hanging')
    model = arm.model()
    rows = arm.joints(model).motors(model).rows
    assert rows[:, 1] == pytest.approx(IIWA.drives.viscous_friction, rel=1e-14)
