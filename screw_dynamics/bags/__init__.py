# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
MCAP bags in the format of `ros2 bag record`: recorded over DDS, read without ROS.

The `rosbags` package implements the file format; only recorder and replay need ROS.
"""

try:
    import rosbags.rosbag2  # noqa: F401
except ModuleNotFoundError as error:
    if (error.name or '').split('.')[0] != 'rosbags':
        raise
    raise ModuleNotFoundError(
        "screw_dynamics.bags needs the package 'rosbags': pip install rosbags", name='rosbags'
    ) from None

from screw_dynamics.bags.reader import Bag
from screw_dynamics.bags.records import BagMessage, BagTopic, columns
from screw_dynamics.bags.writer import BagWriter

__all__ = ['Bag', 'BagMessage', 'BagTopic', 'BagWriter', 'columns']
