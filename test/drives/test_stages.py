# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The stages of `elastic_feedforward`, and its errors for unusable arguments."""

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
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    SpringRangeError,
    UnknownNameError,
)

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


def test_too_few_rows_name_what_needs_them(model, mixed):
    n, jets = model.n, np.zeros((4, model.n))
    with pytest.raises(
        ShapeError,
        match=rf'\(r, {n}\) .* r >= 5: rows q to q\^\(4\), which the mo'
        rf"tor effort of the elastic joint '{model.joint_names[2]}' needs, got",
    ):
        sd.elastic_feedforward(sd.Robot(model, mixed), jets)
    damped = sd.Drives({model.joint_names[1]: sd.JointDrive(sd.LinearSpring(1.0, 1.0))})
    assert sd.elastic_feedforward(sd.Robot(model, damped), jets).motor_effort_jet.shape == (1, n)
    with pytest.raises(ShapeError, match='r >= 4: .* of the damped elastic joint'):
        sd.elastic_feedforward(sd.Robot(model, damped), jets[:3])
    with pytest.raises(ShapeError, match='r >= 3: .* of a rigid joint'):
        sd.elastic_feedforward(sd.Robot(model, sd.Drives({})), jets[:2])
    for shape in ((5,), (5, n + 1), (1, 1, 5, n)):
        with pytest.raises(ShapeError, match='joint_jet'):
            sd.elastic_feedforward(sd.Robot(model, mixed), np.zeros(shape))


def test_unusable_arguments_are_named(model, mixed):
    n, jet = model.n, np.zeros((5, model.n))
    jets, varies = np.zeros((3, 5, n)), model.joint_names[4]

    def run(joint_jet, **options):
        return sd.elastic_feedforward(sd.Robot(model, mixed), joint_jet, **options)

    for options, error, message in (
        ({'stiffness_jets': {'j': [1, 0, 0]}}, UnknownNameError, 'unknown joint of variable st'),
        ({'stiffness_jets': [1]}, InputError, 'stiffness_jets: expected a mapping .* got list'),
        ({'stiffness_jets': {varies: [1, 0]}}, ShapeError, r'\(3,\) or more rows: .* order 2'),
        ({'stiffness_jets': {varies: 3.0}}, ShapeError, 'or more rows'),
        ({'stiffness_jets': {varies: np.ones((2, 3))}}, ShapeError, 'or more rows'),
        ({'stiffness_jets': {varies: [np.nan, 0, 0]}}, NotFiniteError, 'stiffness_jets'),
        ({'deflection': [0.0]}, InputError, 'deflection: expected a mapping'),
        ({'deflection': {'j': 0.0}}, UnknownNameError, 'unknown damped joint'),
        ({'out': jet}, InputError, 'out: expected a MotorFeedforward, got ndarray'),
        ({'out': sd.Robot(model, mixed).buffers(6)}, ShapeError, r'out: expected shape \(3, 5\)'),
        ({'times': [0.0]}, ShapeError, r'times: expected shape \(\), got \(1,\)'),
    ):
        with pytest.raises(error, match=message):
            run(jet, **options)
    with pytest.raises(InputError, match='times: expected the times of the samples, which the da'):
        run(jets)
    with pytest.raises(InputError, match=r'times: expected no time before 1 s, got 0.5 s at samp'):
        run(jets, times=[0.0, 1.0, 0.5])
    with pytest.raises(NotFiniteError, match=r'times\[1\]'):
        run(jets, times=[0.0, np.nan, 0.5])
    with pytest.raises(InputError, match=r'robot: expected one with drives, .* got none$'):
        sd.elastic_feedforward(model, jet)
    with pytest.raises(InputError, match='model: expected a ScrewModel, got str'):
        sd.elastic_feedforward('robot', jet)
    with pytest.raises(InputError, match='deflection: expected None: no joint has a damper'):
        sd.elastic_feedforward(sd.Robot(model, sd.Drives({})), jet, deflection={varies: 0.0})
    damper = sd.DeflectionFilter(sd.Robot(model, mixed), rows=6)
    with pytest.raises(InputError, match='made for joint jets of 5 rows, got one for 6'):
        run(jet, times=0.0, deflection=damper)
    other = sd.Drives({varies: sd.JointDrive(sd.LinearSpring(1.0, 1.0))})
    with pytest.raises(InputError, match='a filter made for this robot'):
        sd.elastic_feedforward(sd.Robot(model, other), jet, times=0.0, deflection=damper)
    damper = sd.DeflectionFilter(sd.Robot(model, mixed))
    with pytest.raises(InputError, match='times: expected the times'):
        run(jet, deflection=damper)
    run(jet, times=2.0, deflection=damper)
    with pytest.raises(InputError, match='times: expected no time before 2 s, got 1 s$'):
        run(jet, times=1.0, deflection=damper)


def test_buffers_are_those_of_the_robot(model, mixed):
    jet, out = np.zeros((5, model.n)), sd.Robot(model, mixed).buffers()

    def run(**changes):
        return sd.elastic_feedforward(sd.Robot(model, mixed), jet, out=replace(out, **changes))

    assert (
        run(gear_ratios=out.gear_ratios.copy()).motor_names == sd.Robot(model, mixed).motors.names
    )
    other = ('other', *out.motor_names[1:])
    with pytest.raises(InputError, match='out: expected buffers of this robot, .* got other, '):
        run(motor_names=other)
    with pytest.raises(InputError, match=r'gear ratios \[10.0, .*, got .* and \[20.0, 20.0'):
        run(gear_ratios=2.0 * out.gear_ratios)
    with pytest.raises(InputError, match='out: expected a writable, aligned, C-contiguous'):
        run(motor_jet=np.asfortranarray(out.motor_jet))
    with pytest.raises(InputError, match='out: expected .* got dtype float32'):
        run(effort_jet=out.effort_jet.astype(np.float32))


def test_no_array_is_overwritten_while_it_is_read(model, mixed):
    out = sd.Robot(model, mixed).buffers()
    with pytest.raises(InputError, match='motor_jet: expected memory of its own, got some of def'):
        replace(out, motor_jet=out.deflection_jet)
    memory = np.zeros((8, model.n))
    for name in ('effort_jet', 'motor_jet'):
        size = getattr(out, name).size
        shared = memory.reshape(-1)[:size].reshape(getattr(out, name).shape)
        with pytest.raises(InputError, match='out: expected memory of its own, got some of joint'):
            sd.elastic_feedforward(
                sd.Robot(model, mixed), memory[:5], out=replace(out, **{name: shared})
            )
    behind = memory[5:].reshape(out.effort_jet.shape)
    sd.elastic_feedforward(sd.Robot(model, mixed), memory[:5], out=replace(out, effort_jet=behind))
    assert not memory[:5].any()


def test_times_are_checked_without_dampers(model):
    jets = np.zeros((3, 5, model.n))
    with pytest.raises(ShapeError, match=r'times: expected shape \(3,\), got \(2,\)'):
        sd.elastic_feedforward(sd.Robot(model, sd.Drives({})), jets, times=[1.0, 2.0])
    with pytest.raises(NotFiniteError, match=r'times\[1\]'):
        sd.elastic_feedforward(sd.Robot(model, sd.Drives({})), jets, times=[1.0, np.inf, 2.0])


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_the_joint_that_is_not_finite_is_named(model, mixed, value):
    name = model.joint_names[2]
    spinning = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(0.01, 10.0))
    coupled = sd.Drives({name: spinning}, rotor_coupling=True)
    assert sd.Robot(model, coupled).required_rows > 5
    for drives, rows in ((mixed, 5), (coupled, sd.Robot(model, coupled).required_rows)):
        jet = np.zeros((rows, model.n))
        jet[3, 2] = value
        text = rf"joint_jet\[3, 2\] \(joint '{name}', derivative 3"
        with pytest.raises(NotFiniteError, match=text):
            sd.elastic_feedforward(sd.Robot(model, drives), jet)
