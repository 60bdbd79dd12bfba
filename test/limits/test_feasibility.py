# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feasibility reports against every sample evaluated and compared one by one."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError


def sines(rng, n, samples=60, rows=5):
    """Return jets of a random sine per joint, from its formula, and their times."""
    times = np.linspace(0.2, 2.0, samples)
    size, rate = rng.uniform(0.3, 1.0, n), rng.uniform(1.0, 4.0, n)
    phase = rng.uniform(0.0, 6.0, n)
    angles = rate * times[:, None] + phase
    jets = [size * rate**d * np.sin(angles + d * np.pi / 2) for d in range(rows)]
    return np.stack(jets, axis=1), times


def with_limits(model, **limits):
    arrays = {name: np.full(model.n, value) for name, value in limits.items()}
    return replace(model, limits=replace(sd.JointLimits.none(model.n), **arrays))


@pytest.fixture
def arm():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def elastic_joints(**limits):
    motor = sd.Motor(0.002, 10.0, max_effort=limits.get('effort', np.inf),
                     max_velocity=limits.get('velocity', np.inf))  # fmt: skip
    joint = sd.JointDrive(
        sd.LinearSpring(120.0),
        motor,
        max_deflection=limits.get('deflection', np.inf),
        max_effort_rate=limits.get('rate', np.inf),
    )
    return sd.Drives({'joint_1': joint, 'joint_2': joint})


def brute_force(model, jets, times, wrenches):
    """Return {quantity: values (T, n)} of the arm with springs, formula by formula."""
    values = {name: [] for name in ('effort', 'effort rate', 'deflection')}
    values |= {'position': [], 'velocity': [], 'motor velocity': [], 'motor effort': []}
    values |= {'acceleration': [], 'jerk': []}
    for i in range(len(times)):
        tau = sd.inverse_dynamics(model, jets[i], {'tool': wrenches[i]})
        theta = jets[i, :3] + tau / 120.0
        for name, row in (
            ('position', jets[i, 0]),
            ('velocity', jets[i, 1]),
            ('acceleration', jets[i, 2]),
            ('jerk', jets[i, 3]),
            ('effort', tau[0]),
            ('effort rate', tau[1]),
            ('deflection', tau[0] / 120.0),
            ('motor velocity', theta[1]),
            ('motor effort', tau[0] + 0.2 * theta[2]),
        ):
            values[name].append(row)
    return {name: np.array(rows) for name, rows in values.items()}


def test_every_quantity_against_its_formula(arm, rng):
    jets, times = sines(rng, 2)
    wrenches = rng.normal(size=(len(times), 3, 6))
    values = brute_force(arm, jets, times, wrenches)
    # a limit that about half of the peak exceeds
    bounds = {name: 0.5 * np.abs(rows).max() for name, rows in values.items()}
    model = with_limits(
        arm,
        lower=-bounds['position'],
        upper=bounds['position'],
        **{name: bounds[name] for name in ('velocity', 'acceleration', 'jerk', 'effort')},
    )
    drives = elastic_joints(
        deflection=bounds['deflection'],
        rate=bounds['effort rate'],
        # at the motor's side of the gear
        velocity=bounds['motor velocity'] * 10.0,
        effort=bounds['motor effort'] / 10.0,
    )
    report = sd.check_feasibility(sd.Robot(model, drives), jets, times, {'tool': wrenches})
    assert len(report.checks) == 18 and not report.feasible
    for check in report.checks:
        column = values[check.quantity][:, arm.joint_names.index(check.joint)]
        bound = bounds[check.quantity]
        worst = np.abs(column).argmax()
        assert check.worst == pytest.approx(column[worst], rel=1e-12)
        assert check.time == times[worst]
        assert check.limit == pytest.approx(bound * np.sign(column[worst]), rel=1e-12)
        assert check.excess == pytest.approx(abs(column[worst]) / bound - 1.0, rel=1e-9, abs=1e-12)
        beyond = np.abs(column) > bound
        assert check.feasible == (not beyond.any())
        if beyond.any():
            assert check.first_violation == times[beyond.argmax()]
    broken = [check for check in report.checks if not check.feasible]
    assert len(broken) >= 7
    assert report.violations[0].excess == max(check.excess for check in broken)


def test_rigid_robot_is_held_against_its_own_limits(arm, rng):
    jets, times = sines(rng, 2, rows=3)
    wrench = rng.normal(size=(1, 6))
    efforts = sd.inverse_dynamics(arm, jets, {'tool': wrench})[:, 0]
    model = with_limits(arm, effort=np.abs(efforts).max() * 0.9)
    report = sd.check_feasibility(model, jets, times, {'tool': wrench})
    joint = np.abs(efforts).max(axis=0).argmax()
    assert [(v.quantity, v.joint) for v in report.violations] == [
        ('effort', arm.joint_names[joint])
    ]
    assert sd.check_feasibility(with_limits(arm), jets, times).checks == ()
    with pytest.raises(ShapeError, match='m >= 4 for the jerk, got 3 rows'):
        sd.check_feasibility(with_limits(arm, jerk=1.0), jets, times)
    with pytest.raises(InputError, match="'joint_1': jerk limit: expected 0 or more, got -1"):
        sd.check_feasibility(with_limits(arm, jerk=-1.0), jets, times)


def test_spring_out_of_its_table_is_a_violation_and_no_error(arm, rng):
    jets, times = sines(rng, 2)
    efforts = sd.inverse_dynamics(arm, jets)[:, 0]
    reach = 0.6 * np.abs(efforts[:, 0]).max()
    table = sd.TabulatedSpring([-0.2, -0.1, 0.0, 0.1, 0.2], [-reach, -2.0, 0.0, 2.0, reach])
    motor = sd.Motor(0.002, 10.0, max_effort=1e3)
    drives = sd.Drives({'joint_1': sd.JointDrive(table, motor)})
    report = sd.check_feasibility(sd.Robot(with_limits(arm), drives), jets, times)
    outside = np.abs(efforts[:, 0]) > reach
    assert 0 < outside.sum() < len(times)
    [violation] = report.violations
    assert (violation.quantity, violation.joint) == ('spring', 'joint_1')
    assert violation.first_violation == times[outside.argmax()]
    assert 'the range of the table' in str(violation)
    # the other samples are all there
    [check] = [check for check in report.checks if check.quantity == 'motor effort']
    commands = [
        sd.elastic_feedforward(sd.Robot(arm, drives), jet).motor_effort[0]
        for jet in jets[~outside]
    ]
    assert check.worst == pytest.approx(commands[int(np.abs(commands).argmax())], rel=1e-9)


def test_no_sample_is_lost_between_those_that_no_spring_can_serve():
    rod = sd.lie.inertia_matrix(1.0, np.array([0.0, 0.0, -1.0]), np.zeros((3, 3)))
    pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    table = sd.TabulatedSpring([-0.2, -0.1, 0.0, 0.1, 0.2], [-5.0, -2.0, 0.0, 2.0, 5.0])
    joint = sd.JointDrive(table, sd.Motor(max_velocity=1e3))
    outside = np.array([0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0], dtype=bool)
    times = np.arange(len(outside)) / 10.0
    for sample in np.flatnonzero(~outside):
        jets = np.zeros((len(outside), 5, 1))
        jets[outside, 0] = np.pi / 2  # 9.81 N m
        jets[sample, 1] = 3.0
        report = sd.check_feasibility(
            sd.Robot(pendulum, sd.Drives({'joint_1': joint})), jets, times
        )
        [check] = [check for check in report.checks if check.quantity == 'motor velocity']
        assert check.time == times[sample] and check.worst > 3.0
        [violation] = report.violations
        assert violation.first_violation == times[1]


@pytest.mark.parametrize('high, limits', [(np.inf, []), (1000.0, [1000.0])])
@pytest.mark.parametrize('law', ['variable', 'pair'])
def test_a_stiffness_that_nobody_limits_from_below_has_no_limit_there(arm, high, limits, law):
    spring = sd.VariableStiffness(300.0, max_stiffness=high)
    if law == 'pair':
        spring = sd.AntagonisticPair('exponential', 300.0, 20.0, 8.0, max_stiffness=high)
    drives = sd.Drives({'joint_2': sd.JointDrive(spring)})
    report = sd.check_feasibility(sd.Robot(arm, drives), np.zeros((1, 5, arm.n)), [0.0])
    assert [c.limit for c in report.checks if c.quantity == 'stiffness'] == limits


def test_stiffness_is_held_against_its_range(arm, rng):
    spring = sd.VariableStiffness(100.0, min_stiffness=80.0, max_stiffness=120.0)
    drives = sd.Drives({'joint_2': sd.JointDrive(spring)})
    jets, times = sines(rng, 2)
    stiffness = np.zeros((len(times), 3))
    stiffness[:, 0] = np.linspace(100.0, 130.0, len(times))
    report = sd.check_feasibility(
        sd.Robot(with_limits(arm), drives), jets, times, stiffness_jets={'joint_2': stiffness}
    )
    [violation] = report.violations
    assert (violation.quantity, violation.worst, violation.limit) == ('stiffness', 130.0, 120.0)
    assert violation.first_violation == times[(stiffness[:, 0] > 120.0).argmax()]
    assert sd.check_feasibility(sd.Robot(with_limits(arm), drives), jets, times).feasible


def test_a_robot_without_joints_has_no_limits():
    post = sd.read_urdf('<robot name="post">\n<link name="base"/></robot>')
    assert sd.check_feasibility(post, np.zeros((2, 4, 0)), [0.0, 1.0]).checks == ()
    assert sd.excitation_motion(post, trials=2).names == ('delay',)


def test_table_for_people(arm):
    jets = np.zeros((2, 3, 2))
    jets[1, 1] = [2.0, 1.0]
    report = sd.check_feasibility(with_limits(arm, velocity=1.5), jets, [0.0, 0.25])
    assert str(report).splitlines() == [
        'infeasible: 1 of 2 limits exceeded',
        'quantity [unit]     joint    worst  limit  at [s]  first beyond [s]',
        '> velocity [rad/s]  joint_1  2      1.5    0.25    0.25',
        'velocity [rad/s]    joint_2  1      1.5    0.25    -',
    ]


@pytest.mark.parametrize(
    ('change', 'error', 'text'),
    [
        ({'joint_jet': np.zeros((2, 2))}, ShapeError, r'joint_jet: expected shape \(T, m, 2\)'),
        ({'joint_jet': np.full((2, 3, 2), np.nan)}, NotFiniteError, r'joint_jet\[0, 0, 0\]'),
        ({'times': [0.0]}, ShapeError, r'times: expected shape \(2,\), one per sample'),
        ({'times': [0.0, 0.0]}, InputError, r'times\[1\]: expected more than times\[0\] = 0'),
        ({'deflection': {'joint_1': 0.0}}, InputError, 'robot: expected one with drives'),
    ],
)
def test_bad_arguments_are_named(arm, change, error, text):
    arguments = {'joint_jet': np.zeros((2, 3, 2)), 'times': [0.0, 1.0]} | change
    with pytest.raises(error, match=text):
        sd.check_feasibility(arm, **arguments)


@pytest.mark.parametrize(
    ('jets', 'error', 'text'),
    [
        ({'wrench_jets': {'tool': np.zeros((3, 3, 6))}}, ShapeError, r'got \(3, 3, 6\)'),
        ({'wrench_jets': {'tool': np.zeros(6)}}, ShapeError, r'got \(6,\)'),
        ({'wrench_jets': [1]}, InputError, 'wrench_jets: expected a mapping'),
        ({'stiffness_jets': {'joint_2': np.ones((3, 3))}}, ShapeError, r'got \(3, 3\)'),
        ({'stiffness_jets': {'joint_2': 1.0}}, ShapeError, r'got \(\)'),
        ({'stiffness_jets': {'joint_1': np.ones(3)}}, InputError, "unknown joint .* 'joint_1'"),
    ],
)
def test_jets_of_another_length_are_refused(arm, jets, error, text):
    drives = sd.Drives({'joint_2': sd.JointDrive(sd.VariableStiffness(100.0))})
    for function in (sd.check_feasibility, sd.slow_down):
        with pytest.raises(error, match=text):
            function(sd.Robot(arm, drives), np.zeros((2, 5, 2)), [0.0, 1.0], **jets)
        if 'wrench_jets' in jets:
            with pytest.raises(error):
                function(arm, np.zeros((2, 5, 2)), [0.0, 1.0], **jets)


def test_effort_rate_needs_a_row_more_than_a_rigid_robot(arm):
    drives = sd.Drives({'joint_1': sd.JointDrive(max_effort_rate=5.0)})
    with pytest.raises(ShapeError, match='m >= 4 for the rate of an effort'):
        sd.check_feasibility(sd.Robot(arm, drives), np.zeros((2, 3, 2)), [0.0, 1.0])
