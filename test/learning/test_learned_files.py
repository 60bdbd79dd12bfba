# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory files of learned motions: what receivers follow, and what the next repeat needs."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.learning_arm import GAINS, run

import screw_dynamics as sd
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.learning import LearnedMotion
from screw_dynamics.trajectory import (
    parse_trajectory,
    read_trajectory,
    smooth_trajectory,
    waypoints_from_points,
)


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
