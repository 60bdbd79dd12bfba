# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings as they come: disorder, gaps, turns, coarse clocks."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sine_motions import sines

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, TrajectoryError
from screw_dynamics.estimation import measured_motion, smoothing_spline
from screw_dynamics.estimation.identification.recorded_rows import scattered
from screw_dynamics.estimation.recorded_samples import GapError, in_order, usual_step


def test_disorder_repeats_and_two_samples_at_one_instant(rng):
    times = np.linspace(0.0, 2.0, 300)
    samples = sines(times, [2.0], 1)[:, 0] + 1e-4 * rng.normal(size=(300, 1))
    expected = measured_motion(times, samples)
    shuffled = rng.permutation(300)
    again = np.concatenate((shuffled, shuffled[:40]))
    motion = measured_motion(times[again], samples[again])
    assert (motion.sample_count, motion.repeated) == (300, 40) and motion.disordered > 50
    np.testing.assert_array_equal(motion.jets(times), expected.jets(times))
    twice = measured_motion(
        np.repeat(times, 2), np.repeat(samples, 2, axis=0) + [[1e-5], [-1e-5]] * 300
    )
    assert twice.sample_count == 600
    np.testing.assert_allclose(twice.jets(times, 2), expected.jets(times, 2), atol=1e-2)


STAMPS = {
    'even': lambda rng, n: np.linspace(0.0, 1.0, n),
    'clocks of today': lambda rng, n: 1.7e9 + 1e-3 * np.arange(n),
    'random': lambda rng, n: 10 ** rng.uniform(-3, 3) * rng.uniform(0.0, 1.0, n),
    'rounded': lambda rng, n: np.round(rng.uniform(0.0, 5.0, n), 2),
    'disordered': lambda rng, n: 0.01 * np.arange(n) + rng.normal(0.0, 0.01, n),
    'bursts': lambda rng, n: np.sort(0.1 * rng.integers(0, n // 4 + 4, n) + 1e-4 * np.arange(n)),
}
MOTIONS = {
    'noise': lambda rng, t: rng.normal(size=len(t)),
    'sine': lambda rng, t: np.sin(20 * t),
    'step': lambda rng, t: (t > 0.5) * 1.0,
    'still': lambda rng, t: np.ones(len(t)),
    'stairs': lambda rng, t: np.round(np.sin(9 * t), 2),
}


@given(
    st.sampled_from(sorted(STAMPS)),
    st.sampled_from(sorted(MOTIONS)),
    st.integers(40, 300),
    st.floats(-9.0, 6.0),
    st.integers(0, 2**32 - 1),
)
def test_any_recording_gives_finite_numbers(stamps, motion, count, exponent, seed):
    rng = np.random.default_rng(seed)
    times = STAMPS[stamps](rng, count)
    parts = (times - times.min()) / np.ptp(times)
    samples = 10.0**exponent * MOTIONS[motion](rng, parts)
    found = measured_motion(times, samples[:, None])
    at = np.linspace(found.start, found.end, 40)
    assert np.isfinite(found.jets(at)).all()
    assert np.isfinite(found.standard_deviations(at)).all()
    assert (found.noise >= 0.0).all() and (found.smoothing_times > 0.0).all()


def test_turns_of_continuous_joints_are_undone(rng):
    times = np.linspace(0.0, 4.0, 500)
    turning = np.column_stack((3.0 * times, -5.0 * times + np.sin(times)))
    turning += 1e-3 * rng.normal(size=turning.shape)
    wrapped = (turning + np.pi) % (2 * np.pi) - np.pi
    motion = measured_motion(times, wrapped, continuous=[True, True])
    np.testing.assert_allclose(motion.jets(times)[:, 1, 0], 3.0, atol=0.05)
    limited = measured_motion(times, turning, continuous=[False, False])
    np.testing.assert_allclose(
        motion.jets(times)[:, 1:], limited.jets(times)[:, 1:], rtol=1e-6, atol=1e-6
    )


def test_turns_are_scatter_only_of_joints_that_do_not_turn():
    smooth = np.outer(np.linspace(0.0, 4.0, 500), [3.0, 3.0])
    wrapped = (smooth + np.pi) % (2 * np.pi) - np.pi
    robot = SimpleNamespace(coordinate_types=('continuous', 'revolute'), joint_names=('a', 'b'))
    assert [finding.joints for finding in scattered(robot, wrapped, smooth)] == [('b',)]


def test_joints_that_stand_still_and_motions_without_noise():
    times = np.linspace(0.0, 1.0, 200)
    still = np.full(200, 1.25)
    motion = measured_motion(times, np.column_stack((still, still * 0.0, np.sin(4 * times))))
    jets = motion.jets(times)
    np.testing.assert_allclose(jets[:, 0, 0], 1.25, rtol=1e-15)
    assert np.abs(jets[:, 1:, :2]).max() == 0.0
    assert np.abs(jets[20:-20, 2, 2] + 16 * np.sin(4 * times[20:-20])).max() < 1e-6
    assert np.isfinite(motion.standard_deviations(times)).all()


def test_gaps_widen_the_bands(rng):
    times = np.concatenate((np.linspace(0, 1, 300), np.linspace(1.4, 2.4, 300)))
    samples = sines(times, [6.0], 1)[:, 0] + 1e-3 * rng.normal(size=(600, 1))
    deviations = measured_motion(times, samples).standard_deviations([0.7, 1.2])[:, :, 0]
    assert (deviations[1] > [20, 4, 4, 2, 1.3] * deviations[0]).all()


EVEN = np.arange(20.0), np.zeros((20, 1))
# few samples far from each other, then many
FEW = np.cumsum([0.0, 800.0, *(600 * [0.01])]), np.zeros((602, 1))


@pytest.mark.parametrize(
    ('arguments', 'options', 'error', 'text'),
    [
        ((np.arange(11.0), np.zeros((11, 1))), {}, TrajectoryError, '12 instants or more.*got 11'),
        ((np.zeros(50), np.zeros((50, 1))), {}, TrajectoryError, 'got 1'),
        (([], np.zeros((0, 1))), {}, TrajectoryError, 'got 0'),
        ((np.arange(20.0), np.zeros(20)), {}, ShapeError, 'a row per time'),
        ((np.arange(20.0), np.zeros((19, 1))), {}, ShapeError, 'a row per time'),
        ((np.arange(20.0), np.full((20, 1), np.nan)), {}, NotFiniteError, 'positions'),
        ((np.full(20, np.inf), np.zeros((20, 1))), {}, NotFiniteError, 'times'),
        ((np.arange(20.0), np.full((20, 1), 1e101)), {}, InputError, 'at most 1e.100 in size'),
        (([*range(20), 9000], np.zeros((21, 1))), {}, TrajectoryError, 'long gaps'),
        (EVEN, {'smoothing_time': -1.0}, InputError, 'a positive number'),
        (
            EVEN,
            {'smoothing_time': 100.0},
            TrajectoryError,
            'expected 1 s, the distance .* to 19 s',
        ),
        (EVEN, {'smoothing_time': 1e-9}, TrajectoryError, 'got 1e-09 s'),
        (FEW, {}, TrajectoryError, 'nothing was recorded for 800 s after 0.000000 s'),
    ],
)
def test_what_cannot_be_estimated_is_said(arguments, options, error, text):
    with pytest.raises(error, match=text):
        measured_motion(*arguments, **options)


def test_times_outside_of_the_recording_are_refused():
    motion = measured_motion(*EVEN)
    with pytest.raises(InputError, match='expected 0 to 19 s, within the recording, got 20 s'):
        motion.jets([20.0])
    with pytest.raises(InputError, match='within the recording, got -0.01 s'):
        motion.jets([-0.01])
    assert np.isfinite(motion.jets([-1e-9, 19.0 + 1e-9])).all()  # as times are rounded
    with pytest.raises(InputError, match='rows: expected 1 to 5, got 6'):
        motion.jets([2.0], 6)
    with pytest.raises(ShapeError):
        motion.covariances(3.0)


def test_the_longest_hundredth_of_the_distances_does_not_count():
    steps = np.concatenate((np.ones(95), np.full(5, 3.0)))
    assert usual_step(np.append(0.0, np.cumsum(steps))) == pytest.approx((95 + 4 * 3) / 99)


@pytest.mark.parametrize('gap, allowed', [(300.0, True), (310.0, False)])
def test_a_gap_may_be_as_long_as_three_times_the_rest(gap, allowed):
    # 101 samples, 1 s apart but for one gap: 4 times 101 s in all
    times = np.concatenate((np.arange(50.0), 49.0 + gap + np.arange(51.0)))
    positions = np.zeros((101, 1))
    if allowed:
        assert len(in_order(times, positions, None, 12).times) == 101
    else:
        with pytest.raises(GapError, match='nothing was recorded for 310 s after 49.000000 s'):
            in_order(times, positions, None, 12)


def test_samples_at_one_instant_are_no_disorder():
    times = np.repeat(np.arange(20.0), 20)
    positions = -np.arange(400.0)[:, None]
    samples = in_order(times, positions, None, 12)
    assert (samples.disordered, samples.repeated) == (0, 0)
    np.testing.assert_array_equal(samples.positions, positions)  # in the order they came
    times[[30, 50]] = times[[50, 30]]
    assert in_order(times, positions, None, 12).disordered == 2


def test_the_order_of_the_stamps_is_kept():
    times = np.array([3.0, 1.0, 2.0, 2.0, 0.0])
    samples = in_order(times, np.array([[30.0], [10.0], [5.0], [5.0], [40.0]]), None, 4)
    np.testing.assert_array_equal(samples.times, [0.0, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(samples.positions[:, 0], [40.0, 10.0, 5.0, 30.0])
    assert samples.repeated == 1
    with pytest.raises(TrajectoryError, match='5 instants or more .* got 4'):
        in_order(times, np.zeros((5, 1)), None, 5)


NOISE = 1e-4


def test_a_motion_of_eight_samples_a_period_is_followed(rng):
    times = 0.002 * np.arange(1000)
    rate = 2.0 * np.pi / (8 * 0.002)
    samples = np.sin(rate * times) + NOISE * rng.normal(size=1000)
    inner = times[100:-100]
    estimate = measured_motion(times, samples[:, None]).jets(inner, 1)[:, 0, 0]
    # no worse than the samples, the worst of which err by some three standard deviations
    assert np.abs(estimate - np.sin(rate * inner)).max() < 6.0 * NOISE


def test_finer_knots_change_little(rng, monkeypatch: pytest.MonkeyPatch):
    times = 0.002 * np.arange(1000)
    samples = (np.sin(6.0 * times) + NOISE * rng.normal(size=1000))[:, None]
    at = np.linspace(0.2, 1.8, 300)
    motion = measured_motion(times, samples, smoothing_time=0.05)
    monkeypatch.setattr(smoothing_spline, '_GIVEN', 2 * smoothing_spline._GIVEN)
    finer = measured_motion(times, samples, smoothing_time=0.05)
    deviations = finer.standard_deviations(at)
    assert (np.abs(motion.jets(at) - finer.jets(at)) < 0.2 * deviations).all()
    # that of the snap is the most sensitive: 2 % at the number of knots chosen, 11 % at a quarter
    found = motion.standard_deviations(at)
    np.testing.assert_allclose(found.mean(axis=0), deviations.mean(axis=0), rtol=0.04)
