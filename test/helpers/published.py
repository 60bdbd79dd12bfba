# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What an output has published last, decoded from its bytes."""

from __future__ import annotations

from rclpy.serialization import deserialize_message
from std_msgs.msg import Float64MultiArray


def commands_of(output):
    """Return the message of one topic of a `CommandsOutput`."""
    return deserialize_message(output._message.written(), Float64MultiArray)
