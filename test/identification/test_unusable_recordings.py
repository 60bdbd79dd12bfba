# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that cannot be used: the error names what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.recordings import drawn

from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.identification import Recording, identify


@pytest.fixture(scope='module')
def good(iiwa):
    return drawn(iiwa, 6)[0]


def changed(good, **fields):
    kept = {name: getattr(good, name) for name in ('times', 'positions', 'efforts')}
    return Recording(good.joint_names, **(kept | fields))


def refused(iiwa, measured, text):
    with pytest.raises(InputError, match=text):
        identify(iiwa, measured)


def test_reversed_joint(iiwa, good):
    efforts = good.efforts * [1, 1, 1, 1, 1, -1, 1]
    refused(iiwa, changed(good, efforts=efforts), "'joint_6'.*is reversed")


def test_swapped_joints(iiwa, good):
    efforts = good.efforts[:, [0, 3, 2, 1, 4, 5, 6]]
    refused(iiwa, changed(good, efforts=efforts), "'joint_2'.*'joint_4'.*swapped")


def test_efforts_in_another_unit(iiwa, good):
    refused(iiwa, changed(good, efforts=100.0 * good.efforts), 'times those of the model')


def test_positions_in_degrees(iiwa, good):
    positions = np.degrees(good.positions)
    refused(iiwa, changed(good, positions=positions), 'are they in degrees')


def test_clipped_efforts(iiwa, good):
    limit = 0.5 * np.abs(good.efforts).max(axis=0)
    efforts = np.clip(good.efforts, -limit, limit)
    refused(iiwa, changed(good, efforts=efforts), 'they are clipped')


@pytest.mark.parametrize('value', [0.0, 3.3])
def test_efforts_that_were_not_measured(iiwa, good, value):
    efforts = good.efforts.copy()
    efforts[:, 3] = value
    text = f"'joint_4': expected measured efforts, got {value:g} all the time"
    refused(iiwa, changed(good, efforts=efforts), text)


def test_efforts_that_are_missing_for_a_while(iiwa, good):
    efforts = good.efforts.copy()
    efforts[1000:1400] = 0.0
    text = 'got 0 all the time from 5 s to 6.995 s'
    refused(iiwa, changed(good, efforts=efforts), text)


def test_efforts_that_are_noise(iiwa, good):
    efforts = 0.1 * np.random.default_rng(0).normal(size=good.efforts.shape)
    refused(iiwa, changed(good, efforts=efforts), 'or no measured efforts')


@pytest.mark.parametrize('back, text', [(3.0, 'one motion.*jump back'), (0.05, 'a jump at')])
def test_time_stamps_that_jump_back(iiwa, good, back, text):
    times = np.where(good.times < 10.0, good.times, good.times - back)
    refused(iiwa, changed(good, times=times), text)


def test_time_stamps_that_jump_ahead(iiwa, good):
    times = np.where(good.times < 10.0, good.times, good.times + 5.0)
    with pytest.raises(TrajectoryError, match='nothing was recorded for 5.005 s after 9.995'):
        identify(iiwa, changed(good, times=times))


@pytest.mark.parametrize('unit', [1e3, 1e9])
def test_time_stamps_in_another_unit(iiwa, good, unit):
    refused(iiwa, changed(good, times=unit * good.times), 'are the times in s?')


def test_positions_that_jump(iiwa, good):
    positions = good.positions.copy()
    positions[2000, 1] += 0.5
    text = "'joint_2': expected positions of a smooth motion, got a jump at 10 s"
    refused(iiwa, changed(good, positions=positions), text)


def test_positions_that_are_held_for_a_while(iiwa, good):
    positions = good.positions.copy()
    positions[1000:1400] = positions[1000]
    text = 'expected positions of a smooth motion, got a jump at (6.995|7) s'
    refused(iiwa, changed(good, positions=positions), text)


def test_a_joint_at_rest(iiwa, good):
    positions = good.positions.copy()
    positions[:, 4] = 0.3
    refused(iiwa, changed(good, positions=positions), "'joint_5'.*expected a motion")


def test_a_short_recording(iiwa, good):
    refused(iiwa, good.between(0.0, 0.5), 'recording')


def test_nothing_to_identify(iiwa, good):
    with pytest.raises(InputError, match='expected some parameters'):
        identify(iiwa, good, friction=False, rotors=False)


def test_names_and_shapes(iiwa, good):
    with pytest.raises(UnknownNameError, match='nose'):
        identify(iiwa, good, payload='nose')
    other = Recording([f'j{i}' for i in range(7)], good.times, good.positions, good.efforts)
    with pytest.raises(UnknownNameError, match='joint_1'):
        identify(iiwa, other)
    with pytest.raises(ShapeError, match='efforts'):
        changed(good, efforts=good.efforts[:, :3])
    with pytest.raises(NotFiniteError, match='times'):
        changed(good, times=good.times * np.nan)
    with pytest.raises(InputError, match='named twice'):
        Recording(['a', 'a'], [0.0], [[0.0, 0.0]], [[0.0, 0.0]])
