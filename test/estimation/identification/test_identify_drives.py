# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives from the positions of links and motors and the efforts of motors."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.driven_recordings import drawn_drives, driven, with_link_errors, wrong_drives
from helpers.recordings import random_motion

import screw_dynamics as sd
from benchmarks.identification.run import BAND, errors_of, identified, truth_of
from screw_dynamics.errors import InputError, RecordingWarning, ShapeError, UnknownNameError

pytestmark = pytest.mark.first

# of a parameter from the truth, in standard deviations: one in 16000 of a normal distribution
SURE = 4.0
LOAD = 'tool', 1.0, np.array([0.0, 0.0, 0.0]), np.zeros((3, 3))


def texts(found):
    """Return the texts of all findings."""
    return [finding.text for finding in found.findings]


@pytest.fixture(scope='module')
def soft(planar):
    """Return drives with all kinds of friction, and a recording: 3 ms ahead, with a load."""
    rng = np.random.default_rng(4)
    drives = drawn_drives(planar, rng, breakaway=(1,), load=(0,))
    true = with_link_errors(planar, rng, 0.05).with_payload(*LOAD)
    return (
        drives,
        driven(true, drives, rng, rate=500.0, delay=-3e-3, offsets=np.array([0.004, -0.007])),
        true,
    )


@pytest.fixture(scope='module')
def found(planar, soft):
    drives, recording, _ = soft
    return sd.identify_drives(
        sd.Robot(planar, wrong_drives(drives, 1.1)), recording, payload='tool'
    )


def test_all_parts_of_drives_are_found(planar, soft, found):
    drives, _, _ = soft
    true = truth_of(planar, drives) | {'delay': -3e-3}
    rows = {name: (error, deviation) for name, error, deviation in errors_of(found, true)}
    own = {name for name in rows if name.startswith('joint') and not name.endswith('.offset')}
    everywhere = 'rotor_inertia', 'viscous', 'coulomb', 'coulomb_velocity', 'stiffness'
    # friction that the joints do not have is not found
    assert own == {f'{joint}.{field}' for joint in planar.joint_names for field in everywhere} | {
        'joint_2.breakaway_excess',
        'joint_2.stribeck_velocity',
        'joint_1.load_friction',
    }
    for name in [*own, 'delay']:
        error, deviation = rows[name]
        # of Coulomb friction, its velocity tells 1 %
        known = {'delay': 1.0, 'coulomb_velocity': 0.5}.get(name.rpartition('.')[2], 0.3)
        assert abs(error) < SURE * deviation < abs(known * true[name]), name
    remark = next(text for text in texts(found) if 'lead_time' in text)
    assert float(remark.rpartition('lead_time: ')[2]) == float(f'{-found["delay"]:.2g}')
    for joint, offset in (('joint_1', 0.004), ('joint_2', -0.007)):
        assert found.encoder_offsets[joint] == pytest.approx(offset, abs=1e-4)
    for spring in found.springs:
        assert spring.deviation < 0.01 * spring.stiffness
    assert abs(found.payload.mass - 1.0) < SURE * found.payload.mass_deviation
    shown = str(found)
    assert 'ahead of the positions' in shown and 'breakaway friction does not show' in shown


@pytest.mark.long
def test_the_bands_hold_with_links_that_differ():
    """
    Of links, loads, drives, delays and noise drawn at random: 95 % of the parameters.

    Within 2 %, and three standard deviations of the mean of the shares of recordings.
    """
    shares = []
    for seed in range(3000, 3100):
        ratios = [error / deviation for _, error, deviation in identified(seed)]
        shares.append(np.mean(np.abs(ratios) < BAND))
    error = 3.0 * np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - 0.95) < max(0.02, error)


def test_steps_that_overshoot_to_and_fro_settle():
    """Those of the velocity of dry friction and of the delay, which the reversals tie."""
    assert all(abs(error) < SURE * deviation for _, error, deviation in identified(41))


def test_the_robot_found_commands_as_the_true_one(planar, soft, found):
    drives, _, true = soft
    _, jets = random_motion(planar, np.random.default_rng(11), 6.0)
    smooth = np.concatenate((jets, np.zeros((len(jets), 2, planar.n))), axis=1)

    def commands(model, joints):
        own = sd.elastic_feedforward(sd.Robot(model, joints), smooth)
        return own.motor_position, own.motor_effort

    wanted = commands(true, drives)
    given = commands(planar, wrong_drives(drives, 1.1))
    ours = commands(found.robot.model, found.robot.drives)
    for ideal, before, after in zip(wanted, given, ours, strict=True):
        errors = [np.sqrt(np.mean((other - ideal) ** 2)) for other in (before, after)]
        assert errors[1] < 0.1 * errors[0]
    assert sd.Drives.from_yaml(found.robot.drives.to_yaml()) == found.robot.drives
    for joint in found.robot.drives.joints.values():
        assert joint.motor.gear_ratio == 100.0


def test_what_remains_is_noise(soft, found):
    _, recording, _ = soft
    assert (found.validate(recording) < 0.6 * found.before).all()
    noise = 0.02 * np.abs(recording.motor_efforts).max(axis=0)
    assert found.residuals == pytest.approx(noise, rel=0.05)


def test_joints_without_springs(planar):
    rng = np.random.default_rng(7)
    drives = drawn_drives(planar, rng, springs='rigid')
    motors = sd.Robot(planar, drives).motors.rows[:, :3].T
    fields = ('rotor_inertia', 'viscous', 'coulomb')
    robot, recording = sd.Robot(planar, wrong_drives(drives, 1.2)), driven(planar, drives, rng)
    opposite = replace(recording, motor_efforts=recording.motor_efforts * [-1.0, 1.0])
    with pytest.raises(InputError, match=r"'joint_1': expected a rotor inertia above 0.*reversed"):
        sd.identify_drives(robot, opposite, payload='tool')
    found = sd.identify_drives(robot, recording)
    assert found.springs == ()
    given = sd.actuator_efforts(robot, found.shares.jets)[:, 0]  # but for the delay of motors
    before = np.sqrt(np.mean((found.shares.measured - given) ** 2, axis=0))
    np.testing.assert_allclose(found.before, before, rtol=1e-3)
    for field, true in zip(fields, motors, strict=True):
        for joint, value in zip(planar.joint_names, true, strict=True):
            place = found.names.index(f'{joint}.{field}')
            assert abs(found.values[place] - value) < SURE * found.standard_deviations[place]
    assert all(joint.spring is None for joint in found.robot.drives.joints.values())


def test_of_close_samples_neighbours_are_averaged_but_not_across_gaps(planar):
    """At 1 kHz, where neighbours are thinned to their means; 20 ms are absent."""
    rng = np.random.default_rng(6)
    drives = drawn_drives(planar, rng)
    every = driven(planar, drives, rng, rate=1000.0)
    gap = (every.times > 3.0) & (every.times < 3.02)
    found = sd.identify_drives(planar, every.samples(~gap), link_uncertainty=0.0)
    for name, error, deviation in errors_of(found, truth_of(planar, drives)):
        assert abs(error) < SURE * deviation, name


def test_a_load_that_is_not_sought_is_named(planar):
    rng = np.random.default_rng(8)
    drives = drawn_drives(planar, rng)
    recording = driven(planar.with_payload('tool', 2.0, [0, 0, 0], np.zeros((3, 3))), drives, rng)
    with pytest.warns(RecordingWarning, match=r"load of about 2 \+- 0\.\d kg on link 'link_2'"):
        found = sd.identify_drives(sd.Robot(planar, drives), recording)
    assert any("payload='link_2'" in remark for remark in texts(found))


def test_torque_constants(planar):
    rng = np.random.default_rng(9)
    drives = drawn_drives(planar, rng)
    recording = driven(planar, drives, rng, torque_constants=np.array([1.0, 1.25]))
    robot = sd.Robot(planar, drives)
    (told,) = [
        x
        for x in texts(sd.identify_drives(robot, recording, link_uncertainty=0.01))
        if 'torque constants' in x
    ]
    assert told.endswith("1.24 +- 0.02 at 'joint_2'")
    # all efforts in another unit are no load
    double = replace(recording, motor_efforts=recording.motor_efforts * [2.0, 2.5])
    remarks = texts(sd.identify_drives(robot, double, link_uncertainty=0.0))
    assert any("0.5 +- 0.002 at 'joint_1', 0.5 +- " in remark for remark in remarks)
    assert not any('load of about' in remark for remark in remarks)
    # currents of motors of a known constant
    found = sd.identify_drives(
        robot,
        replace(recording, motor_efforts=20.0 * recording.motor_efforts),
        torque_constants=[False, True],
        link_uncertainty=0.01,
        effort_format=sd.EffortFormat(scale=[20.0, 20.0]),
    )
    deviation = found.standard_deviations[found.names.index('joint_2.torque_constant')]
    assert abs(found['joint_2.torque_constant'] - 1.25) < SURE * deviation < 0.1
    assert 'joint_1.torque_constant' not in found.names
    inertia = truth_of(planar, drives)['joint_2.rotor_inertia']
    assert found['joint_2.rotor_inertia'] == pytest.approx(inertia, rel=0.05)


def test_beside_a_load_a_constant_that_is_not_told_is_that_of_the_robot(planar):
    rng = np.random.default_rng(8)
    drives = drawn_drives(planar, rng)
    loaded = planar.with_payload('tool', 0.5, [0, 0, 0], np.zeros((3, 3)))
    recording, robot = driven(loaded, drives, rng), sd.Robot(planar, drives)
    known = sd.identify_drives(robot, recording, payload='tool', link_uncertainty=0.0)
    assert not any('torque constants' in remark for remark in texts(known))
    found = sd.identify_drives(
        robot, recording, payload='tool', link_uncertainty=0.0, torque_constants=True
    )
    # all efforts, and all inertia that these two joints move, may be larger together
    assert texts(found)[-1].endswith('keeps: joint_1.torque_constant')
    for name, value in (('joint_2.torque_constant', 1.0), ('payload.m', 0.5)):
        deviation = found.standard_deviations[found.names.index(name)]
        assert abs(found[name] - value) < SURE * deviation < 0.1


def test_a_joint_that_rests_keeps_its_motor(planar):
    rng = np.random.default_rng(10)
    drives = drawn_drives(planar, rng)
    recording = driven(planar, drives, rng, still=('joint_2',), seconds=12.0)
    given = wrong_drives(drives, 1.1)
    found = sd.identify_drives(sd.Robot(planar, given), recording)
    kept, true = (other.joints['joint_2'] for other in (found.robot.drives, drives))
    assert kept.motor == given.joints['joint_2'].motor
    # the efforts of the other joint's motion deflect it
    assert kept.spring.stiffness == pytest.approx(true.spring.stiffness, rel=0.05)
    assert any('rest: joint_2' in remark for remark in texts(found))
    true = truth_of(planar, drives)['joint_1.rotor_inertia']
    assert (
        abs(found['joint_1.rotor_inertia'] - true)
        < SURE * found.standard_deviations[0]
        < 0.3 * true
    )


def test_what_efforts_hardly_tell_is_that_of_the_robot(planar, soft):
    """Of a motor whose efforts are far too small, not what the first fit makes of them."""
    drives, recording, _ = soft
    short = recording.between(0.0, 12.0)
    measured = replace(short, **scaled(1.0, 0.01)(short))
    given = wrong_drives(drives, 1.1)
    found = sd.identify_drives(sd.Robot(planar, given), measured, payload='tool')
    place = found.names.index('joint_2.rotor_inertia')
    assert np.isinf(found.standard_deviations[place])
    kept, own = (one.joints['joint_2'].motor for one in (found.robot.drives, given))
    assert kept.rotor_inertia == pytest.approx(own.rotor_inertia, rel=1e-12)


def scaled(*factors):
    return lambda recording: {'motor_efforts': recording.motor_efforts * factors}


@pytest.mark.parametrize(
    ('change', 'options', 'error', 'text'),
    [
        (lambda _: {'motor_efforts': None}, {}, InputError, 'expected motor_efforts'),
        (
            scaled(-1, 1),
            {'payload': 'tool'},
            InputError,
            "'joint_1'.*rotor inertia above.*reversed",
        ),
        (scaled(0.01, 0.01), {'payload': 'tool'}, InputError, r'another unit \(effort_format\)'),
        (lambda r: {'positions': np.rad2deg(r.positions)}, {}, InputError, 'degrees'),
        (lambda _: {'motor_positions': None}, {}, InputError, "'joint_1': expected motor_posit"),
        (
            lambda r: {'motor_efforts': np.roll(r.motor_efforts, 60, axis=0)},
            {'payload': 'tool'},
            InputError,
            'lag by less than',
        ),
        (scaled(1, 1), {'payload': 'nowhere'}, UnknownNameError, 'nowhere'),
        (scaled(1, 1), {'springs': {'joint_9': 'cubic'}}, UnknownNameError, 'joint_9'),
        (scaled(1, 1), {'springs': 'soft'}, InputError, 'springs: expected one of linear, cubic'),
        (scaled(1, 1), {'torque_constants': [True]}, ShapeError, 'torque_constants'),
        (
            scaled(1, 1),
            {'effort_format': sd.EffortFormat('external')},
            InputError,
            "content 'full'",
        ),
    ],
)
def test_what_is_refused(planar, soft, change, options, error, text):
    drives, recording, _ = soft
    short = recording.between(0.0, 12.0)
    with pytest.raises(error, match=text):
        sd.identify_drives(sd.Robot(planar, drives), replace(short, **change(short)), **options)


def test_efforts_that_no_such_drive_has_are_named(planar, soft, found):
    drives, recording, _ = soft
    assert not any('such a drive' in remark for remark in texts(found))
    wave = np.sin(7.0 * recording.times[:, np.newaxis]) * [0.0, 2.0]
    other = replace(recording, motor_efforts=recording.motor_efforts + wave)
    remarks = texts(sd.identify_drives(sd.Robot(planar, drives), other, payload='tool'))
    (remark,) = [remark for remark in remarks if 'such a drive' in remark]
    assert remark.startswith("joint 'joint_2': 1.")


def test_robots_that_are_refused(planar, soft):
    with pytest.raises(InputError, match=r'got none \(identify_drives\?\)'):
        sd.identify(planar, soft[1])
    for identification in sd.identify, sd.identify_drives:
        with pytest.raises(InputError, match='recording: expected samples, got none'):
            identification(planar, soft[1].between(-2.0, -1.0))
    pair = sd.JointDrive(sd.VariableStiffness(100.0))
    with pytest.raises(InputError, match='VariableStiffness'):
        sd.identify_drives(sd.Robot(planar, sd.Drives({'joint_1': pair})), soft[1])


@pytest.mark.parametrize('breakaway', [1.2, 1.5])
def test_breakaway_friction_of_all_joints(planar, breakaway):
    """
    Neither refused, nor taken for Coulomb and viscous friction.

    Half of some 500 parameters with another seed were outside of their bands at 1.5; the limit
    is that of chance, four standard deviations of 95 % beside the link errors that they share.
    """
    ratios = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        records = {}
        for name, drive in drawn_drives(planar, rng).joints.items():
            friction = breakaway * drive.motor.coulomb_friction
            motor = replace(drive.motor, breakaway_friction=friction, stribeck_velocity=15.0)
            records[name] = replace(drive, motor=motor)
        drives = sd.Drives(records)
        recording = driven(with_link_errors(planar, rng, 0.05), drives, rng)
        robot = sd.Robot(planar, wrong_drives(drives, 1.1))
        errors = errors_of(sd.identify_drives(robot, recording), truth_of(planar, drives))
        ratios += [
            error / deviation
            for name, error, deviation in errors
            if name.endswith(('.coulomb', '.breakaway_excess'))
        ]
    assert np.abs(ratios).max() < SURE


def test_motors_that_explain_nothing_do_not_refuse_springs(planar):
    """Reversed motor efforts are a finding; springs follow from what the links need."""
    rng = np.random.default_rng(12)
    drives = drawn_drives(planar, rng)
    recording = driven(planar, drives, rng, seconds=12.0)
    reversed_ = replace(recording, motor_efforts=-recording.motor_efforts)
    robot = sd.Robot(planar, wrong_drives(drives, 1.1))
    with pytest.warns(RecordingWarning, match='of the motors nothing is found'):
        found = sd.identify_drives(robot, reversed_)
    true = truth_of(planar, drives)
    for name, error, deviation in errors_of(found, true):
        assert name.endswith('.stiffness')
        assert abs(error) < SURE * deviation < 0.3 * true[name]
    assert len(found.springs) == 2
    for joint in found.robot.joint_drives:
        assert joint.motor in [given.motor for given in robot.joint_drives]


def test_dry_friction_that_does_not_settle_refuses_nothing(monkeypatch):
    """One of 200 drawn recordings was refused for another robot."""
    found, identify = [], sd.identify_drives
    monkeypatch.setattr(
        sd, 'identify_drives', lambda *a, **k: found.append(identify(*a, **k)) or found[-1]
    )
    assert identified(123)
    assert 'dry friction' in {one.kind for one in found[-1].findings}
