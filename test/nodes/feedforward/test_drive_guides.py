# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/drive_guides.md as printed: parameters that the node has, set-ups and programs that run."""

from __future__ import annotations

import re
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from helpers.node_processes import LATCHED, keep_all, node_command, trajectory
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import screw_dynamics as sd
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.parameters import coerced, rule_of

GUIDE = Path(__file__).resolve().parents[3] / 'docs' / 'drive_guides.md'
SECTIONS = dict(re.findall(r'^## (.+?)\n(.*?)(?=^## |\Z)', GUIDE.read_text(), re.M | re.S))
FIELDS = {rule_of(item).name: item for item in fields(FeedforwardParameters)}


def blocks(heading, language):
    return re.findall(rf'```{language}\n(.*?)```', SECTIONS[heading], re.S)


def parameters_of(heading):
    """Return the parameters of the node in the blocks of a section."""
    documents = map(yaml.safe_load, blocks(heading, 'yaml'))
    return [one['/**']['ros__parameters'] for one in documents if '/**' in one]


NODES = [(heading, given) for heading in SECTIONS for given in parameters_of(heading)]


@pytest.mark.parametrize('heading, given', NODES, ids=[heading for heading, _ in NODES])
def test_parameters_are_those_of_the_node(heading, given):
    assert given.keys() <= FIELDS.keys()
    values = {
        FIELDS[name].name: coerced(rule_of(FIELDS[name]), FIELDS[name].default, value)
        for name, value in given.items()
    }
    replace(FeedforwardParameters(), **values).check()


def test_there_is_a_set_up_for_every_kind_of_drive():
    assert len(NODES) >= 7


def write_arm(folder, names):
    """Write the URDF of a light chain with these joints."""
    text, parent = '<robot name="chain"><link name="base"/>', 'base'
    for i, name in enumerate(names):
        text += (
            f'<link name="{name}_link"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>'
            '<inertia ixx="1e-4" iyy="2e-4" izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child '
            f'link="{name}_link"/><origin xyz="{0.1 if i else 0.0} 0 0"/><axis xyz="0 -1 0"/>'
            '<limit lower="-3" upper="3" effort="10" velocity="10"/></joint>'
        )
        parent = f'{name}_link'
    path = folder / 'arm.urdf'
    path.write_text(text + '</robot>')
    return path


class Robot:
    """A node with the parameters of the guide, and a robot that is measured at rest."""

    def __init__(self, ros, folder, given):
        self._ros, self.names = ros, given['joints']
        file = folder / 'my_feedforward.yaml'
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': given}}))
        arm = write_arm(folder, self.names)
        self.model = sd.read_urdf(arm)
        command = [*node_command('feedforward'), '--ros-args', '--params-file', str(file), '--']
        topics = ('commands', 'position_commands')
        self.process = ros.start_command(
            command, urdf_path=arm, **keep_all('/feedforward', *topics)
        )
        ros.wait_until_active(self.process)
        self.stood = np.full(len(self.names), 0.2)
        self._verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status', LATCHED)

    def wait(self, what, condition):
        def met():
            self._ros.publish(JointState(name=self.names, position=self.stood), '/joint_states')
            return condition()

        return self._ros.wait_for(what, met, self.process)

    def hold(self):
        """
        Follow a trajectory of one point, where the robot stands.

        A busy machine may deliver it later than the state can be used for: then again.
        """
        self._ros.wait_until_heard()
        message = trajectory(self.names, self.stood, times=[0.1])
        for attempt in range(1, 6):
            message.header.frame_id = f'attempt {attempt}'
            self.wait('a state', lambda: True)
            self._ros.publish(message, '/feedforward/joint_trajectory')
            verdict = self.wait('the verdict', lambda: self._verdict(message.header.frame_id))
            if verdict.level != DiagnosticStatus.ERROR:
                return
            assert 'joint_states' in verdict.message, verdict
        raise AssertionError(f'never followed: {verdict}')

    def _verdict(self, frame_id):
        """Return what the node has said of a trajectory, or None."""
        for verdict in self._verdicts:
            if {item.key: item.value for item in verdict.values}['header.frame_id'] == frame_id:
                return verdict
        return None


def test_mit_mode(ros, tmp_path):
    [given] = [one for one in parameters_of('MIT mode') if 'mit_kp' in one]
    given['ramp_time'] = 0.2  # to be done sooner
    robot = Robot(ros, tmp_path, given)
    program = tmp_path / 'mit_driver.py'
    [text] = blocks('MIT mode', 'python')
    program.write_text(text)
    driver = ros.start_command([sys.executable, '-u', str(program)])
    robot.hold()
    expected = np.array(given['effort_scale']) * sd.gravity_forces(robot.model, robot.stood)

    def lines():
        rows = [line.split() for line in driver.log.splitlines()[:-1]]
        return np.array([[float(value) for value in row] for row in rows[-6:]])

    def arrived():
        last = lines()
        return last.shape == (6, 6) and np.abs(last[np.argsort(last[:, 0]), 5] - expected).max()

    robot.wait('the efforts', lambda: 0.0 < arrived() < 1e-12)
    last = lines()
    last = last[np.argsort(last[:, 0])]
    np.testing.assert_array_equal(last[:, 0], range(6))
    for column, values in ((1, robot.stood), (3, given['mit_kp']), (4, given['mit_kd'])):
        np.testing.assert_array_equal(last[:, column], values)
    np.testing.assert_array_equal(last[:, 2], 0.0)
    assert robot.process.interrupt() == 0, robot.process.log
    driver.kill()


HEBI = """
# what the program of the guide calls of the package of this name, which needs its actuators
import sys, threading, time
class GroupCommand:
    def __init__(self, size):
        self.position = self.velocity = self.effort = None
class Group:
    size = 3
    def add_feedback_handler(self, handler):
        threading.Thread(target=self.feed, args=(handler,), daemon=True).start()
    def feed(self, handler):
        class feedback:
            position, velocity, effort = [0.2] * 3, [0.0] * 3, [0.0] * 3
        while True:
            time.sleep(0.02)
            handler(feedback)
    def send_command(self, command):
        print(*command.position, *command.velocity, *command.effort)
class Lookup:
    def get_group_from_names(self, families, names):
        assert (families, len(names)) == (['Arm'], 3)
        return Group()
"""


def test_hebi(ros, tmp_path):
    [given] = parameters_of('HEBI')
    (tmp_path / 'hebi.py').write_text(HEBI)
    program = tmp_path / 'hebi_feedforward.py'
    [text] = blocks('HEBI', 'python')
    program.write_text(text)
    robot = Robot(ros, tmp_path, given)
    commands = ros.listen(Float64MultiArray, '/feedforward/commands')
    ros.wait_until_heard()  # the driver keeps one command, and may miss those of the ramp
    driver = ros.start_command([sys.executable, '-u', str(program)])
    topic = '/feedforward/joint_trajectory'
    weight = sd.gravity_forces(robot.model, robot.stood)

    def rows():
        lines = driver.log.splitlines()[:-1]
        return np.array([line.split() for line in lines], dtype=float).reshape(-1, 3, 3)

    def reports():
        """Whether states come from the driver; other tests publish some as well."""
        found = ros.node.get_publishers_info_by_topic('/joint_states')
        return any(info.node_name == 'hebi_feedforward' for info in found)

    ros.wait_for('states', reports, driver)
    ros.publish(trajectory(robot.names, robot.stood, times=[0.0]), topic)

    def arrived():
        return len(rows()) and np.abs(rows()[-1][2] - weight).max() < 1e-12

    ros.wait_for('the efforts', arrived, driver)
    sent = rows()
    np.testing.assert_array_equal(sent[:, 0], 0.2)
    np.testing.assert_array_equal(sent[:, 1], 0.0)

    def made():
        return {tuple(command.data) for command in commands}

    got = {tuple(rows.ravel()) for rows in sent}
    ros.wait_for('what the driver got', lambda: got <= made(), robot.process)
    efforts = [command.data[6:] for command in commands]
    np.testing.assert_array_equal(efforts[0], 0.0)  # with a ramp
    assert any(0.0 < np.abs(row).max() < 0.5 * np.abs(weight).max() for row in efforts)
    assert robot.process.interrupt() == 0, robot.process.log
    driver.kill()


def test_hobby_servos(ros, tmp_path):
    [given] = parameters_of('Hobby servos in position mode')
    robot = Robot(ros, tmp_path, given)
    commands = ros.listen(Float64MultiArray, '/feedforward/position_commands')
    ros.wait_until_heard()
    robot.hold()
    offset = sd.gravity_forces(robot.model, robot.stood) / given['servo_stiffness']
    assert (np.abs(offset) > 1e-3).all()
    robot.wait('commands', lambda: commands)
    # in full from the first one on
    np.testing.assert_allclose(commands[0].data, robot.stood + offset, rtol=0.0, atol=1e-12)
    assert robot.process.interrupt() == 0, robot.process.log


def test_guided_by_hand(ros, tmp_path):
    [given] = parameters_of('Guided by hand')
    names = ['joint_1', 'joint_2', 'joint_3']
    robot = Robot(ros, tmp_path, {**given, 'joints': names, 'ramp_time': 0.2})
    commands = ros.listen(Float64MultiArray, '/feedforward/commands')
    expected = sd.gravity_forces(robot.model, robot.stood)
    robot.wait(
        'the efforts',
        lambda: commands and np.abs(np.subtract(commands[-1].data, expected)).max() < 1e-12,
    )
    assert robot.process.interrupt() == 0, robot.process.log
