# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Feedback around the motor feedforward over DDS: upright arms in sea_simulator, lost messages."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers import planar_sea
from helpers.node_processes import keep_all, node_command, trajectory
from helpers.planar_sea import (
    NAMES,
    integrate,
    write_joints,
)
from helpers.simulated_clock import STEP, SimulatedClock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from screw_dynamics import share_path
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.trajectory import read_trajectory
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

DOCUMENT = Path(__file__).resolve().parents[3] / 'docs' / 'elastic_robots.md'
UPRIGHT = np.array([np.pi / 2, 0.0])
PERIOD = 2 * 10**6
KP, KD, LIMIT = np.array([200.0, 100.0]), np.array([20.0, 5.0]), np.array([20.0, 10.0])
GAINS = {
    'feedback__proportional': KP.tolist(),
    'feedback__derivative': KD.tolist(),
    'feedback__limit': LIMIT.tolist(),
}
ELASTIC = {'publish_commands': True, 'commands_content': 'motor_efforts', 'ramp_time': 0.0}
LARGEST = 0.05  # rad, as the document says
LOADED = (2.0, 1.1)  # masses with a payload of 0.1 kg


def all_reports(reports, name):
    """Return level, message and values of each report of a node on its feedback."""
    return [
        (status.level, status.message, {item.key: item.value for item in status.values})
        for message in reports
        for status in message.status
        if status.name == f'{name}: feedback'
    ]


def report(reports, name):
    """Return the latest of them."""
    return (all_reports(reports, name) or [(None, '', {})])[-1]


class Arm:
    """feedforward and sea_simulator in lock-step, and what they publish, in a namespace."""

    def __init__(self, ros, namespace, feedforward, simulator, file=None):
        self.ros = ros
        mapped = ['--ros-args', '-r', '~/motor_states:=motor_states', '-r']
        given = ['--params-file', str(file)] if file else []
        self.node = ros.start_command(
            node_command('feedforward', *mapped, '~/commands:=feedforward/commands', *given),
            namespace=namespace,
            use_sim_time=True,
            diagnostic_updater__period=0.05,
            **keep_all(f'{namespace}/feedforward', 'feedforward', 'motor_feedforward'),
            **feedforward,
        )
        self.simulator = ros.start_command(
            node_command('sea_simulator', *mapped, '~/commands:=feedforward/commands', *given),
            namespace=namespace,
            publish_clock=True,
            lock_step_timeout=60.0,
            **keep_all(namespace, 'joint_states', 'motor_states'),
            **{'real_time_factor': 0.0, **simulator},
        )
        self.name = f'{namespace}/feedforward'
        self.samples = ros.listen(FeedforwardTorque, f'{self.name}/feedforward')
        self.motors = ros.listen(MotorFeedforward, f'{self.name}/motor_feedforward')
        self.links = ros.listen(JointState, f'{namespace}/joint_states')
        self.states = ros.listen(JointState, f'{namespace}/motor_states')
        self.reports = ros.listen(DiagnosticArray, '/diagnostics')
        ros.wait_until_active(self.node, self.name)
        self.wait('states', lambda: self.links and self.states)
        # a node that has no time yet rejects trajectories
        self.wait('the time of the node', self._has_time)

    def _has_time(self):
        return any(
            nanoseconds(message.header.stamp) > 0
            for message in self.reports
            if any(status.name.startswith(f'{self.name[1:]}: ') for status in message.status)
        )

    def wait(self, what, condition):
        assert self.simulator.running, self.simulator.log
        return self.ros.wait_for(what, condition, self.node)

    def wait_until_measured(self, stamp):
        """Wait for measurements after a stamp: a late client takes its topics at its own pace."""

        def measured():
            return all(nanoseconds(m[-1].header.stamp) > stamp for m in (self.links, self.states))

        self.wait('measurements', measured)

    def move(self, names, points, times):
        self.ros.publish(trajectory(names, *points, times=times), f'{self.name}/joint_trajectory')

    def end(self):
        for process in (self.node, self.simulator):
            assert process.interrupt() == 0, process.log
            assert 'Traceback' not in process.log


@pytest.fixture
def arm(ros):
    """Return a function that starts an arm."""
    started = []

    def arm(*arguments):
        started.append(Arm(ros, *arguments))
        return started[-1]

    yield arm
    for one in started:
        one.end()


def by_stamp(messages):
    return {nanoseconds(message.header.stamp): message for message in messages}


def test_an_upright_arm_with_an_unknown_payload(arm, planar, tmp_path, monkeypatch):
    """Stands and follows, as another simulation of the loop says; falls without feedback."""
    robot = {'urdf_path': planar, 'elastic_joints_path': write_joints(tmp_path)}
    one = arm(
        '/upright',
        {**robot, **ELASTIC, **GAINS, 'publish_rate': 500.0, 'start_state': 'first_point'},
        {
            **robot,
            'rate': 500.0,
            'real_time_factor': 0.2,
            'initial_position': UPRIGHT.tolist(),
            'payload__frame': 'tool',
            'payload__mass': 0.1,
        },
    )
    one.move(NAMES, [UPRIGHT, UPRIGHT, UPRIGHT + [-0.4, 0.3], UPRIGHT], [0.0, 0.5, 1.2, 1.9])
    # Efforts have no stamp. What responds to two steps before the first wait would let the
    # simulation be a step ahead for ever: a slow one waits until both are there.
    one.wait('lock-step', lambda: len(one.motors) > 150)
    assert one.ros.set_parameter('/upright/sea_simulator', 'real_time_factor', 0.0)[0]
    one.wait('the end', lambda: one.motors[-1].source == 0)
    end = len(one.motors)
    one.wait('standing', lambda: len(one.motors) > end + 250)
    motors = by_stamp(one.motors)
    one.wait_until_measured(max(motors))
    states, links = map(by_stamp, (one.states, one.links))
    # simulated time runs freely until the first commands are there: after the ramp it does not
    ticks = [t for t in sorted(motors) if t > min(motors) + 4 * 10**8][:-2]
    assert len(ticks) > 900
    assert set(np.diff(ticks)) == {PERIOD}

    def law(t, state):
        error = np.array([motors[t].motor_position, motors[t].motor_velocity]) - state
        return np.clip(KP * error[0] + KD * error[1], -LIMIT, LIMIT)

    def measured(t):
        return np.array([states[t].position, states[t].velocity])

    # the law, tick by tick: with the state of the tick, or the one before if that has come late
    late = set()
    for t in ticks[1:]:
        added = np.array(states[t + PERIOD].effort) - motors[t].motor_effort
        differences = [np.abs(added - law(s, measured(s))).max() for s in (t, t - PERIOD)]
        assert min(differences) < 1e-9  # rounding
        if differences[1] < differences[0]:
            late.add(t)
    # the loop, by equations by hand
    monkeypatch.setattr(planar_sea, 'MASSES', LOADED)
    path = [
        np.concatenate([links[ticks[0]].position, links[ticks[0]].velocity, *measured(ticks[0])])
    ]
    for k, t in enumerate(ticks[:-1]):
        at = max(0, k - (t in late))
        feedback = law(ticks[at], path[at][4:].reshape(2, 2))
        path.append(integrate(path[-1], motors[t].motor_effort + feedback, 1e-9 * PERIOD))
    reference = np.array([motors[t].motor_position for t in ticks])
    reference -= [motors[t].deflection for t in ticks]
    simulated = np.abs(np.array(path)[:, :2] - reference).max(axis=1)
    errors = np.abs([links[t].position for t in ticks] - reference).max(axis=1)
    # the simulator's steps of a tenth of the fastest vibration are good for 1e-7 of it
    np.testing.assert_allclose(errors, simulated, rtol=0, atol=1e-6)
    assert 1e-3 < errors.max() < 0.02
    level, message, _ = report(one.reports, one.name[1:])
    assert level == b'\x00'
    if message != 'ok':
        # while time runs freely, a state may be ahead of the clock of a busy node
        rejected = re.fullmatch(
            r'last rejection: header.stamp: .* of now \(([0-9.]+)\).*', message
        )
        assert 1e9 * float(rejected[1]) < ticks[0], message
    largest = 'largest position error [rad or m]'
    reported = [v[largest] for _, _, v in all_reports(one.reports, one.name[1:]) if largest in v]
    assert 0.0 < max(map(float, reported)) < 0.05
    # gains to nothing: it falls
    for name in ('proportional', 'derivative'):
        assert one.ros.set_parameter(one.name, f'feedback.{name}', [0.0])[0]
    one.wait('the fall', lambda: abs(one.links[-1].position[0] - UPRIGHT[0]) > 0.5)


def test_the_file_of_the_document(arm, tmp_path):
    """As printed, with the trajectory of the launch file."""
    text = DOCUMENT.read_text(encoding='utf-8').split('\n## Feedback around the motor')[1]
    file = tmp_path / 'upright.yaml'
    file.write_text(re.findall(r'```yaml\n(.*?)```', text, re.DOTALL)[0], encoding='utf-8')
    # a client on a busy machine would fall behind a simulation that runs freely
    one = arm('/document', {}, {'real_time_factor': 1.0}, file)
    motion = read_trajectory(share_path('config/sea_arm_trajectory.yaml'))
    points = [point.positions for point in motion.points]
    one.move(motion.joint_names, points, [point.time_from_start for point in motion.points])
    one.wait('the motion', lambda: one.samples and one.samples[-1].source == 1)
    one.wait('the end', lambda: one.samples[-1].source == 0)
    one.wait_until_measured(nanoseconds(one.samples[-1].header.stamp) + 750 * PERIOD)
    links = by_stamp(one.links)
    # samples are those of the middle of a period of 2 ms
    errors = [
        np.abs(np.array(links[t].position) - sample.reference.positions).max()
        for sample in one.samples
        if (t := nanoseconds(sample.header.stamp) - PERIOD // 2) in links
    ]
    assert len(errors) > 1250, (one.samples[0].header, one.samples[-1].header, max(links))
    assert max(errors) < LARGEST
    assert report(one.reports, one.name[1:])[0] == b'\x00'


def test_lost_and_wrong_measurements(ros, planar, tmp_path):
    """One warning per loss; the feedback ends, WARN, and comes back; wrong messages are named."""
    process = ros.start(
        'feedforward',
        name='lossy',
        urdf_path=planar,
        elastic_joints_path=write_joints(tmp_path),
        use_sim_time=True,
        start_state='first_point',
        diagnostic_updater__period=0.05,
        feedback__timeout=0.2,
        **ELASTIC,
        **GAINS,
    )
    ros.wait_until_active(process, '/lossy')
    clock = SimulatedClock(ros, 100 * 10**9)
    motors = ros.listen(MotorFeedforward, '/lossy/motor_feedforward')
    commands = ros.listen(Float64MultiArray, '/lossy/commands')
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    behind = (UPRIGHT - 0.05).tolist()

    def measure(names=NAMES, position=behind):
        message = JointState(name=names, position=position, velocity=[0.0, 0.0])
        set_stamp(message.header.stamp, clock.now)
        ros.publish(message, '/lossy/motor_states')

    def tick(*measurement):
        clock.step()
        measure(*measurement)
        ros.spin(0.001)
        ros.wait_for('the node', keeps_up, process)

    def keeps_up():
        """A busy node must not lose what arrives faster than it can take."""
        if motors and clock.now - nanoseconds(motors[-1].header.stamp) > 10 * STEP:
            clock.tell()
            return False
        return True

    def added():
        return np.array(commands[-1].data) - motors[-1].motor_effort

    def acts():
        tick()
        return bool(commands) and np.allclose(added(), KP * 0.05, atol=1e-9)

    def follows():
        # the node rejects it until it has received a time
        tick()
        ros.publish(trajectory(NAMES, UPRIGHT, UPRIGHT), '/lossy/joint_trajectory')
        ros.spin(0.5)
        return bool(motors)

    ros.wait_for('the trajectory', follows, process)
    ros.wait_for('feedback', acts, process)
    assert 'Motor feedback ends' not in process.log
    wrong = 'ignored: name: expected each of joint_1, joint_2 once, got joint_1; missing: joint_2'

    def ended():
        tick(['joint_1'], [0.0])
        return commands[-1].data == motors[-1].motor_effort

    ros.wait_for('its end', ended, process)
    assert f'~/motor_states {wrong}' in process.log
    text = 'no usable ~/motor_states for 0.2 s'
    ros.wait_for('the report', lambda: report(reports, 'lossy')[0] == b'\x01', process)
    assert report(reports, 'lossy')[1] == f'no feedback: {text}'
    assert int(report(reports, 'lossy')[2]['ignored']) > 10
    assert process.log.count(f'Motor feedback ends: {text}') == 1
    ros.wait_for('feedback', acts, process)
    assert process.log.count('Motor feedback acts again') == 1
    ros.wait_for('the report', lambda: report(reports, 'lossy')[0] == b'\x00', process)
    # parameters: refused with the reason, and gains that change while it runs
    refused = ros.set_parameter('/lossy', 'feedback.limit', [1.0, 2.0, 3.0])
    assert refused == (False, "parameter 'feedback.limit': expected no value, one, or 2 "
                       '(joint_1, joint_2), got 3')  # fmt: skip
    assert not ros.set_parameter('/lossy', 'feedback.derivative', [-1.0])[0]
    assert not ros.set_parameter('/lossy', 'feedback.limit', [])[0]
    assert ros.set_parameter('/lossy', 'feedback.proportional', [40.0]) == (True, '')

    def weaker():
        tick()
        return np.allclose(added(), 2.0, atol=1e-9)

    ros.wait_for('other gains', weaker, process)
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.mark.parametrize(
    'parameters, reason',
    [
        (
            {'feedback__proportional': [1.0]},
            "'feedback.limit': expected the largest feedback of each motor, or one for all, with",
        ),
        (
            {'feedback__proportional': [1.0, 2.0, 3.0], 'feedback__limit': [1.0]},
            "'feedback.proportional': expected no value, one, or 2 (joint_1, joint_2), got 3",
        ),
        (
            {**GAINS, 'commands_content': 'link_efforts'},
            "'feedback.proportional': expected no value without mode: feedforward and",
        ),
    ],
)
def test_a_bad_start_says_why(ros, planar, tmp_path, parameters, reason):
    path = write_joints(tmp_path)
    process = ros.start(
        'feedforward',
        **{'urdf_path': planar, 'elastic_joints_path': path, **ELASTIC, **parameters},
    )
    assert process.wait() == 1
    assert '[FATAL]' in process.log
    assert reason in process.log
    assert 'Traceback' not in process.log
