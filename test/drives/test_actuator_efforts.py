# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor efforts of rigid robots: rotor inertia against Pinocchio, stages, arguments, errors."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_joint_jet

import screw_dynamics as sd
from screw_dynamics.drives.springs import Spring
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError

URDF = sd.share_path('urdf/iiwa14.urdf')
ORDER = 3  # highest derivative compared with Pinocchio
SPAN = 1.0  # s on either side
NODES = 50
# order 0 is compared directly; differentiation raises the rounding of Pinocchio's efforts, 1e-15,
# by about NODES / SPAN per order
BOUNDS = (1e-12, 1e-12, 1e-11, 5e-10)


@pytest.fixture(scope='module')
def arm() -> sd.ScrewModel:
    return sd.read_urdf(URDF)


def geared(arm, rng, friction=None, spring: Spring | None = None):
    """Return joints with rotors of 0.1 to 2 kg m^2 behind the gear."""
    parts = [
        sd.JointDrive(spring, sd.Motor(inertia, ratio), friction=friction)
        for inertia, ratio in zip(
            rng.uniform(1e-5, 2e-4, arm.n), rng.uniform(80.0, 120.0, arm.n), strict=True
        )
    ]
    return sd.Drives(dict(zip(arm.joint_names, parts, strict=True)))


@pytest.fixture
def drives(arm, rng):
    return geared(arm, rng, sd.JointFriction(2.0, 1.0, 0.05, 1.5, 0.2, 0.1, 0.5))


def test_rotor_inertia_is_the_armature_of_pinocchio(arm, rng):
    """With derivatives of Pinocchio's efforts through Chebyshev points in time."""
    pytest.importorskip('pinocchio')
    from oracles.pinocchio_model import PinocchioModel

    drives = geared(arm, rng)
    armature = np.array([joint.motor.joint_inertia for joint in drives.joints.values()])
    pinocchio = PinocchioModel(URDF, arm, armature)
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    factorials = np.cumprod([1.0, *range(1, ORDER + 3)])[:, None]
    for _ in range(3):
        jet = random_joint_jet(rng, arm.n, ORDER)
        motion = jet / factorials
        rows = []
        for _ in range(3):
            rows.append(np.polynomial.polynomial.polyval(SPAN * nodes, motion).T)
            motion = np.polynomial.polynomial.polyder(motion)
        efforts = np.array([pinocchio.efforts(*row) for row in zip(*rows, strict=True)])
        series = np.polynomial.chebyshev.chebfit(nodes, efforts, NODES - 1)
        result = sd.actuator_efforts(sd.Robot(arm, drives), jet)
        for d in range(ORDER + 1):
            derivative = np.polynomial.chebyshev.chebder(series, d, scl=1.0 / SPAN)
            expected = np.polynomial.chebyshev.chebval(0.0, derivative)
            if d == 0:
                expected = pinocchio.efforts(*jet[:3])
            size = np.abs(result[: d + 1]).max()
            np.testing.assert_allclose(result[d], expected, rtol=0, atol=BOUNDS[d] * size)


def test_rows_batches_and_stages(arm, drives, rng):
    jets = np.array([random_joint_jet(rng, arm.n, 4) for _ in range(3)])
    efforts = sd.inverse_dynamics(arm, jets)
    result = sd.actuator_efforts(sd.Robot(arm, drives), jets)
    assert result.shape == efforts.shape == (3, 5, arm.n)
    motors = sd.elastic_feedforward(sd.Robot(arm, drives), jets)
    np.testing.assert_array_equal(motors.motor_effort_jet, result)
    np.testing.assert_array_equal(motors.motor_jet, jets)
    for sample, expected in zip(jets, result, strict=True):
        # the kernels of one sample and of batches round products and sums differently
        bound = 1e-13 * np.abs(expected).max()
        got = sd.actuator_efforts(sd.Robot(arm, drives), sample)
        np.testing.assert_allclose(got, expected, rtol=0.0, atol=bound)
    known = sd.actuator_efforts(sd.Robot(arm, drives), jets, effort_jet=efforts)
    np.testing.assert_array_equal(known, result)
    fewer = sd.actuator_efforts(sd.Robot(arm, drives), jets, effort_jet=efforts[:, :2].copy())
    np.testing.assert_allclose(fewer, result[:, :2], rtol=1e-15)
    transmitted = sd.drives.transmitted_efforts(sd.Robot(arm, drives), jets, efforts)
    np.testing.assert_array_equal(motors.effort_jet, transmitted)
    from_stages = sd.drives.feedforward_from_efforts(sd.Robot(arm, drives), jets, efforts)
    np.testing.assert_array_equal(from_stages.motor_effort_jet, result)
    in_place = efforts.copy()
    assert (
        sd.drives.transmitted_efforts(sd.Robot(arm, drives), jets, in_place, out=in_place)
        is in_place
    )
    np.testing.assert_array_equal(in_place, transmitted)


def test_wrenches_act_on_the_links(arm, drives, rng):
    jet = random_joint_jet(rng, arm.n, 1)
    wrench = {arm.body_names[-1]: rng.normal(size=(2, 6))}
    result = sd.actuator_efforts(sd.Robot(arm, drives), jet, wrench)
    known = sd.actuator_efforts(
        sd.Robot(arm, drives), jet, effort_jet=sd.inverse_dynamics(arm, jet, wrench)
    )
    np.testing.assert_array_equal(result, known)
    with pytest.raises(InputError, match='wrench_jets: expected None with effort_jet'):
        sd.actuator_efforts(sd.Robot(arm, drives), jet, wrench, effort_jet=known)


def test_a_call_with_out_allocates_nothing_of_the_size_of_the_motion(arm, drives, rng):
    import tracemalloc

    jets = np.array([random_joint_jet(rng, arm.n, 2) for _ in range(500)])
    efforts = sd.inverse_dynamics(arm, jets)
    out = np.empty_like(efforts)
    assert sd.actuator_efforts(sd.Robot(arm, drives), jets, effort_jet=efforts, out=out) is out
    tracemalloc.start()
    sd.actuator_efforts(sd.Robot(arm, drives), jets, effort_jet=efforts, out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000 < out.nbytes
    np.testing.assert_array_equal(out, sd.actuator_efforts(sd.Robot(arm, drives), jets))


def test_coupled_rotors(arm, drives, rng):
    """Rotors as bodies on moving links: the efforts of the stages of elastic joints."""
    coupled = sd.Drives(drives.joints, rotor_coupling=True)
    jet = random_joint_jet(rng, arm.n, 2)
    expected = sd.elastic_feedforward(sd.Robot(arm, coupled), jet)
    result = sd.actuator_efforts(sd.Robot(arm, coupled), jet)
    np.testing.assert_allclose(result, expected.motor_effort_jet, rtol=1e-12, atol=1e-9)
    assert np.abs(result - sd.actuator_efforts(sd.Robot(arm, drives), jet)).max() > 1e-3


def test_joint_friction_and_coupled_rotors_of_soft_joints(arm, rng):
    """Friction of the joints winds the springs up, and with them the rotors that act on links."""
    friction = sd.JointFriction(2.0, 1.0, 0.5, load=0.1, load_effort=2.0)
    soft = geared(arm, rng, friction, sd.LinearSpring(2000.0))
    coupled = sd.Drives(dict(list(soft.joints.items())[:2]), rotor_coupling=True)
    jet = random_joint_jet(rng, arm.n, 6)
    result = sd.elastic_feedforward(sd.Robot(arm, coupled), jet)
    # u = tau_links(q, theta) + F: the links' part by the robot with rotors, at the known theta
    coupling = sd.Robot(arm, coupled).coupling
    extended = coupling.model
    positions = np.hstack([jet[:5], result.motor_jet[:5, coupling.motors]])
    links = sd.inverse_dynamics(extended, positions)[:, : arm.n]
    expected = sd.drives.transmitted_efforts(sd.Robot(arm, coupled), jet, links)
    np.testing.assert_allclose(result.effort_jet[:3], expected, rtol=1e-9, atol=1e-9)
    assert np.abs(expected - links).max() > 1.0


def test_errors(arm, drives, rng):
    jet = random_joint_jet(rng, arm.n, 2)
    soft = sd.Drives({'joint_3': sd.JointDrive(sd.LinearSpring(100.0))})
    with pytest.raises(InputError, match="joint 'joint_3': expected a rigid joint.*elastic_feed"):
        sd.actuator_efforts(sd.Robot(arm, soft), jet)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(k \+ 3, 7\)'):
        sd.actuator_efforts(sd.Robot(arm, drives), jet[:2])
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(3, 7\) or fewer rows'):
        sd.actuator_efforts(sd.Robot(arm, drives), jet, effort_jet=jet[:4])
    with pytest.raises(ShapeError, match=r'out: expected shape \(3, 7\)'):
        sd.actuator_efforts(sd.Robot(arm, drives), jet, out=np.empty((2, 7)))
    efforts = sd.inverse_dynamics(arm, jet)
    for own in (efforts, jet[:3]):
        with pytest.raises(InputError, match='out: expected memory of its own'):
            sd.actuator_efforts(sd.Robot(arm, drives), jet, effort_jet=efforts, out=own)
    for array, name in ((jet.copy(), 'joint_jet'), (efforts.copy(), 'effort_jet')):
        array[1, 3] = np.nan
        jets = array if name == 'joint_jet' else jet
        known = array if name == 'effort_jet' else efforts
        with pytest.raises(NotFiniteError, match=name):
            sd.actuator_efforts(sd.Robot(arm, drives), jets, effort_jet=known)
    with pytest.raises(NotFiniteError, match="joint 'joint_1': overflow"):
        sd.actuator_efforts(
            sd.Robot(arm, drives), jet, effort_jet=1e200 * efforts / np.abs(efforts)
        )
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(4, 7\) or more rows'):
        sd.drives.transmitted_efforts(sd.Robot(arm, drives), jet[:3], efforts)
    with pytest.raises(ShapeError, match='effort_jet: expected shape'):
        sd.drives.transmitted_efforts(sd.Robot(arm, drives), jet, efforts[:, :3])
    with pytest.raises(InputError, match='out: expected memory of its own, got memory of joint'):
        sd.drives.transmitted_efforts(sd.Robot(arm, drives), jet, efforts, out=jet[:3])
