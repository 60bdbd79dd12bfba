# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MJCF files with includes; and where commands, nodes and the viewer take a URDF."""

import csv
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco')

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.command_line.main import main  # noqa: E402
from screw_dynamics.control.model_parameters import ModelParameters  # noqa: E402
from screw_dynamics.errors import InputError, ModelError  # noqa: E402
from screw_dynamics.viewer.visuals import read_visuals  # noqa: E402

ARM = """<mujocoinclude><body name="rod"><joint name="j" axis="0 1 0" armature=".5" damping="2"/>
<geom type="capsule" fromto="0 0 0 0 0 -1" size=".02"/><site name="tip" pos="0 0 -1"/></body>
</mujocoinclude>"""
ROBOT = """<?xml version="1.0"?>
<mujoco model="rod"><worldbody><include file="arm.xml"/></worldbody>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon></mujoco>"""
POINTS = 'time,j\n0,0\n1,0.8\n'
DRIVES = 'drives:\n  j: {motor: {rotor_inertia: 0.1}}\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ('arm.xml', ARM),
        ('robot.xml', ROBOT),
        ('points.csv', POINTS),
        ('drives.yaml', DRIVES),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_files_with_includes_and_absent_meshes(tmp_path):
    (tmp_path / 'arm.xml').write_text(
        """<mujocoinclude><body name="rod"><joint name="j"/><geom type="mesh" mesh="absent"/>
        <inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/></body></mujocoinclude>"""
    )
    whole = tmp_path / 'whole.xml'
    whole.write_text(
        """<mujoco model="whole"><asset><mesh name="absent" file="absent.stl"/></asset>
        <worldbody><include file="arm.xml"/></worldbody></mujoco>"""
    )
    assert sd.read_mjcf(whole).model.inertias[0, 3, 3] == 2.0
    # a body without inertia needs its mesh
    whole.write_text(
        whole.read_text().replace(
            '<include', '<body><geom type="mesh" mesh="absent"/></body><include'
        )
    )
    with pytest.raises(ModelError, match=re.escape(f'{whole}: MuJoCo: ') + '.*absent.stl'):
        sd.read_mjcf(whole)


def columns(*options):
    """Return acceleration, velocity, effort and motor effort of `evaluate`, (T, 4)."""
    assert main(['evaluate', 'robot.xml', 'points.csv', '--csv', 'out.csv', *options]) == 0
    with open('out.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    Path('out.csv').unlink()
    names = 'acceleration [rad/s^2]', 'velocity [rad/s]', 'effort [N m]', 'motor_effort [N m]'
    return np.array([[float(row[f'j.{name}']) for name in names] for row in rows])


def test_evaluate_uses_the_drives_of_the_file_or_others(folder, capsys):
    qdd, qd, effort, motor = columns().T
    np.testing.assert_allclose(motor, effort + 0.5 * qdd + 2.0 * qd, rtol=1e-9, atol=1e-9)
    assert 'warning: left out of the robot (tendons: t)' in capsys.readouterr().err
    qdd, qd, effort, motor = columns('--drives', 'drives.yaml').T
    np.testing.assert_allclose(motor, effort + 0.1 * qdd, rtol=1e-9, atol=1e-9)


def test_other_commands(folder, capsys):
    assert main(['model', 'robot.xml', '--payload', 'tip=2']) == 0
    assert 'rod: 1 coordinate' in capsys.readouterr().out
    assert main(['doctor', 'robot.xml']) == 0
    assert 'neither model nor drives have it' in ' '.join(capsys.readouterr().out.split())
    assert main(['terms', 'robot.xml', '--position', '0.3']) == 0
    assert main(['identify', 'x.csv', '--urdf', 'robot.xml', '--write-urdf', 'o.urdf']) == 1
    assert '--write-urdf: expected a URDF to change, got robot.xml' in capsys.readouterr().err


def test_the_viewer_draws_rods(folder):
    assert read_visuals('robot.xml').links == {}


def test_nodes_take_the_file_or_its_text(folder):
    loaded_robot = pytest.importorskip('screw_dynamics.nodes.shared.loaded_robot')
    drives = sd.Drives.from_yaml('drives.yaml')
    parameters = ModelParameters()
    path = str(folder / 'robot.xml')
    loaded = loaded_robot.load_robot(ROBOT, path, parameters)
    assert loaded.robot.drives.joints['j'].motor.rotor_inertia == 0.5
    assert any('tendons: t' in line for line in loaded.warnings)
    assert loaded_robot.load_robot(ROBOT, path, parameters, drives).robot.drives == drives
    moved = replace(parameters, gravity=(0.0, 0.0, -1.0))
    assert loaded_robot.load_robot(ROBOT, path, moved).robot.model.gravity[2] == -1.0
    # a text of a topic has no folder with what it includes
    (folder / 'arm.xml').unlink()
    with pytest.raises(ModelError, match="topic '/robot_description': MuJoCo: .*arm.xml"):
        loaded_robot.load_robot(ROBOT, "topic '/robot_description'", parameters)
    whole = ROBOT.replace('<include file="arm.xml"/>', ARM[15:-17])
    assert loaded_robot.load_robot(whole, 'a topic', parameters).robot.n == 1


def test_nodes_say_what_is_not_installed(folder, monkeypatch):
    loaded_robot = pytest.importorskip('screw_dynamics.nodes.shared.loaded_robot')
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    with pytest.raises(InputError, match=r"robot\.xml: .*'mujoco'"):
        loaded_robot.load_robot(ROBOT, str(folder / 'robot.xml'), ModelParameters())
