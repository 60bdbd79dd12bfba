# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints that a trajectory leaves out finish their own motion."""

import numpy as np
from helpers.rig import BEGIN, Rig, free, limited
from helpers.streams import stream, wave
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.random_models import random_model

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.inputs import RobotChanged
from screw_dynamics.drives.robot import Robot


def test_joints_left_out_finish_their_own_motion(arm):
    """R10: joint_1 goes on to its goal while joint_2 gets another one."""
    rig = Rig(free(arm), allow_partial_joints=True, publish_rate=500.0)
    rig.send((0.0, [0.0, 0.0]), (3.0, [1.0, 0.5]))
    alone = Rig(free(arm), publish_rate=500.0)
    alone.send((0.0, [0.0, 0.0]), (3.0, [1.0, 0.5]))
    for one in (rig, alone):
        one.run(1.5)
    rig.send((1.0, [-0.5]), names=['joint_2'])
    for one in (rig, alone):
        one.run(2.5)
    assert rig.reasons == ['', '']
    np.testing.assert_allclose(
        rig.published.jet[:, :3, 0], alone.published.jet[:, :3, 0], rtol=0, atol=1e-9
    )
    assert rig.published.jet[-1, 0, 1] == -0.5
    late = rig.published.jet[rig.published.instants > BEGIN + 2.6 * SECOND]
    assert np.abs(late[:, 0, 1] + 0.5).max() < 1e-9


def test_limits_of_joints_left_out_count_too(arm):
    """The effort of joint_1 depends on the new motion of joint_2."""
    strong = limited(arm, effort=np.inf, velocity=np.inf)
    rig = Rig(strong, allow_partial_joints=True)
    rig.send((0.0, [0.0, 0.0]), (3.0, [1.0, 0.5]))
    rig.run(0.5)
    worst = np.abs(rig.published.tau[:, 0, 0]).max()
    tight = limited(arm, effort=1.05 * worst, velocity=np.inf)
    rig.step(RobotChanged(Robot(tight), {}))
    rig.send((0.15, [2.5]), names=['joint_2'])
    rig.run(0.3)
    assert 'joint_1: effort' in rig.reasons[1]


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), leave=st.integers(0, 2), at=st.floats(0.1, 1.9))
def test_random_trees_keep_the_motions_of_joints_left_out(seed, leave, at):
    model = free(random_model(np.random.default_rng(seed), 3))
    rng = np.random.default_rng(seed)
    first, second = rng.uniform(-0.5, 0.5, (2, model.n))
    rig, alone = (Rig(model, allow_partial_joints=True) for _ in range(2))
    for one in (rig, alone):
        one.send((0.0, np.zeros(model.n)), (2.0, first))
        one.run(at)
    left = leave % model.n
    named = [j for j in range(model.n) if j != left]
    rig.send((1.0, second[named]), names=[model.joint_names[j] for j in named])
    for one in (rig, alone):
        one.run(3.0)
    assert rig.reasons == ['', '']
    ours, theirs = rig.published.jet[:, :3, left], alone.published.jet[:, :3, left]
    scale = 1.0 + np.abs(theirs).max(axis=0)
    assert (np.abs(ours - theirs) / scale).max() < 1e-9
    np.testing.assert_allclose(rig.published.jet[-1, 0, named], second[named], atol=1e-12)


def test_a_joint_left_out_needs_a_position(arm):
    rig = Rig(arm, allow_partial_joints=True)
    rig.send((1.0, [0.1]), names=['joint_2'])
    rig.run(0.1)
    assert 'leaves out joint_1' in rig.reasons[0]


def test_joints_left_out_wait_for_the_start_of_their_own_motion(arm):
    """It is ahead, and the stream before it was stopped."""
    rig = Rig(limited(arm), allow_partial_joints=True)
    rig.run(0.1, every=stream(rig, lambda time: wave(time, 0.5, 30.0)))
    assert 'limit exceeded' in rig.lines[0]
    rig.joint_states([0.1, 0.2])
    rig.send((0.0, [0.1, 0.2]), (1.0, [0.8, 0.4]), stamp=rig.now + SECOND // 2)
    rig.run(0.1)
    rig.send((1.0, [0.3]), names=['joint_2'])
    count = len(rig.published)
    rig.run(2.0)
    assert rig.reasons == ['', '']
    moved = rig.published.jet[count:, 0, 0]
    np.testing.assert_allclose(moved[[0, -1]], [0.1, 0.8], rtol=0.0, atol=1e-9)
    assert np.abs(np.diff(moved)).max() < 0.01


def test_a_motion_of_joints_left_out_that_has_not_begun_is_not_dropped_silently(arm):
    rig = Rig(free(arm), allow_partial_joints=True)
    rig.send((0.0, [0.1, 0.2]), (0.1, [0.1, 0.2]))
    rig.run(0.2)
    rig.send((1.0, [0.6]), names=['joint_1'], stamp=rig.now + SECOND)
    rig.run(0.1)
    rig.send((1.0, [0.6]), names=['joint_2'])
    rig.run(2.5)
    assert [bool(verdict.warnings) for verdict in rig.verdicts] == [False, False, True]
    np.testing.assert_allclose(rig.published.jet[-1, 0], [0.1, 0.6], atol=1e-12)
