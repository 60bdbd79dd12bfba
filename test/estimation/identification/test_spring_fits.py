# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs that are fitted to means of deflections, and what is taken for a play."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven, wrong_drives

import screw_dynamics as sd
from benchmarks.identification.run import errors_of, truth_of
from screw_dynamics.drives.spring_deflections import slipped_deflections
from screw_dynamics.estimation.identification.least_squares import cosine_windows
from screw_dynamics.estimation.identification.springs import fitted_springs

STIFFNESS, CUBIC = 500.0, 4e5  # N m/rad, N m/rad^3: twice as stiff at 0.02 rad
# of a real spring that hardens, its effort over the powers 1 to 5 of its deflection
QUINTIC = [60.0, 0.0, -5732.0, 0.0, 1.769e6]
ZERO = 0.003  # rad
SURE = 4.0  # standard deviations, one in 16000 of a normal distribution


def means(values):
    """Return means of 0.1 s."""
    return values.reshape(-1, 50, *values.shape[1:]).mean(axis=1)


def fitted(planar, law, efforts_at, size=0.03, noise=0.0, hysteresis=0.0):
    """
    Return springs, of that law, with efforts at deflections, and what is said of them.

    Beside a hysteresis, the efforts are those that links need.
    """
    times = np.arange(0.0, 20.0, 0.002)
    deflections = size * np.column_stack((np.sin(5.0 * times), np.cos(9.0 * times)))
    efforts = efforts_at(deflections)
    efforts = efforts + noise * np.random.default_rng(0).normal(size=efforts.shape)
    links = np.column_stack((np.sin(2.0 * times), np.sin(3.0 * times)))
    if hysteresis:
        deflections = np.transpose([slipped_deflections(x, hysteresis) for x in deflections.T])
    recording = sd.Recording(
        planar.joint_names, times, links, motor_positions=links + deflections + ZERO
    )
    return fitted_springs(
        planar,
        recording,
        efforts,
        np.gradient(links, times, axis=0),
        cosine_windows(means(times), 1.0),
        dict.fromkeys(planar.joint_names, law),
        measured=np.full(planar.n, not hysteresis),
        smooth=means,
        gain=1.0 / 50.0,
    )


def hardening(deflections):
    return STIFFNESS * deflections + CUBIC * deflections**3


def test_laws_are_smoothed_not_their_deflections(planar):
    fits, findings = fitted(planar, 'cubic', hardening)
    for fit in fits:
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=1e-4)
        assert fit.rows[1][1] == pytest.approx(CUBIC, rel=1e-4)
        assert fit.zero == pytest.approx(ZERO, rel=1e-4)
        assert fit.secant > 1.1 * STIFFNESS
    assert findings == ()


def test_stiffness_of_a_table_is_that_at_rest(planar):
    for fit in fitted(planar, 'tabulated', hardening)[0]:
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=0.1)
        names = [row for row, *_ in fit.rows]
        assert names[0] == 'stiffness' and len(names) == 7
        knots = [float(name.removeprefix('effort_at_')) for name in names[1:]]
        assert (knots[0], knots[-1]) == pytest.approx((-0.03, 0.03), rel=0.01)


def test_stiffness_of_a_line_is_its_slope_over_the_visited_range(planar):
    """And another law is named."""
    fits, findings = fitted(planar, 'linear', hardening)
    times = np.arange(0.0, 20.0, 0.002)
    for fit, phase, rate in zip(fits, (np.sin, np.cos), (5.0, 9.0), strict=True):
        visited = 0.03 * phase(rate * times)
        line = np.polyfit(means(visited), means(hardening(visited)), 1)[0]
        assert fit.stiffness == pytest.approx(line, rel=1e-6)
    text = "joint 'joint_2': expected deflections of a linear spring, got some that another law"
    assert [finding.kind for finding in findings] == ['hardening', 'hardening']
    assert text in findings[1].text


def test_a_spring_that_hardens_has_no_play(planar):
    """A quintic of a real module, to 70 mrad: a line with a dead band would take 11 mrad of it."""

    def efforts_at(deflections):
        powers = deflections[..., np.newaxis] ** np.arange(1, 6)
        return powers @ QUINTIC

    fits, findings = fitted(planar, 'linear', efforts_at, 0.07, noise=0.1)
    for fit in fits:
        assert [row for row, *_ in fit.rows] == ['stiffness']
    assert {finding.kind for finding in findings} == {'hardening'}


def test_a_play_is_told_with_its_certainty(planar):
    """Also of a spring that hardens."""
    gap = 4e-3

    def efforts_at(deflections):
        beyond = np.maximum(np.abs(deflections) - 0.5 * gap, 0.0) * np.sign(deflections)
        return STIFFNESS * beyond + 0.2 * CUBIC * beyond**3

    fits, findings = fitted(planar, 'cubic', efforts_at, noise=0.05)
    told = [finding for finding in findings if finding.kind == 'backlash']
    assert len(told) == 2 and all('standard deviations' in one.text for one in told)
    for fit in fits:
        assert dict((row, value) for row, value, _ in fit.rows)['backlash'] == pytest.approx(
            gap, rel=0.1
        )


def test_noise_of_efforts_does_not_widen_hysteresis(planar):
    """Each peak would move the play on: 20 and 49 % more without the filter of the efforts."""
    width = 4e-4
    fits, _ = fitted(planar, 'linear', lambda x: STIFFNESS * x, noise=0.2, hysteresis=width)
    for fit in fits:
        assert [row for row, *_ in fit.rows] == ['stiffness', 'hysteresis']
        assert fit.rows[1][1] == pytest.approx(width, rel=0.02)
        assert fit.stiffness == pytest.approx(STIFFNESS, rel=1e-3)


def test_springs_that_harden(planar):
    rng = np.random.default_rng(5)
    drives = drawn_drives(planar, rng, springs='cubic')
    recording = driven(planar, drives, rng)
    given = sd.Robot(planar, wrong_drives(drives, 1.1))
    laws = {'joint_1': 'cubic', 'joint_2': 'tabulated'}
    found = sd.identify_drives(given, recording, springs=laws, link_uncertainty=0.0)
    for name, joint in drives.joints.items():
        spring = found.robot.drives.joints[name].spring
        assert spring.type == laws[name]
        place = planar.joint_names.index(name)
        deflection = (recording.motor_positions - recording.positions)[:, place]
        inner = np.quantile(deflection, (0.02, 0.98))
        points = inner[np.abs(inner) > 0.3 * np.abs(inner).max()]
        ratio = spring.effort(points) / joint.spring.effort(points)
        # a linear spring would be wrong by more than this at one end or in the middle
        assert ratio == pytest.approx(1.0, abs=0.02)
    cubic = drives.joints['joint_1'].spring.cubic_stiffness
    assert found['joint_1.cubic_stiffness'] == pytest.approx(cubic, rel=0.1)


def test_stiff_springs_are_not_biased_by_the_noise_of_encoders(planar):
    """The reverse, effort on deflection, finds springs that are too soft."""
    rng = np.random.default_rng(6)
    drives = drawn_drives(planar, rng)
    stiff = {
        name: replace(joint, spring=sd.LinearSpring(3e4)) for name, joint in drives.joints.items()
    }
    recording = driven(planar, sd.Drives(stiff), rng, noise=4.0)
    found = sd.identify_drives(sd.Robot(planar, drives), recording, link_uncertainty=0.0)
    name, stiffness, deviation = next(row for row in found.rows if row[0] == 'joint_1.stiffness')
    assert abs(stiffness - 3e4) < SURE * deviation < 0.2 * 3e4
    deflection = (recording.motor_positions - recording.positions)[:, 0]
    assert np.polyfit(deflection, recording.motor_efforts[:, 0], 1)[0] < 0.8 * 3e4


def test_a_spring_that_hardly_deflects_is_kept(planar):
    rng = np.random.default_rng(12)
    drives = drawn_drives(planar, rng)
    stiff = sd.Drives(
        {name: replace(j, spring=sd.LinearSpring(1e6)) for name, j in drives.joints.items()}
    )
    recording = driven(planar, stiff, rng, noise=3.0, seconds=12.0)
    given = sd.Robot(planar, drives)
    found = sd.identify_drives(given, recording)
    assert found.robot.drives.joints['joint_2'].spring == drives.joints['joint_2'].spring
    for kept, end in (found, 'joint_2'), (sd.identify_drives(planar, recording), 'remain unknown'):
        (told,) = [one.text for one in kept.findings if one.kind == 'deflections']
        assert 'hardly deflect' in told and told.endswith(end)


def test_hysteresis_and_backlash_show_and_leave_the_rest_alone(planar):
    """
    They are found to the rounding of their corners by the smoothing of the positions.

    The load of the first joint seldom crosses 0: a law that hardens explains nearly as much as
    its play, but no more, with four parameters in place of one.
    """
    width, gap = 4e-4, 6e-4
    rng = np.random.default_rng(1)
    drives = drawn_drives(planar, rng, breakaway=(1,))
    lossy = sd.Drives(
        {
            name: replace(drive, hysteresis=width, backlash=gap)
            for name, drive in drives.joints.items()
        }
    )
    recording = driven(planar, lossy, rng)
    found = sd.identify_drives(sd.Robot(planar, wrong_drives(drives, 1.1)), recording)
    true = truth_of(planar, drives)
    for name, error, deviation in errors_of(found, true):
        if name in ('joint_1.coulomb', 'joint_2.coulomb', 'joint_2.breakaway_excess'):
            assert abs(error) < SURE * deviation
    for joint in planar.joint_names:
        name = f'{joint}.stiffness'
        assert found[name] == pytest.approx(true[name], rel=0.01)
        assert found[f'{joint}.hysteresis'] == pytest.approx(width, rel=0.05)
        assert found[f'{joint}.backlash'] == pytest.approx(gap, rel=0.15)
    told = [finding for finding in found.findings if finding.kind == 'backlash']
    assert {one.joints for one in told} == {('joint_1',), ('joint_2',)}
    assert all('standard deviations' in one.text for one in told)
    assert found.robot.joint_drives[0].hysteresis == found['joint_1.hysteresis']


def test_springs_from_measured_deflections_and_efforts(planar):
    """No model of links is needed: it may be wrong, and the motors silent."""
    rng = np.random.default_rng(13)
    drives = drawn_drives(planar, rng)
    recording = driven(planar, drives, rng, seconds=12.0, noise=0.0)
    deflections = recording.motor_positions - recording.positions
    stiffness = [drives.joints[name].spring.stiffness for name in planar.joint_names]
    noise = rng.normal(size=(2, *deflections.shape))
    measured = sd.Recording(
        planar.joint_names,
        recording.times,
        recording.positions,
        deflections * stiffness + 0.05 * noise[0],
        deflections=deflections + 1e-6 * noise[1],
    )
    heavy = planar.with_payload('tool', 3.0, [0, 0, 0], np.zeros((3, 3)))
    for found in (sd.identify_drives(heavy, measured), sd.identify(planar, measured)):
        for name, true in zip(planar.joint_names, stiffness, strict=True):
            deviation = {row: d for row, _, d in found.rows}[f'{name}.stiffness']
            assert abs(found[f'{name}.stiffness'] - true) < SURE * deviation < 0.01 * true
        assert not any('backlash' in row or 'hysteresis' in row for row, *_ in found.rows)


def test_eccentric_encoders_are_taken_out_of_springs(planar):
    """Errors of 1 mrad, a tenth of the deflections: 3 to 15 % of the stiffness without it."""
    rng = np.random.default_rng(14)
    drives = drawn_drives(planar, rng)
    recording = driven(planar, drives, rng)
    error = 1e-3 * np.sin(recording.positions + [0.7, 2.1])
    turned = replace(recording, positions=recording.positions + error)
    found = sd.identify_drives(sd.Robot(planar, wrong_drives(drives, 1.1)), turned)
    told = {finding.joints[0] for finding in found.findings if finding.kind == 'eccentric'}
    assert told == set(planar.joint_names)
    for name, joint in drives.joints.items():
        assert found[f'{name}.stiffness'] == pytest.approx(joint.spring.stiffness, rel=0.01)


def test_friction_beside_a_spring_is_told(planar):
    """The Coulomb friction found of the motor is the sum of both, far outside of its band."""
    rng = np.random.default_rng(100)
    drives = drawn_drives(planar, rng)
    joint = replace(drives.joints['joint_2'], friction=sd.JointFriction(coulomb=0.3))
    recording = driven(planar, sd.Drives({**drives.joints, 'joint_2': joint}), rng)
    given = sd.Robot(planar, wrong_drives(drives, 1.1))
    found = sd.identify_drives(given, recording, link_uncertainty=0.0)
    (told,) = [one for one in found.findings if one.text.endswith('of its motor contains')]
    assert told.joints == ('joint_2',)
    assert float(told.text.split()[2]) == pytest.approx(0.3, abs=0.02)
    both = 100.0 * joint.motor.coulomb_friction + 0.3
    assert found['joint_2.coulomb'] == pytest.approx(both, rel=0.05)
