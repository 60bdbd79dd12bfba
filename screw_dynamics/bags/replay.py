# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The `replay` executable: publishes the trajectories, joint states and references of a bag.

    ros2 run screw_dynamics replay my_bag
    ros2 run screw_dynamics replay my_bag /arm/joint_trajectory --rate 0.5 \
        --ros-args -r /arm/joint_trajectory:=/feedforward/joint_trajectory

Messages keep the timing of the recording; header stamps are shifted to the time of publication.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.utilities import remove_ros_args

from screw_dynamics.bags.reader import Bag
from screw_dynamics.bags.replay_node import BagReplay, ReplayOptions
from screw_dynamics.bags.topic_recording import RosParser, ros_errors_told
from screw_dynamics.errors import BagWarning, ScrewDynamicsError
from screw_dynamics.scalars import not_negative, positive
from screw_dynamics.stop_signals import StopOnce, stop_once

_INTERRUPTED = 130


def main(args: Sequence[str] | None = None) -> int:
    """
    Replay a bag; `args` are program name and arguments, by default ``sys.argv``.

    Returns the exit code: 0 at the end of the bag, 1 if ROS cannot start or the bag cannot be
    replayed, 130 after Ctrl-C.
    """
    with stop_once(to_the_end=args is None) as stop:
        return _run(list(sys.argv if args is None else args), stop)


def _run(argv: Sequence[str], stop: StopOnce) -> int:
    """Replay the bag of the command line, and return the exit code."""
    try:
        with ros_errors_told():
            own = remove_ros_args(argv)[1:]
        parsed = _parser().parse_own(own)
        options = ReplayOptions(
            topics=parsed.topics,
            rate=parsed.rate,
            start_offset=parsed.start_offset,
            loop=parsed.loop,
            keep_stamps=parsed.keep_stamps,
            wait=parsed.wait,
        )
        with ros_errors_told():
            rclpy.init(args=argv)
        with _opened(parsed.bag) as bag:
            return _replay(bag, options)
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


def _replay(bag: Bag, options: ReplayOptions) -> int:
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
