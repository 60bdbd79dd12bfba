# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a bag: decoded or serialized messages, and topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosbags.interfaces import Qos


@dataclass(frozen=True)
class BagMessage:
    """One recorded message.

    Parameters
    ----------
    topic : str
        Name of the topic.
    type : str
        Message type, e.g. ``'sensor_msgs/msg/JointState'``.
    log_time : int
        Time of reception [ns since the epoch].
    message : object
        A dataclass with the fields of the message; number arrays are ndarrays.

    """

    topic: str
    type: str
    log_time: int
    message: Any


@dataclass(frozen=True)
class RawMessage:
    """
    One recorded message, serialized in CDR.

    `log_time` is the time of reception [ns since the epoch].
    """

    topic: str
    log_time: int
    data: bytes


@dataclass(frozen=True)
class BagTopic:
    """One recorded topic.

    Parameters
    ----------
    type : str
        Message type.
    count : int
        Number of messages.
    type_hash : str
        RIHS01 hash of the type, computed from the definition if the bag contains none; empty if
        the definition is empty.
    definition : str
        The embedded definition, or that of a common type; empty if the type is unknown.
    qos : tuple of Qos
        The profiles that the publishers offered.

    """

    type: str
    count: int
    type_hash: str
    definition: str
    qos: tuple[Qos, ...]
