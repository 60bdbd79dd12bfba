# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits, robots and paths for which there is no fastest motion: each is named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.curves import curve_through

import screw_dynamics as sd
from screw_dynamics.errors import InfeasibleError, InputError, ShapeError
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points


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
        ({'jerk': 1.0}, InputError, "expected effort, effort_rate, velocity, got 'jerk'"),
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
