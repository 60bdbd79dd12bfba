# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of drives: what they hold, and errors that name file and entry."""

import copy
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import ModelError, UnknownNameError, UnusedEntryWarning

PLANAR = sd.share_path('urdf/planar_2r.urdf')
UNUSED = """
drives:
  joint_1:
    limits: {deflection: 0.1, effort_rate: 100.0}
  joint_2:
    spring: {type: linear, stiffness: 300.0}
    limits: {deflection: 0.1}
    rotor: {axis: [0, 0, 1]}
"""
WITHOUT_EFFECT = (
    'without effect: drives.joint_1.limits.deflection (the joint is rigid), '
    'drives.joint_2.rotor (rotor_coupling is not set)'
)
NOWHERE = "joint 'joint_2': rotor.carrier: unknown link 'nowhere': expected one of "


@pytest.fixture
def file(tmp_path):
    """Return a function that writes a file."""

    def write(text):
        path = tmp_path / 'springs.yaml'
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    'text, error',
    [
        ('', 'document: expected a mapping, got None'),
        ('drives: {j: {spring: {type: linear, stiffness: -1.0}}}', 'drives.j.sp'),
        ('drives: {}\nrotor_coupling: 3', 'rotor_coupling: expected true or false, got 3'),
        ('drives: [', 'expected'),
    ],
)
def test_errors_of_meaning_name_the_file_once(file, text, error):
    path = file(text)
    with pytest.raises(ModelError, match=f'^{re.escape(f"{path}: {error}")}') as caught:
        sd.Drives.from_yaml(path)
    assert str(caught.value).count(str(path)) == 1
    with pytest.raises(ModelError) as caught:
        sd.Drives.from_yaml(f'{text}\n')
    assert str(path) not in str(caught.value)


@pytest.mark.parametrize('coupling', ['true', 'false'])
def test_links_that_carry_no_motor_are_none(file, coupling):
    text = UNUSED.replace('axis: [0, 0, 1]', 'carrier: nowhere')
    path = file(f'{text}rotor_coupling: {coupling}\n'.replace('deflection: 0.1, ', ''))
    model, drives = sd.read_urdf(PLANAR), sd.Drives.from_yaml(path)
    for name in ('motors', 'required_rows'):
        with pytest.raises(UnknownNameError, match=re.escape(f'{path}: {NOWHERE}')):
            getattr(sd.Robot(model, drives), name)
    with pytest.raises(UnknownNameError, match=f'^{re.escape(NOWHERE)}'):
        _ = sd.Robot(model, sd.Drives(drives.joints)).motors


def test_joints_of_another_robot_name_the_file(file):
    drives = sd.Drives.from_yaml(file('drives: {elbow: }\n'))
    with pytest.raises(UnknownNameError, match=r"springs\.yaml: unknown joint 'elbow': expected"):
        _ = sd.Robot(sd.read_urdf(PLANAR), drives).motors


def test_entries_without_effect_are_named(file):
    path = file(UNUSED)
    with pytest.warns(UnusedEntryWarning, match=re.escape(f'{path}: {WITHOUT_EFFECT}')):
        drives = sd.Drives.from_yaml(path)
    with pytest.warns(UnusedEntryWarning, match='^elastic joints text: without effect: drives'):
        sd.Drives.from_yaml(UNUSED)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        # what is written has rotor_coupling: it is off on purpose; effort rates have an effect
        sd.Drives.from_yaml(UNUSED.replace('deflection: 0.1, ', '') + 'rotor_coupling: no')
        drives = sd.Drives({'joint_2': drives.joints['joint_2']})
        assert sd.Drives.from_yaml(drives.to_yaml()) == drives


FILE = """
drives:
  joint_1:
    motor: {rotor_inertia: 1e-4, gear_ratio: 100, breakaway_friction: 0.03, load_friction: 0.1}
    friction: {viscous: 2.0, coulomb: 1.5, breakaway: 2.5, stribeck_velocity: 0.2, load: 0.05}
    parallel_spring: {type: torsion, stiffness: 40.0, rest_position: -0.3}
  joint_2:
    spring: {type: linear, stiffness: 300.0}
    motor: {rotor_inertia: 1e-4, gear_ratio: 100}
    parallel_spring: {type: balancing, stiffness: 9e2, on_parent: [0, 0, 0.2], on_link: [0, 0, 1]}
  joint_3:
    friction: {}
    parallel_spring:
      type: gas
      force: 300.0
      extended_length: 0.5
      stroke: 0.2
      on_parent: [0, 0, 0]
      on_link: [0, 0, 0.4]
      parent: link_2
      link: link_3
urdf_dynamics: true
coulomb_velocity: 2e-2
"""


@pytest.fixture
def arm():
    arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    return replace(arm, damping=np.arange(1.0, 8.0), friction=0.1 * np.arange(1.0, 8.0))


def test_a_file_is_read_and_written_without_loss():
    drives = sd.Drives.from_yaml(FILE)
    one = drives.joints['joint_1']
    assert one.friction == sd.JointFriction(2.0, 1.5, 0.01, 2.5, 0.2, 0.05)
    assert one.motor == sd.Motor(1e-4, 100.0, breakaway_friction=0.03, load_friction=0.1)
    assert one.parallel_spring == sd.TorsionSpring(40.0, -0.3)
    two, three = (drives.joints[f'joint_{i}'].parallel_spring for i in (2, 3))
    assert two == sd.BalancingSpring(900.0, (0, 0, 0.2), (0, 0, 1))
    assert three == sd.GasSpring(
        300.0, 0.5, 0.2, (0, 0, 0), (0, 0, 0.4), parent='link_2', link='link_3'
    )
    assert drives.urdf_dynamics and drives.coulomb_velocity == 0.02
    for other in (
        sd.Drives.from_yaml(drives.to_yaml()),
        pickle.loads(pickle.dumps(drives)),
        copy.deepcopy(drives),
    ):
        assert other == drives and hash(other) == hash(drives)
    assert replace(drives, urdf_dynamics=False) != drives


def test_dynamics_of_the_urdf_fill_what_the_file_leaves_open(arm):
    """Joints with friction of their own, of the joint or of a motor, keep it alone."""
    entries = {
        'joint_1': sd.JointDrive(friction=sd.JointFriction(9.0)),
        'joint_2': sd.JointDrive(motor=sd.Motor(1e-4, 10.0, viscous_friction=0.5)),
        'joint_3': sd.JointDrive(friction=sd.JointFriction()),
        'joint_4': sd.JointDrive(motor=sd.Motor(1e-4, 10.0)),
    }
    jet = np.zeros((4, 7))
    jet[1:] = [[0.3], [-0.5], [0.2]]
    tau = sd.inverse_dynamics(arm, jet)
    without = sd.actuator_efforts(sd.Robot(arm, sd.Drives(entries)), jet)
    drives = sd.Drives(entries, urdf_dynamics=True, coulomb_velocity=0.2)
    added = sd.actuator_efforts(sd.Robot(arm, drives), jet) - without
    np.testing.assert_array_equal(added[:, :3], 0.0)
    d, c = arm.damping[3:], arm.friction[3:]
    sense = np.tanh(0.3 / 0.2)
    expected = [d * 0.3 + c * sense, d * -0.5 + c * (1 - sense**2) * -0.5 / 0.2]
    np.testing.assert_allclose(added[:, 3:], expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose((without - tau)[0, 0], 9.0 * 0.3, rtol=1e-12)
    assert arm.damping.any() and not np.array_equal(tau, added)


def test_the_urdf_alone(arm):
    """A file without joints, for a robot description with <dynamics>."""
    drives = sd.Drives.from_yaml('drives: {}\nurdf_dynamics: true\n')
    table = sd.Robot(arm, drives).motors
    np.testing.assert_array_equal(table.joint_rows[:, 1], arm.damping)
    np.testing.assert_array_equal(table.joint_rows[:, 2], arm.friction)
    np.testing.assert_array_equal(table.joint_rows[:, 3], 0.01)
    wrong = replace(arm, friction=np.full(7, -1.0))
    with pytest.raises(ModelError, match="joint 'joint_1': dynamics of the URDF: coulomb: .* -1"):
        _ = sd.Robot(wrong, drives).motors


def test_a_velocity_without_effect_is_told():
    with pytest.warns(UnusedEntryWarning, match='coulomb_velocity .urdf_dynamics is not true'):
        sd.Drives.from_yaml('drives: {}\ncoulomb_velocity: 0.5\n')


def test_the_file_is_named_if_it_does_not_fit_the_model(arm, tmp_path):
    path = tmp_path / 'drives.yaml'
    path.write_text(FILE.replace('parent: link_2', 'parent: link_7'))
    drives = sd.Drives.from_yaml(path)
    with pytest.raises(ModelError, match=rf"{path}: joint 'joint_3': parallel_spring.parent"):
        _ = sd.Robot(arm, drives).motors
