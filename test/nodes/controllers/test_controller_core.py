# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The core of the C++ controller, compiled, beside the library."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.patience import patience
from helpers.planar_sea import NAMES, STIFFNESS
from helpers.rig import BEGIN as START
from helpers.rig import Rig
from helpers.robot_library import CONTROLLERS, library_of

import screw_dynamics as sd
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.command_line.main import main
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.loaded_robot import load_robot
from screw_dynamics.trajectory.reference.reference import Source

# relative to the largest command: generated code and kernels do the same operations in another
# order
BOUND = 1e-12
SPRUNG = sd.Drives(
    {
        name: sd.JointDrive(sd.LinearSpring(k), sd.Motor(rotor_inertia=0.1, viscous_friction=0.05))
        for name, k in zip(NAMES, STIFFNESS, strict=True)
    }
)
RUBBING = sd.Drives(
    {name: sd.JointDrive(motor=sd.Motor(0.02, viscous_friction=0.1)) for name in NAMES}
)
LIMITED = sd.Drives(
    {name: sd.JointDrive(joint.spring, joint.motor, max_effort_rate=2000.0)
     for name, joint in SPRUNG.joints.items()}
)  # fmt: skip


@pytest.fixture(scope='module')
def library(tmp_path_factory, planar):
    """Return a function that compiles the library of the robot with some drives, once."""

    @cache
    def build(name):
        robot = Robot(sd.read_urdf(planar), DRIVES[name], limits_motors=False)
        return library_of(robot, tmp_path_factory.mktemp('library'))

    return build


DRIVES = {'none': None, 'sprung': SPRUNG, 'rubbing': RUBBING, 'limited': LIMITED}
CASES = {
    'links': ('none', 'full'),
    'links without gravity': ('none', 'without_gravity'),
    'gravity of links': ('none', 'gravity_only'),
    'springs': ('sprung', 'full'),
    'springs without gravity': ('sprung', 'without_gravity'),
    'motors with friction': ('rubbing', 'full'),
    'limited rates': ('limited', 'full'),
}


@pytest.mark.parametrize(('drives', 'content'), CASES.values(), ids=CASES)
def test_commands_are_those_of_the_library(planar, library, replay, drives, content):
    """Once the ramp of the begin has passed, they are what the reference takes."""
    robot, ramp = Robot(sd.read_urdf(planar), DRIVES[drives]), 0.1
    rig = Rig(robot, fit_time=0.0, limits='off')
    start = np.array([-np.pi / 2, 0.1])
    rig.send((0.0, start), (0.8, [0.1, 0.5]), (1.6, [-0.6, 0.2]))
    rig.run(2.0)
    published = rig.published
    rows = [
        [
            1e-9 * (sample.instant - START),
            sample.rows,
            sample.source is Source.HOLD,
            0.0,
            k == 0,
            1,
        ]
        for k, sample in enumerate(published.samples)
    ]
    samples = np.hstack([rows, published.jet.reshape(len(rows), -1), published.jet[:, 0] + 0.01])
    motors = robot.drives is not None
    settings = str(int(motors)), '1', '0', str(ramp), '0.05', content
    ended = subprocess.run(
        [replay, library(drives), *settings],
        input=np.ascontiguousarray(samples, dtype=np.float64).tobytes(),
        check=True,
        capture_output=True,
        timeout=patience(),
    )
    assert ended.stderr.startswith(b'allocations 0, locks 0\n')
    out = np.frombuffer(ended.stdout).reshape(len(samples), -1)
    assert out[:, 0].all()  # followed
    got = out[:, 2:].reshape(len(out), 3, -1)
    expected = wanted(robot, published.jet, content)
    after = published.instants > published.instants[0] + 1.5e9 * ramp
    scale = np.abs(expected).max(axis=(0, 2), keepdims=True)
    assert (scale > 0.0).all()  # the motion uses all fields
    assert (np.abs(got - expected)[after] <= BOUND * scale).all()


def wanted(robot, jets, content):
    """Return efforts, positions and velocities (T, 3, m) of joints or motors."""
    model, form = robot.model, sd.EffortFormat(content)
    if robot.drives is None:
        efforts = form.convert(model, jets[:, :3], sd.inverse_dynamics(model, jets[:, :3]))
        return np.stack([efforts[:, 0], jets[:, 0], jets[:, 1]], axis=1)
    found = sd.elastic_feedforward(sd.Robot(model, robot.drives), jets)
    efforts = found.motor_effort
    if content == 'without_gravity':
        efforts = efforts - sd.gravity_forces(model, jets[:, 0])
    return np.stack([efforts, found.motor_position, found.motor_velocity], axis=1)


def test_a_table_carries_the_digest_of_the_urdf_as_model_info_does(tmp_path, planar):
    for urdf in (planar, tmp_path / 'model.yaml'):
        if urdf.suffix == '.yaml':
            sd.read_urdf(planar).to_yaml(urdf)
        main(['generate', str(urdf), '--controller', '--prefix', 'a', '--output', str(tmp_path)])
        table = (tmp_path / 'a_table.c').read_text()
        (tmp_path / 'a_table.c').unlink()
        loaded = load_robot(planar.read_text(), 'planar', ModelParameters())
        digest = loaded.sha256 if urdf is planar else ''
        assert f'        "{digest}",\n        joint_names,' in table


def test_a_table_needs_the_functions_that_it_names():
    robot = Robot(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')))
    missing = 'gravity_forces, mass_matrix, coriolis_forces'
    with pytest.raises(InputError, match=f'for a controller, got none of {missing}$'):
        robot_table(robot, 'arm', 2, ['inverse_dynamics'], '')


@pytest.mark.skipif(shutil.which('cmake') is None, reason='not installed: cmake')
def test_a_package_without_its_controller_is_not_built_in_silence(tmp_path):
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').replace(os.pathsep, ';')
    if not any((Path(one) / 'share' / 'ament_cmake').is_dir() for one in prefixes.split(';')):
        pytest.skip('no ament_cmake')
    command = ['cmake', '-S', CONTROLLERS, '-B', tmp_path, f'-DCMAKE_PREFIX_PATH={prefixes}']
    command += [f'-DPython3_EXECUTABLE={sys.executable}', '-DBUILD_TESTING=OFF']
    command += ['-DCMAKE_DISABLE_FIND_PACKAGE_controller_interface=TRUE']
    ended = subprocess.run(command, capture_output=True, text=True, timeout=patience())
    assert ended.returncode
    assert re.search(r'find_package .*\bcontroller_interface\b', ended.stderr)
