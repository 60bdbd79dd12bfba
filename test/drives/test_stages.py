# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The stages of `elastic_feedforward`: link efforts, spring deflections, motor efforts."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.drives import (
    feedforward_from_efforts,
    link_efforts,
    motor_efforts,
    spring_deflections,
)
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SpringRangeError

TIMES = 0.01 * np.arange(4)
JETS = ('effort_jet', 'deflection_jet', 'motor_jet', 'motor_effort_jet')


def assert_equal(result, expected):
    for name in JETS:
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))


@pytest.fixture
def jets(model, rng):
    return 0.1 * rng.normal(size=(4, 6, model.n))


def test_stages_fill_given_arrays(model, mixed, jets):
    jet, out = jets[0], sd.Robot(model, mixed).buffers(6)
    efforts = link_efforts(sd.Robot(model, mixed), jet, out=out.effort_jet)
    phi = spring_deflections(sd.Robot(model, mixed), efforts, out=out.deflection_jet)
    theta, commands = motor_efforts(
        sd.Robot(model, mixed), jet, efforts, phi, out=(out.motor_jet, out.motor_effort_jet)
    )
    for array, name in zip((efforts, phi, theta, commands), JETS, strict=True):
        assert array is getattr(out, name)
    assert_equal(out, sd.elastic_feedforward(sd.Robot(model, mixed), jet))
    other = sd.Robot(model, mixed).buffers(6)
    assert feedforward_from_efforts(sd.Robot(model, mixed), jet, efforts, out=other) is other
    assert_equal(other, out)


def test_coupled_rotors_pass_through_the_stages(rng):
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    motor = sd.Motor(1e-3, 20.0, 1e-3)
    joint = sd.JointDrive(sd.LinearSpring(300.0), motor)
    drives = sd.Drives({name: joint for name in arm.joint_names}, rotor_coupling=True)
    jets = 0.1 * rng.normal(size=(3, sd.Robot(arm, drives).required_rows + 1, arm.n))
    whole = sd.elastic_feedforward(sd.Robot(arm, drives), jets)
    efforts = link_efforts(sd.Robot(arm, drives), jets)
    assert not np.allclose(efforts[:, 0], sd.inverse_dynamics(arm, jets)[:, 0])
    known = feedforward_from_efforts(sd.Robot(arm, drives), jets, efforts)
    assert_equal(known, whole)


def test_efforts_of_the_wrong_shape_are_rejected(model, mixed, jets):
    efforts = link_efforts(sd.Robot(model, mixed), jets)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(4, 4, 5\)'):
        feedforward_from_efforts(sd.Robot(model, mixed), jets, efforts[:, :3], times=TIMES)
    with pytest.raises(ShapeError, match=r'effort_jet: expected .* k >= 2, which'):
        spring_deflections(sd.Robot(model, mixed), efforts[:, :2], times=TIMES)
    phi = spring_deflections(sd.Robot(model, mixed), efforts, times=TIMES)
    with pytest.raises(ShapeError, match='deflection_jet: expected'):
        motor_efforts(sd.Robot(model, mixed), jets, efforts, phi[:, :3])
    with pytest.raises(ShapeError, match='joint_jet: expected'):
        motor_efforts(sd.Robot(model, mixed), jets[:, :3], efforts, phi)
    with pytest.raises(InputError, match='out: expected memory of its own'):
        motor_efforts(sd.Robot(model, mixed), jets, efforts, phi, out=(phi, np.empty((4, 2, 6))))
    shared = np.ones(40)
    with pytest.raises(InputError, match='out: expected memory of its own'):
        spring_deflections(
            sd.Robot(model, mixed), shared[:20].reshape(4, 5), out=shared[10:34].reshape(4, 6)
        )


def test_efforts_that_are_not_finite_or_out_of_range_are_named(model, mixed, jets):
    efforts = link_efforts(sd.Robot(model, mixed), jets)
    bad = efforts.copy()
    bad[2, 1, 0] = np.nan
    with pytest.raises(NotFiniteError, match=r'effort_jet\[2, 1, 0\]'):
        feedforward_from_efforts(sd.Robot(model, mixed), jets, bad, times=TIMES)
    bad = efforts.copy()
    bad[3, 0, 3] = 1e5
    with pytest.raises(SpringRangeError, match='antagonistic pair') as caught:
        spring_deflections(sd.Robot(model, mixed), bad, times=TIMES)
    assert (caught.value.joint, caught.value.sample) == (model.joint_names[3], 3)


def test_a_filter_is_unchanged_if_only_the_motor_efforts_overflow():
    link = sd.lie.inertia_matrix(1.0, np.zeros(3), np.eye(3))
    arm = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [link])
    arm = replace(arm, gravity=np.zeros(3))
    joint = sd.JointDrive(sd.LinearSpring(100.0, 10.0), sd.Motor(rotor_inertia=1e10))
    drives = sd.Drives({'joint_1': joint})
    damper = sd.DeflectionFilter(sd.Robot(arm, drives))
    jet = np.zeros((4, 1))
    sd.elastic_feedforward(sd.Robot(arm, drives), jet, times=0.0, deflection=damper)
    before = [array.copy() for array in damper.state]
    jet[2] = 1e300
    with pytest.raises(NotFiniteError, match='overflow'):
        sd.elastic_feedforward(sd.Robot(arm, drives), jet, times=0.1, deflection=damper)
    for array, expected in zip(damper.state, before, strict=True):
        np.testing.assert_array_equal(array, expected)
