# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""trajectory_sender: what it waits for, what it sends, and the outcome."""

import time
from functools import partial
from types import SimpleNamespace

import pytest
import rclpy
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.nodes import trajectory_sender
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.nodes.trajectory_sender import SenderParameters, Verdicts, send

pytestmark = pytest.mark.long

TOPIC = '/feedforward/joint_trajectory'
MAKE = partial(rclpy.create_node, 'sender')
YAML = """
joint_names: [a, b]
points:
  - {time_from_start: 0, positions: [0, 1]}
  - {time_from_start: 1.5, positions: [1, 2.5], velocities: [0, 0]}
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / 'trajectory.yaml'
    path.write_text(YAML)
    return path


def test_a_file_is_sent(ros, path):
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


def test_the_verdict_of_the_node(ros, planar, path):
    node = ros.start('feedforward', urdf_path=planar, namespace='/judged')
    ros.wait_until_active(node, '/judged/feedforward')
    codes = {}
    for name in ('joint_2', 'nose'):
        path.write_text(YAML.replace('[a, b]', f'[joint_1, {name}]').replace('2.5]', '1.5]'))
        process = ros.start('trajectory_sender', namespace='/judged', file=path)
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


def test_a_delay(ros, path):
    received = ros.listen(JointTrajectory, TOPIC)
    before = time.time_ns()
    process = ros.start('trajectory_sender', file=path, delay=2)
    ros.wait_for('the trajectory', lambda: received)
    assert process.wait() == 0
    stamp = nanoseconds(received[0].header.stamp)
    assert before + 2 * 10**9 < stamp < time.time_ns() + 2 * 10**9


@pytest.mark.parametrize(
    'parameters, text',
    [
        ({'file': "''"}, "parameter 'file': expected a file with a trajectory, got none"),
        ({'file': '/nowhere.yaml'}, '/nowhere.yaml'),
        ({'wait_for': '[no-name]'}, "parameter 'wait_for': expected names of topics: "),
        (
            {'wait_timeout': 0.0, 'namespace': '/unheard'},
            f'no subscriber on /unheard{TOPIC} within 0 s',
        ),
    ],
)
def test_unusable_input_is_named(ros, path, parameters, text):
    with (
        ros.made(MAKE, **{'file': path, **parameters}) as node,
        pytest.raises(ScrewDynamicsError) as raised,
    ):
        send(node)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    'parameters, missing',
    [
        ({}, f'subscriber on {TOPIC}'),
        ({'wait_for': '[states]'}, 'publisher on /states'),
        ({'use_sim_time': True}, 'time on /clock (use_sim_time is set)'),
    ],
)
def test_what_is_missing(ros, parameters, missing):
    with ros.made(MAKE, **parameters) as node:
        values = NodeParameters(node, SenderParameters).values
        publisher = SimpleNamespace(
            topic_name=TOPIC, get_subscription_count=lambda: bool(values.wait_for or parameters)
        )
        assert trajectory_sender._missing(node, publisher, values) == missing


def test_it_waits_for_all_subscribers_that_are_there(monkeypatch):
    """Each counts as matched before it can receive; the last one makes it wait anew."""
    now, counts = 100.0, {0.0: 0, 0.5: 1, 2.0: 2}  # matched, by time

    def spin_once(timeout_sec):
        nonlocal now
        now += timeout_sec

    def matched():
        return max(count for begin, count in counts.items() if now - 100.0 >= begin - 1e-9)

    monkeypatch.setattr(trajectory_sender, 'time', SimpleNamespace(monotonic=lambda: now))
    node = SimpleNamespace(count_subscribers=lambda _: 2)
    publisher = SimpleNamespace(topic_name=TOPIC, get_subscription_count=matched)
    trajectory_sender._wait_for_all(node, publisher, SimpleNamespace(spin_once=spin_once))
    assert now - 100.0 == pytest.approx(2.0 + trajectory_sender._SETTLING_TIME, abs=0.11)
    counts.pop(2.0)  # one never matches
    now = 100.0
    trajectory_sender._wait_for_all(node, publisher, SimpleNamespace(spin_once=spin_once))
    assert now - 100.0 == pytest.approx(trajectory_sender._LONGEST_SETTLING, abs=0.11)
