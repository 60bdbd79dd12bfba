# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder: how it ends, and topics that it discovers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.processes]

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('rclpy', reason='recording needs ROS 2 (rclpy)')

from helpers.bag_processes import messages_in, stop, wait_for, wait_for_match  # noqa: E402
from helpers.dds_threads import NEVER_DESTROYED  # noqa: E402
from helpers.patience import patience  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from std_msgs.msg import Float64, String  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from screw_dynamics.errors import BagWarning  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.recorder import FLUSH_PERIOD  # noqa: E402


@pytest.mark.parametrize(
    ('arguments', 'code', 'text'),
    [
        ([], 2, 'error: expected topics, or --all'),
        (['/x', '-d', 'nan'], 2, "argument -d/--duration: expected a number above 0, got 'nan'"),
        (['/x', '/a//b'], 1, "topic name must not contain repeated '/'"),
        (['/x', '-o', 'taken'], 1, 'taken: cannot create the bag'),
        (['/x', '--ros-args', '-p', 'nothing'], 1, "parameter override rule: '-p nothing'"),
    ],
    ids=lambda value: ' '.join(value) if isinstance(value, list) else '',
)
def test_refused_arguments_leave_no_bag(
    record: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    text: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path('taken').mkdir()
    process = record(*arguments)
    _, log = process.communicate(timeout=patience())
    assert process.returncode == code, log
    assert text in log.splitlines()[-1] and 'Traceback' not in log
    assert code == 2 or log.count('\n') == 1
    assert [path.name for path in tmp_path.iterdir()] == ['taken']


def test_a_setting_that_ros_refuses(
    record: Any, tmp_path: Path, ros_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ros_environment, 'ROS_DOMAIN_ID', 'mine')
    process = record('-o', tmp_path / 'new', '/x')
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 1 and log.count('\n') == 1
    assert 'ROS_DOMAIN_ID is not an integral number' in log
    assert not (tmp_path / 'new').exists()


def test_a_killed_recorder_leaves_what_it_received(node: Any, record: Any, tmp_path: Path) -> None:
    """A slow topic is in the file before more of it comes."""
    publisher = node.create_publisher(Float64, 'x', 10)
    recorder = record('-o', tmp_path / 'bag', 'x')
    wait_for_match(publisher)
    for value in (1.0, 2.0):
        publisher.publish(Float64(data=value))
        wait_for(lambda value=value: values_in(tmp_path / 'bag')[-1:] == [value])
    recorder.kill()
    recorder.wait(patience())
    assert FLUSH_PERIOD <= 1.0  # s, as docs/bags.md promises
    assert not (tmp_path / 'bag' / 'metadata.yaml').exists()
    assert values_in(tmp_path / 'bag') == [1.0, 2.0]
    # the killed one is removed when its lease ends, not while the node of the test is destroyed
    wait_for(lambda: 'recorder' not in node.get_node_names())


def values_in(path: Path) -> list[float]:
    return [found.message.data for found in messages_in(path, '/x')]


def test_a_full_disk(node: Any, record: Any, tmp_path: Path) -> None:
    """A limit of the size of files stands for the disk: the system refuses what exceeds it."""
    resource = pytest.importorskip('resource', reason='a limit of the system stands for the disk')
    size = 100_000
    publisher = node.create_publisher(String, 'x', 10)
    recorder = record('-o', tmp_path / 'bag', 'x')
    wait_for_match(publisher)
    publisher.publish(String(data='kept'))
    wait_for(lambda: [m.message.data for m in messages_in(tmp_path / 'bag', '/x')] == ['kept'])
    resource.prlimit(recorder.pid, resource.RLIMIT_FSIZE, (size, size))
    publisher.publish(String(data=size * 'x'))
    _, log = recorder.communicate(timeout=patience())
    assert recorder.returncode == 1, log
    last = log.splitlines()[-1]
    assert last.startswith(f'recorder: {tmp_path / "bag"}: cannot be written: ')
    assert last.endswith('File too large') and 'Traceback' not in log
    with pytest.warns(BagWarning, match='1 messages are intact'), Bag(tmp_path / 'bag') as bag:
        assert [found.message.data for found in bag.messages()] == ['kept']


def test_a_middleware_that_does_not_end(ros_environment: dict[str, str], tmp_path: Path) -> None:
    """The process ends all the same, and the bag is complete."""
    module = 'screw_dynamics.recordings.bags.recorder'
    script = f'{NEVER_DESTROYED}from {module} import main\nsys.exit(main())'
    command = [sys.executable, '-W', 'ignore', '-c', f'import sys\n{script}']
    done = subprocess.run(
        [*command, '-o', str(tmp_path / 'bag'), '-d', '0.2', '--all'],
        env=ros_environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout == 'a report\n'
    assert 'Timeout (0:00:00' in done.stderr and 'Traceback' not in done.stderr
    assert (tmp_path / 'bag' / 'metadata.yaml').exists()


LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.parametrize('topics', [['/plan'], ['--all']])
def test_what_is_sent_once_is_recorded(
    node: Any, record: Any, tmp_path: Path, topics: list[str]
) -> None:
    """A subscription announces the type; each publisher comes, sends a trajectory and goes."""
    node.create_subscription(JointTrajectory, '/plan', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', *topics)
    wait_for(lambda: node.count_subscribers('/plan') == 2)
    for i in range(3):
        publisher = node.create_publisher(JointTrajectory, '/plan', 10)
        wait_for_match(publisher, count=2)
        publisher.publish(JointTrajectory(joint_names=[f'joint_{i}']))
        wait_for(lambda count=i + 1: len(messages_in(tmp_path / 'bag', '/plan')) == count)
        node.destroy_publisher(publisher)
    stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.arrays('/plan')['joint_names'] == [('joint_0',), ('joint_1',), ('joint_2',)]
        assert bag.topics['/plan'].qos[0].reliability.name == 'RELIABLE'


def test_a_topic_that_is_never_published_is_named_and_not_in_the_bag(
    node: Any, record: Any, tmp_path: Path
) -> None:
    node.create_subscription(Float64, '/x', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', '/x')
    wait_for(lambda: node.count_subscribers('/x') == 2)
    assert 'Never published: /x' in stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics == {}


def test_a_latched_message_of_a_publisher_that_comes_later(
    node: Any, record: Any, tmp_path: Path
) -> None:
    node.create_subscription(Float64, '/x', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', '/x')
    wait_for(lambda: node.count_subscribers('/x') == 2)
    publisher = node.create_publisher(Float64, '/x', LATCHED)
    publisher.publish(Float64(data=1.0))  # before anybody is connected
    wait_for(lambda: node.count_subscribers('/x') == 3)
    wait_for_match(publisher, count=3)
    wait_for(lambda: messages_in(tmp_path / 'bag', '/x'))
    stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.arrays('/x')['data'].tolist() == [1.0]
