# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Retiming with springs and motors, and what is refused."""

import re
from dataclasses import replace
from math import factorial

import numpy as np
import pytest
from helpers.curves import curve_through, even, random_curve

import screw_dynamics as sd
from screw_dynamics import trajectory
from screw_dynamics.errors import InfeasibleError, InputError, ShapeError
from screw_dynamics.limits.retiming.limit_shares import limit_shares
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points


def elastic(model):
    stiffness = [5e3, 5e3, 4e3, 4e3, 2e3, 2e3, 2e3]
    inertia = [2.5e-4, 2.5e-4, 1.5e-4, 1.5e-4, 6e-5, 4e-5, 3e-5]
    return sd.Drives(
        {
            name: sd.JointDrive(
                sd.LinearSpring(k),
                sd.Motor(
                    rotor_inertia=j,
                    gear_ratio=100.0,
                    coulomb_friction=0.05,
                    viscous_friction=1e-3,
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


def test_springs_and_motors_keep_their_limits(iiwa):
    drives = elastic(iiwa)
    curve = random_curve(iiwa, np.random.default_rng(1))
    fast = sd.retime(sd.Robot(iiwa, drives), curve, intervals=60)
    times = even(fast, 20001)
    report = sd.check_feasibility(sd.Robot(iiwa, drives), fast.jets(times), times)
    assert report.feasible, report.violations[0]
    checked = {check.quantity for check in report.checks}
    assert {'effort rate', 'deflection', 'motor velocity', 'motor effort'} <= checked
    assert max(check.excess for check in report.checks if check.quantity != 'position') > -0.05
    rigid = sd.retime(iiwa, curve, intervals=60)
    assert rigid.duration < fast.duration < 1.15 * rigid.duration


def test_windings_keep_their_limits(planar):
    """With L i' in the voltage; each limit is a part of what the motion without it has."""
    curve = curve_through(planar, [[0.0, 0.0], [0.9, -0.6]])

    def robot(**limits):
        winding = sd.Winding(
            0.3,
            2.0,
            4e-3,
            thermal_resistance=2.0,
            thermal_time=1.0,
            housing_resistance=1.0,
            **limits,
        )
        drive = sd.JointDrive(motor=sd.Motor(1e-4, 100.0), winding=winding)
        return sd.Robot(planar, sd.Drives(dict.fromkeys(planar.joint_names, drive)))

    def largest(motion, quantity, limited):
        times = even(motion, 20001)
        jets = motion.jets(times, rows=limited.required_rows + 1)
        checks = sd.check_feasibility(limited, jets, times).checks
        return max(check.worst for check in checks if check.quantity == quantity)

    free = sd.retime(robot(), curve, intervals=40)
    for quantity, field, part, offset in (
        ('motor voltage', 'max_voltage', 0.6, 0.0),
        ('rms current', 'continuous_current', 0.9, 0.0),
        ('winding temperature', 'max_temperature', 0.9, 25.0),
    ):
        unlimited = largest(free, quantity, robot(**{field: 1e9}))
        limit = offset + part * (unlimited - offset)
        limited = robot(**{field: limit})
        kept = sd.retime(limited, curve, intervals=40)
        assert kept.duration > free.duration
        assert 0.98 * limit < largest(kept, quantity, limited) <= limit, quantity


def test_shares_of_voltages_are_those_of_motors(planar):
    pair = sd.AntagonisticPair('quadratic', 2e3, quadratic_stiffness=2e3)
    winding = sd.Winding(0.3, 2.0, max_voltage=48.0)
    drive = sd.JointDrive(pair, sd.Motor(1e-4, 100.0), winding=winding)
    robot = sd.Robot(planar, sd.Drives({'joint_1': drive}))
    curve = curve_through(planar, [[0.0, 0.0], [0.1, 0.1]])
    shares = limit_shares(robot, curve, even(curve, 20))
    assert list(shares['motor voltage']) == ['joint_1/1', 'joint_1/2']


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


def test_limits_that_no_speed_keeps(planar):
    curve = curve_through(planar, [[0.0, 0.0], [1.0, 0.0]])
    text = r'feasible when slow, got joint_1: effort .* at t = (.*) s, limit 1 N m, with t of the'
    with pytest.raises(InfeasibleError, match=text) as found:
        sd.retime(planar, curve, {'effort': 1.0})
    assert 0.0 <= float(re.search(text, str(found.value))[1]) <= curve.duration


def test_limits_that_bound_no_speed(planar):
    curve = curve_through(planar, [[0.0, 0.0], [1.0, 0.0]])
    free = {'velocity': np.inf, 'effort': np.inf}
    with pytest.raises(InputError, match='limits: expected some that bound the speed'):
        sd.retime(planar, curve, free)


@pytest.mark.parametrize(
    ('limits', 'error', 'text'),
    [
        ({'snap': 1.0}, InputError, 'expected velocity, acceleration, jerk, effort, effort_rate'),
        ({'effort': -1.0}, InputError, r"limits\['effort'\]: expected numbers above 0, got -1"),
        ({'effort': np.nan}, InputError, 'expected numbers above 0, got nan'),
        ({'effort': [1.0, 2.0, 3.0]}, ShapeError, 'a number or'),
        (3.0, InputError, 'expected JointLimits or a mapping, got 3'),
    ],
)
def test_bad_limits(planar, limits, error, text):
    curve = curve_through(planar, [[0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(error, match=text):
        sd.retime(planar, curve, limits)


@pytest.mark.parametrize('limits', [None, {'effort_rate': 100.0}, {}])
@pytest.mark.parametrize('as_robot', [False, True])
def test_soft_robots_are_refused(planar, limits, as_robot):
    soft = sd.soft.append_segments(planar, sd.share_path('config/soft_finger.yaml'))
    points = [(0.0, [0.0] * soft.n), (1.0, [0.3] * soft.n)]
    curve = smooth_trajectory(waypoints_from_points(soft.joint_names, points, soft.joint_names))
    with pytest.raises(InputError, match='expected a rigid robot, got one with soft segments'):
        sd.retime(sd.Robot(soft) if as_robot else soft, curve, limits)


@pytest.mark.parametrize('sign', ['', '-'])
def test_a_path_beyond_the_limits_of_positions_is_refused_at_once(iiwa, sign):
    """No speed changes it: the joint, the value and the time of the given motion are named."""
    furthest = [0.0, float(f'{sign}2.5'), 0.0, 0.0, 0.0, 0.0, 0.0]
    curve = curve_through(iiwa, [[0.0] * 7, furthest, [0.0] * 7])
    text = f'got joint_2: position {sign}2.5 rad at t = 1 s, limit {sign}2.0944 rad, with t of'
    with pytest.raises(InfeasibleError, match=text):
        sd.retime(iiwa, curve)


def test_coupled_rotors_that_need_too_many_derivatives_are_refused(planar):
    joint = sd.JointDrive(sd.LinearSpring(3e3), sd.Motor(rotor_inertia=1e-4, max_effort=80.0))
    drives = sd.Drives(dict.fromkeys(planar.joint_names, joint), rotor_coupling=True)
    curve = curve_through(planar, [[0.0, 0.0], [1.0, 0.5]])
    with pytest.raises(InputError, match='at most 5 derivatives.*got 6: leave out rotor_coupling'):
        sd.retime(sd.Robot(planar, drives), curve)


def test_bad_curves(planar, slider):
    with pytest.raises(InputError, match='at least 0.001 s, got 0.0002 s'):
        sd.retime(planar, curve_through(planar, [[0.0, 0.0], [1.0, 0.5]], 2e-4))
    with pytest.raises(InputError, match='curve: expected a PiecewisePolynomial'):
        sd.retime(planar, [0.0, 1.0])
    with pytest.raises(ShapeError, match='2 joints'):
        sd.retime(planar, curve_through(slider, [[0.0], [1.0]]))


@pytest.mark.parametrize('seed', range(3))
def test_narrow_friction_keeps_its_limits(iiwa, seed):
    """For every number of intervals; the knee of 6 mrad/s is passed between stations."""
    rng = np.random.default_rng(seed)
    friction = sd.JointFriction(coulomb=rng.uniform(1.0, 4.0), coulomb_velocity=0.006)
    drive = sd.JointDrive(
        motor=sd.Motor(rotor_inertia=0.1), friction=friction, max_effort_rate=rng.uniform(8e2, 2e3)
    )
    robot = sd.Robot(iiwa, sd.Drives(dict.fromkeys(iiwa.joint_names, drive)))
    curve = trajectory.through(iiwa, np.arange(5.0), rng.uniform(-1.2, 1.2, (5, 7)))
    for count in (50, 200):
        fast = sd.retime(robot, curve, intervals=count)
        report = sd.limits.certify(robot, fast)
        assert report.feasible and report.binding.excess > -1e-3


def test_a_path_of_thousands_of_turns(iiwa):
    free = np.full(7, np.inf)
    limits = replace(iiwa.limits, lower=-free, upper=free)
    arm = replace(iiwa, limits=limits)
    curve = trajectory.through(arm, [0.0, 1.0], [np.zeros(7), np.full(7, 1e4)])
    fast = sd.retime(arm, curve)
    assert sd.limits.certify(arm, fast).feasible
    least = 1e4 / arm.limits.velocity.min()
    assert least < fast.duration < 1.1 * least
