# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
MCAP bags in the format of `ros2 bag record`: recorded over DDS, read without ROS.

The packages `mcap` and `rosbags` implement the formats; only the recorder needs ROS.
"""

from importlib.util import find_spec

for _package in ('mcap', 'rosbags'):
    if find_spec(_package) is None:
        raise ModuleNotFoundError(
            f'screw_dynamics.recordings.bags needs the package {_package!r}: '
            f'pip install {_package}',
            name=_package,
        )

from screw_dynamics.recordings.bags.reader import Bag  # noqa: E402
from screw_dynamics.recordings.bags.records import BagMessage, BagTopic, columns  # noqa: E402

__all__ = ['Bag', 'BagMessage', 'BagTopic', 'columns']
