# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that cannot be used, or not all of them: the text names what is wrong with them."""

import warnings

import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven, wrong_drives
from helpers.recordings import (
    COM,
    EFFORT_NOISE,
    POSITION_NOISE,
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


def edited(array, rows, columns, value, add=False):
    """Return a copy of an array with some entries replaced, or increased."""
    array = array.copy()
    array[rows, columns] = value + (array[rows, columns] if add else 0.0)
    return array


def late(good, delays):
    efforts = [
        np.interp(good.times - delay, good.times, column)
        for delay, column in zip(delays, good.efforts.T, strict=True)
    ]
    return {'efforts': np.column_stack(efforts)}


def clipped(good):
    limit = 0.5 * np.abs(good.efforts).max(axis=0)
    return {'efforts': np.clip(good.efforts, -limit, limit)}


def efforts(change):
    return lambda good: {'efforts': change(good.efforts)}


def positions(change):
    return lambda good: {'positions': change(good.positions)}


def times(change):
    return lambda good: {'times': change(good.times)}


ALL, HELD = slice(None), slice(1000, 1400)
REFUSED = {
    'reversed joint': (efforts(lambda e: e * [1, 1, 1, 1, 1, -1, 1]), "'joint_6'.*is reversed"),
    'swapped joints': (
        efforts(lambda e: e[:, [0, 3, 2, 1, 4, 5, 6]]),
        "'joint_2'.*'joint_4'.*swapped",
    ),
    'another unit': (efforts(lambda e: 100.0 * e), 'times those of the model'),
    'degrees': (positions(np.degrees), "joint 'joint_1'.*are they in degrees"),
    'clipped': (clipped, 'they are clipped'),
    'not measured': (
        efforts(lambda e: edited(e, ALL, 3, 3.3)),
        "'joint_4': expected measured efforts, got 3.3 all the time",
    ),
    'zero': (efforts(lambda e: edited(e, ALL, 3, 0.0)), 'measured efforts, got 0 all the time'),
    'missing for a while': (
        efforts(lambda e: edited(e, HELD, ALL, 0.0)),
        'got 0 all the time from 5 s to 6.995 s',
    ),
    'many spikes': (
        efforts(lambda e: edited(e, slice(10, None, 50), 2, 40.0, add=True)),
        "'joint_3': expected efforts without spikes, got 7[0-9], the largest at",
    ),
    'lag': (
        lambda good: late(good, np.full(7, 0.08)),
        'efforts of the instants.*lag by (7|8)[0-9] ms; so do those of [2-6] other joints$',
    ),
    'noise': (
        efforts(lambda e: 0.1 * np.random.default_rng(0).normal(size=e.shape)),
        'or no measured efforts',
    ),
    'far back': (times(lambda t: t - 3.0 * (t >= 10.0)), 'one motion.*jump back'),
    'back': (times(lambda t: t - 0.05 * (t >= 10.0)), 'a jump at'),
    'ms': (times(lambda t: 1e3 * t), 'are the times in s?'),
    'ns': (times(lambda t: 1e9 * t), 'are the times in s?'),
    'a jump': (
        positions(lambda q: edited(q, slice(2000, 2001), 1, 0.5, add=True)),
        "'joint_2': expected positions of a smooth motion, got a jump at 10 s",
    ),
    'held for a while': (
        positions(lambda q: edited(q, HELD, ALL, q[1000])),
        'expected positions of a smooth motion, got a jump at (6.995|7) s',
    ),
    'at rest': (positions(lambda q: edited(q, ALL, 4, 0.3)), "'joint_5'.*expected a motion"),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_is_wrong_is_named(iiwa, good, case):
    change, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        identify(iiwa, changed(good, **change(good)))


@pytest.mark.parametrize(
    'delays, text',
    [
        (np.full(7, 0.02), 'lag by (19|2[0-5]) ms; so do those of 6 other joints; taken'),
        (0.02 * np.eye(7)[2], "'joint_3': .* that lag by (19|20|21) ms; taken out"),
        (
            -0.01 * np.eye(7)[1],
            "'joint_2': .* that are (9|10|11) ms ahead; taken out; .* set lead_time: 0.01",
        ),
    ],
)
def test_delays_are_taken_out(iiwa, good, delays, text):
    """Those of light joints, whose efforts are noise for the most part, are that of the others."""
    with pytest.warns(RecordingWarning, match=text):
        found = identify(iiwa, changed(good, **late(good, delays)))
    np.testing.assert_allclose(found.delays, delays, atol=2e-3)
    on_time = identify(iiwa, good)
    assert (on_time.delays == 0.0).all()
    # values between two samples have less noise
    assert (found.residuals < 1.1 * on_time.residuals).all()
    held_out = changed(good, **late(good, delays)).between(15.0, 20.0)
    assert (found.validate(held_out) < 1.2 * on_time.residuals).all()


def test_time_stamps_that_jump_ahead(iiwa, good):
    times = np.where(good.times < 10.0, good.times, good.times + 5.0)
    with pytest.raises(TrajectoryError, match='nothing was recorded for 5.005 s after 9.995'):
        identify(iiwa, changed(good, times=times))


def test_a_short_recording(iiwa, good):
    with pytest.raises(InputError, match='recording'):
        identify(iiwa, good.between(0.0, 0.5))


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


def after_rest(measured, pushes, rng, noise=POSITION_NOISE):
    """Return a recording that begins with 4 s at rest, under efforts (t) of its first sample."""
    times = np.arange(0.0, 4.0, measured.times[1] - measured.times[0])
    fields = {'times': np.concatenate((times, 4.0 + measured.times - measured.times[0]))}
    for name in ('positions', 'motor_positions', 'efforts', 'motor_efforts'):
        column = getattr(measured, name)
        if column is not None and not np.isnan(column).any():
            rest = noise * rng.normal(size=(len(times), column.shape[1]))
            rest += pushes(times)[:, None] if 'efforts' in name else column[0]
            fields[name] = np.concatenate((rest, column))
    return Recording(measured.joint_names, **fields)


def test_joints_that_brakes_hold_are_left_out():
    """Efforts at rest that friction explains are not; others bias offsets by ten deviations."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(2)
    measured, drives = drawn(model, 2, seconds=15.0)
    found = identify(model, measured, offsets=True)
    friction = drives.coulomb.min()
    with warnings.catch_warnings():
        warnings.simplefilter('error', RecordingWarning)
        identify(
            model, after_rest(measured, lambda t: 0.5 * friction + 0.0 * t, rng), offsets=True
        )
    held = after_rest(measured, lambda t: 20.0 * np.sin(t) ** 2, rng)
    text = r"'joint_[12]'.* at rest, got up to 1\d.* from 0\.\d* s to 4\.\d* s.*brakes.*--start"
    with pytest.warns(RecordingWarning, match=text):
        same = identify(model, held, offsets=True)
    away = np.abs(same.values - found.values) / found.standard_deviations
    assert away.max() < 1.0
    kept = identify(model, held, offsets=True, check=False)
    assert (np.abs(kept.values - found.values) / found.standard_deviations).max() > 10.0


def test_brakes_of_simulated_drives_are_left_out(planar):
    """As `sea_simulator` begins: brakes carry the weight, and motor efforts are zero."""
    rng = np.random.default_rng(3)
    drives = drawn_drives(planar, rng)
    measured = driven(planar, drives, rng, rate=250.0)
    robot = sd.Robot(planar, wrong_drives(drives, 1.1))
    found = sd.identify_drives(robot, measured)
    with pytest.warns(RecordingWarning, match="'joint_1'.*do brakes hold it"):
        same = sd.identify_drives(robot, after_rest(measured, np.zeros_like, rng))
    for (name, value, deviation), (_, again, _) in zip(found.rows, same.rows, strict=True):
        assert abs(again - value) < deviation, name


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
