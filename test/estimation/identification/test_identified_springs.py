# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness from the encoders of motors and links."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.recordings import (
    EFFORT_NOISE,
    POSITION_NOISE,
    V0,
    random_motion,
    random_robot,
)

import screw_dynamics as sd
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification import Recording, identify


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


@pytest.mark.parametrize('seed', range(3))
def test_stiffness_of_robots_drawn_at_random(seed):
    model = random_robot(seed)
    measured, stiffness = elastic(model, seed)
    found = identify(model, measured)
    assert [spring.joint for spring in found.springs] == list(model.joint_names)
    for spring, true in zip(found.springs, stiffness, strict=True):
        assert abs(spring.stiffness - true) < 5.0 * spring.deviation < 0.05 * true
        assert spring.zero == pytest.approx(0.01, abs=1e-3)
        assert found.robot().drives.joints[spring.joint].spring.stiffness == spring.stiffness
    assert f'{model.joint_names[0]}.stiffness' in str(found)
    # rotors behind springs do not move the links
    assert not any('rotor' in name for name in found.names)


@pytest.mark.parametrize('count', [8, pytest.param(100, marks=pytest.mark.long)])
def test_the_bands_hold_the_stiffness(planar, count):
    away = []
    for seed in range(count):
        measured, stiffness = elastic(planar, 100 + seed)
        for spring, true in zip(identify(planar, measured).springs, stiffness, strict=True):
            away.append((spring.stiffness - true) / spring.deviation)
    share = np.mean(np.abs(away) < 1.96)
    assert 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / len(away)) < share


def test_joints_without_motor_encoder(planar):
    measured, stiffness = elastic(planar, 1)
    motors = measured.motor_positions.copy()
    motors[:, 0] = np.nan
    part = Recording(
        measured.joint_names, measured.times, measured.positions, measured.efforts, motors
    )
    found = identify(planar, part)
    assert [spring.joint for spring in found.springs] == ['joint_2']
    assert [name for name in found.names if 'rotor' in name] == ['joint_1.rotor_inertia']
    assert found.robot().joint_drives[0].spring is None


def test_a_rigid_shaft_has_no_stiffness(planar):
    measured, _ = elastic(planar, 2)
    rng = np.random.default_rng(0)
    motors = measured.positions + POSITION_NOISE * rng.normal(size=measured.positions.shape)
    rigid = Recording(
        measured.joint_names, measured.times, measured.positions, measured.efforts, motors
    )
    with pytest.warns(RecordingWarning, match="'joint_[12]'.*its stiffness remains unknown"):
        found = identify(planar, rigid)
    assert all(np.isinf(spring.stiffness) for spring in found.springs)
    assert 'inf      unknown' in str(found)
    assert found.robot().joint_drives[0].spring is None


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        (lambda q, motors: 100.0 * motors, "'joint_1'.*joint side of the gear, got 100 times"),
        (lambda q, motors: -motors, "'joint_1'.*one of both encoders is reversed"),
        (lambda q, motors: 2.0 * q - motors, "'joint_1'.*the effort or both positions are"),
    ],
)
def test_motor_positions_that_cannot_be(planar, change, text):
    measured, _ = elastic(planar, 3)
    bad = Recording(
        measured.joint_names,
        measured.times,
        measured.positions,
        measured.efforts,
        change(measured.positions, measured.motor_positions),
    )
    with pytest.raises(InputError, match=text):
        identify(planar, bad)
