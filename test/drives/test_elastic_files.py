# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors and warnings about a file of elastic joints name it, the joint and the entry."""

from __future__ import annotations

import re
import warnings

import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.main import main
from screw_dynamics.errors import ModelError, UnknownNameError, UnusedEntryWarning

PLANAR = sd.share_path('urdf/planar_2r.urdf')
UNUSED = """
elastic_joints:
  joint_1:
    limits: {deflection: 0.1, effort_rate: 100.0}
  joint_2:
    spring: {type: linear, stiffness: 300.0}
    limits: {deflection: 0.1}
    rotor: {axis: [0, 0, 1]}
"""
WITHOUT_EFFECT = (
    'without effect: elastic_joints.joint_1.limits.deflection (the joint is rigid), '
    'elastic_joints.joint_2.rotor (rotor_coupling is not set)'
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
        ('elastic_joints: {j: {spring: {type: linear, stiffness: -1.0}}}', 'elastic_joints.j.sp'),
        ('elastic_joints: {}\nrotor_coupling: 3', 'rotor_coupling: expected true or false, got 3'),
        ('elastic_joints: [', 'expected'),
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
    drives = sd.Drives.from_yaml(file('elastic_joints: {elbow: }\n'))
    with pytest.raises(UnknownNameError, match=r"springs\.yaml: unknown joint 'elbow': expected"):
        _ = sd.Robot(sd.read_urdf(PLANAR), drives).motors


def test_entries_without_effect_are_named(file):
    path = file(UNUSED)
    with pytest.warns(UnusedEntryWarning, match=re.escape(f'{path}: {WITHOUT_EFFECT}')):
        drives = sd.Drives.from_yaml(path)
    with pytest.warns(UnusedEntryWarning, match='^elastic joints text: without effect: elastic'):
        sd.Drives.from_yaml(UNUSED)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        # what is written has rotor_coupling: it is off on purpose; effort rates have an effect
        sd.Drives.from_yaml(UNUSED.replace('deflection: 0.1, ', '') + 'rotor_coupling: no')
        drives = sd.Drives({'joint_2': drives.joints['joint_2']})
        assert sd.Drives.from_yaml(drives.to_yaml()) == drives


@pytest.mark.parametrize(
    'text, code, line',
    [
        (UNUSED, 0, f'warning: {{}}: {WITHOUT_EFFECT}'),
        (
            UNUSED.replace('axis: [0, 0, 1]', 'carrier: nowhere') + 'rotor_coupling: false',
            1,
            f'screw_dynamics evaluate: {{}}: {NOWHERE}',
        ),
        ('elastic_joints: {elbow: }', 1, "screw_dynamics evaluate: {}: unknown joint 'elbow': "),
    ],
)
def test_the_command_line_names_the_file(file, tmp_path, capsys, text, code, line):
    path, motion = file(text), tmp_path / 'motion.yaml'
    motion.write_text(
        'joint_names: [joint_1, joint_2]\n'
        'points: [{positions: [0, 0], time_from_start: 0.0}, '
        '{positions: [0.1, 0], time_from_start: 1.0}]\n'
    )
    assert main(['evaluate', str(PLANAR), str(motion), '--elastic', str(path)]) == code
    lines = capsys.readouterr().err.splitlines()
    assert [entry.startswith(line.format(path)) for entry in lines].count(True) == 1, lines
