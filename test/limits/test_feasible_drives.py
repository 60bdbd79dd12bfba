# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feasibility of springs that fail, dampers, pairs of motors, sliding and mimicking joints."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, UrdfWarning
from screw_dynamics.limits.report import limit_checks

TABLE = sd.TabulatedSpring([-1.0, 0.0, 1.0], [-5.0, 0.0, 5.0])
MASS = np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def carts(count=2):
    """Return independent carts of 1 kg without gravity: effort = acceleration."""
    screws = [[0, 0, 0, 0, 0, 1]] * count
    return sd.ScrewModel.from_screws(
        [-1] * count, [np.eye(4)] * count, screws, [MASS] * count, (0, 0, 0)
    )


def tabulated_and_damped(*, rotor_coupling=False, **limits):
    records = {
        'joint_1': sd.JointDrive(TABLE),
        'joint_2': sd.JointDrive(sd.LinearSpring(100.0, 100.0), sd.Motor(1.0), **limits),
    }
    return sd.Drives(records, rotor_coupling)


def sway(samples=101, w=3.0):
    """Return jets of two carts, the second under 10 cos wt, and their times."""
    times = 5.0 + 4.0 * np.linspace(0.0, 1.0, samples) ** 1.5
    jets = np.zeros((samples, 5, 2))
    for d in range(5):
        jets[:, d, 1] = -10.0 * w ** (d - 2) * np.cos(w * times + d * np.pi / 2)
    return jets, times


@pytest.mark.parametrize('failing', [[0], [50], [100], [0, 1, 2, 40, 41, 77], range(10, 60)])
@pytest.mark.parametrize('start', [None, {'joint_2': 0.5}])
def test_dampers_run_through_samples_that_a_spring_cannot_serve(failing, start):
    model, drives = carts(), tabulated_and_damped(max_deflection=1.0)
    jets, times = sway()
    damped = sd.Drives({'joint_2': drives.joints['joint_2']})
    motion = sd.elastic_feedforward(sd.Robot(model, damped), jets, times=times, deflection=start)
    jets[failing, 2, 0] = 9.0
    report = sd.check_feasibility(sd.Robot(model, drives), jets, times, deflection=start)
    kept = np.setdiff1d(np.arange(len(times)), failing)
    deflections = motion.deflection[kept, 1]
    worst = np.abs(deflections).argmax()
    [check] = [check for check in report.checks if check.quantity == 'deflection']
    assert check.worst == pytest.approx(deflections[worst], rel=1e-9)
    assert check.time == times[kept[worst]] and check.feasible
    [violation] = report.violations
    assert (violation.joint, violation.first_violation) == ('joint_1', times[failing[0]])


def test_every_spring_that_fails_is_reported_from_its_first_failure(rng):
    model = carts(3)
    drives = sd.Drives({name: sd.JointDrive(TABLE) for name in model.joint_names})
    jets = np.zeros((7, 5, 3))
    jets[:, 2] = [[0, 0, 0], [0, 0, 9], [9, 9, 0], [9, 0, 9], [0, 0, 0], [0, 9, 0], [9, 9, 9]]
    report = sd.check_feasibility(sd.Robot(model, drives), jets, np.arange(7.0))
    found = {violation.joint: violation.first_violation for violation in report.violations}
    assert found == {'joint_1': 2.0, 'joint_2': 2.0, 'joint_3': 1.0}
    assert len(report.checks) == 3


def test_stiffness_and_wrenches_belong_to_the_sample_that_fails():
    model = carts()
    spring = sd.VariableStiffness(10.0)
    drives = sd.Drives({'joint_1': sd.JointDrive(TABLE), 'joint_2': sd.JointDrive(spring)})
    jets, times = np.zeros((6, 5, 2)), np.arange(6.0)
    stiffness, wrenches = np.zeros((6, 3)), np.zeros((6, 3, 6))
    stiffness[:, 0] = [1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
    wrenches[:, 0, 5] = [0.0, 0.0, 9.0, 9.0, 0.0, 0.0]
    report = sd.check_feasibility(
        sd.Robot(model, drives),
        jets,
        times,
        {'body_1': wrenches},
        stiffness_jets={'joint_2': stiffness},
    )
    found = {v.joint: v.time for v in report.violations if v.quantity == 'spring'}
    assert found == {'joint_1': 2.0, 'joint_2': 3.0}


def test_coupled_rotors_with_a_spring_that_fails(rng):
    model = random_model(rng, 2)
    model = replace(model, gravity=np.zeros(3))
    motor = sd.Motor(1e-3, 10.0, max_velocity=1e3)
    drives = sd.Drives(
        {
            # its effort is unknown if the other one fails
            'joint_1': sd.JointDrive(sd.TabulatedSpring([-1, 0, 1], [-300, 0, 300]), motor),
            'joint_2': sd.JointDrive(TABLE, motor),
        },
        rotor_coupling=True,
    )
    jets = np.zeros((9, sd.Robot(model, drives).required_rows, 2))
    jets[:, 1, 0] = 1e-3 * np.arange(9)
    jets[5, 2, 1] = 1e6
    report = sd.check_feasibility(sd.Robot(model, drives), jets, np.arange(9.0))
    [violation] = report.violations
    assert (violation.joint, violation.quantity, violation.time) == ('joint_2', 'spring', 5.0)
    check = next(check for check in report.checks if check.quantity == 'motor velocity')
    assert check.time == 8.0


def test_both_motors_of_a_pair_have_limits_of_their_own():
    pair = sd.AntagonisticPair('exponential', 500.0, spring_stiffness=50.0, rate=6.0)
    first = sd.Motor(1e-3, 10.0, max_velocity=40.0, max_effort=6.0)
    second = sd.Motor(1e-3, 20.0, max_velocity=30.0, max_effort=5.0)
    drives = sd.Drives(
        {
            'joint_1': sd.JointDrive(sd.LinearSpring(100.0), max_deflection=0.7),
            'joint_2': sd.JointDrive(pair, first, second, max_deflection=0.3),
        }
    )
    model = carts()
    jets, times = sway()
    motion = sd.elastic_feedforward(sd.Robot(model, drives), jets)
    report = sd.check_feasibility(sd.Robot(model, drives), jets, times)
    names = ('joint_1', 'joint_2/1', 'joint_2/2')
    expected = {
        'deflection': (motion.deflection, [0.7, 0.3, 0.3], 'm'),
        'motor velocity': (motion.motor_velocity, [np.inf, 4.0, 1.5], 'm/s'),
        'motor effort': (motion.motor_effort, [np.inf, 60.0, 100.0], 'N'),
    }
    for quantity, (values, bounds, unit) in expected.items():
        checks = {check.joint: check for check in report.checks if check.quantity == quantity}
        assert list(checks) == [n for n, b in zip(names, bounds, strict=True) if b < np.inf]
        for i, name in enumerate(names):
            if name in checks:
                column = values[:, i]
                worst = column[np.abs(column).argmax()]
                assert checks[name].worst == pytest.approx(worst, rel=1e-12)
                assert abs(checks[name].limit) == pytest.approx(bounds[i], rel=1e-12)
                assert checks[name].unit == unit


def test_units_are_those_of_the_joint_not_of_what_follows_it(rng):
    # a turning joint follows a sliding one and comes before it; then a turning one by itself
    recipes = [BodyRecipe(), BodyRecipe(joint_type='prismatic', mimics=0), BodyRecipe()]
    model = random_model(rng, recipes)
    names = list(model.tree_joint_names)
    bounds = np.ones(model.n)
    limits = sd.JointLimits(-bounds, bounds, bounds, bounds)
    model = replace(model, joint_names=(names[1], names[2]), limits=limits)
    spring = sd.VariableStiffness(100.0, max_stiffness=200.0)
    joint = sd.JointDrive(
        spring, sd.Motor(1.0, 1.0, max_effort=1.0, max_velocity=1.0), None, 1.0, 1.0
    )
    drives = sd.Drives({name: joint for name in model.joint_names})
    report = sd.check_feasibility(sd.Robot(model, drives), np.zeros((1, 5, 2)), [0.0])
    units = [(check.quantity, check.unit) for check in report.checks]
    assert len(units) == 16
    for quantity, sliding, turning in (
        ('position', 'm', 'rad'),
        ('velocity', 'm/s', 'rad/s'),
        ('effort', 'N', 'N m'),
        ('effort rate', 'N/s', 'N m/s'),
        ('deflection', 'm', 'rad'),
        ('motor velocity', 'm/s', 'rad/s'),
        ('motor effort', 'N', 'N m'),
        ('stiffness', 'N/m', 'N m/rad'),
    ):
        assert [unit for name, unit in units if name == quantity] == [sliding, turning]


def one_check(values, low, high):
    values = np.array(values)[:, None]
    times = np.arange(len(values), dtype=float)
    [check] = limit_checks(
        'position', ('j',), ('rad',), times, values, np.array([low]), np.array([high])
    )
    return check


def test_excess_is_measured_by_the_limit_that_is_hit():
    check = one_check([0.0, -0.4, 12.0], -0.1, 10.0)
    assert (check.worst, check.limit, check.first_violation) == (-0.4, -0.1, 1.0)
    assert check.excess == pytest.approx(3.0)
    assert not one_check([-0.1 - 5e-9], -0.1, 10.0).feasible
    assert one_check([-0.1 - 5e-11, 10.0 + 5e-9], -0.1, 10.0).feasible
    assert one_check([9.5], -0.1, 10.0).excess == pytest.approx(-0.05)
    assert one_check([2.0], -np.inf, 1.0).excess == pytest.approx(1.0)
    # a limit of 0 has no size of its own
    assert one_check([-1.0], 0.0, 4.0).excess == pytest.approx(0.25)
    assert one_check([-1.0], 0.0, np.inf).excess == pytest.approx(1.0)
    assert one_check([0.0], 0.0, 0.0).feasible and not one_check([1e-8], 0.0, 0.0).feasible


def test_no_number_is_beyond_every_limit():
    check = one_check([0.0, np.nan], -1.0, 1.0)
    assert (check.excess, check.first_violation) == (np.inf, 1.0)


def test_a_limit_of_zero_has_no_sign():
    assert str(one_check([-1.0], -0.0, 0.0)).endswith('limit 0 rad')


URDF = """<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0"/><limit lower="{}" upper="{}" velocity="{}" effort="{}"/></joint></robot>"""


def test_limits_that_nobody_filled_in_forbid_nothing():
    model = sd.read_urdf(URDF.format(-1, 1, 0, 0))
    jets = np.array([[[0.5], [3.0], [2.0], [0.0], [0.0]]])
    for drives in (None, sd.Drives({'hinge': sd.JointDrive(TABLE)})):
        report = sd.check_feasibility(sd.Robot(model, drives), jets, [0.0])
        assert [check.quantity for check in report.checks] == ['position'] and report.feasible


def test_a_joint_that_may_stand_at_one_place_only_may_stand_there():
    model = sd.read_urdf(URDF.format(0.5, 0.5, 2, 5))
    jets = np.zeros((1, 3, 1))
    jets[0, 0] = 0.5
    assert sd.check_feasibility(model, jets, [0.0]).feasible
    jets[0, 0] = 0.6
    assert not sd.check_feasibility(model, jets, [0.0]).feasible


@pytest.mark.parametrize(
    ('limits', 'text'),
    [
        ((-1, 1, -1, 5), "model: joint 'hinge': velocity limit: expected 0 or more, got -1"),
        ((-1, 1, 2, -5), "model: joint 'hinge': effort limit: expected 0 or more, got -5"),
        ((1, -1, 2, 5), 'upper limit: expected at least the lower limit 1, got -1'),
    ],
)
def test_limits_that_no_motion_can_keep_are_named(limits, text):
    with pytest.warns(UrdfWarning, match='hinge'):
        model = sd.read_urdf(URDF.format(*limits))
    with pytest.raises(InputError, match=text):
        sd.check_feasibility(model, np.zeros((1, 3, 1)), [0.0])


def test_friction_of_a_joint_and_parallel_springs_count():
    """A table that lacks the effort of friction, and a gas spring beyond its stroke, by joint."""
    model = carts()
    gas = sd.GasSpring(4.0, 1.0, 0.4, (0, 0, 0), (0, 0, 0.8))
    drives = sd.Drives(
        {
            'joint_1': sd.JointDrive(TABLE, friction=sd.JointFriction(2.0)),
            'joint_2': sd.JointDrive(
                sd.LinearSpring(100.0, 10.0), sd.Motor(1.0), parallel_spring=gas
            ),
        }
    )
    jets, times = np.zeros((4, 5, 2)), np.linspace(0.0, 0.3, 4)
    assert sd.check_feasibility(sd.Robot(model, drives), jets, times).feasible
    jets[1, 1, 0] = 2.6
    jets[2, 0, 1] = 0.3
    report = sd.check_feasibility(sd.Robot(model, drives), jets, times)
    found = {check.joint: check for check in report.violations}
    assert set(found) == {'joint_1', 'joint_2'}
    assert found['joint_1'].time == times[1] and 'got 5.2' in found['joint_1'].reason
    assert found['joint_2'].time == times[2] and 'length of 0.6 to 1 m' in found['joint_2'].reason
    rigid = sd.Drives({'joint_2': sd.JointDrive(motor=sd.Motor(1.0, max_effort=3.0))})
    rubbing = sd.Drives(
        {'joint_2': replace(rigid.joints['joint_2'], friction=sd.JointFriction(10.0))}
    )
    jets[:] = 0.0
    jets[3, 1, 1] = 0.5
    assert sd.check_feasibility(sd.Robot(model, rigid), jets, times).feasible
    [violation] = sd.check_feasibility(sd.Robot(model, rubbing), jets, times).violations
    assert (violation.quantity, violation.worst) == ('motor effort', pytest.approx(5.0))
