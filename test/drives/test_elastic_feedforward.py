# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The public function around the kernel: batches, streams, buffers, limits, errors."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from oracles.random_models import random_joint_jet, random_model, random_wrench_jets

import screw_dynamics as sd

MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)
JETS = ('effort_jet', 'deflection_jet', 'motor_jet', 'motor_effort_jet')


def assert_same(one: sd.MotorFeedforward, other: sd.MotorFeedforward, sample=...) -> None:
    for name in JETS:
        a, b = getattr(one, name), getattr(other, name)[sample]
        scale = np.abs(a).max(axis=-1, keepdims=True, initial=0.0)
        assert a.shape == b.shape and (np.abs(a - b) <= 1e-12 * scale).all(), name


def test_every_sample_of_a_batch_is_the_single_result(model, mixed, rng):
    one, damped, *_, pair, varies = model.joint_names
    jets = np.array([random_joint_jet(rng, model.n, 2) for _ in range(5)])
    wrenches = random_wrench_jets(rng, model, 2, samples=5)
    stiffness = rng.uniform(-50.0, 50.0, (5, 3))
    stiffness[:, 0] = 400.0
    times = np.cumsum(rng.uniform(0.0, 0.1, 5))
    varied = {varies: stiffness, pair: [1500.0, 3.0, 2.0]}
    batch = sd.elastic_feedforward(
        sd.Robot(model, mixed), jets, wrenches, stiffness_jets=varied, times=times
    )
    assert batch.motor_names == (
        one,
        damped,
        model.joint_names[2],
        f'{pair}/1',
        f'{pair}/2',
        varies,
    )
    damper = sd.DeflectionFilter(sd.Robot(model, mixed))
    for i in range(5):
        single = sd.elastic_feedforward(
            sd.Robot(model, mixed),
            jets[i],
            {name: wrench[i] for name, wrench in wrenches.items()},
            stiffness_jets={varies: stiffness[i], pair: [1500.0, 3.0, 2.0]},
            times=times[i],
            deflection=damper,
        )
        assert_same(single, batch, i)


def test_a_filter_goes_on_from_batch_to_batch(model, mixed, rng):
    jets = np.array([random_joint_jet(rng, model.n, 2) for _ in range(6)])
    times = np.arange(6.0)
    start = {model.joint_names[1]: 0.25}
    whole = sd.elastic_feedforward(sd.Robot(model, mixed), jets, times=times, deflection=start)
    assert whole.deflection[0, 1] == 0.25
    damper = sd.DeflectionFilter(sd.Robot(model, mixed), deflection=start)
    for part in (slice(0, 2), slice(2, 3), slice(3, 6)):
        result = sd.elastic_feedforward(
            sd.Robot(model, mixed), jets[part], times=times[part], deflection=damper
        )
        assert_same(result, whole, part)


def test_one_sample_without_a_past_is_quasi_steady(model, mixed, rng):
    jet = random_joint_jet(rng, model.n, 2)
    result = sd.elastic_feedforward(sd.Robot(model, mixed), jet)
    tau = result.effort_jet[:, 1]
    constant = 9.0 / 300.0
    expected = (tau[0] - constant * tau[1] + constant**2 * tau[2]) / 300.0
    assert result.deflection[1] == pytest.approx(expected, rel=1e-13)
    given_now = sd.elastic_feedforward(
        sd.Robot(model, mixed), jet, deflection={model.joint_names[1]: 0.1}
    )
    assert given_now.deflection[1] == 0.1
    assert given_now.deflection_jet[1, 1] == pytest.approx((tau[0] - 30.0) / 9.0)


def memory(call) -> tuple[int, int]:
    """Return the bytes kept and the most bytes used in five calls."""
    call()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(5):
            call()
        current, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return current - before, peak - before


@pytest.mark.parametrize('damping', [0.0, 20.0])
def test_a_control_loop_makes_no_arrays(damping):
    n = 40
    model = random_model(np.random.default_rng(0), n)
    joint = sd.JointDrive(sd.LinearSpring(500.0, damping), MOTOR)
    robot = sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names, joint)))
    damper = sd.DeflectionFilter(robot, rows=5) if damping else None
    out = robot.buffers(5)
    jet = random_joint_jet(np.random.default_rng(1), n, 2)

    def tick(time):
        return sd.elastic_feedforward(
            robot, jet, times=time if damping else None, deflection=damper, out=out
        )

    assert tick(0.0) is out
    times = itertools.count(1)
    kept, most = memory(lambda: tick(1e-3 * next(times)))
    # arguments and result of the effort kernel do not count; three rows of a jet have
    # 960 bytes, so that what is left holds numbers and headers of views
    _, efforts = memory(lambda: sd.inverse_dynamics(model, jet, out=out.effort_jet))
    assert kept < 500
    assert most - efforts < 3000
    expected = sd.elastic_feedforward(
        robot, jet, times=1.0 if damping else None, deflection=damper
    )
    assert_same(tick(1.0), expected)


def test_the_motor_side_of_the_gear(model, mixed, rng):
    result = sd.elastic_feedforward(sd.Robot(model, mixed), random_joint_jet(rng, model.n, 2))
    motor = result.on_motor_side()
    np.testing.assert_allclose(motor.motor_position, 10.0 * result.motor_position)
    np.testing.assert_allclose(motor.motor_velocity, 10.0 * result.motor_velocity)
    np.testing.assert_allclose(motor.motor_acceleration, 10.0 * result.motor_acceleration)
    # the power is the same on both sides
    power = result.motor_effort * result.motor_velocity
    np.testing.assert_allclose(motor.motor_effort * motor.motor_velocity, power)
    np.testing.assert_array_equal(motor.effort, result.effort)
    np.testing.assert_array_equal(motor.deflection, result.deflection)
    assert (motor.on_motor_side().motor_jet == motor.motor_jet).all()


def test_any_array_like_is_taken(model, mixed, rng):
    jet = np.round(random_joint_jet(rng, model.n, 2), 3)
    expected = sd.elastic_feedforward(sd.Robot(model, mixed), jet)
    for value in (jet.tolist(), np.asfortranarray(jet)):
        assert_same(sd.elastic_feedforward(sd.Robot(model, mixed), value), expected)
    empty = sd.elastic_feedforward(sd.Robot(model, mixed), np.zeros((0, 5, model.n)), times=[])
    assert empty.motor_jet.shape == (0, 3, 6)


def test_the_text_of_a_result_counts_its_derivatives(rng):
    model = random_model(rng, 2)
    for spring, motors in ((sd.LinearSpring(70.0), 2), (sd.LinearSpring(70.0, 4.0), 3)):
        drives = sd.Drives({model.joint_names[0]: sd.JointDrive(spring, sd.Motor(0.1))})
        motion = sd.elastic_feedforward(sd.Robot(model, drives), rng.normal(size=(5, 2)))
        assert repr(motion).endswith(
            f'one sample of 2 joints: efforts to derivative 2, motor positions to {motors}, '
            f'motor efforts to {motors - 2})'
        )
