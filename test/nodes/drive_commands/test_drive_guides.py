# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/drive_guides.md as printed: parameters of the nodes, set-ups and programs that run."""

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
from screw_dynamics.common.settings import coerced, rule_of
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters

pytestmark = pytest.mark.long

GUIDE = Path(__file__).resolve().parents[3] / 'docs' / 'drive_guides.md'
SECTIONS = dict(re.findall(r'^## (.+?)\n(.*?)(?=^## |\Z)', GUIDE.read_text(), re.M | re.S))
RECORDS = {
    '/**': FeedforwardParameters,
    '/**/feedforward': FeedforwardParameters,
    '/**/drive_commands': DriveCommandsParameters,
}


def blocks(heading, language):
    return re.findall(rf'```{language}\n(.*?)```', SECTIONS[heading], re.S)


def files_of(heading):
    """Return the parameter files in the blocks of a section: parameters by node."""
    documents = map(yaml.safe_load, blocks(heading, 'yaml'))
    return [
        {name: entry['ros__parameters'] for name, entry in one.items()}
        for one in documents
        if one.keys() <= RECORDS.keys()
    ]


NODES = [
    (heading, name, given)
    for heading in SECTIONS
    for file in files_of(heading)
    for name, given in file.items()
]


@pytest.mark.parametrize('heading, name, given', NODES, ids=[f'{h}: {n}' for h, n, _ in NODES])
def test_parameters_are_those_of_the_node(heading, name, given):
    declared = {rule_of(item).name: item for item in fields(RECORDS[name])}
    assert given.keys() <= declared.keys()
    values = {
        declared[key].name: coerced(rule_of(declared[key]), declared[key].default, value)
        for key, value in given.items()
    }
    replace(RECORDS[name](), **values).check()


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
    """Both nodes with the parameters of the guide, and a robot that is measured at rest."""

    def __init__(self, ros, folder, heading, **changed):
        self._ros = ros
        [given] = [one for one in files_of(heading) if '/**/drive_commands' in one]
        self.given = {**given['/**/drive_commands'], **changed}
        self.names = given['/**/feedforward']['joints']
        given['/**/drive_commands'] = self.given
        file = folder / 'my_drives.yaml'
        file.write_text(
            yaml.safe_dump({name: {'ros__parameters': one} for name, one in given.items()})
        )
        arm = write_arm(folder, self.names)
        self.model = sd.read_urdf(arm)
        end = '--ros-args', '--params-file', str(file), '--'
        topics = ('commands', 'position_commands')
        self.process = ros.start_command(
            [*node_command('drive_commands'), *end],
            urdf_path=arm,
            **keep_all('/drive_commands', *topics),
        )
        self.feedforward = ros.start_command([*node_command('feedforward'), *end], urdf_path=arm)
        ros.wait_until_active(self.feedforward)
        ros.wait_for('the model', lambda: 'Ready: listens on' in self.process.log, self.process)
        self.stood = np.full(len(self.names), 0.2)
        self._verdicts = ros.listen(DiagnosticStatus, '/feedforward/trajectory_status', LATCHED)

    def end(self):
        """End both nodes."""
        for process in (self.process, self.feedforward):
            assert process.interrupt() == 0, process.log

    def wait(self, what, condition):
        def met():
            state = JointState(name=self.names, position=self.stood)
            self._ros.publish(state, '/joint_states', subscribers=2)
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
    robot = Robot(ros, tmp_path, 'MIT mode', ramp_time=0.2)  # to be done sooner
    given = robot.given
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
    for column, values in ((1, robot.stood), (3, given['kp']), (4, given['kd'])):
        np.testing.assert_array_equal(last[:, column], values)
    np.testing.assert_array_equal(last[:, 2], 0.0)
    robot.end()
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
    (tmp_path / 'hebi.py').write_text(HEBI)
    program = tmp_path / 'hebi_feedforward.py'
    [text] = blocks('HEBI', 'python')
    program.write_text(text)
    robot = Robot(ros, tmp_path, 'HEBI')
    commands = ros.listen(Float64MultiArray, '/drive_commands/commands')
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
    robot.end()
    driver.kill()


def test_hobby_servos(ros, tmp_path):
    robot = Robot(ros, tmp_path, 'Hobby servos in position mode')
    commands = ros.listen(Float64MultiArray, '/drive_commands/position_commands')
    ros.wait_until_heard()
    robot.hold()
    offset = sd.gravity_forces(robot.model, robot.stood) / robot.given['servo_stiffness']
    assert (np.abs(offset) > 1e-3).all()
    robot.wait('commands', lambda: commands)
    # in full from the first one on
    np.testing.assert_allclose(commands[0].data, robot.stood + offset, rtol=0.0, atol=1e-12)
    robot.end()
