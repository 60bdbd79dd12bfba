# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that cannot be used, or not all of them: the text names what is wrong with them."""

import numpy as np
import pytest
from helpers.recordings import (
    COM,
    EFFORT_NOISE,
    V0,
    drawn,
    random_motion,
    random_robot,
    recording,
)

import screw_dynamics as sd
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    RecordingWarning,
    ShapeError,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.estimation.identification import Recording, identify
from screw_dynamics.estimation.identification.recording_checks import effort_spikes


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
    refused(iiwa, changed(good, positions=positions), "joint 'joint_1'.*are they in degrees")


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


def test_many_spikes_of_efforts(iiwa, good):
    efforts = good.efforts.copy()
    efforts[10::50, 2] += 40.0
    text = "'joint_3': expected efforts without spikes, got 7[0-9], the largest at"
    refused(iiwa, changed(good, efforts=efforts), text)


def late(good, delays):
    efforts = [
        np.interp(good.times - delay, good.times, column)
        for delay, column in zip(delays, good.efforts.T, strict=True)
    ]
    return changed(good, efforts=np.column_stack(efforts))


def test_efforts_that_lag_the_positions(iiwa, good):
    text = 'efforts of the instants.*lag by (19|20|21) ms; so do those of [2-6] other joints'
    refused(iiwa, late(good, np.full(7, 0.02)), text)


def test_efforts_of_one_joint_that_lag(iiwa, good):
    text = "'joint_3': expected efforts of the instants.*that lag by (19|20|21) ms$"
    refused(iiwa, late(good, 0.02 * np.eye(7)[2]), text)


def test_efforts_ahead_of_the_positions(iiwa, good):
    text = "'joint_2': expected efforts of the instants.*that are (9|10|11) ms ahead$"
    refused(iiwa, late(good, -0.01 * np.eye(7)[1]), text)


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
    with pytest.raises(ShapeError, match='kept'):
        good.samples([True, False])
    with pytest.raises(NotFiniteError, match='times'):
        changed(good, times=good.times * np.nan)
    with pytest.raises(InputError, match='named twice'):
        Recording(['a', 'a'], [0.0], [[0.0, 0.0]], [[0.0, 0.0]])


@pytest.mark.parametrize('seed', range(2))
def test_single_spikes_of_efforts_are_left_out(seed):
    """With a warning; what is found hardly changes, nor what remains of the held-out part."""
    model = random_robot(seed)
    measured, _ = drawn(model, 100 + seed, seconds=20.0)
    rng = np.random.default_rng(seed)
    efforts, joint = measured.efforts.copy(), rng.integers(model.n)
    rows = [*rng.integers(100, 2900, 3), 3500]
    efforts[rows, joint] += rng.choice([-1.0, 1.0]) * 2.0 * np.ptp(efforts[:, joint])
    spoilt = changed(measured, efforts=efforts)
    text = (
        f"joint '{model.joint_names[joint]}': expected efforts without spikes, got 3, .*left out"
    )
    with pytest.warns(RecordingWarning, match=text):
        found = identify(model, spoilt.between(0.0, 15.0))
    kept = identify(model, measured.between(0.0, 15.0))
    known = np.isfinite(kept.standard_deviations)
    away = np.abs(found.values - kept.values) / kept.standard_deviations
    assert away[known].max() < 0.5
    remaining = found.validate(spoilt.between(15.0, 20.0))
    assert remaining[joint] < 2.0 * EFFORT_NOISE


@pytest.mark.parametrize('rate', [20.0, 50.0])
def test_fast_motions_between_samples_are_no_spikes(planar, rate):
    """Nor is friction that changes its sign."""
    rng = np.random.default_rng(31)
    times, jets = random_motion(planar, rng, 30.0, rate)
    modelled = sd.inverse_dynamics(planar, jets)[:, 0]
    measured = recording(planar, rng, times, jets, modelled + 5.0 * np.tanh(jets[:, 1] / V0))
    assert not effort_spikes(measured.efforts, modelled).any()


@pytest.mark.parametrize('seed', range(2))
def test_what_the_fit_lacks_is_no_delay(seed):
    """Neither a load of 1 kg nor friction is identified: nothing is refused."""
    model = random_robot(seed)
    load = model.body_names[-1], 1.0, COM, np.diag([1e-3, 2e-3, 1.5e-3])
    measured, _ = drawn(model, 200 + seed, load)
    with pytest.warns(RecordingWarning, match='is it sought'):
        identify(model, measured, friction=False)
