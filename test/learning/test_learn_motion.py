# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Repeats that learn: errors fall, the end of it, limits, inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.learning_arm import GAINS, NOISE, run

import screw_dynamics as sd
from screw_dynamics.errors import InfeasibleError, InputError
from screw_dynamics.learning.learned_motion import overall


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
    refused('expected samples, got none', recordings=recording.between(5.0, 6.0))
    refused('curve: expected a PiecewisePolynomial', curve=3)
    refused('uncertainty: expected a finite number of 0', uncertainty=-0.1)
    refused('delay: expected a finite number of 0', delay=-1.0)
    refused('uncertainty: expected one with which corrections converge', uncertainty=20.0)
    refused('step: expected at most 1', step=1.5)
    refused('smoothing_time: expected a finite number', smoothing_time=1e-4)
    refused(r'gains\[1\]', gains=(np.ones(2), np.ones(3)))


def replaced(recording: sd.Recording, positions: np.ndarray) -> sd.Recording:
    """Return a recording with other positions."""
    return sd.Recording(recording.joint_names, recording.times, positions, recording.efforts)
