# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings that cannot be used, or not all of them: the text names what is wrong with them."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.recordings import (
    COM,
    EFFORT_NOISE,
    POSITION_NOISE,
    V0,
    Drives,
    drawn,
    random_motion,
    random_robot,
    recording,
)
from scipy.signal import lfilter
from scipy.spatial.transform import Rotation

import screw_dynamics as sd
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    RecordingWarning,
    ShapeError,
    UnknownNameError,
)
from screw_dynamics.estimation.identification import Recording, identify
from screw_dynamics.estimation.identification.findings import effort_spikes
from screw_dynamics.estimation.identification.fit import certain_delays
from screw_dynamics.estimation.identification.recorded_rows import rows_of


@pytest.fixture(scope='module')
def good(planar):
    return drawn(planar, 6)[0]


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
    return replace(good, efforts=np.column_stack(efforts))


def clipped(efforts):
    limit = 0.5 * np.abs(efforts).max(axis=0)
    return np.clip(efforts, -limit, limit)


ALL, HELD = slice(None), slice(1000, 1800)
REFUSED = {
    'reversed joint': ('efforts', lambda e: e * [1, -1], "'joint_2'.*is reversed"),
    'another unit': ('efforts', lambda e: 100.0 * e, 'some that are .* times those of the model'),
    'degrees': ('positions', np.degrees, "joint 'joint_1'.*are they in degrees"),
    'clipped': ('efforts', clipped, 'they are clipped'),
    'not measured': ('efforts', lambda e: 0.0 * e, 'measured efforts, got the same ones'),
    'lag': (
        'efforts',
        lambda e: np.roll(e, 16, axis=0),
        'efforts of the instants.*lag by (7|8)[0-9] ms; so do those of 1 other joints$',
    ),
    'noise': (
        'efforts',
        lambda e: 0.1 * np.random.default_rng(0).normal(size=e.shape),
        'or no measured efforts',
    ),
    'far back': ('times', lambda t: t - 3.0 * (t >= 10.0), 'one motion.*jump back'),
    'ms': ('times', lambda t: 1e3 * t, 'are the times in s?'),
    'ns': ('times', lambda t: 1e9 * t, 'are the times in s?'),
    'at rest': ('positions', lambda q: 0.01 * q, 'expected a motion of at least'),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_is_wrong_is_named(planar, good, case):
    field, change, text = REFUSED[case]
    with pytest.raises(InputError, match=text):
        identify(planar, replace(good, **{field: change(getattr(good, field))}))


LEFT_OUT = {
    'not measured': (
        'efforts',
        lambda e: edited(e, ALL, 1, 3.3),
        "'joint_2': expected measured efforts, got the same .* in 100 % .* joint is left out",
    ),
    'a dead band': (
        'efforts',
        lambda e: e * (np.abs(e) > np.quantile(np.abs(e), 0.7, axis=0) * [0.0, 1.0]),
        "'joint_2': .* in 100 % .* the joint is left out",
    ),
    'zero': ('efforts', lambda e: edited(e, ALL, 1, 0.0), "'joint_2': .* the joint is left out"),
    'another unit': (
        'efforts',
        lambda e: e * [1.0, 0.01],
        "'joint_2': .* 0.01 times those of the model .* left out",
    ),
    'at rest': ('positions', lambda q: edited(q, ALL, 1, 0.3), "'joint_2'.* got 0: left out"),
}


@pytest.mark.parametrize('case', LEFT_OUT)
def test_a_joint_that_tells_nothing_is_left_out(planar, good, case):
    """With its parameters; those of the other joint hardly change."""
    field, change, text = LEFT_OUT[case]
    measured = replace(good, **{field: change(getattr(good, field))})
    if case == 'at rest':  # the efforts of the first joint are those of another motion
        locked = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'), locked={'joint_2': 0.3})
        own, drives = drawn(locked, 6)
        pad = np.zeros_like(own.positions)
        measured = Recording(
            ('joint_1', 'joint_2'),
            own.times,
            np.hstack((own.positions, pad + 0.3)),
            np.hstack((own.efforts, pad)),
        )
        truth = drives.parameters
    else:
        truth = drawn(planar, 6)[1].parameters[::2]
    with pytest.warns(RecordingWarning, match=text):
        found = identify(planar, measured)
    assert found.names == ('joint_1.viscous', 'joint_1.coulomb', 'joint_1.rotor_inertia')
    assert (np.abs(found.values - truth) < 4.0 * found.standard_deviations).all()
    assert found.findings[0].joints == ('joint_2',)
    assert found.robot().model.n == 2


SPOILT = {
    'missing for a while': ('efforts', lambda e: edited(e, HELD, ALL, 0.0), 'from 5 s to 8.995 s'),
    'many spikes': (
        'efforts',
        lambda e: edited(e, slice(10, None, 50), 1, 80.0, add=True),
        "'joint_2': expected efforts without spikes, got 7[0-9], the largest at",
    ),
    'a jump': (
        'positions',
        lambda q: edited(q, slice(2000, 2001), 1, 0.5, add=True),
        "jumps of 'joint_2' at 10, 10.005 s: cut into 2 parts there, 1 samples left out",
    ),
    'held for a while': (
        'positions',
        lambda q: edited(q, HELD, ALL, q[1000]),
        '1 gaps, the longest 4 s after 5 s: cut into 2 parts',
    ),
    'a gap': ('times', lambda t: t + 5.0 * (t >= 10.0), 'the longest 5 s after 9.995 s'),
}


@pytest.mark.parametrize('case', SPOILT)
def test_samples_that_tell_nothing_are_left_out(planar, good, case):
    """And the others have parameters within their bands."""
    field, change, text = SPOILT[case]
    with pytest.warns(RecordingWarning, match=text):
        found = identify(planar, replace(good, **{field: change(getattr(good, field))}))
    truth = drawn(planar, 6)[1].parameters
    assert (np.abs(found.values - truth) < 4.0 * found.standard_deviations).all()
    assert (found.residuals < 1.1 * EFFORT_NOISE).all()


def test_stuck_efforts_are_left_out_where_links_are_sought(planar, good):
    """They are told by the model given, whose parameters are sought."""
    with pytest.warns(RecordingWarning, match='from 5 s to 8.995 s: left out'):
        identify(planar, replace(good, efforts=edited(good.efforts, HELD, ALL, 0.0)), links=True)


def test_samples_held_by_chance_and_stamps_that_scatter(planar):
    """Repeats of the sample before are left out, and stamps taken at the clock of the samples."""
    measured, drives = drawn(planar, 8, seconds=15.0)
    rng = np.random.default_rng(8)
    held = rng.random(len(measured.times)) < 0.05
    rows = np.where(held, np.arange(len(held)) - 1, np.arange(len(held)))[1:]
    stamps = measured.times[1:] + rng.uniform(0.0, 3e-3, len(rows))
    spoilt = Recording(
        planar.joint_names, stamps, measured.positions[rows], measured.efforts[rows]
    )
    found = identify(planar, spoilt)
    assert {finding.kind for finding in found.findings} == {'held', 'clock'}
    assert (np.abs(found.values - drives.parameters) < 4.0 * found.standard_deviations).all()
    assert (found.residuals < 1.1 * EFFORT_NOISE).all()


@pytest.mark.parametrize('rows', [slice(400), slice(3600, None)])
def test_samples_held_at_either_end_are_left_out(good, rows):
    """But for one, as a robot that rests then, or a driver that has nothing to say yet."""
    positions = edited(good.positions, rows, ALL, good.positions[rows][0])
    found = rows_of(replace(good, positions=positions), [False, False])
    assert len(good.times) - len(found.recording.times) == 399


def test_correlated_noise_is_no_motion(planar):
    """What white noise would take for motion is told from it by efforts that are held out."""
    measured, drives = drawn(planar, 10, seconds=15.0)
    rng = np.random.default_rng(10)
    noise = lfilter([1.0], [1.0, -0.95], 3e-5 * rng.normal(size=measured.positions.shape), axis=0)
    found = identify(planar, replace(measured, positions=measured.positions + noise))
    assert (np.abs(found.values - drives.parameters) < 4.0 * found.standard_deviations).all()
    assert (found.residuals < 1.1 * EFFORT_NOISE).all()


@pytest.mark.parametrize('levels', [0.005, 0.01, 0.02])
def test_efforts_of_a_coarse_sensor_are_neither_clipped_nor_spikes(planar, levels):
    """Without noise that hides the steps, which are parts of the largest effort."""
    rng = np.random.default_rng(12)
    times, jets = random_motion(planar, rng, 20.0)
    drives = Drives(planar, rng)
    efforts = sd.inverse_dynamics(planar, jets)[:, 0] + drives.efforts(jets)
    steps = levels * np.abs(efforts).max(axis=0)
    positions = jets[:, 0] + POSITION_NOISE * rng.normal(size=efforts.shape)
    coarse = Recording(planar.joint_names, times, positions, steps * np.round(efforts / steps))
    found = identify(planar, coarse)
    assert not found.findings
    assert (np.abs(found.values - drives.parameters) < 4.0 * found.standard_deviations).all()


@pytest.mark.parametrize(
    'axis, angle, text',
    [((0, 1, 0), 10.0, '9|10|11'), ((1, 0, 0), 90.0, '89|9[01]'), ((0, 1, 0), 180.0, '1[78].')],
)
def test_gravity_of_another_base_is_named(iiwa, axis, angle, text):
    """On a slope, on a wall, on a ceiling; the first joint turns about a vertical axis."""
    turn = Rotation.from_rotvec(np.radians(angle) * np.array(axis))
    mounted = replace(iiwa, gravity=turn.apply(np.array(iiwa.gravity)))
    with pytest.raises(InputError, match=rf'gravity .* turned by ({text}) degrees: does the base'):
        identify(iiwa, drawn(mounted, 13)[0])


@pytest.mark.parametrize(
    'arm, delays, text',
    [
        ('iiwa', np.full(7, 0.02), 'lag by (19|2[0-5]) ms; so do those of 6 other joints; taken'),
        ('planar', 0.02 * np.eye(2)[1], "'joint_2': .* that lag by (19|20|21) ms; taken out"),
        (
            'planar',
            -0.01 * np.eye(2)[0],
            "'joint_1': .* that are (9|10|11) ms ahead; taken out; .* set lead_time: 0.0(1|099)",
        ),
    ],
)
def test_delays_are_taken_out(request, arm, delays, text):
    """Those of light joints, whose efforts are noise for the most part, are that of the others."""
    model = request.getfixturevalue(arm)
    good = drawn(model, 6, seconds=15.0)[0]
    with pytest.warns(RecordingWarning, match=text):
        found = identify(model, late(good, delays))
    np.testing.assert_allclose(found.delays, delays, atol=2e-3)
    on_time = identify(model, good)
    assert (on_time.delays == 0.0).all()
    # values between two samples have less noise
    assert (found.residuals < 1.1 * on_time.residuals).all()
    held_out = late(good, delays).between(10.0, 15.0)
    assert (found.validate(held_out) < 1.2 * on_time.residuals).all()


def test_delays_far_beyond_what_is_linear_in_them_are_none():
    """Half of a real recording was refused for a wrist that lagged by 2 s, surely."""
    delays = certain_delays(np.array([0.02, 2.0, -0.01]), np.array([1e-3, 1e-2, 1e-2]))
    np.testing.assert_array_equal(delays, [0.02, 0.0, 0.0])


def test_too_little(planar, good):
    with pytest.raises(InputError, match='recording: expected more than'):
        identify(planar, good.between(2.0, 2.1))
    with pytest.raises(InputError, match='expected some parameters'):
        identify(planar, good, friction=False, rotors=False)


def test_names_and_shapes(planar, good):
    with pytest.raises(UnknownNameError, match='nose'):
        identify(planar, good, payload='nose')
    other = Recording(['a', 'b'], good.times, good.positions, good.efforts)
    text = "none of its joints a, b is in the model.*joint_names.*'a': .* joint_1, joint_2"
    with pytest.raises(UnknownNameError, match=text):
        identify(planar, other)
    with pytest.raises(ShapeError, match='efforts'):
        replace(good, efforts=good.efforts[:, :1])
    with pytest.raises(ShapeError, match='kept'):
        good.samples([True, False])
    with pytest.raises(NotFiniteError, match='times'):
        replace(good, times=good.times * np.nan)
    with pytest.raises(NotFiniteError, match='deflections'):
        replace(good, deflections=np.where(good.times[:, None] < 1.0, np.nan, good.positions))
    with pytest.raises(InputError, match='named twice'):
        Recording(['a', 'a'], [0.0], [[0.0, 0.0]], [[0.0, 0.0]])


def test_columns_of_nan_were_not_measured(good):
    """Of all but positions; samples and columns keep what was measured."""
    some = np.where([True, False], np.nan, good.positions)
    fields = 'efforts', 'motor_positions', 'motor_efforts', 'deflections'
    measured = replace(good, **dict.fromkeys(fields, some)).between(1.0, 2.0)
    kept = (good.times >= 1.0) & (good.times <= 2.0)
    for name in fields:
        np.testing.assert_array_equal(getattr(measured, name), some[kept])
    assert 'deflections' in repr(measured)
    with pytest.raises(NotFiniteError, match='positions'):
        replace(good, positions=some)


def test_single_spikes_of_efforts_are_left_out():
    """With a warning; what is found hardly changes, nor what remains of the held-out part."""
    model, rng = random_robot(1), np.random.default_rng(1)
    measured, _ = drawn(model, 101)
    efforts, joint = measured.efforts.copy(), rng.integers(model.n)
    rows = [*rng.integers(100, 2900, 3), 3500]
    efforts[rows, joint] += rng.choice([-1.0, 1.0]) * 2.0 * np.ptp(efforts[:, joint])
    spoilt = replace(measured, efforts=efforts)
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


def test_fast_motions_between_samples_are_no_spikes(planar):
    """Nor is friction that changes its sign."""
    rng = np.random.default_rng(31)
    times, jets = random_motion(planar, rng, 30.0, rate=20.0)
    modelled = sd.inverse_dynamics(planar, jets)[:, 0]
    measured = recording(planar, rng, times, jets, modelled + 5.0 * np.tanh(jets[:, 1] / V0))
    assert not effort_spikes(measured.efforts, modelled).any()


def test_what_the_fit_lacks_is_no_delay():
    """Neither a load of 1 kg nor friction is identified: nothing is refused."""
    model = random_robot(1)
    load = model.body_names[-1], 1.0, COM, np.diag([1e-3, 2e-3, 1.5e-3])
    measured, _ = drawn(model, 201, load)
    with pytest.warns(RecordingWarning, match='is it sought'):
        identify(model, measured, friction=False)


def test_a_slide_in_millimetres():
    model = sd.read_urdf(
        '<robot name="slide"><link name="base"/><link name="cart"><inertial><mass value="2.0"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/>'
        '<limit lower="0" upper="0.8" effort="100" velocity="1"/></joint></robot>\n'
    )
    times = np.arange(0.0, 5.0, 0.01)
    positions = 400.0 - 300.0 * np.cos(times)[:, np.newaxis]
    moved = Recording(['rail'], times, positions, np.zeros_like(positions))
    with pytest.raises(InputError, match=r"'rail': expected positions in m.*are they in mm\?"):
        identify(model, moved)
