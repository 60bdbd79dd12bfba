# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Decisions of the compensation: which measured states are carried, when efforts begin and end."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.control.compensation import (
    Compensation,
    CompensationParameters,
    MeasuredStates,
)
from screw_dynamics.control.inputs import Clear, RobotChanged
from screw_dynamics.drives.robot import Robot

PERIOD = 2_000_000  # ns
MODEL = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
LIMITS = replace(MODEL.limits, effort=np.full(2, 1e3), velocity=np.array([3.0, 2.0]))


class Rig:
    """A compensation whose joint states come every 2 ms."""

    def __init__(self, model=None, **settings):
        self.core = Compensation(
            Robot(model or replace(MODEL, limits=LIMITS)), CompensationParameters(**settings)
        )
        self.now, self.warnings = 10**9, []

    def step(self, *inputs):
        outputs = self.core.step(self.now, inputs)
        self.warnings += [line.text for line in outputs.lines]
        return outputs.sample

    def measure(self, positions, velocities=(0.0, 0.0), stamp=None, after=PERIOD):
        self.now += after
        stamp = self.now if stamp is None else stamp
        return self.step(MeasuredStates(stamp, np.array(positions), np.array(velocities)))

    def begin(self, positions=(0.3, -0.2)):
        assert self.measure(positions) is None
        return self.measure(positions)


def test_a_state_is_carried_as_soon_as_two_samples_agree():
    rig = Rig()
    sample = rig.begin()
    np.testing.assert_allclose(
        sample.efforts[0], sd.gravity_forces(MODEL, [0.3, -0.2]), rtol=1e-12, atol=1e-12
    )
    assert (sample.motion, sample.instant) == (1, rig.now)
    np.testing.assert_array_equal(sample.gravity, sample.efforts[0])
    assert rig.step() is None  # the rate is that of the states
    assert rig.warnings == []


def test_coriolis_efforts_if_asked_for():
    q, qd = [0.9, -0.7], [2.0, -1.5]
    for coriolis in (False, True):
        rig = Rig(coriolis=coriolis)
        rig.begin(q)
        sample = rig.measure(q, qd)
        expected = sd.bias_forces(MODEL, q, qd) if coriolis else sd.gravity_forces(MODEL, q)
        np.testing.assert_allclose(sample.efforts[0], expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(
            sample.gravity, sd.gravity_forces(MODEL, q), rtol=1e-12, atol=1e-12
        )
        np.testing.assert_array_equal(sample.jet[1], qd)


@pytest.mark.parametrize('none', [np.nan, np.inf])
def test_joints_may_be_spread_over_messages(none):
    rig = Rig()
    for _ in range(2):
        assert rig.measure([0.3, none]) is None
        sample = rig.measure([none, -0.2], [none, none])
    np.testing.assert_array_equal(sample.jet[0], [0.3, -0.2])


def test_one_wrong_sample_of_an_encoder_has_no_effect():
    """It was a step of the efforts of 29 N m."""
    rig = Rig()
    before = rig.begin()
    assert rig.measure([0.3 + 1.5, -0.2]) is None
    after = rig.measure([0.3, -0.2])
    np.testing.assert_array_equal(after.efforts[0], before.efforts[0])
    assert after.motion == before.motion
    (warning,) = rig.warnings
    assert warning == (
        'joint_states ignored: position of joint_1: expected what the velocity limit 3 allows '
        'within 0.002 s after 0.3, got 1.8'
    )
    for _ in range(20):  # said once
        rig.measure([1.8, -0.2])
    assert rig.warnings == [warning]
    assert rig.core.refused == 21


def test_the_bound_of_a_sample_is_the_velocity_limit():
    for ratio, taken in ((0.99, True), (1.01, False)):
        rig = Rig()
        rig.begin([0.3, -0.2])
        reach = ratio * (2.0 * 0.05 + 0.02)  # limit, time between, tolerance
        assert (rig.measure([0.3, -0.2 - reach], after=50_000_000) is not None) == taken


@pytest.mark.parametrize('coriolis', [False, True])
def test_a_wrong_velocity_matters_where_it_is_used(coriolis):
    rig = Rig(coriolis=coriolis)
    rig.begin()
    assert (rig.measure([0.3, -0.2], [50.0, 0.0]) is None) == coriolis
    assert any('velocity of joint_1' in text for text in rig.warnings) == coriolis


def test_degrees_are_no_positions_of_a_joint_with_limits():
    rig = Rig()
    assert not any(rig.measure([45.0, np.nan]) for _ in range(3))
    assert rig.measure([np.inf, 0.0]) is None
    [text] = rig.warnings
    assert text.startswith('joint_states ignored: position of joint_1: expected rad or m within')


def test_a_continuous_joint_may_be_reported_within_one_turn():
    text = sd.share_path('urdf/planar_2r.urdf').read_text()
    model = sd.read_urdf(text.replace('type="revolute"', 'type="continuous"').encode())
    rig = Rig(replace(model, limits=LIMITS))
    rig.begin([3.14, 0.0])
    assert rig.measure([-3.14, 0.0]) is not None
    assert rig.measure([-3.14 + 1.0, 0.0]) is None


def test_a_sample_that_was_wrong_at_first_is_left_behind():
    rig = Rig(input_timeout=0.1)
    assert rig.measure([1.8, -0.2]) is None
    samples = [rig.measure([0.3, -0.2]) for _ in range(60)]
    assert not any(samples[:49])
    assert samples[-1].motion == 1
    np.testing.assert_array_equal(samples[-1].jet[0], [0.3, -0.2])


def test_efforts_end_without_states_and_begin_again_as_another_motion():
    rig = Rig(input_timeout=0.1)
    rig.begin()
    rig.now += 100_000_000
    rig.step()
    assert rig.core.running and not rig.warnings
    rig.now += 1
    rig.step()
    rig.step()
    assert not rig.core.running
    assert rig.warnings == ['No efforts are published: no joint_states for 0.1 s']
    assert rig.measure([1.0, 1.0]) is None
    assert rig.measure([1.0, 1.0]).motion == 2


@pytest.mark.parametrize('offset', [-200_000_000, 200_000_000])
def test_stamps_count_not_receptions(offset):
    rig = Rig(input_timeout=0.1)
    rig.begin()
    assert rig.measure([0.3, -0.2], stamp=rig.now + PERIOD + offset) is None
    assert 'too old, or of another clock' in rig.warnings[0]


def test_a_driver_that_repeats_its_message_makes_it_no_younger():
    rig = Rig(input_timeout=0.1)
    stamp = rig.begin().instant
    for _ in range(60):
        assert rig.measure([0.3, -0.2], stamp=stamp) is None
    assert not rig.core.running


def test_stamp_zero_is_the_reception():
    rig = Rig()
    assert rig.measure([0.3, -0.2], stamp=0) is None
    assert rig.measure([0.3, -0.2], stamp=0).instant == rig.now


def test_a_clock_that_is_set_back_begins_anew():
    rig = Rig()
    rig.begin()
    rig.now = 10**8
    assert rig.begin().motion == 2


def test_a_limit_stops_until_clear():
    """Neither a gap nor efforts within the limit look like permission."""
    gravity = sd.gravity_forces(MODEL, [0.0, 0.0])
    limits = replace(LIMITS, effort=0.9 * np.abs(gravity))
    rig = Rig(replace(MODEL, limits=limits))
    assert rig.begin([1.5, 0.0]).motion == 1
    angles = np.arange(1.5, 0.0, -0.005)
    samples = [rig.measure([angle, 0.0]) for angle in angles]
    assert samples[0] is not None and samples[-1] is None
    (warning,) = rig.warnings
    assert warning.startswith('No efforts are published: limit exceeded: joint_1: effort ')
    assert warning.endswith('they resume after ~/clear')
    for angle in angles[::-1]:
        assert rig.measure([angle, 0.0]) is None
    rig.now += 10**9
    rig.step()
    assert rig.begin([1.5, 0.0]) is None
    rig.step(Clear())
    assert rig.measure([1.5, 0.0]).motion == 2


def test_a_payload_is_taken_over_smoothly():
    rig = Rig()
    before = rig.begin()
    heavier = replace(MODEL, limits=LIMITS).with_payload('tool', 2.0, [0.1, 0.0, 0.0])
    rig.step(RobotChanged(Robot(heavier)))
    samples = [rig.measure([0.3, -0.2]) for _ in range(260)]
    assert {sample.motion for sample in samples} == {before.motion}
    efforts = np.array([before.efforts[0], *(sample.efforts[0] for sample in samples)])
    loaded = sd.gravity_forces(heavier, [0.3, -0.2])
    np.testing.assert_allclose(efforts[-1], loaded, rtol=1e-12, atol=1e-12)
    # a robot that adds gravity itself gets nothing of it meanwhile
    np.testing.assert_array_equal([sample.gravity for sample in samples], efforts[1:])
    # a quintic blend over 250 samples rises by at most 15 / 8 of the mean
    steps = np.abs(np.diff(efforts, axis=0))
    assert (steps <= 1.9 / 250 * np.abs(loaded - before.efforts[0]) + 1e-12).all()


def test_other_joints_begin_another_motion():
    rig = Rig()
    rig.begin()
    gripper = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    rig.step(RobotChanged(Robot(gripper)))
    zeros = [0.0] * gripper.n
    assert rig.measure(zeros, zeros) is None
    assert rig.measure(zeros, zeros).motion == 2
