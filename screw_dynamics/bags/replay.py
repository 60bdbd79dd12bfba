# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The `replay` executable: publishes the trajectories, joint states and references of a bag.

    ros2 run screw_dynamics replay my_bag
    ros2 run screw_dynamics replay my_bag /arm/joint_trajectory --rate 0.5 \
        --ros-args -r /arm/joint_trajectory:=/feedforward/joint_trajectory

Messages keep the timing of the recording; header stamps are shifted to the time of publication.
"""

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import rclpy
from rclpy.duration import Duration
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.utilities import remove_ros_args

from screw_dynamics.bags.definitions import definition_hash, message_definition, message_type
from screw_dynamics.bags.reader import Bag
from screw_dynamics.bags.records import BagTopic, shift_stamp
from screw_dynamics.bags.topic_recording import RosParser, replay_qos, ros_errors_told
from screw_dynamics.errors import BagError, BagWarning, ScrewDynamicsError, UnknownNameError
from screw_dynamics.scalars import not_negative, positive
from screw_dynamics.stop_signals import StopOnce, limited_end, stop_once

# Message types that the nodes of this package subscribe to.
INPUT_TYPES = (
    'trajectory_msgs/msg/JointTrajectory',
    'sensor_msgs/msg/JointState',
    'screw_dynamics_interfaces/msg/JointReference',
)
_LOOK_PERIOD = 0.05  # s
_SPIN_MARGIN = 0.001  # s by which the executor may return late
_ACKNOWLEDGE_TIMEOUT = 5.0  # s
# Subscribers are discovered one by one: all are present this long after the last one.
_SETTLING_TIME = 0.5  # s
_CLOCK_READINGS = 5
# A bag with a single message has no duration.
_SHORTEST_PASS = 0.1  # s
_INTERRUPTED = 130  # exit code


@dataclass(frozen=True)
class ReplayOptions:
    """
    Options of a replay.

    Without `topics`, all topics with a type in `INPUT_TYPES` are replayed. `rate` is bag time per
    time; messages before `start_offset` [s since the first message] are skipped. `wait` is the
    longest wait for a subscriber of every topic [s]; 0 disables waiting.
    """

    topics: Sequence[str] = ()
    rate: float = 1.0
    start_offset: float = 0.0
    loop: bool = False
    keep_stamps: bool = False
    wait: float = 30.0


class BagReplay(Node):
    """Publish serialized messages with the timing of their reception, with shifted stamps."""

    def __init__(
        self, bag: Bag, options: ReplayOptions, name: str = 'replay', **arguments: Any
    ) -> None:
        super().__init__(name, **arguments)
        self._bag, self._options = bag, options
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self)
        self._stamped: set[str] = set()
        try:
            self._outputs = {
                topic: self._output(topic, recorded) for topic, recorded in self._choose().items()
            }
            self._begin = self._first_instant()
        except BaseException:
            self.destroy_node()  # a participant left open may crash at the end of the process
            raise
        self.message_count = 0
        self.longest_delay = 0.0

    def _choose(self) -> dict[str, BagTopic]:
        """Return the topics to replay; raise if they are unknown or have no messages."""
        topics, options = self._bag.topics, self._options
        for name in options.topics:
            if name not in topics:
                raise UnknownNameError('topic', name, topics)
        chosen = {
            name: topic
            for name, topic in topics.items()
            if (name in options.topics if options.topics else topic.type in INPUT_TYPES)
        }
        if not any(topic.count for topic in chosen.values()):
            found = ', '.join(f'{name} ({topic.type})' for name, topic in topics.items())
            raise BagError(
                f'{self._bag.path}: expected messages on '
                f'{", ".join(options.topics) or "topics of " + " or ".join(INPUT_TYPES)}, '
                f'got none; in the bag: {found or "nothing"}'
            )
        return chosen

    def _first_instant(self) -> int:
        """Return the log time at which the replay begins [ns since the epoch]."""
        bag, offset = self._bag, self._options.start_offset
        if offset > bag.duration:
            raise BagError(
                f'{bag.path}: start offset: expected at most the duration of '
                f'{bag.duration:.3f} s, got {offset:g} s'
            )
        begin = bag.start_time + round(1e9 * offset)
        if next(bag.raw_messages(list(self._outputs), begin), None) is None:
            raise BagError(
                f'{bag.path}: start offset: expected messages on {", ".join(self._outputs)} after '
                f'{offset:g} s, got none'
            )
        return begin

    def _output(self, topic: str, recorded: BagTopic) -> Any:
        kind = message_type(recorded.type)
        ours = definition_hash(recorded.type, message_definition(recorded.type))
        if recorded.type_hash != ours:
            raise BagError(
                f'{self._bag.path}: topic {topic!r}: {recorded.type} was recorded in another '
                f'version: expected {ours}, got {recorded.type_hash}'
            )
        if next(iter(kind.get_fields_and_field_types().values()), '') == 'std_msgs/Header':
            self._stamped.add(topic)
        return self.create_publisher(kind, topic, replay_qos(recorded.qos))

    def wait_for_subscribers(self) -> None:
        """Wait until every topic has a subscriber; raise `BagError` after `wait` seconds."""
        deadline = time.monotonic() + self._options.wait
        counts: list[tuple[str, int]] = []
        changed = 0.0
        while self._options.wait and self.context.ok():
            before, outputs = counts, self._outputs.values()
            counts = [(output.topic_name, output.get_subscription_count()) for output in outputs]
            if counts != before:
                changed = time.monotonic()
            silent = [name for name, count in counts if not count]
            if not silent and time.monotonic() - changed > _SETTLING_TIME:
                return
            if silent and time.monotonic() > deadline:
                raise BagError(
                    f'no subscriber on {", ".join(silent)} within {self._options.wait:g} s'
                )
            self._executor.spin_once(timeout_sec=_LOOK_PERIOD)

    def wait_for_clock(self) -> None:
        """Wait until simulated time, if used, has begun; raise `BagError` after `wait` seconds."""
        deadline = time.monotonic() + self._options.wait
        while self._options.wait and self.context.ok():
            clock = self.get_clock()
            if not clock.ros_time_is_active or clock.now().nanoseconds:
                return
            if time.monotonic() > deadline:
                raise BagError(
                    f'use_sim_time is set, but there is nothing on /clock within '
                    f'{self._options.wait:g} s'
                )
            self._executor.spin_once(timeout_sec=_LOOK_PERIOD)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Publish until the end of the bag, or until `stopped` returns True between messages."""

        def ended() -> bool:
            return stopped() or not self.context.ok()

        while not ended():
            started, clock_at_start = self._now()
            self._run_once(started, clock_at_start, ended)
            if not self._options.loop:
                break
            length = (self._bag.duration - self._options.start_offset) / self._options.rate
            self._wait_until(started + round(1e9 * max(length, _SHORTEST_PASS)), ended)
        for output in self._outputs.values():
            if self.context.ok():
                output.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGE_TIMEOUT))

    def _now(self) -> tuple[int, int]:
        """
        Return one instant on the steady clock, for timing, and on the node's, for stamps [ns].

        A process that is held up between them would move all stamps: the closest pair counts, the
        steady clock last, so that no stamp is ahead of its publication.
        """
        pairs = []
        for _ in range(_CLOCK_READINGS):
            before, clock = time.monotonic_ns(), self.get_clock().now().nanoseconds
            after = time.monotonic_ns()
            pairs.append((after - before, after, clock))
        _, steady, clock = min(pairs)
        return steady, clock

    def _run_once(self, started: int, clock_at_start: int, ended: Callable[[], bool]) -> None:
        """Publish the messages of one pass, which starts at an instant of both clocks [ns]."""
        for message in self._bag.raw_messages(list(self._outputs), self._begin):
            due = round((message.log_time - self._begin) / self._options.rate)
            self._wait_until(started + due, ended)
            if ended():
                return
            data = message.data
            if message.topic in self._stamped and not self._options.keep_stamps:
                try:
                    data = shift_stamp(data, clock_at_start + due - message.log_time)
                except BagError as error:
                    raise BagError(
                        f'{self._bag.path}: topic {message.topic!r}, received at '
                        f'{1e-9 * (message.log_time - self._bag.start_time):.3f} s: {error}'
                    ) from None
            self._outputs[message.topic].publish(data)
            self.message_count += 1
            delay = 1e-9 * (time.monotonic_ns() - started - due)
            self.longest_delay = max(self.longest_delay, delay)

    def _wait_until(self, instant: int, ended: Callable[[], bool]) -> None:
        """Spin the node (parameters, clock) until shortly before `instant` [ns], then sleep."""
        while not ended() and (left := 1e-9 * (instant - time.monotonic_ns())) > 0.0:
            if left > 2.0 * _SPIN_MARGIN:
                self._executor.spin_once(timeout_sec=min(left - _SPIN_MARGIN, _LOOK_PERIOD))
            else:
                time.sleep(left)

    def destroy_node(self) -> None:
        """Destroy the node and its executor."""
        self._executor.shutdown()
        super().destroy_node()


def main(args: Sequence[str] | None = None) -> int:
    """Replay a bag and return the exit code; `args` are as in ``sys.argv``."""
    with stop_once(to_the_end=args is None) as stop:
        return _run(list(sys.argv if args is None else args), stop, limited=args is None)


def _run(argv: Sequence[str], stop: StopOnce, limited: bool) -> int:
    """Replay the bag of the command line, and return the exit code."""
    try:
        with ros_errors_told():
            own = remove_ros_args(argv)[1:]
        options = vars(_parser().parse_own(own))
        with ros_errors_told():
            rclpy.init(args=argv)
        with _opened(options.pop('bag')) as bag:
            return _replay(bag, ReplayOptions(**options), limited)
    except (KeyboardInterrupt, ExternalShutdownException):
        return _INTERRUPTED
    except (ScrewDynamicsError, ParameterException) as error:
        print(f'replay: {error}', file=sys.stderr)
        return 1
    except RuntimeError:
        if rclpy.ok():
            raise
        return _INTERRUPTED  # an entity was being created when the context shut down
    finally:
        stop.armed = False
        rclpy.try_shutdown()


def _opened(path: str) -> Bag:
    """Open a bag; log warnings about missing data."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', BagWarning)
        bag = Bag(path)
    for warning in caught:
        get_logger('replay').warning(str(warning.message))
    return bag


def _replay(bag: Bag, options: ReplayOptions, limited: bool) -> int:
    node = BagReplay(bag, options)
    try:
        node.wait_for_subscribers()
        node.wait_for_clock()
        node.get_logger().info(
            f'Replaying {bag.path} at rate {options.rate:g}, '
            f'{bag.duration - options.start_offset:.3f} s of it'
        )
        node.run()
        if not rclpy.ok():
            return _INTERRUPTED
        node.get_logger().info(
            f'{node.message_count} messages replayed, the latest by '
            f'{1e3 * node.longest_delay:.1f} ms late'
        )
        return 0
    finally:
        with limited_end() if limited else nullcontext():
            node.destroy_node()


def _parser() -> RosParser:
    parser = RosParser(
        prog='replay',
        description=(
            'Publish the JointTrajectory, JointState and JointReference messages of a bag at the '
            'times they were recorded. Header stamps move along: an absolute start of a '
            'trajectory stays as far from "now" as it was.'
        ),
    )
    parser.add_argument('bag', metavar='BAG', help='folder of a bag, or an .mcap file')
    parser.add_argument(
        'topics', nargs='*', metavar='TOPIC', help='topics to replay, of any type (default: all '
        'of the three types)'
    )  # fmt: skip
    parser.add_argument(
        '-r', '--rate', type=positive, default=1.0, metavar='X', help='speed (default: 1)'
    )
    parser.add_argument(
        '-s',
        '--start-offset',
        type=not_negative,
        default=0.0,
        metavar='SECONDS',
        help='leave out what was recorded before',
    )
    parser.add_argument('-l', '--loop', action='store_true', help='begin again at the end')
    parser.add_argument(
        '-w',
        '--wait',
        type=not_negative,
        default=30.0,
        metavar='SECONDS',
        help='longest wait for a subscriber of every topic (default: 30; 0: do not wait)',
    )
    parser.add_argument(
        '--keep-stamps', action='store_true', help='leave header stamps as they were recorded'
    )
    return parser


if __name__ == '__main__':
    sys.exit(main())
