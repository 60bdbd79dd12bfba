# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Learned motions: errors fall, files keep them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from helpers.learning_arm import GAINS, NOISE, run
from scipy.special import beta, betainc

import screw_dynamics as sd
from screw_dynamics.errors import (
    InfeasibleError,
    InputError,
    RecordingWarning,
    TrajectoryError,
)
from screw_dynamics.learning import LearnedMotion
from screw_dynamics.learning.learned_motion import has_history, overall
from screw_dynamics.learning.smoothed_errors import (
    RunErrors,
    knots_of,
    smoothed_errors,
    time_shift,
)
from screw_dynamics.limits import certify
from screw_dynamics.trajectory import (
    parse_trajectory,
    read_trajectory,
    smooth_trajectory,
    waypoints_from_points,
)


def test_errors_of_the_links_fall(robot, curve, learned) -> None:
    """
    Two corrections leave less than a tenth of the error, with parameters up to 10 % wrong.

    The bound of the inverse's error is below 0.6, so that each may leave 0.6 of it at worst; where
    the motion is, at low frequencies, it is some 0.2.
    """
    errors = overall(learned[-1].rms)
    assert errors[0] > 2e-3
    assert (errors[1:] < 0.35 * errors[:-1]).all()
    assert errors[2] < 0.1 * errors[0]
    assert not learned[-1].finished
    assert learned[-1].best_run == 2
    measured = run(robot, curve)
    inside = measured.times <= curve.breaks[-1]
    found = np.abs(measured.positions - curve.jets(measured.times, 1)[:, 0])[inside].max(axis=0)
    np.testing.assert_allclose(learned[-1].largest[0], found, rtol=0.0, atol=10 * NOISE)


def test_corrected_motion_begins_and_ends_at_rest(curve, learned) -> None:
    """It is C4 and longer than the wanted motion, and its derivatives at the ends are 0."""
    corrected = learned[-1].curve
    assert corrected.continuity == 4
    assert corrected.breaks[0] < curve.breaks[0]
    assert corrected.breaks[-1] > curve.breaks[-1]
    ends = corrected.jets([corrected.breaks[1], np.nextafter(corrected.breaks[-1], 0.0)])
    scale = np.abs(corrected.jets(np.linspace(0.0, 1.0, 100))).max(axis=(0, 2))
    assert (np.abs(ends[:, 1:]) <= 1e-9 * scale[1:, np.newaxis]).all()


def test_finished_where_the_error_no_longer_falls(robot, curve, learned) -> None:
    """The same errors again are no progress; the best motion stays."""
    again = sd.learn_motion(robot, learned[0], run(robot, curve), gains=GAINS)
    assert again.finished
    assert 'no longer falls by 5 %' in again.reason
    assert again.best_run in (0, 1)


def test_worse_run_returns_to_the_best_motion(robot, curve, learned) -> None:
    """After a run with larger errors the motion of the best one is followed again."""
    recording = run(robot, learned[1].curve, 2)
    far = recording.positions + 0.5 * (recording.positions - curve.jets(recording.times, 1)[:, 0])
    far[:, 0] += 0.01
    worse = sd.Recording(recording.joint_names, recording.times, far, np.zeros_like(far))
    back = sd.learn_motion(robot, learned[1], worse, gains=GAINS)
    assert back.finished
    assert 'grew to' in back.reason
    assert back.best_run == 1
    assert back.curve is back.best is learned[0].curve


def test_first_run_stays_the_best_if_the_second_is_worse(robot, curve, learned) -> None:
    """The wanted motion returns as points that a trajectory can have, within 1e-7 rad."""
    far = run(robot, learned[0].curve, 1)
    worse = replaced(far, far.positions + 0.1)
    back = sd.learn_motion(robot, learned[0], worse, gains=GAINS)
    assert back.best is back.wanted
    times = np.linspace(*back.curve.breaks[[0, -1]], 500)
    np.testing.assert_allclose(
        back.curve.jets(times, 1), curve.jets(times, 1), rtol=0.0, atol=1e-7
    )


def test_recordings_are_averaged(robot, curve) -> None:
    """Two repeats with opposite noise correct as one without noise."""
    clean = run(robot, curve)
    noise = np.random.default_rng(3).normal(0.0, 1e-3, clean.positions.shape)
    both = [replaced(clean, clean.positions + side * noise) for side in (1.0, -1.0)]
    one, two = (sd.learn_motion(robot, curve, runs).curve for runs in (clean, both))
    np.testing.assert_allclose(two.coefficients, one.coefficients, rtol=0.0, atol=1e-9)


def test_turns_of_continuous_joints_are_no_errors(curve) -> None:
    """Positions of a continuous joint that are measured a turn away are the same ones."""
    text = sd.share_path('urdf/planar_2r.urdf').read_text()
    model = sd.read_urdf(text.replace('type="revolute"', 'type="continuous"'))
    times = np.linspace(-0.5, 1.7, 441)
    positions = curve.jets(times, 1)[:, 0]
    shifted = positions + 2.0 * np.pi * np.array([1.0, -2.0])
    recording = sd.Recording(model.joint_names, times, shifted, np.zeros_like(shifted))
    found = sd.learn_motion(model, curve, recording)
    assert found.largest.max() < 1e-12


def test_corrections_fade_to_rest_in_the_margins(robot) -> None:
    """An error that grows all the time, by the incomplete beta function, which is as smooth."""
    points = [[0.0, 0.0], [0.3, -0.2], [0.5, -0.5]]
    wanted = sd.trajectory.through(robot.model, [1.0, 1.7, 2.2], points)
    smoothing, rate = 0.05, np.array([0.3, -0.2])
    margin, reach = 8.0 * smoothing, 5.0 * smoothing
    knots = knots_of(wanted, smoothing)
    assert np.isin(wanted.breaks.round(9), knots).all()
    np.testing.assert_allclose(knots[[1, -1]], [1.0 - margin, 2.2 + margin], atol=1e-9)
    assert np.diff(knots).max() <= smoothing / 3.0 + 1e-8
    times = np.arange(0.0, 3.6, 1e-3)
    run = RunErrors(times, np.outer(times, rate), (times >= 1.0) & (times <= 2.2))
    found = smoothed_errors(run, wanted, knots, smoothing)
    errors, rates = np.outer(knots, rate), np.tile(rate, (len(knots), 1))
    ends = knots[0] - reach, knots[-1] + reach
    for end, fade, side in ((ends[0], knots - knots[1], 1.0), (ends[1], knots[-1] - knots, -1.0)):
        rest = rate * (end + side * smoothing / 8.0)  # of the mean of a quarter
        u = np.clip(fade / margin, 0.0, 1.0)[:, np.newaxis]
        share, slope = betainc(5, 5, u), side * (u * (1.0 - u)) ** 4 / beta(5, 5) / margin
        rates = share * rates + slope * (errors - rest)
        errors = rest + share * (errors - rest)
    # the mean of a quarter is off by a sample
    np.testing.assert_allclose(found[0], errors, rtol=0.0, atol=5e-4)
    np.testing.assert_allclose(found[1], rates, rtol=0.0, atol=3e-3)


def test_joints_that_hardly_move_do_not_decide_on_shifts(robot) -> None:
    """Of a joint that moves far and is late, and one that moves little, with errors of its own."""
    wanted = sd.trajectory.through(robot.model, [0.0, 1.0], [[0.0, 0.0], [1.0, 0.03]])
    times = np.linspace(0.0, 1.0, 1001)
    rates = wanted.jets(times, 2)[:, 1]
    errors = -0.02 * rates + np.outer(np.sin(9.0 * times), [0.0, 0.01])
    run = RunErrors(times, errors, times >= 0.0)
    assert time_shift([run], wanted) == pytest.approx((0.02, 1.0), rel=1e-12)
    # of two that move, by their usual velocities: one late by 0.02 s, the other on time
    wanted = sd.trajectory.through(robot.model, [0.0, 1.0], [[0.0, 0.0], [1.0, 0.3]])
    run = run._replace(errors=wanted.jets(times, 2)[:, 1] * [-0.02, 0.0])
    assert time_shift([run], wanted) == pytest.approx((0.01, 0.5), rel=1e-12)


def test_more_uncertainty_corrects_less(robot, curve) -> None:
    """The smoothing time grows with uncertainty and with the delay; samples bound it below."""
    recording = run(robot, curve)

    def found(**options) -> sd.LearnedMotion:
        return sd.learn_motion(robot, curve, recording, gains=GAINS, **options)

    usual = found()
    assert found(uncertainty=0.2).smoothing_time > usual.smoothing_time
    assert found(uncertainty=0.2).step < usual.step
    assert found(delay=0.02).smoothing_time > usual.smoothing_time
    sure = found(uncertainty=0.0, delay=0.0)
    assert sure.smoothing_time == pytest.approx(3e-3)
    assert (sure.step, sure.reason) == (1.0, 'by the distance of the samples')
    given = found(smoothing_time=0.1, step=0.5)
    assert (given.smoothing_time, given.step) == (0.1, 0.5)


def test_correction_beyond_a_limit_is_refused(robot, curve) -> None:
    """The error names joint, quantity and limit."""
    jets = curve.jets(np.linspace(0.0, 1.2, 400), 2)
    limits = robot.model.limits
    tight = replace(limits, velocity=1.0001 * np.abs(jets[:, 1]).max(axis=0))
    limited = robot.with_model(replace(robot.model, limits=tight))
    with pytest.raises(InfeasibleError, match=r'got joint_\d: velocity .* limit'):
        sd.learn_motion(limited, curve, run(robot, curve), gains=GAINS)


@pytest.mark.parametrize('late', [0.02, -0.05])
def test_times_that_are_not_those_of_the_curve_are_named(robot, curve, late) -> None:
    """Of a run before, during and after the motion, to a fifth of the shift."""
    measured = run(robot, curve)
    rest = np.arange(-100, 0)[:, np.newaxis] * 1e-3
    before = measured.positions[0] + 0.0 * rest
    times = np.concatenate((measured.times[0] + rest[:, 0], measured.times)) + late
    positions = np.vstack((before, measured.positions))
    recording = sd.Recording(measured.joint_names, times, positions)
    side = 'late' if late > 0.0 else 'early'
    with pytest.warns(RecordingWarning, match=rf'are (\d+) ms {side} at all joints') as warned:
        sd.learn_motion(robot, curve, recording, gains=GAINS)
    shift = float(re.findall(r'are (\d+) ms', str(warned[0].message))[0])
    assert shift == pytest.approx(1e3 * abs(late), rel=0.2)
    if late > 0.0:  # as far as the drives are known to follow late
        sd.learn_motion(robot, curve, recording, gains=GAINS, delay=0.02)


def test_wrong_parameters_are_no_shift_of_time(robot, curve) -> None:
    """Warnings are errors here: stiffness, rotors and masses that are 10 % wrong give none."""
    sd.learn_motion(robot, curve, run(robot, curve), gains=GAINS)


def test_a_joint_begins_at_a_limit(robot, curve) -> None:
    """Corrections end there: the motion keeps the limit, and moves on from it as it was."""
    measured = run(robot, curve)
    jets = curve.jets(np.linspace(0.0, 1.2, 4000), 1)[:, 0]
    limits = robot.model.limits
    tight = replace(limits, lower=jets.min(axis=0), upper=limits.upper)
    limited = robot.with_model(replace(robot.model, limits=tight))
    found = sd.learn_motion(limited, curve, measured, gains=GAINS)
    assert certify(limited, found.curve).feasible
    free = sd.learn_motion(robot, curve, measured, gains=GAINS)
    times = np.linspace(0.0, 1.2, 500)
    wanted, other = found.curve.jets(times, 1)[:, 0], free.curve.jets(times, 1)[:, 0]
    inside = (other > tight.lower + 0.05).all(axis=1)
    assert inside.any()
    np.testing.assert_allclose(wanted[inside], other[inside], rtol=0.0, atol=1e-3)


def test_errors_of_inputs(robot, curve) -> None:
    """Errors name what is wrong."""
    recording = run(robot, curve)

    def refused(pattern, curve=curve, recordings=recording, **options) -> None:
        with pytest.raises(InputError, match=pattern):
            sd.learn_motion(robot, curve, recordings, **options)

    refused('recordings: expected at least one', recordings=[])
    refused('recordings: expected Recordings', recordings=[3])
    refused('whole motion, from 0 to 1.2 s', recordings=recording.between(0.1, 2.0))
    refused('whole motion', recordings=recording.between(0.0, 1.0))
    two_samples = recording.between(*recording.times[[0, 1]])
    refused('whole motion', recordings=two_samples)
    refused('expected samples, got none', recordings=recording.between(5.0, 6.0))
    refused('curve: expected a PiecewisePolynomial', curve=3)
    point = replace(curve, breaks=curve.breaks[:1], coefficients=curve.coefficients[:0])
    refused('curve: expected a motion that takes time', curve=point)
    one = replace(curve, coefficients=curve.coefficients[..., :1], end=curve.end[:1])
    refused(r'curve: expected shape 2 joints, got \(1,\)', curve=one)
    refused(r'gains: expected stiffness and damping', gains=(np.ones(2),))
    refused('uncertainty: expected a finite number of 0', uncertainty=-0.1)
    refused('delay: expected a finite number of 0', delay=-1.0)
    refused('uncertainty: expected one with which corrections converge', uncertainty=20.0)
    refused('step: expected at most 1', step=1.5)
    refused('smoothing_time: expected a finite number', smoothing_time=1e-4)
    refused(r'gains\[1\]', gains=(np.ones(2), np.ones(3)))


def replaced(recording: sd.Recording, positions: np.ndarray) -> sd.Recording:
    """Return a recording with other positions."""
    return sd.Recording(recording.joint_names, recording.times, positions, recording.efforts)


def test_receiver_follows_the_certified_curve(learned) -> None:
    """
    A receiver fits the same curve, from rest elsewhere 1 s before it, to 1e-6 of each derivative.

    Points are some 5 ms apart, so that rounding of positions grows by 2e9 in the snap. Times in
    messages are whole nanoseconds, as those in the file are.
    """
    motion = learned[-1]
    found = parse_trajectory(motion.to_yaml())
    waypoints = waypoints_from_points(found.joint_names, found.points, motion.joint_names)
    assert waypoints.times[0] == 1.0
    np.testing.assert_array_equal(waypoints.times, np.round(waypoints.times, 9))
    start = np.zeros((5, 2))
    start[0] = motion.wanted.jets([0.0], 1)[0, 0]
    received = smooth_trajectory(waypoints, start, rest_at_ends=True)
    shift = 1.0 - motion.curve.breaks[0]
    times = np.linspace(*motion.curve.breaks[[0, -1]], 1000)
    jets, same = motion.curve.jets(times), received.jets(times + shift)
    scale = np.abs(jets).max(axis=(0, 2))
    assert (np.abs(same - jets).max(axis=(0, 2)) < 1e-6 * scale).all()


def test_next_repeat_from_the_file(robot, learned, tmp_path) -> None:
    """The result from a file is that of the record, by the times of the file."""
    motion, path = learned[1], tmp_path / 'learned.yaml'
    motion.to_yaml(path)
    assert has_history(path) and not has_history(tmp_path / 'none.yaml')
    assert len(read_trajectory(path).points) == len(motion.curve.breaks)
    stored = LearnedMotion.from_yaml(path)
    shift = 1.0 - motion.curve.breaks[0]
    recording = run(robot, motion.curve, 2)
    later = sd.Recording(
        recording.joint_names, recording.times + shift, recording.positions, recording.efforts
    )
    expected = sd.learn_motion(robot, motion, recording, gains=GAINS)
    found = sd.learn_motion(robot, stored, later, gains=GAINS)
    np.testing.assert_allclose(found.rms, expected.rms, rtol=1e-9)
    np.testing.assert_allclose(found.largest, expected.largest, rtol=1e-9)
    times = np.linspace(*expected.curve.breaks[[0, -1]], 300)
    np.testing.assert_allclose(
        found.curve.jets(times + shift, 2), expected.curve.jets(times, 2), rtol=0.0, atol=1e-8
    )
    assert (found.finished, found.best_run) == (expected.finished, expected.best_run)
    again = LearnedMotion.from_yaml(found.to_yaml())
    np.testing.assert_array_equal(again.curve.breaks, found.curve.breaks)
    np.testing.assert_allclose(again.best.coefficients, found.best.coefficients, atol=1e-12)


def test_texts(learned) -> None:
    """The table has a row per run; the verdict says what the next run follows."""
    text = str(learned[-1])
    assert [line.split()[0] for line in text.splitlines()[1:4]] == ['0', '1', '2']
    assert '2 (best)' in text
    assert 'the next run follows a corrected motion: step 0.' in text
    assert repr(learned[-1]) == 'LearnedMotion(2 joints, 3 runs, to be continued)'


@pytest.mark.parametrize(
    ('old', 'new', 'pattern'),
    [
        ('learning:', 'learned:', "expected an entry 'learning'"),
        ('continuity: 4', 'continuity: four', 'learning.wanted.continuity: expected a number'),
        ('finished: false', 'finished: perhaps', 'learning.finished: expected true or false'),
    ],
)
def test_invalid_files(learned, old, new, pattern) -> None:
    """Errors name the entry."""
    text = learned[1].to_yaml()
    assert old in text
    with pytest.raises(TrajectoryError, match=pattern):
        LearnedMotion.from_yaml(text.replace(old, new))
