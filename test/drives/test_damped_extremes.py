# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The filter of a damped spring at jumps, nearly equal times, long pauses and fast starts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd

K, RATE = 200.0, 6.0


def one_joint(constant: float, rows: int = 5, deflection: float | None = None):
    model = random_model(np.random.default_rng(1), 1)
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(K, constant * K))})
    start = None if deflection is None else {'joint_1': deflection}
    return sd.DeflectionFilter(sd.Robot(model, drives), rows=rows, deflection=start)


def effort(t: float, rows: int) -> np.ndarray:
    """Return the jet of an effort of amplitude K, a sine."""
    angles = RATE * t + 0.3 + np.arange(rows) * np.pi / 2
    return (K * RATE ** np.arange(rows) * np.sin(angles))[:, None]


def steady(t: float, constant: float, rows: int) -> np.ndarray:
    """Return the steady deflection under it and its derivatives, as parts of their amplitude."""
    angles = RATE * t + 0.3 + np.arange(rows) * np.pi / 2 - np.arctan(RATE * constant)
    return np.sin(angles)


def relative(phi: np.ndarray, constant: float) -> np.ndarray:
    amplitude = RATE ** np.arange(len(phi)) / np.hypot(1.0, RATE * constant)
    return phi[:, 0] / amplitude


@pytest.mark.parametrize('rows', [4, 8])
@pytest.mark.parametrize('gap', [0.0, 1e-15, 1e-9, 1e-6])
@pytest.mark.parametrize('constant', [0.5, 1e-2])
def test_a_jump_of_the_effort_keeps_the_equation(constant, gap, rows, rng):
    damper = one_joint(constant, rows)
    # constant in time, so that the equation can be differentiated as often as wanted
    jets = np.zeros((2, rows - 2, 1))
    jets[:, 0] = rng.normal(scale=10.0, size=(2, 1))
    damper.step(jets[0], 0.0)
    before = damper.step(jets[0], 0.1)[:, 0].copy()
    after = damper.step(jets[1], gap)[:, 0].copy()
    for phi in (after, damper.step(jets[1], 0.02)[:, 0]):
        rate = (jets[1, 0, 0] - K * phi[0]) / (K * constant)
        expected = rate * (-1.0 / constant) ** np.arange(len(phi) - 1)
        np.testing.assert_allclose(phi[1:], expected, rtol=1e-4 if gap > 1e-7 else 1e-7)
    assert after[0] == pytest.approx(before[0], abs=gap * abs(after[1]) + 1e-15)


@pytest.mark.parametrize('rows', [4, 5, 8])
def test_all_rows_of_the_effort_may_jump_at_once(rows, rng):
    constant = 0.3
    damper = one_joint(constant, rows)
    jets = rng.normal(size=(2, rows - 2, 1))
    before = damper.step(jets[0], 0.0)[:, 0].copy()
    after = damper.step(jets[1], 0.0)[:, 0].copy()
    for phi, jet in ((before, jets[0]), (after, jets[1])):
        rates = (jet[:, 0] - K * phi[:-1]) / (K * constant)
        np.testing.assert_allclose(phi[1:], rates, rtol=1e-10, atol=1e-12)
    assert after[0] == before[0]


@pytest.mark.parametrize('rows', [4, 7])
@pytest.mark.parametrize('gap', [2e-16, 1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize('constant', [1e-7, 1e-2, 10.0])
def test_nearly_equal_times_do_no_harm(constant, gap, rows):
    damper = one_joint(
        constant, rows, np.sin(0.3 - np.arctan(6 * constant)) / np.hypot(1, 6 * constant)
    )
    times = np.sort(np.append(np.arange(81) * 1e-3, 0.05 + gap))
    last = times[0]
    for t in times:
        phi = damper.step(effort(t, rows - 2), t - last)
        last = t
        if t >= 0.05:
            errors = np.abs(relative(phi, constant) - steady(t, constant, len(phi)))
            known, highest = (1e-9, 3e-6) if rows == 4 else (2e-9, 2e-6)
            assert errors[:-1].max() < known and errors[-1] < highest, (t, errors)


@pytest.mark.parametrize('pause', [1.0, 1e3, 1e6, 1.7e9, 1e100])
def test_a_long_pause_is_a_start_anew(pause):
    constant = 1e-3
    damper = one_joint(constant)
    damper.step(effort(0.0, 3), 0.0)
    phi = damper.step(effort(0.7, 3), pause)
    errors = np.abs(relative(phi, constant) - steady(0.7, constant, 4))[:3]
    # the series of the three efforts that are known
    assert (errors <= 2.0 * (RATE * constant) ** np.array([3, 2, 1])).all()


@pytest.mark.parametrize('rows', [4, 5, 7, 10])
@pytest.mark.parametrize('speed', [1.5, 3.0, 100.0])
def test_a_fast_start_is_no_larger_than_a_start_at_rest(speed, rows):
    constant = speed / RATE
    for t in np.linspace(0.0, 1.0, 23):
        damper = one_joint(constant, rows)
        jet = effort(t, rows - 2)
        phi = damper.step(jet, 0.0)[:, 0]
        assert abs(phi[0]) <= abs(jet[0, 0]) / K * (2.0 if rows == 4 else 1.0)
        rates = (jet[:, 0] - K * phi[: rows - 2]) / (K * constant)
        np.testing.assert_allclose(phi[1 : rows - 1], rates, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(('rate', 'taken'), [(3.0, True), (-8.0, True), (-12.0, False)])
def test_a_start_from_two_rows_takes_the_second_if_it_is_smaller(rate, taken):
    phi = one_joint(0.5, 4).step([[5.0], [rate]], 0.0)[:, 0]
    assert phi[0] == pytest.approx((5.0 - taken * 0.5 * rate) / K, rel=1e-15)
    assert phi[1] == pytest.approx((5.0 - K * phi[0]) / (0.5 * K), rel=1e-14)


@pytest.mark.parametrize('constant', [1e-12, 9.9e-7, 1.01e-6, 1e-3])
def test_a_given_start_counts_where_it_can_last(constant):
    jet = effort(0.1, 3)
    steadily = one_joint(constant).step(jet, 0.0)[:, 0].copy()
    phi = one_joint(constant, deflection=0.1).step(jet, 0.0)[:, 0]
    if constant < 1e-6:
        np.testing.assert_array_equal(phi, steadily)
    else:
        assert phi[0] == 0.1
        assert phi[1] == pytest.approx((jet[0, 0] - K * 0.1) / (K * constant), rel=1e-12)


def test_a_robot_that_starts_from_rest_begins_undeflected():
    phi = one_joint(0.5).step([[0.0], [5.0], [-3.0]], 0.0)[:, 0]
    np.testing.assert_allclose(phi[:3], [0.0, 0.0, 5.0 / (0.5 * K)], atol=1e-16)


@pytest.mark.parametrize('single', [False, True])
def test_a_motion_that_is_refused_leaves_the_filter_as_it_was(single, rng):
    model = random_model(rng, 2)
    table = sd.TabulatedSpring([-1.0, 0.0, 1.0], [-5.0, 0.0, 5.0])
    springs = {'joint_1': sd.LinearSpring(K, 0.05 * K), 'joint_2': table}
    drives = sd.Drives({name: sd.JointDrive(spring) for name, spring in springs.items()})
    damper = sd.DeflectionFilter(sd.Robot(model, drives))
    jets = 1e-3 * rng.normal(size=(6, 5, 2))
    model = replace(model, gravity=np.zeros(3))
    damper = sd.DeflectionFilter(sd.Robot(model, drives))
    times = np.arange(6) * 0.01
    sd.elastic_feedforward(sd.Robot(model, drives), jets[:2], times=times[:2], deflection=damper)
    before = [array.copy() for array in damper.state]
    bad = jets.copy()
    bad[2 if single else 4, 2, 1] = 1e4
    with pytest.raises(sd.errors.SpringRangeError):
        if single:
            sd.elastic_feedforward(
                sd.Robot(model, drives), bad[2], times=times[2], deflection=damper
            )
        else:
            sd.elastic_feedforward(
                sd.Robot(model, drives), bad[2:], times=times[2:], deflection=damper
            )
    for array, expected in zip(damper.state, before, strict=True):
        np.testing.assert_array_equal(array, expected)
    # again without it, as if nothing had been
    again = sd.elastic_feedforward(
        sd.Robot(model, drives), jets[2:], times=times[2:], deflection=damper
    )
    whole = sd.elastic_feedforward(sd.Robot(model, drives), jets, times=times)
    np.testing.assert_array_equal(again.motor_effort, whole.motor_effort[2:])
