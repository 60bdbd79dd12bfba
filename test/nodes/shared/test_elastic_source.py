# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The file of elastic joints of a node: errors name parameter, file and entry."""

from __future__ import annotations

import re

import pytest
from helpers.planar_sea import TEXT, write_joints

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.loaded_robot import read_drives, require_supported


def parameter(path):
    return re.escape(f"parameter 'elastic_joints_path': {path}: ")


def test_entries_without_effect_are_a_line(tmp_path):
    path = write_joints(
        tmp_path, TEXT.replace('{type: linear, stiffness: 300.0}', '{type: rigid}')
    )
    lines = []
    assert read_drives(str(path), lines.append).joints['joint_2'].spring is None
    assert lines == []
    path = write_joints(tmp_path, TEXT + '    rotor: {axis: [0, 0, 1]}\n')
    read_drives(str(path), lines.append)
    [line] = lines
    assert re.match(parameter(path) + r'without effect: elastic_joints\.joint_2\.rotor', line)


@pytest.mark.parametrize(
    'text, reason',
    [
        (TEXT.replace('joint_2', 'elbow'), "unknown joint 'elbow': expected one of joint_1"),
        (
            TEXT + '    rotor: {carrier: nowhere}\nrotor_coupling: false\n',
            r"joint 'joint_2': rotor\.carrier: unknown link 'nowhere': expected one of ",
        ),
        (
            TEXT + '    rotor: {carrier: nowhere}\nrotor_coupling: true\n',
            r"joint 'joint_2': rotor\.carrier: unknown link 'nowhere': expected one of ",
        ),
    ],
)
def test_what_does_not_fit_names_parameter_file_and_entry(tmp_path, planar, text, reason):
    path = write_joints(tmp_path, text)
    elastic = read_drives(str(path), pytest.fail)
    with pytest.raises(InputError, match=f'^{parameter(path)}{reason}'):
        require_supported(Robot(sd.read_urdf(planar), elastic), 5)


def test_what_is_no_number_names_parameter_file_and_entry(tmp_path):
    path = write_joints(tmp_path, TEXT.replace('300.0', 'soft'))
    with pytest.raises(InputError, match=f'^{parameter(path)}elastic_joints.joint_2.spring.stiff'):
        read_drives(str(path), pytest.fail)
