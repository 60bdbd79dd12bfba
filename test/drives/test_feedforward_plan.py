# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The short way of `elastic_feedforward` beside its stages: same numbers, same errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.drives import (
    feedforward_from_efforts,
    link_efforts,
    motor_efforts,
    spring_deflections,
    transmitted_efforts,
)
from screw_dynamics.drives.motor_feedforward import JETS
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SpringRangeError

TABLE = np.linspace(-2.0, 2.0, 7)
SPRINGS = {
    'rigid': [None],
    'linear': [sd.LinearSpring(3000.0)],
    'linear and rigid': [sd.LinearSpring(3000.0), None],
    'damped': [sd.LinearSpring(3000.0, 20.0), sd.LinearSpring(3000.0)],
    'mixed': [
        sd.CubicSpring(2000.0, 5e4),
        sd.ExponentialSpring(1000.0, 3.0),
        sd.TabulatedSpring(TABLE, 800.0 * TABLE + 300.0 * TABLE**3),
        sd.VariableStiffness(5000.0),
        sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0),
        sd.LinearSpring(3000.0),
        None,
    ],
}
MOTORS = {
    'plain': sd.Motor(2e-3, 10.0),
    'friction': sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0),
}


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.fixture(scope='module')
def iiwa():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def elastic(model, springs, motor, **options):
    return sd.Drives(
        {
            name: sd.JointDrive(springs[i % len(springs)], motor, **options)
            for i, name in enumerate(model.joint_names)
        }
    )


def by_stages(model, drives, jet, times=None):
    """Deflections, motor positions and efforts from the stages, each with its own checks."""
    efforts = transmitted_efforts(
        sd.Robot(model, drives), jet, link_efforts(sd.Robot(model, drives), jet)
    )
    deflections = spring_deflections(sd.Robot(model, drives), efforts, times=times)
    return efforts, deflections, *motor_efforts(sd.Robot(model, drives), jet, efforts, deflections)


@pytest.mark.parametrize('rows', [5, 6])
@pytest.mark.parametrize('friction', [None, sd.JointFriction(viscous=0.4, coulomb=1.0)])
@pytest.mark.parametrize('motor', MOTORS)
@pytest.mark.parametrize('springs', SPRINGS)
def test_one_call_returns_what_the_stages_return(iiwa, springs, motor, friction, rows):
    rng = np.random.default_rng(7)
    drives = elastic(iiwa, SPRINGS[springs], MOTORS[motor], friction=friction)
    out = sd.Robot(iiwa, drives).buffers(rows)
    jets = 0.3 * rng.normal(size=(5, rows, iiwa.n))
    times = np.arange(5.0) if springs == 'damped' else None
    if times is None:
        for jet in jets:
            assert sd.elastic_feedforward(sd.Robot(iiwa, drives), jet, out=out, times=0.5) is out
            for name, stage in zip(JETS, by_stages(iiwa, drives, jet), strict=True):
                # the same operations, but for fused products and factorials
                np.testing.assert_allclose(getattr(out, name), stage, rtol=1e-12, atol=1e-12)
            commands = [getattr(out, name).copy() for name in JETS]
            out.motor_jet[...] = np.nan
            efforts = link_efforts(sd.Robot(iiwa, drives), jet)
            assert feedforward_from_efforts(sd.Robot(iiwa, drives), jet, efforts, out=out) is out
            for name, command in zip(JETS, commands, strict=True):
                np.testing.assert_array_equal(getattr(out, name), command)
    batch = sd.elastic_feedforward(sd.Robot(iiwa, drives), jets, times=times)
    for name, stage in zip(JETS, by_stages(iiwa, drives, jets, times), strict=True):
        np.testing.assert_allclose(getattr(batch, name), stage, rtol=1e-12, atol=1e-12)


def test_errors_are_those_of_the_checked_way(arm):
    table = sd.TabulatedSpring(TABLE, 0.1 * TABLE)
    drives = elastic(arm, [table], sd.Motor())
    out, jet = sd.Robot(arm, drives).buffers(), np.full((5, arm.n), 0.1)
    jet[2] = 100.0
    with pytest.raises(SpringRangeError) as with_buffers:
        sd.elastic_feedforward(sd.Robot(arm, drives), jet, out=out)
    with pytest.raises(SpringRangeError) as without:
        sd.elastic_feedforward(sd.Robot(arm, drives), jet)
    assert str(with_buffers.value) == str(without.value)
    with pytest.raises(SpringRangeError, match=r'sample|\[1'):
        sd.elastic_feedforward(sd.Robot(arm, drives), np.stack((0.0 * jet, jet)))
    jet[1, 1] = np.nan
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.elastic_feedforward(sd.Robot(arm, drives), jet, out=out)
    with pytest.raises(ShapeError, match='joint_jet'):
        sd.elastic_feedforward(sd.Robot(arm, drives), jet[:3], out=out)
    with pytest.raises(InputError, match='out'):
        sd.elastic_feedforward(
            sd.Robot(arm, elastic(arm, [None], sd.Motor())), np.zeros((5, arm.n)), out=out
        )


def test_buffers_serve_another_model_with_the_same_joints(iiwa):
    """Its parallel springs and efforts count, not those of the model the buffers are from."""
    spring = sd.BalancingSpring(1200.0, [0.0, 0.0, 0.25], [0.0, 0.2, 0.0], 0.0)
    drives = elastic(iiwa, [sd.LinearSpring(3000.0)], MOTORS['plain'], parallel_spring=spring)
    heavy = iiwa.with_payload('flange', 3.0, (0.0, 0.0, 0.1), np.zeros((3, 3)))
    out = sd.Robot(iiwa, drives).buffers()
    jet = 0.3 * np.random.default_rng(3).normal(size=(5, iiwa.n))
    for model in (iiwa, heavy, iiwa):
        efforts = sd.inverse_dynamics(model, jet)
        expected = sd.elastic_feedforward(sd.Robot(model, drives), jet)
        for _ in range(2):
            out.motor_effort_jet[...] = np.nan
            feedforward_from_efforts(sd.Robot(model, drives), jet, efforts, out=out)
            for name in JETS:
                np.testing.assert_allclose(
                    getattr(out, name), getattr(expected, name), rtol=1e-13, atol=1e-13
                )


def test_known_efforts_may_be_in_the_buffers_and_errors_are_named(arm):
    drives = elastic(arm, [sd.LinearSpring(3000.0)], MOTORS['plain'])
    out, jet = sd.Robot(arm, drives).buffers(), np.full((5, arm.n), 0.1)
    expected = sd.elastic_feedforward(sd.Robot(arm, drives), jet)
    link_efforts(sd.Robot(arm, drives), jet, out=out.effort_jet)
    feedforward_from_efforts(sd.Robot(arm, drives), jet, out.effort_jet, out=out)
    np.testing.assert_allclose(out.motor_effort_jet, expected.motor_effort_jet, rtol=1e-13)
    efforts = sd.inverse_dynamics(arm, jet)
    for wrong in (efforts + 1j, efforts.astype(str)):
        with pytest.raises(InputError, match='effort_jet'):
            feedforward_from_efforts(sd.Robot(arm, drives), jet, wrong, out=out)
    jet[2, 1] = np.inf
    with pytest.raises(NotFiniteError):
        feedforward_from_efforts(sd.Robot(arm, drives), jet, efforts, out=out)
    with pytest.raises(ShapeError, match='effort_jet'):
        feedforward_from_efforts(sd.Robot(arm, drives), np.zeros((5, arm.n)), efforts[:2], out=out)


def test_an_overflow_of_the_commands_is_named(arm):
    drives = elastic(arm, [sd.LinearSpring(1e-300)], sd.Motor(1e200))
    jet = np.full((5, arm.n), 1e50)
    for out in (None, sd.Robot(arm, drives).buffers()):
        with pytest.raises(NotFiniteError):
            sd.elastic_feedforward(sd.Robot(arm, drives), jet, out=out)


def test_buffers_must_not_contain_the_motion(arm):
    drives = elastic(arm, [None], sd.Motor())  # motor and link have jets of the same shape
    out = sd.Robot(arm, drives).buffers()
    out.motor_jet[...] = 0.1
    with pytest.raises(InputError, match='memory of its own'):
        sd.elastic_feedforward(sd.Robot(arm, drives), out.motor_jet, out=out)
    np.testing.assert_array_equal(out.motor_jet, 0.1)


@pytest.mark.parametrize(
    'copied', [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_of_buffers_work(arm, copied):
    drives = elastic(arm, [sd.LinearSpring(100.0)], sd.Motor(0.1))
    jet = np.full((5, arm.n), 0.2)
    out = copied(sd.Robot(arm, drives).buffers())
    expected = sd.elastic_feedforward(sd.Robot(arm, drives), jet)
    found = sd.elastic_feedforward(sd.Robot(arm, drives), jet, out=out)
    assert found is out
    for name in JETS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_equal_joints_may_use_each_others_buffers(arm):
    one, other = (elastic(arm, [sd.LinearSpring(k)], sd.Motor(0.1)) for k in (100.0, 200.0))
    jet = np.full((5, arm.n), 0.2)
    found = sd.elastic_feedforward(sd.Robot(arm, other), jet, out=sd.Robot(arm, one).buffers())
    expected = sd.elastic_feedforward(sd.Robot(arm, other), jet)
    np.testing.assert_array_equal(found.motor_jet, expected.motor_jet)


def test_a_robot_without_joints_needs_no_commands():
    model = sd.ScrewModel.from_screws([], [], [], [])
    drives = sd.Drives({})
    out = sd.Robot(model, drives).buffers()
    assert sd.elastic_feedforward(sd.Robot(model, drives), np.empty((3, 0)), out=out) is out
    assert out.motor_effort_jet.shape == (1, 0)
