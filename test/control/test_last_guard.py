# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LastGuard`: which steps of a reference a joint can make."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.last_guard import LastGuard

TIME, TOLERANCE = 0.01, 0.05
SPEEDS = 3.0, 0.5  # of joints: rad/s, the limits of the URDF, or those of the reference
ROUNDING = 1e-3  # of a limit, beside it


@pytest.fixture(scope='module', params=['stop', 'off'])
def guard(request, arm):
    """Return a guard of two joints, and whether it knows the limits of their velocities."""
    arm = replace(arm, limits=replace(arm.limits, velocity=np.array(SPEEDS)))
    settings = DriveCommandsParameters(limits=request.param)
    return LastGuard(sd.Robot(arm), arm.joint_names, (), settings), request.param != 'off'


@pytest.mark.parametrize('measured', [False, True])
@pytest.mark.parametrize('joint', [0, 1])
def test_a_joint_steps_as_far_as_its_velocity_and_measured_positions_allow(guard, joint, measured):
    guard, limited = guard
    before, after = np.zeros((2, 2)), np.zeros((2, 2))
    before[1], after[1] = 0.0, SPEEDS
    # without a limit: half as fast again as the reference, and the tolerance
    most = SPEEDS[joint] * TIME * (1.0 if limited else 1.5)
    most += TOLERANCE if measured or not limited else 0.0
    for step, refused in ((most * (1 - ROUNDING), False), (most * (1 + ROUNDING), True)):
        for sign in (1.0, -1.0):
            after[0] = 0.0
            after[0, joint] = sign * step
            text = guard.step_text(before, after, TOLERANCE, TIME, measured=measured)
            assert bool(text) == refused, text
            if refused:
                assert text.startswith(f'joint_{joint + 1}: step of the reference {step:.6g} rad')


def test_a_jump_is_what_velocities_do_not_explain(guard):
    guard, _ = guard
    before, after = np.array([[0.1, 0.2], [1.0, -2.0]]), np.array([[0.0, 0.0], [3.0, -2.0]])
    moved = before[0] + TIME * np.array([2.0, -2.0])
    for jump, refused in ((TOLERANCE * (1 - ROUNDING), False), (TOLERANCE * (1 + ROUNDING), True)):
        for sign in (1.0, -1.0):
            after[0] = moved + [0.0, sign * jump]
            text = guard.far_text(before, after, TOLERANCE, TIME)
            assert bool(text) == refused
            assert not refused or text.startswith('joint_2: ')


def test_a_step_that_is_no_number_is_the_largest(guard):
    guard, _ = guard
    after = np.array([[100.0, np.nan], [0.0, 0.0]])
    text = guard.step_text(np.zeros((2, 2)), after, TOLERANCE, TIME, measured=False)
    assert text.startswith('joint_2: step of the reference nan')
