# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The replay process over real DDS: recorded messages, published at recorded times."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bag_sample import NAMES, SAMPLE, SAMPLE_TYPE
from helpers.bag_processes import signal_until_it_ends, stop
from helpers.dds_threads import NEVER_DESTROYED, threads_left, watched_command
from helpers.patience import patience

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('rclpy', reason='replaying needs ROS 2 (rclpy)')

from rosbags.typesys import Stores, get_typestore  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from screw_dynamics.bags import Bag, BagWriter  # noqa: E402
from screw_dynamics.bags.definitions import message_definition  # noqa: E402
from screw_dynamics.bags.replay import BagReplay, ReplayOptions  # noqa: E402

SECOND = 10**9
START = 1_700_000_000 * SECOND
PERIOD = SECOND // 50
COUNT = 40
ATTEMPTS = 3
TRAJECTORY, STATE = 'trajectory_msgs/msg/JointTrajectory', 'sensor_msgs/msg/JointState'
NUMBER = 'std_msgs/msg/Float64'


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Return a bag of joint states at 50 Hz, two trajectories and an unrelated number."""
    store = get_typestore(Stores.ROS2_JAZZY)
    none = np.empty(0)

    def header(stamp: int) -> Any:
        sec, nanosec = divmod(stamp, SECOND)
        time = store.types['builtin_interfaces/msg/Time'](sec=sec, nanosec=nanosec)
        return store.types['std_msgs/msg/Header'](stamp=time, frame_id='')

    with BagWriter(tmp_path / 'inputs') as bag:

        def write(topic: str, now: int, kind: str, **fields: Any) -> None:
            data = store.serialize_cdr(store.types[kind](**fields), kind)
            bag.write(topic, now, bytes(data))

        for topic, name in (('/states', STATE), ('/plan', TRAJECTORY), ('/number', NUMBER)):
            bag.add_topic(topic, name, message_definition(name))
        for i, values in enumerate(np.random.default_rng(5).normal(size=(COUNT, 3))):
            now = START + i * PERIOD
            state = {'name': NAMES, 'position': values, 'velocity': none, 'effort': none}
            # stamped 3 ms before it was received
            write('/states', now, STATE, header=header(now - 3_000_000), **state)
        for i, delay in ((5, 0), (15, 2 * SECOND)):
            now = START + i * PERIOD
            stamp = header(now + delay if delay else 0)
            write('/plan', now, TRAJECTORY, header=stamp, joint_names=NAMES, points=[])
        write('/number', START, NUMBER, data=1.0)
    return tmp_path / 'inputs'


def replay_and_record(
    replay: Any, record: Any, folder: Path, topics: tuple[str, ...], *arguments: object
) -> tuple[dict[str, dict[str, Any]], str] | None:
    """
    Return the arrays of what a recorder hears of a replay, and the log of the replay.

    None if the machine has held up the recorder until messages were lost, which it reports.
    """
    recorder = record('-o', folder, *topics)
    process = replay('-w', patience(), *arguments)
    _, log = process.communicate(timeout=2.0 * patience())
    assert process.returncode == 0, log
    assert 'Traceback' not in log
    if ', 0 lost' not in stop(recorder):
        return None
    with Bag(folder) as bag:
        return {topic: bag.arrays(topic) for topic in topics}, log


def first_on_time(attempt: Callable[[Path], Any], folder: Path) -> Any:
    """Return the result of the first attempt that the machine does not hold up (None)."""
    for i in range(ATTEMPTS):
        result = attempt(folder / f'attempt_{i}')
        if result is not None:
            return result
    pytest.fail(f'held up in {ATTEMPTS} attempts')


def test_round_trip(replay: Any, record: Any, inputs: Path, tmp_path: Path) -> None:
    topics = ('/states', '/plan')
    with Bag(inputs) as bag:
        before = {topic: bag.arrays(topic) for topic in topics}

    def attempt(folder: Path) -> Any:
        heard = replay_and_record(replay, record, folder, topics, inputs)
        if heard is None:
            return None
        got, _ = heard
        # received in the same rhythm, and the absolute start 2 s after reception
        gaps = got['/states']['log_time'] - before['/states']['log_time']
        distance = got['/plan']['header.stamp'][1] - got['/plan']['log_time'][1]
        assert distance <= 2 * SECOND
        on_time = np.median(gaps) - gaps.min() < 0.2 * SECOND and distance > 1.5 * SECOND
        return heard if on_time else None

    got, log = first_on_time(attempt, tmp_path)
    assert f'{COUNT + 2} messages replayed' in log
    for topic, field in (('/states', 'position'), ('/plan', 'joint_names')):
        assert np.array_equal(got[topic][field], before[topic][field])
    # at rate 1 all stamps move by one offset; 0 stays 0
    moved = got['/states']['header.stamp'] - before['/states']['header.stamp']
    assert np.ptp(moved) == 0
    assert got['/plan']['header.stamp'][0] == 0
    assert got['/plan']['header.stamp'][1] - before['/plan']['header.stamp'][1] == moved[0]


def test_a_second_generation_is_still_the_same(
    replay: Any, record: Any, inputs: Path, tmp_path: Path
) -> None:
    topics = ('/states',)

    def attempt(folder: Path) -> Any:
        first = folder / 'one'
        return replay_and_record(
            replay, record, first, topics, inputs, '/states', '-r', 4
        ) and replay_and_record(replay, record, folder / 'two', topics, first)

    got, _ = first_on_time(attempt, tmp_path)
    with Bag(inputs) as bag:
        expected = bag.arrays('/states')['position']
    assert got['/states']['position'].tobytes() == expected.tobytes()


def test_rate_offset_remap_and_stamps(
    replay: Any, record: Any, inputs: Path, tmp_path: Path
) -> None:
    arguments = ('--rate', 4, '--start-offset', 0.2, '--keep-stamps')
    arguments += ('--ros-args', '-r', '/states:=/arm/states')
    duration = (COUNT - 11) * 0.02 / 4

    def attempt(folder: Path) -> Any:
        heard = replay_and_record(
            replay, record, folder, ('/arm/states',), inputs, '/states', *arguments
        )
        if heard is None:
            return None
        on_time = heard[0]['/arm/states']['time'][-1] == pytest.approx(duration, abs=0.2)
        return heard if on_time else None

    got, log = first_on_time(attempt, tmp_path)
    arrays = got['/arm/states']
    with Bag(inputs) as bag:
        before = bag.arrays('/states')
    assert arrays['position'].tobytes() == before['position'][10:].tobytes()
    assert np.array_equal(arrays['header.stamp'], before['header.stamp'][10:])
    assert 'at rate 4' in log


def test_faster_stamps_keep_their_distance_to_now(
    replay: Any, record: Any, inputs: Path, tmp_path: Path
) -> None:
    got, _ = first_on_time(
        lambda folder: replay_and_record(
            replay, record, folder, ('/states',), inputs, '/states', '-r', 4
        ),
        tmp_path,
    )
    assert np.ptp(np.diff(got['/states']['header.stamp'])) <= 2
    assert np.diff(got['/states']['header.stamp'])[0] == pytest.approx(PERIOD / 4, abs=2)
    distance = got['/states']['log_time'] - got['/states']['header.stamp']
    assert distance.min() >= 3_000_000


def test_a_replay_that_is_held_up_between_its_clocks_stamps_nothing_ahead(
    node: Any, record: Any, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its first two looks, each for a second."""
    recorder = record('-o', tmp_path / 'held_up', '/states')
    options = ReplayOptions(topics=['/states'], rate=20.0, wait=patience())
    with Bag(inputs) as source:
        subject = BagReplay(source, options, context=node.context)
        get_clock, looks = subject.get_clock, itertools.count()

        def held_up() -> Any:
            if next(looks) < 2:
                time.sleep(1.0)
            return get_clock()

        try:
            subject.wait_for_subscribers()
            monkeypatch.setattr(subject, 'get_clock', held_up)
            subject.run()
        finally:
            subject.destroy_node()
    stop(recorder)
    with Bag(tmp_path / 'held_up') as bag:
        got = bag.arrays('/states')
    # as recorded, 3 ms before
    distance = got['log_time'] - got['header.stamp']
    assert 3_000_000 <= distance.min() < 0.5 * SECOND


def test_a_loop_goes_on_until_it_is_stopped(node: Any, replay: Any, inputs: Path) -> None:
    received: list[JointState] = []
    node.create_subscription(JointState, '/states', received.append, 10)
    import rclpy

    executor = rclpy.executors.SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    process = replay(inputs, '/states', '--loop', '-r', 20, '-w', patience())
    deadline = time.monotonic() + patience()
    # a busy machine may lose some: at least one is to come in three passes
    passes: Counter[tuple[float, ...]] = Counter()
    while max(passes.values(), default=0) < 3 and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
        passes = Counter(tuple(message.position) for message in received)
    executor.shutdown()
    assert max(passes.values()) >= 3 and len(passes) <= COUNT
    signal_until_it_ends(process)
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 130
    assert 'Traceback' not in log


@pytest.mark.parametrize('topic, length', [('/plan', 0.78), ('/single', 0.1)])
def test_a_pass_lasts_as_long_as_the_bag(
    node: Any, replay: Any, inputs: Path, tmp_path: Path, topic: str, length: float
) -> None:
    """Two trajectories in 0.78 s, and a bag of one message, which lasts no time at all."""
    if topic == '/single':
        with Bag(inputs) as bag, BagWriter(tmp_path / 'single') as single:
            single.add_topic(topic, TRAJECTORY, message_definition(TRAJECTORY))
            single.write(topic, START, next(bag.raw_messages(['/plan'])).data)
        inputs = tmp_path / 'single'
    import rclpy
    from trajectory_msgs.msg import JointTrajectory

    begun: list[int] = []

    def hear(message: JointTrajectory, info: dict[str, int]) -> None:
        if not message.header.stamp.sec:  # the first of a pass
            begun.append(info['source_timestamp'])

    node.create_subscription(JointTrajectory, topic, hear, 100)
    executor = rclpy.executors.SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    process = replay(inputs, topic, '--loop', '-w', patience())
    deadline = time.monotonic() + patience()
    while len(begun) < 6 and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown()
    signal_until_it_ends(process)
    _, log = process.communicate(timeout=patience())
    assert len(begun) >= 6, log
    # the median, as a busy machine holds up some of the passes, whatever their length
    assert 0.9 * length < 1e-9 * np.median(np.diff(begun)) < length + 0.5


def test_the_clock_of_simulated_time_moves_the_stamps(
    node: Any, replay: Any, record: Any, inputs: Path, tmp_path: Path
) -> None:
    from builtin_interfaces.msg import Time

    clock_message = pytest.importorskip('rosgraph_msgs.msg').Clock
    clock = node.create_publisher(clock_message, '/clock', 1)
    process = replay(inputs, '/plan', '--ros-args', '-p', 'use_sim_time:=true')
    recorder = record('-o', tmp_path / 'sim', '/plan')
    deadline = time.monotonic() + patience()
    while process.poll() is None and time.monotonic() < deadline:
        clock.publish(clock_message(clock=Time(sec=100)))  # best effort: not every one arrives
        time.sleep(0.02)
    process.communicate(timeout=patience())
    stop(recorder)
    with Bag(tmp_path / 'sim') as bag:
        stamps = bag.arrays('/plan')['header.stamp'].tolist()
    assert stamps == [0, 102 * SECOND + 15 * PERIOD]


@pytest.mark.skipif(not Path('/proc/self/task').exists(), reason='threads are read from /proc')
@pytest.mark.parametrize('arguments', [('/nose',), ('-w', '0.2')])
def test_no_thread_of_the_dds_is_left(
    inputs: Path, ros_environment: dict[str, str], arguments: tuple[str, ...]
) -> None:
    """Refused when the node is made, and later."""
    command = watched_command('screw_dynamics.bags.replay', str(inputs), *arguments)
    done = subprocess.run(
        command, env=ros_environment, capture_output=True, text=True, timeout=patience()
    )
    assert done.returncode == 1, done.stderr
    assert threads_left(done.stdout) == []


@pytest.mark.parametrize('module', ['recorder', 'replay'])
def test_a_middleware_that_does_not_end(
    inputs: Path, ros_environment: dict[str, str], tmp_path: Path, module: str
) -> None:
    """The process ends all the same, and the bag is complete."""
    script = f'{NEVER_DESTROYED}from screw_dynamics.bags.{module} import main\nsys.exit(main())'
    arguments = {
        'recorder': ['-o', tmp_path / 'bag', '-d', '0.2', '--all'],
        'replay': [inputs, '-w', '0', '-r', '10'],
    }[module]
    command = [sys.executable, '-W', 'ignore', '-c', f'import sys\n{script}', *arguments]
    done = subprocess.run(
        list(map(str, command)), env=ros_environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout == 'a report\n'
    assert 'Timeout (0:00:00' in done.stderr and 'Traceback' not in done.stderr
    if module == 'recorder':
        assert (tmp_path / 'bag' / 'metadata.yaml').exists()


@pytest.mark.parametrize(
    'arguments, code, text',
    [
        (('nowhere',), 1, 'nowhere: expected a bag, got'),
        (('@inputs', '/nose'), 1, "unknown topic '/nose': expected one of"),
        (('@inputs', '-w', '0.2'), 1, 'no subscriber on /states, /plan within 0.2 s'),
        (('@inputs', '-w', '0', '-s', '9'), 1, 'expected at most the duration of 0.780 s, got 9'),
        (('@inputs', '-w', '0.2', '/states'), 1, 'no subscriber on /states within 0.2 s'),
        (
            ('@inputs', '/plan', '-w', '0', '-l', '-s', '0.5'),
            1,
            'messages on /plan after 0.5 s, got',
        ),
        (('@inputs', '-r', '0'), 2, "argument -r/--rate: expected a number above 0, got '0'"),
        (('@inputs', '-r', 'nan'), 2, "expected a number above 0, got 'nan'"),
        (('@inputs', '-s', '-1'), 2, "expected a number of at least 0, got '-1'"),
    ],
)
def test_errors(replay: Any, inputs: Path, arguments: Any, code: int, text: str) -> None:
    process = replay(*(inputs if word == '@inputs' else word for word in arguments))
    _, log = process.communicate(timeout=patience())
    assert process.returncode == code, log
    assert text in log
    assert 'Traceback' not in log
    assert 'Replaying' not in log


def test_a_type_that_is_not_installed(replay: Any, sample_bag: Path) -> None:
    process = replay(sample_bag, '/sample', '-w', 0)
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 1
    assert f'type {SAMPLE_TYPE!r}: cannot be imported' in log


def test_nothing_to_replay(replay: Any, sample_bag: Path) -> None:
    process = replay(sample_bag)
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 1
    assert 'expected messages on topics of trajectory_msgs/msg/JointTrajectory or' in log
    assert f'in the bag: /sample ({SAMPLE_TYPE}), /silent ({SAMPLE_TYPE})' in log


def test_a_type_of_another_version(replay: Any, tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'old') as bag:
        bag.add_topic('/states', STATE, SAMPLE)
        bag.write('/states', START, bytes(64))
    process = replay(tmp_path / 'old')
    _, log = process.communicate(timeout=patience())
    assert process.returncode == 1
    assert f"topic '/states': {STATE} was recorded in another version: expected RIHS01_" in log
