# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions that excite: within all limits, better than others, with bands as predicted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven

import screw_dynamics as sd
from screw_dynamics.errors import InfeasibleError, InputError, ShapeError, UnknownNameError

NOISE, SHARE, TRIALS = 0.3, 0.7, 40
BOX = np.array([[-1.5, -0.5, -0.6], [1.5, 0.5, 0.9]])


@pytest.fixture(scope='module')
def robot():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    return sd.Robot(arm, drawn_drives(arm, np.random.default_rng(2)))


@pytest.fixture(scope='module')
def motion(robot):
    return sd.excitation_motion(
        robot, payload='tool', effort_noise=NOISE, share=SHARE, trials=TRIALS, duration=12.0
    )


def largest(robot, curve):
    """Return the largest speeds and link efforts (n,) of a motion, at steps of 1 ms."""
    jets = curve.jets(np.arange(0.0, curve.duration, 1e-3), rows=3)
    efforts = sd.inverse_dynamics(robot.model, jets)[:, 0]
    return np.abs(jets[:, 1]).max(axis=0), np.abs(efforts).max(axis=0), jets


def test_limits_are_kept_and_used(robot, motion):
    speed, effort, jets = largest(robot, motion.curve)
    limits = robot.model.limits
    assert motion.report.feasible
    assert (speed <= SHARE * limits.velocity).all() and (effort <= SHARE * limits.effort).all()
    assert (jets[:, 0] >= limits.lower).all() and (jets[:, 0] <= limits.upper).all()
    used = [(speed / limits.velocity).max(), (effort / limits.effort).max()]
    assert max(used) > 0.8 * SHARE


def test_the_motion_is_smooth_from_rest_to_rest(motion):
    assert motion.curve.continuity == 4 and motion.curve.duration == 12.0
    ends = motion.curve.jets([0.0, 12.0], rows=5)
    assert not ends[:, 1:].any() and (ends[0, 0] == ends[1, 0]).all()


def test_trials_make_the_covariance_smaller(robot, motion):
    first = sd.excitation_motion(
        robot, payload='tool', effort_noise=NOISE, share=SHARE, trials=0, duration=12.0
    )
    known = np.isfinite(motion.standard_deviations) & np.isfinite(first.standard_deviations)
    ratios = motion.standard_deviations[known] / first.standard_deviations[known]
    assert np.log(ratios).mean() < -0.1


def test_an_identification_has_the_bands_that_were_predicted(robot, motion):
    recording = driven(
        robot.model,
        robot.drives,
        np.random.default_rng(0),
        curve=motion.curve,
        seconds=12.0,
        effort_noise=np.full(robot.n, NOISE),
    )
    found = sd.identify_drives(robot, recording, payload='tool')
    reported = {name: deviation for name, _, deviation in found.rows}
    ratios = []
    for name, _, predicted in motion.rows:
        assert np.isfinite(predicted) == np.isfinite(reported[name]), name
        if np.isfinite(predicted):
            ratios.append(reported[name] / predicted)
    # each of the reported ones rests on some forty windows: one eighth of it is chance
    assert np.exp(np.mean(np.log(ratios))) == pytest.approx(1.0, abs=0.15)
    assert 0.6 < min(ratios) and max(ratios) < 1.6
    unknown = {row[0] for row in motion.rows if not np.isfinite(row[2])}
    assert unknown == {f'payload.{name}' for name in ('mz', 'xx', 'xy', 'yy', 'xz', 'yz')}
    assert 'payload.mz' in str(motion) and 'unknown' in str(motion)


def test_frames_stay_in_their_boxes(robot):
    found = sd.excitation_motion(
        robot, effort_noise=NOISE, trials=5, duration=12.0, workspace={'tool': BOX}
    )
    positions = found.curve.jets(np.arange(0.0, 12.0, 1e-3), rows=1)[:, 0]
    places = sd.frame_pose(robot.model, positions, 'tool')[:, :3, 3]
    assert (places > BOX[0]).all() and (places < BOX[1]).all()
    free = sd.excitation_motion(robot, effort_noise=NOISE, trials=5, duration=12.0)
    others = free.curve.jets(np.arange(0.0, 12.0, 1e-3), rows=1)[:, 0]
    outside = sd.frame_pose(robot.model, others, 'tool')[:, :3, 3]
    assert (outside < BOX[0]).any() or (outside > BOX[1]).any()


def test_a_robot_without_drives():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    found = sd.excitation_motion(arm, trials=2, duration=8.0, start=[0.5, -0.5])
    assert (found.waypoints.positions[[0, -1]] == [0.5, -0.5]).all()
    assert not any('stiffness' in name for name in found.names)


@pytest.mark.parametrize(
    'options, kind, text',
    [
        ({'share': 1.2}, InputError, 'share: expected a number up to 1'),
        ({'start': [9.0, 0.0]}, InputError, 'start: expected positions within the limits'),
        ({'effort_noise': [1.0, 2.0, 3.0]}, ShapeError, 'effort_noise'),
        ({'effort_noise': 0.0}, InputError, 'effort_noise: expected numbers above 0'),
        ({'workspace': {'hand': BOX}}, UnknownNameError, 'hand'),
        ({'workspace': {'tool': BOX[0]}}, ShapeError, 'workspace'),
        ({'workspace': {'tool': BOX[::-1]}}, InputError, 'low below high'),
        ({'workspace': {'tool': BOX + 9.0}}, InfeasibleError, 'start: expected a begin'),
        ({'points': 0}, InputError, 'points'),
    ],
)
def test_options_that_are_refused(robot, options, kind, text):
    with pytest.raises(kind, match=text):
        sd.excitation_motion(robot, duration=8.0, trials=0, **options)


def test_effort_noise_without_limits(robot):
    limits = replace(robot.model.limits, effort=np.array([np.inf, 10.0]))
    unlimited = sd.Robot(replace(robot.model, limits=limits), robot.drives)
    with pytest.raises(InputError, match=r"effort_noise: expected values, as joint 'joint_1'"):
        sd.excitation_motion(unlimited, trials=0)
