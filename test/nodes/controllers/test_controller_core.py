# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The core of the C++ controller, compiled, beside the pipeline of the `feedforward` node."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.patience import patience
from helpers.planar_sea import NAMES, STIFFNESS
from helpers.robot_library import CONTROLLERS, compiled, library_of
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.codegen.robot_table import robot_table
from screw_dynamics.command_line.main import main
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.nodes.shared.loaded_robot import load_robot
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
PERIOD = 4 * 10**6
# relative to the largest command: generated code and kernels do the same operations in another
# order, and the product of gains with gravity is taken as a difference by the node
BOUND = 1e-12
FIELDS = ('effort', 'position', 'velocity')
SPRUNG = sd.ElasticJoints(
    {
        name: sd.ElasticJoint(
            sd.LinearSpring(k), sd.Motor(rotor_inertia=0.1, viscous_friction=0.05)
        )
        for name, k in zip(NAMES, STIFFNESS, strict=True)
    }
)
RUBBING = sd.ElasticJoints(
    {name: sd.ElasticJoint(motor=sd.Motor(0.02, viscous_friction=0.1)) for name in NAMES}
)
LIMITED = sd.ElasticJoints(
    {name: sd.ElasticJoint(joint.spring, joint.motor, max_effort_rate=2000.0)
     for name, joint in SPRUNG.joints.items()}
)  # fmt: skip
missing = [name for name in ('gcc', 'g++') if shutil.which(name) is None]

pytestmark = pytest.mark.skipif(bool(missing), reason=f'not installed: {", ".join(missing)}')


@pytest.fixture(scope='session')
def replay(tmp_path_factory):
    """Return the program that replays samples of a reference."""
    program = tmp_path_factory.mktemp('controller') / 'replay'
    strict = '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror'
    source = CONTROLLERS / 'test' / 'replay_feedforward.cpp'
    options = '-std=c++17', '-O2', *strict, '-I', CONTROLLERS / 'include'
    compiled('g++', *options, source, '-o', program, '-ldl')
    return program


class Recorded:
    """The pipeline of the node, what it followed and what it commanded tick by tick."""

    def __init__(self, ros, robot, **parameters):
        compile_tick(robot)
        self.parameters = FeedforwardParameters(
            publish_commands=True,
            command_fields=FIELDS,
            elastic_joints_path='' if robot.drives is None else 'joints.yaml',
            **parameters,
        )
        self.parameters.check()
        self.pipeline = FeedforwardPipeline(ros.node, robot, self.parameters)
        self.robot, self.now, self.measured = robot, START, np.zeros(robot.n)
        self.samples, self.commands = [], []
        take = self.pipeline.followed.sample
        self.pipeline.followed.sample = lambda now, jet: self._record(take(now, jet), jet)

    def _record(self, sample, jet):
        flags = [0.0] * 5
        if sample is not None:
            flags = [sample.rows, sample.source is Source.HOLD, sample.continues, sample.first, 1]
        now = 1e-9 * (self.now - START)
        values = [now, *(float(flag) for flag in flags)]
        self.samples.append(np.array([*values, *jet.reshape(-1), *self.measured]))
        return sample

    def follow(self, *points, times):
        names = self.robot.joint_names
        waypoints = waypoints_from_points(names, list(zip(times, points, strict=True)), names)
        start = self.pipeline.measured.state(self.now, 1.0)
        self.pipeline.reference.add(waypoints, self.now, self.now, start)

    def tick(self, measured):
        self.measured[:] = measured
        names = list(self.robot.joint_names)
        state = JointState(name=names, position=self.measured.tolist())
        self.pipeline.measured.update(state, self.now)
        self.pipeline.publish(self.now)
        outputs = self.pipeline.commands
        self.commands.append(outputs._rows.copy())
        self.now += PERIOD

    def replayed(self, replay, library):
        """Return flags (T, 2) and commands (T, 3, m) of the controller, and its report."""
        p = self.parameters
        settings = (
            str(int(p.commands_content == 'motor_efforts')),
            *('1', str(int(p.output_guard != 'off')), str(p.ramp_time)),
            *(str(p.command_start_tolerance), p.effort_content),
        )
        ended = subprocess.run(
            [replay, library, *settings],
            input=np.concatenate(self.samples).tobytes(),
            check=True,
            capture_output=True,
            timeout=patience(),
        )
        out = np.frombuffer(ended.stdout).reshape(len(self.samples), -1)
        return out[:, :2], out[:, 2:].reshape(len(out), 3, -1), ended.stderr.decode()


@pytest.fixture
def recorded(ros):
    made = []

    def make(robot, **parameters):
        made.append(Recorded(ros, robot, **parameters))
        return made[-1]

    yield make
    for one in made:
        one.pipeline.destroy()


def agrees(one, replay, library):
    """Compare all ticks; return flags and commands of the controller."""
    flags, got, report = one.replayed(replay, library)
    expected = np.array(one.commands)
    if not one.parameters.ramp_time:
        # the node sends no more then; the controller commands rest
        expected[flags[:, 0] == 0.0, FIELDS.index('effort')] = 0.0
    scale = np.abs(expected).max(axis=(0, 2), keepdims=True)
    assert (np.abs(got - expected) <= BOUND * scale).all()
    assert (scale > 0.0).all()  # the motion used all fields
    assert report.startswith('allocations 0, locks 0\n')
    return flags, got


CASES = {
    'links': (None, {}),
    'links without gravity': (None, {'effort_content': 'without_gravity'}),
    'gravity of links': (None, {'effort_content': 'gravity_only'}),
    'springs': (SPRUNG, {'commands_content': 'motor_efforts'}),
    'springs without gravity': (
        SPRUNG,
        {'commands_content': 'motor_efforts', 'effort_content': 'without_gravity'},
    ),
    'motors with friction': (RUBBING, {'commands_content': 'motor_efforts'}),
    'at once': (SPRUNG, {'commands_content': 'motor_efforts', 'ramp_time': 0.0}),
    'limited rates': (LIMITED, {'output_guard': 'stop'}),
}


@pytest.mark.parametrize('drives, parameters', CASES.values(), ids=CASES)
def test_commands_are_those_of_the_node(planar, tmp_path, recorded, replay, drives, parameters):
    robot = Robot(sd.read_urdf(planar), drives)
    one = recorded(robot, **parameters)
    start = np.array([-np.pi / 2, 0.1])
    one.tick(start)  # nothing to follow yet
    one.follow(start, [0.1, 0.5], [-0.6, 0.2], times=[0.0, 0.8, 1.6])
    for _ in range(430):
        one.tick(start if not one.samples[-1][5] else one.pipeline._jet[0] + 0.01)
    # away from the reference: the next motion is not followed
    one.follow(one.measured.copy(), [0.0, 0.0], times=[0.0, 0.5])
    one.pipeline.clear()
    for _ in range(100):
        one.tick(one.measured)
    limited = replace(robot, limits_motors=one.parameters.output_guard != 'off')
    flags, _ = agrees(one, replay, library_of(limited, tmp_path))
    assert 300 < flags[:, 0].sum() <= 430


def test_a_motion_beyond_a_limit_stops_both_and_the_next_one_resumes(
    planar, tmp_path, recorded, replay
):
    joints = {
        name: sd.ElasticJoint(joint.spring, joint.motor, max_effort_rate=100.0)
        for name, joint in SPRUNG.joints.items()
    }
    robot = Robot(sd.read_urdf(planar), sd.ElasticJoints(joints))
    one = recorded(robot, output_guard='stop', ramp_time=0.05)
    start = np.array([-np.pi / 2, 0.1])
    one.tick(start)
    one.follow(start, [0.5, 0.5], times=[0.0, 0.4])  # too fast
    for _ in range(150):
        one.tick(start)
    one.follow(start, [-1.5, 0.12], times=[0.0, 1.0])
    for _ in range(300):
        one.tick(one.pipeline._jet[0])
    limited = replace(robot, limits_motors=True)
    flags, _ = agrees(one, replay, library_of(limited, tmp_path))
    followed = flags[:, 0] != 0.0
    stop = 1 + int(np.argmin(followed[1:]))
    assert flags[stop, 1] == 2.0  # the rate of an effort
    assert not followed[stop:151].any() and followed[152:].all()


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
    with pytest.raises(InputError, match='for a controller, got none of gravity_forces$'):
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
    without = subprocess.run([*command, '-DWITH_ROS2_CONTROL=OFF'], timeout=patience())
    assert not without.returncode
