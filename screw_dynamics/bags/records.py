# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a bag: messages, decoded or as they came, and topics."""

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
        When it was received [ns since the epoch].
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
    One recorded message as it came over the wire.

    `log_time` [ns since the epoch].
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
        RIHS01 hash of the type, computed from the definition where the bag has none; empty where
        the definition is.
    definition : str
        The embedded definition, or that of a common type; empty where the type is not known.
    qos : tuple of Qos
        The profiles that the publishers offered.

    """

    type: str
    count: int
    type_hash: str
    definition: str
    qos: tuple[Qos, ...]
