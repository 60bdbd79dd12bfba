# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The `recorder` executable: records topics to a folder with metadata.yaml and an MCAP file.

    ros2 run screw_dynamics recorder -o my_bag /feedforward/feedforward /joint_states
    python -m screw_dynamics.bags.recorder --all

Stop it with Ctrl-C (SIGINT) or SIGTERM, which complete the bag.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from collections.abc import Sequence
from datetime import datetime

import rclpy
from rclpy.exceptions import InvalidTopicNameException, ParameterException
from rclpy.executors import SingleThreadedExecutor
from rclpy.expand_topic_name import expand_topic_name
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from rclpy.validate_full_topic_name import validate_full_topic_name

from screw_dynamics.bags.recorder_node import BagRecorder
from screw_dynamics.bags.ros_errors import RosParser, ros_errors_told
from screw_dynamics.bags.writer import BagWriter
from screw_dynamics.errors import BagError
from screw_dynamics.scalars import positive
from screw_dynamics.stop_signals import ignore_stop_signals


def main(args: Sequence[str] | None = None) -> int:
    """
    Record until interrupted; `args` are program name and arguments, by default ``sys.argv``.

    Returns the exit code: 0, or 1 if ROS cannot start or the bag cannot be written.
    """
    argv = list(sys.argv if args is None else args)
    parser = _parser()
    try:
        with ros_errors_told():
            own = remove_ros_args(argv)[1:]
        options = parser.parse_own(own)
        if bool(options.topics) == options.all:
            parser.error('expected topics, or --all')
        # The context must outlive the signal: messages that have arrived are still written.
        stop = _StopRequest()
        with ros_errors_told():
            rclpy.init(args=argv, signal_handler_options=SignalHandlerOptions.NO)
        return _record(options, stop)
    except (BagError, ParameterException) as error:
        print(f'recorder: {error}', file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
        if args is None:  # the process ends
            ignore_stop_signals()


class _StopRequest:
    """Flag that SIGINT and SIGTERM set."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self.requested = True


def _record(options: argparse.Namespace, stop: _StopRequest) -> int:
    node = BagRecorder(options.topics)  # before the bag: it checks the parameters
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        with BagWriter(options.output, compress=options.compress) as writer:
            node.record_to(writer)
            _run(node, executor, options, stop)
            _report(node, writer)
        return 0
    finally:
        executor.shutdown()
        node.destroy_node()


def _run(
    node: BagRecorder,
    executor: SingleThreadedExecutor,
    options: argparse.Namespace,
    stop: _StopRequest,
) -> None:
    end = time.monotonic() + (options.duration or math.inf)
    while not stop.requested and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    node.drain()


def _report(node: BagRecorder, writer: BagWriter) -> None:
    logger = node.get_logger()
    if node.missing_topics:
        logger.warning(f'Never published: {", ".join(node.missing_topics)}')
    logger.info(
        f'{node.message_count} messages on {len(node.recorded_topics)} topics '
        f'in {writer.path}, {node.lost_count} lost'
    )


def _parser() -> RosParser:
    parser = RosParser(
        prog='recorder',
        description='Record topics to an MCAP bag, as `ros2 bag record` would.',
    )
    parser.add_argument(
        'topics', nargs='*', metavar='TOPIC', type=_topic_name, help='topics to record'
    )
    parser.add_argument('-a', '--all', action='store_true', help='every topic, hidden ones aside')
    parser.add_argument(
        '-o',
        '--output',
        metavar='FOLDER',
        default=datetime.now().strftime('rosbag2_%Y_%m_%d-%H_%M_%S'),
        help='folder to create (default: rosbag2_<date>-<time>)',
    )
    parser.add_argument(
        '-d', '--duration', type=positive, metavar='SECONDS', help='stop after this time'
    )
    parser.add_argument('--compress', action='store_true', help='compress with zstd')
    return parser


def _topic_name(text: str) -> str:
    try:
        # only the syntax is checked, for an arbitrary node name and namespace
        validate_full_topic_name(expand_topic_name(text, 'recorder', '/'))
    except (ValueError, InvalidTopicNameException) as error:
        raise argparse.ArgumentTypeError(f'expected the name of a topic: {error}') from None
    return text


if __name__ == '__main__':
    sys.exit(main())
