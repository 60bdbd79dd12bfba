# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The least slowing factor against closed forms of a pendulum."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InfeasibleError, InputError
from screw_dynamics.lie import inertia_matrix

INERTIA, WEIGHT = 0.5, 9.81  # m l^2 and m g l of m = 2 kg at l = 0.5 m
# limits count as kept up to 1e-9 of their size, and factors are found to 1e-9
ACCURACY = 4e-9


def pendulum(*, gravity=1.0, **limits):
    """Return a point mass that turns about y, hanging at q = 0, with the limits that are named."""
    rod = inertia_matrix(2.0, np.array([0.0, 0.0, -0.5]), np.zeros((3, 3)))
    model = sd.ScrewModel.from_screws(
        [-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod], gravity=(0, 0, -9.81 * gravity)
    )
    arrays = {name: np.array([value]) for name, value in limits.items()}
    return replace(model, limits=replace(model.limits, **arrays))


def swing(rows=5, samples=41):
    """Return jets of q = 0.8 sin(3 t), with fast velocities and accelerations."""
    times = np.linspace(0.0, 2.0, samples)
    jets = [0.8 * 3.0**d * np.sin(3.0 * times + d * np.pi / 2) for d in range(rows)]
    return np.stack(jets, axis=1)[:, :, None], times


def single(*derivatives):
    return np.array(derivatives, dtype=float).reshape(1, -1, 1), np.zeros(1)


def test_velocity_limit():
    jets, times = swing()
    result = sd.slow_down(pendulum(velocity=0.7), jets, times)
    assert result.factor == pytest.approx(2.4 / 0.7, rel=ACCURACY)
    assert (result.limiting.quantity, result.limiting.joint) == ('velocity', 'joint_1')
    assert result.slower_is_feasible and result.report.feasible
    np.testing.assert_allclose(result.times, times * result.factor, rtol=1e-15)
    for d in range(5):
        np.testing.assert_allclose(
            result.joint_jet[:, d], jets[:, d] / result.factor**d, rtol=1e-14
        )


def test_effort_limit_with_gravity():
    jets, times = swing()
    limit = 8.0
    # standing at q = 0: weight and inertia add up
    result = sd.slow_down(pendulum(gravity=-1.0, effort=limit), jets, times)
    # weight * sin q + inertia * q'' / s^2 = +-limit, the slowest of all samples
    sine, acceleration = -WEIGHT * np.sin(jets[:, 0, 0]), INERTIA * jets[:, 2, 0]
    needed = np.maximum(acceleration / (limit - sine), -acceleration / (limit + sine))
    assert result.factor == pytest.approx(np.sqrt(needed.max()), rel=ACCURACY)
    assert result.factor > 1.0
    expected = times[needed.argmax()] * result.factor
    assert result.limiting.time == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_motor_effort_behind_a_spring():
    model, stiffness, rotor = pendulum(gravity=0.0), 40.0, 0.2
    motor = sd.Motor(rotor_inertia=rotor, max_effort=3.0)
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(stiffness), motor)})
    jets, times = single(0.2, 0.5, 6.0, -3.0, 90.0)
    result = sd.slow_down(sd.Robot(model, drives), jets, times)
    # tau_m = (I + B) q'' x + B I / K q'''' x^2 with x = 1 / s^2
    roots = np.roots([rotor * INERTIA / stiffness * 90.0, (INERTIA + rotor) * 6.0, -3.0])
    assert result.factor == pytest.approx(1.0 / np.sqrt(roots.max()), rel=ACCURACY)
    assert result.limiting.quantity == 'motor effort'


def test_feasible_motion_stays():
    jets, times = swing()
    result = sd.slow_down(pendulum(velocity=2.5), jets, times)
    assert result.factor == 1.0 and result.limiting is None
    np.testing.assert_array_equal(result.joint_jet, jets)


def test_window_that_gravity_opens():
    # braking at rest needs weight * sin q alone, too much; faster the fall carries the load
    jets, times = single(np.pi / 2, 0.0, -30.0 / INERTIA)
    model = pendulum(effort=6.0)
    result = sd.slow_down(model, jets, times)
    assert result.factor == pytest.approx(np.sqrt(30.0 / (WEIGHT + 6.0)), rel=ACCURACY)
    assert not result.slower_is_feasible
    assert sd.check_feasibility(model, result.joint_jet, times).feasible


def test_what_no_speed_can_mend_is_named():
    jets, times = swing()
    with pytest.raises(InfeasibleError, match='feasible when slow, got joint_1: position'):
        sd.slow_down(pendulum(upper=0.5), jets, times)
    with pytest.raises(InfeasibleError, match='got at rest joint_1: effort .* limit -?3 N m'):
        sd.slow_down(pendulum(effort=3.0), jets, times)
    with pytest.raises(InfeasibleError, match='feasible at rest: try factors above 100'):
        sd.slow_down(pendulum(velocity=0.01), jets, times)
    slow = sd.slow_down(pendulum(velocity=0.01), jets, times, max_factor=1000.0)
    assert slow.factor == pytest.approx(240.0, rel=ACCURACY)


def test_no_factor_above_the_largest_is_tried():
    # 1, 1.5 and 2: the next power of the step would be 2.25
    jets, times = single(0.0, 2.1, 0.0)
    with pytest.raises(InfeasibleError, match='feasible at 1/2 of its speed'):
        sd.slow_down(pendulum(velocity=1.0), jets, times, max_factor=2.0, step=1.5)
    slow = sd.slow_down(pendulum(velocity=1.1), jets, times, max_factor=2.0, step=1.5)
    assert slow.factor == pytest.approx(2.1 / 1.1, rel=ACCURACY)


def test_stiffness_out_of_range_is_no_matter_of_speed():
    spring = sd.VariableStiffness(100.0, min_stiffness=50.0, max_stiffness=150.0)
    drives = sd.Drives({'joint_1': sd.JointDrive(spring)})
    jets, times = swing()
    stiffness = {'joint_1': np.array([40.0, 0.0, 0.0])}
    with pytest.raises(InfeasibleError, match='feasible when slow, got joint_1: stiffness 40 N'):
        sd.slow_down(sd.Robot(pendulum(), drives), jets, times, stiffness_jets=stiffness)


def test_wrenches_and_stiffness_are_slowed_with_the_motion():
    # everything is a function of the place on the path: 2 s as long is the same as w / 2
    spring = sd.VariableStiffness(100.0)
    motor = sd.Motor(rotor_inertia=0.3, max_effort=5.0)
    drives = sd.Drives({'joint_1': sd.JointDrive(spring, motor)})
    model = pendulum()

    def motion(times, w):
        def sines(rows, size, middle=0.0, phase=0.0):
            jet = np.stack(
                [size * w**d * np.sin(w * times + phase + d * np.pi / 2) for d in range(rows)], 1
            )
            jet[:, 0] += middle
            return jet

        wrench = np.zeros((len(times), 3, 6))
        wrench[:, :, 1] = sines(3, 1.5, phase=0.3)
        stiffness = sines(3, 30.0, 60.0, phase=1.0)
        return sines(5, 0.4)[:, :, None], {'body_1': wrench}, {'joint_1': stiffness}

    times = np.linspace(0.0, 1.0, 60)
    jets, wrenches, stiffness = motion(times, 6.0)
    result = sd.slow_down(sd.Robot(model, drives), jets, times, wrenches, stiffness_jets=stiffness)
    assert result.factor > 1.1
    slow, wrenches, stiffness = motion(result.times, 6.0 / result.factor)
    efforts = sd.elastic_feedforward(
        sd.Robot(model, drives), slow, wrenches, stiffness_jets=stiffness
    )
    assert np.abs(efforts.motor_effort).max() == pytest.approx(5.0, rel=ACCURACY)


def test_damped_joints_run_through_the_longer_time():
    spring = sd.LinearSpring(50.0, damping=20.0)
    joint = sd.JointDrive(spring, sd.Motor(rotor_inertia=0.1), max_deflection=0.02)
    drives = sd.Drives({'joint_1': joint})
    jets, times = swing()
    model = pendulum(gravity=0.0)
    result = sd.slow_down(sd.Robot(model, drives), jets, times, deflection={'joint_1': 0.0})
    motion = sd.elastic_feedforward(
        sd.Robot(model, drives), result.joint_jet, times=result.times, deflection={'joint_1': 0.0}
    )
    assert result.factor > 1.1
    assert np.abs(motion.deflection).max() == pytest.approx(0.02, rel=ACCURACY)


@pytest.mark.parametrize('tolerance', [1e-15, 1e-16, 1e-300])
def test_no_tolerance_is_finer_than_a_float(tolerance):
    jets, times = single(0.0, 3.0, 0.0)
    result = sd.slow_down(pendulum(velocity=1.0), jets, times, tolerance=tolerance)
    assert result.factor == pytest.approx(3.0, rel=ACCURACY) and result.report.feasible
    faster = np.nextafter(result.factor, 0.0) if tolerance < 1e-15 else result.factor * (1 - 2e-15)
    slowed = jets / faster ** np.arange(3)[:, None]
    assert not sd.check_feasibility(pendulum(velocity=1.0), slowed, times).feasible


def test_slower_speeds_are_tried_though_the_motion_is_feasible_as_it_is():
    # falling with the load needs no effort, holding it does
    jets, times = single(np.pi / 2, 0.0, -WEIGHT / INERTIA)
    result = sd.slow_down(pendulum(effort=6.0), jets, times)
    assert result.factor == 1.0 and result.limiting is None
    assert not result.slower_is_feasible


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'max_factor': 1.0}, 'max_factor: expected a finite number above 1'),
        ({'max_factor': '9'}, "max_factor: expected a finite number above 1, got '9'"),
        ({'step': np.inf}, 'step: expected a finite number above 1'),
        (
            {'step': 1.0 + 1e-10},
            'step: expected 1.00046062 or more, so that at most 10000 factors',
        ),
        ({'step': 1.001, 'max_factor': 1e30}, 'lead to max_factor = 1e.30, got 1.001'),
        ({'tolerance': None}, 'tolerance: expected a finite number'),
        ({'tolerance': 0.0}, 'tolerance: expected a number between 0 and 1'),
    ],
)
def test_bad_settings_are_named(arguments, text):
    jets, times = swing()
    with pytest.raises(InputError, match=text):
        sd.slow_down(pendulum(), jets, times, **arguments)
