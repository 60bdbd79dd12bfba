# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Identified friction, rotors, loads, springs."""

from dataclasses import replace

import numpy as np
import pytest
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
from scipy.linalg import lstsq

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning, ShapeError
from screw_dynamics.estimation.identification import Recording, identify


def test_a_payload_of_one_kilogram_is_found_to_a_per_cent(iiwa):
    measured, drives = drawn(iiwa, 0, ('flange', 1.0, COM, np.zeros((3, 3))))
    found = identify(iiwa, measured, payload='flange')
    assert found.payload.mass == pytest.approx(1.0, abs=0.01)
    assert 1e-4 < found.payload.mass_deviation < 5e-3
    np.testing.assert_allclose(found.payload.com, COM, atol=3e-3)
    assert (np.abs(found.payload.com - COM) < 5.0 * found.payload.com_deviations).all()
    np.testing.assert_allclose(found.values[:21], drives.parameters, atol=0.05)
    np.testing.assert_allclose(found.noise, EFFORT_NOISE, rtol=0.05)
    np.testing.assert_allclose(found.residuals, EFFORT_NOISE, rtol=0.1)
    assert (found.before > 2.0 * found.residuals).all()
    loaded = found.with_payload()
    gravity = sd.gravity_forces(loaded, np.full(7, 0.4))
    true = iiwa.with_payload('flange', 1.0, COM, np.zeros((3, 3)))
    np.testing.assert_allclose(gravity, sd.gravity_forces(true, np.full(7, 0.4)), atol=0.05)


def test_another_recording_validates(planar):
    measured, _ = drawn(planar, 1)
    found = identify(planar, measured.between(0.0, 12.0))
    held_out = found.validate(measured.between(12.0, 20.0))
    np.testing.assert_allclose(held_out, EFFORT_NOISE, rtol=0.15)
    assert str(found).splitlines()[1].startswith('joint_1.viscous')


def test_base_parameters_of_all_links(planar):
    measured, drives = drawn(planar, 3)
    found = identify(planar, measured, links=True)
    base = sd.base_parameters(planar)
    names = found.names[6:]
    assert names == base.names
    np.testing.assert_allclose(found.residuals, EFFORT_NOISE, rtol=0.1)
    # the rotor of the first joint and the inertia of its link cannot be told apart
    known = np.isfinite(found.standard_deviations)
    assert known.sum() == len(found.names) - 1
    assert not known[[found.names.index(n) for n in ('joint_1.rotor_inertia', 'link_1 zz')]].all()
    without = drawn(planar, 3, rotors=False)[0]
    found = identify(planar, without, links=True, rotors=False)
    away = np.abs(found.values[4:] - base.values) / found.standard_deviations[4:]
    assert away.max() < 4.0


def test_chosen_rotors(planar):
    measured, drives = drawn(planar, 9, seconds=15.0, rotors=np.array([0.0, 1.0]))
    found = identify(planar, measured, rotors=[False, True])
    names = [name for name in found.names if name.endswith('.rotor_inertia')]
    assert names == ['joint_2.rotor_inertia']
    deviation = found.standard_deviations[found.names.index(names[0])]
    assert abs(found[names[0]] - drives.rotors[1]) < 4.5 * deviation < 0.3
    assert identify(planar, measured, rotors=True).names == identify(planar, measured).names
    with pytest.raises(ShapeError, match=r'rotors: expected shape \(\), or \(2,\), got \(3,\)'):
        identify(planar, measured, rotors=[True] * 3)


def test_offsets(planar):
    rng = np.random.default_rng(5)
    times, jets = random_motion(planar, rng, 15.0)
    efforts = sd.inverse_dynamics(planar, jets)[:, 0] + [1.5, -0.5]
    found = identify(
        planar, recording(planar, rng, times, jets, efforts), offsets=True, rotors=False
    )
    offsets = [found['joint_1.offset'], found['joint_2.offset']]
    np.testing.assert_allclose(offsets, [1.5, -0.5], atol=0.05)
    np.testing.assert_allclose(found['joint_1.viscous'], 0.0, atol=0.05)


def test_velocities_of_coulomb_friction(planar):
    """Those of the joints are found; wrong ones bias friction by far more than its bands."""
    rng = np.random.default_rng(11)
    times, jets = random_motion(planar, rng, 15.0)
    dry, speeds = np.array([3.0, 2.0]), np.array([0.03, 0.12])
    efforts = sd.inverse_dynamics(planar, jets)[:, 0] + dry * np.tanh(jets[:, 1] / speeds)
    measured = recording(planar, rng, times, jets, efforts)
    found = identify(planar, measured, rotors=False)
    coulomb = found.values[2:]
    deviations = found.standard_deviations[2:]
    assert (np.abs(coulomb - dry) < 4.0 * deviations).all()
    joints = found.robot().drives.joints
    velocities = [joints[name].friction.coulomb_velocity for name in planar.joint_names]
    # a tenth of the velocity moves the friction by 0.5 % here
    np.testing.assert_allclose(velocities, speeds, rtol=0.1)
    fixed = identify(planar, measured, rotors=False, coulomb_velocity=0.01)
    assert (np.abs(fixed.values[2:] - dry) > 20.0 * deviations).any()


def test_order_of_samples_and_columns_does_not_matter(planar):
    """Nor does a sample that was recorded twice: neither parameters nor bands change."""
    measured, _ = drawn(planar, 7, seconds=15.0)
    found, count = identify(planar, measured), len(measured.times)
    known = np.isfinite(found.standard_deviations)
    for rows in (np.random.default_rng(0).permutation(count), np.repeat(np.arange(count), 2)):
        same = identify(
            planar,
            Recording(
                measured.joint_names[::-1],
                measured.times[rows],
                measured.positions[rows, ::-1],
                measured.efforts[rows, ::-1],
            ),
        )
        np.testing.assert_allclose(same.values, found.values, rtol=1e-6)
        np.testing.assert_allclose(same.bands[known], found.bands[known], rtol=1e-6)


@pytest.mark.parametrize('seed', range(2))
def test_robots_drawn_at_random(seed):
    """Friction, rotors and a load at the last body, within five standard deviations."""
    model = random_robot(seed)
    load = model.body_names[-1], 1.0, COM, np.diag([1e-3, 2e-3, 1.5e-3])
    measured, drives = drawn(model, seed, load)
    found = identify(model, measured, payload=load[0])
    known = np.isfinite(found.standard_deviations[: 3 * model.n])
    assert known.sum() >= 3 * model.n - 1
    away = np.abs(found.values[: 3 * model.n] - drives.parameters)
    assert (away < 5.0 * found.standard_deviations[: 3 * model.n])[known].all()
    if np.isfinite(found.payload.mass_deviation):
        assert abs(found.payload.mass - 1.0) < max(0.01, 5.0 * found.payload.mass_deviation)


def test_pinocchio_finds_the_same_parameters(iiwa):
    """The regressor of another library, at the same motion, by its own least squares."""
    pinocchio = pytest.importorskip('pinocchio')
    measured, _ = drawn(iiwa, 2, seconds=12.0)
    found = identify(iiwa, measured, links=True)
    motion = sd.estimation.measured_motion(measured.times, measured.positions)
    seen = found.explain(measured)
    twin = pinocchio.buildModelFromUrdf(str(sd.share_path('urdf/iiwa14.urdf')))
    data, rows = twin.createData(), []
    jets = motion.jets(seen.times, 3)
    for q, v, a in jets:
        inertial = pinocchio.computeJointTorqueRegressor(twin, data, q, v, a)
        own = (np.diag(v), np.diag(np.tanh(v / V0)), np.diag(a))
        rows.append(np.hstack((*own, inertial)))
    matrix, efforts = np.concatenate(rows), seen.measured.ravel()
    fitted = matrix @ lstsq(matrix, efforts, cond=1e-9, lapack_driver='gelsy')[0]
    again = (seen.measured - seen.rest).ravel()
    # both weigh samples differently: the difference is far below the noise
    assert np.sqrt(np.mean((fitted - again) ** 2)) < 0.05 * EFFORT_NOISE
    remaining = np.sqrt(np.mean((efforts - fitted) ** 2))
    assert remaining == pytest.approx(np.sqrt(np.mean(found.residuals**2)), rel=0.01)


def elastic(model, seed, seconds=12.0):
    """Return a recording with motor positions, and the stiffness of the joints."""
    rng = np.random.default_rng(seed)
    times, jets = random_motion(model, rng, seconds)
    viscous, coulomb = rng.uniform(0.2, 1.0, (2, model.n))
    stiffness = rng.uniform(3e2, 3e3, model.n)
    friction = {
        name: sd.JointDrive(sd.LinearSpring(k), friction=sd.JointFriction(d, c, V0))
        for name, k, d, c in zip(model.joint_names, stiffness, viscous, coulomb, strict=True)
    }
    smooth = np.concatenate((jets, np.zeros((len(jets), 2, model.n))), axis=1)
    motion = sd.elastic_feedforward(sd.Robot(model, sd.Drives(friction)), smooth)
    noise = rng.normal(size=(3, len(times), model.n))
    measured = Recording(
        model.joint_names,
        times,
        jets[:, 0] + POSITION_NOISE * noise[0],
        motion.motor_effort + EFFORT_NOISE * noise[1],
        motion.motor_position + 0.01 + POSITION_NOISE * noise[2],
    )
    return measured, stiffness


def test_stiffness_of_a_robot_drawn_at_random():
    model = random_robot(0)
    measured, stiffness = elastic(model, 0)
    found = identify(model, measured)
    assert [spring.joint for spring in found.springs] == list(model.joint_names)
    for spring, true in zip(found.springs, stiffness, strict=True):
        assert abs(spring.stiffness - true) < 5.0 * spring.deviation < 0.05 * true
        assert spring.zero == pytest.approx(0.01, abs=1e-3)
        assert found.robot().drives.joints[spring.joint].spring.stiffness == spring.stiffness
    assert f'{model.joint_names[0]}.stiffness' in str(found)
    # rotors behind springs do not move the links
    assert not any('rotor' in name for name in found.names)


@pytest.mark.long
def test_the_bands_hold_the_stiffness(planar):
    away = []
    for seed in range(100):
        measured, stiffness = elastic(planar, 100 + seed)
        for spring, true in zip(identify(planar, measured).springs, stiffness, strict=True):
            away.append((spring.stiffness - true) / spring.deviation)
    share = np.mean(np.abs(away) < 1.96)
    assert 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / len(away)) < share


def test_joints_without_motor_encoder(planar):
    measured, _ = elastic(planar, 1)
    part = replace(
        measured, motor_positions=np.where([True, False], np.nan, measured.motor_positions)
    )
    found = identify(planar, part)
    assert [spring.joint for spring in found.springs] == ['joint_2']
    assert [name for name in found.names if 'rotor' in name] == ['joint_1.rotor_inertia']
    assert found.robot().joint_drives[0].spring is None


def test_a_rigid_shaft_has_no_stiffness(planar):
    measured, _ = elastic(planar, 2)
    noise = POSITION_NOISE * np.random.default_rng(0).normal(size=measured.positions.shape)
    with pytest.warns(RecordingWarning, match="'joint_[12]'.*its stiffness remains unknown"):
        found = identify(planar, replace(measured, motor_positions=measured.positions + noise))
    assert all(np.isinf(spring.stiffness) for spring in found.springs)
    assert 'inf      unknown' in str(found)
    assert found.robot().joint_drives[0].spring is None


def test_motor_positions_that_cannot_be(planar):
    measured, _ = elastic(planar, 3)
    q, motors = measured.positions, measured.motor_positions
    for bad, text in (
        (100.0 * motors, 'joint side of the gear, got 99.8 times'),
        (-motors, 'one of both encoders is reversed'),
        (2.0 * q - motors, 'effort, deflections or both positions are reversed'),
    ):
        with pytest.raises(InputError, match=f"'joint_1'.*{text}"):
            identify(planar, replace(measured, motor_positions=bad))
