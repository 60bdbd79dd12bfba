# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and curves of a motion: values, units, limits, colours and ticks."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import screw_dynamics as sd
from screw_dynamics.viewer.curves import colours, curves, ticks
from screw_dynamics.viewer.motion import Sample, at_rest
from screw_dynamics.viewer.signals import numbers, signals

PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


def elastic(stiffness: float) -> sd.Robot:
    """Return the planar arm with equal springs, one of which stops at 0.1 rad."""
    drives = {
        'joint_1': sd.JointDrive(sd.LinearSpring(stiffness), max_deflection=0.1),
        'joint_2': sd.JointDrive(sd.LinearSpring(stiffness)),
    }
    return sd.Robot(PLANAR, sd.Drives(drives))


def test_at_rest_the_springs_carry_gravity(rng):
    q = rng.uniform(-1.0, 1.0, 2)
    held, gravity = at_rest(elastic(400.0), q), sd.gravity_forces(PLANAR, q)
    np.testing.assert_allclose(held.efforts, [gravity], atol=1e-12)
    np.testing.assert_allclose(held.motor_efforts, gravity, atol=1e-12)
    np.testing.assert_allclose(held.motor_positions - q, gravity / 400.0, atol=1e-14)


def test_numbers_of_a_joint_are_values_limits_and_shares():
    robot = elastic(400.0)
    sample = Sample(
        np.array([0.25, 0.0]),
        np.array([[-20.0, 1.0], [3.0, 4.0]]),
        np.array([0.2, 0.0]),
        np.array([12.5, 0.0]),
    )
    known = signals(robot, sample)
    limit = PLANAR.limits.effort[0]
    low, high = PLANAR.limits.lower[0], PLANAR.limits.upper[0]
    assert low == -high  # so that zero is in the middle
    rows = re.findall(r'<tr>(<td>.*?)</tr>', numbers(known, 'joint_1'))
    assert [re.findall(r'<td>(.*?)</td>', row) for row in rows] == [
        ['position', '0.25', 'rad', f'± {high:.3g}', f'{0.25 / high:.0%}'],
        ['effort', '-20', 'N m', f'± {limit:.3g}', f'{20.0 / limit:.0%}'],
        ['effort rate', '3', 'N m/s', '', ''],
        ['motor effort', '12.5', 'N m', '', ''],
        ['deflection', '-0.05', 'rad', '± 0.1', '50%'],
    ]


def test_signals_have_the_units_of_their_joints():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    position, effort = signals(sd.Robot(model), at_rest(sd.Robot(model), np.zeros(model.n)))
    slides = [kind == 'prismatic' for kind in model.coordinate_types]
    assert any(slides)
    assert position.units == ['m' if s else 'rad' for s in slides]
    assert effort.units == ['N' if s else 'N m' for s in slides]
    drawn = curves(
        np.linspace(0.0, 1.0, 11), effort._replace(values=np.tile(effort.values, (11, 1)))
    )
    assert drawn.count('<svg') == 2 and 'effort [N]' in drawn and 'effort [N m]' in drawn


def test_thirty_two_curves_have_distinct_colours():
    rgb = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours(32)]) / 255.0
    gaps = np.linalg.norm(rgb[:, np.newaxis] - rgb, axis=2)
    # of 32 points spread evenly in the cube of colours the gap is about 1/3
    assert gaps[np.triu_indices(32, 1)].min() > 0.15


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 9))
def test_ticks_are_round_numbers_within(low, span, most):
    found = np.array(ticks(low, low + span, most))
    assert len(found) <= most + 1
    assert (found >= low - 1e-6 * span).all() and (found <= low + span * (1.0 + 1e-6)).all()
    if len(found) > 1:
        step = found[1] - found[0]
        power = 10.0 ** np.floor(np.log10(step) + 1e-6)
        # of numbers up to 1e6 the difference is rounded to 1e-10
        assert np.abs(np.array([1.0, 2.0, 2.5, 5.0, 10.0]) * power - step).min() < 1e-3 * step


def test_a_tick_at_an_end_is_kept():
    assert ticks(0.1, 0.5, 4) == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_curves_begin_at_the_left_whatever_the_time(rng):
    signal = signals(sd.Robot(PLANAR), at_rest(sd.Robot(PLANAR), np.zeros(2)))[0]
    signal = signal._replace(values=rng.normal(size=(11, 2)))
    early, late = (curves(begin + np.linspace(0.0, 1.0, 11), signal) for begin in (0.0, 5.0))
    points = r'points="([^"]*)"'
    assert re.findall(points, early) == re.findall(points, late)
    (first,) = {line.split(',')[0] for line in re.findall(points, late)}
    assert float(first) == 0.0 and '>5<' in late and '>6 s<' in late
    # a label for each round number, and a line through zero
    labels = re.findall(r'class="y" style="top:([^%]*)%">([^<]*)<', late)
    heights = [float(height) for height, _ in labels]
    values = [float(value) for _, value in labels]
    slope = (heights[1] - heights[0]) / (values[1] - values[0])
    np.testing.assert_allclose(np.diff(heights), slope * np.diff(values), atol=0.02)
    zero = heights[values.index(0.0)]
    assert slope < 0.0 and f'M0 {zero:.2f}H' in late
    place = re.findall(points, late)[0].split()[3].split(',')[1]
    assert float(place) == pytest.approx(zero + slope * signal.values[3, 0], abs=0.1)
