# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""trajectory_sender: sends once a subscriber is there, and logs the outcome."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import pytest
from helpers.patience import patience
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics.nodes.trajectory_sender import Verdicts

TOPIC = '/feedforward/joint_trajectory'
SETTLED = 5.0  # s, in which it would have sent the trajectory
SOON = 2.0  # s after one subscriber, when the sender still waits for others
YAML = """
joint_names: [a, b]
points:
  - {time_from_start: 0, positions: [0, 1]}
  - {time_from_start: 1.5, positions: [1, 2.5], velocities: [0, 0]}
"""


def test_a_file_is_sent(ros, tmp_path):
    path = tmp_path / 'trajectory.yaml'
    path.write_text(YAML)
    process = ros.start('trajectory_sender', file=path)
    received = ros.listen(JointTrajectory, TOPIC)
    ros.wait_for('the trajectory', lambda: received)
    assert process.wait() == 0
    (message,) = received
    assert message.joint_names == ['a', 'b']
    assert nanoseconds(message.header.stamp) == 0
    assert nanoseconds(message.points[1].time_from_start) == 1_500_000_000
    assert list(message.points[1].positions) == [1.0, 2.5]
    assert list(message.points[1].velocities) == [0.0, 0.0]
    sent, note = process.log.strip().splitlines()
    assert sent == f'Sent 2 points of 2 joints, 1.5 s, on {TOPIC} to 1 subscriber(s)'
    assert note.startswith('no receiver reports whether it follows the trajectory')


def test_the_verdict_of_the_node(ros, planar):
    node = ros.start('feedforward', urdf_path=planar, namespace='/judged')
    ros.wait_until_active(node, '/judged/feedforward')
    points = {'times': '[0, 1]', 'positions': '[0.0, 0.0, 0.1, 0.2]'}
    codes = {}
    for name in ('joint_2', 'nose'):
        process = ros.start(
            'trajectory_sender', namespace='/judged', joint_names=f'[joint_1, {name}]', **points
        )
        codes[name] = process.wait(), process.log
    code, log = codes['joint_2']
    assert code == 0, log
    assert '/judged/feedforward: accepted' in log
    code, log = codes['nose']
    assert code == 1
    assert '/judged/feedforward rejected the trajectory: Incoming joint nose' in log
    assert 'Traceback' not in log
    assert node.interrupt() == 0, node.log


def test_the_names_of_receivers_arrive_after_their_subscriptions():
    unknown = SimpleNamespace(
        node_name='_NODE_NAME_UNKNOWN_', node_namespace='_NODE_NAMESPACE_UNKNOWN_'
    )
    receiver = SimpleNamespace(node_name='feedforward', node_namespace='/')
    found = iter([[unknown], [unknown], [receiver]])
    node = SimpleNamespace(
        get_subscriptions_info_by_topic=lambda _: next(found),
        count_publishers=lambda topic: topic == '/feedforward/trajectory_status',
        create_subscription=lambda *_: None,
    )
    assert Verdicts(node, TOPIC, 'mine').missing == ['/feedforward']


def test_parameters_and_a_delay(ros):
    received = ros.listen(JointTrajectory, TOPIC)
    before = time.time_ns()
    process = ros.start(
        'trajectory_sender',
        joint_names='[a]',
        times='[0, 1]',
        positions='[1.0, 2.0]',
        delay=2,
    )
    ros.wait_for('the trajectory', lambda: received)
    assert process.wait() == 0
    stamp = nanoseconds(received[0].header.stamp)
    assert before + 2 * 10**9 < stamp < time.time_ns() + 2 * 10**9


@pytest.mark.parametrize(
    'parameters, text',
    [
        ({}, "expected the parameter 'file', or 'joint_names', 'times' and 'positions'"),
        ({'file': '/nowhere.yaml'}, '/nowhere.yaml'),
        (
            {'joint_names': '[a]', 'times': '[0.0]', 'positions': '[1.0, 2.0]'},
            'expected 1 points of 1 joints = 1 values, got 2',
        ),
        (
            {
                'joint_names': '[a]',
                'times': '[0.0]',
                'positions': '[1.0]',
                'wait_for': '[no-name]',
            },
            "parameter 'wait_for': expected names of topics: ",
        ),
    ],
)
def test_unusable_input_is_fatal(ros, parameters, text):
    process = ros.start('trajectory_sender', **parameters)
    assert process.wait() == 1
    assert text in process.log
    assert 'Traceback' not in process.log


@pytest.mark.parametrize(
    'namespace, parameters, missing',
    [
        ('unheard', {}, 'subscriber on /{0}/feedforward/joint_trajectory'),
        ('unstated', {'wait_for': '[states]'}, 'publisher on /{0}/states'),
        ('untimed', {'use_sim_time': True}, 'time on /clock (use_sim_time is set)'),
    ],
)
def test_what_it_waits_for_in_vain_is_named(ros, namespace, parameters, missing):
    listened = namespace != 'unheard'
    if listened:
        ros.listen(JointTrajectory, f'/{namespace}/feedforward/joint_trajectory')
    process = ros.start(
        'trajectory_sender',
        name='lonely',
        namespace=f'/{namespace}',
        joint_names='[a]',
        times='[0.0]',
        positions='[1.0]',
        wait_timeout=patience(6.0) if listened else 0.2,
        **parameters,
    )
    assert process.wait() == 1
    assert f'no {missing.format(namespace)} within' in process.log


def test_it_waits_for_a_publisher(ros):
    topic = '/late/feedforward/joint_trajectory'
    received = ros.listen(JointTrajectory, topic)
    process = ros.start(
        'trajectory_sender',
        namespace='/late',
        joint_names='[a]',
        times='[0.0]',
        positions='[1.0]',
        wait_for='[states]',
    )
    ros.wait_for('the sender', lambda: ros.node.count_publishers(topic), process)
    ros.spin(SETTLED)
    assert process.running and not received
    ros.node.create_publisher(JointState, '/late/states', 10)
    ros.wait_for('the trajectory', lambda: received)
    assert process.wait() == 0


def test_it_waits_for_all_subscribers_that_are_there(ros):
    """Two subscribers appear while the sender waits, the second a little later than the first."""
    for attempt in itertools.count():
        namespace = f'/several_{attempt}'
        topic = f'{namespace}{TOPIC}'
        process = ros.start(
            'trajectory_sender',
            namespace=namespace,
            joint_names='[a]',
            times='[0.0]',
            positions='[1.0]',
        )
        ros.wait_for('the sender', lambda topic=topic: ros.node.count_publishers(topic), process)
        begin = time.monotonic()
        ros.listen(JointTrajectory, topic)
        ros.spin(0.2)
        other = ros.add_node(f'other_{attempt}')
        other.create_subscription(JointTrajectory, topic, lambda _: None, 10)
        in_time = time.monotonic() < begin + SOON
        assert process.wait() == 0, process.log
        ros.remove_node(other)
        if in_time:
            break
    assert int(process.log.split(' subscriber(s)')[0].split()[-1]) == 2
