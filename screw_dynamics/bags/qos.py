# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""QoS profiles of recordings and replays, and their form in bags."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

# Messages that DDS queues while the recorder is busy: 1 s of a 1 kHz topic.
RECORDING_DEPTH = 1000
# Minimum number of messages kept for a slow subscriber.
REPLAY_DEPTH = 10


def recording_qos(profile: QoSProfile) -> QoSProfile:
    """
    Return the profile of a subscription that receives everything an endpoint offers or requests.

    Reliability and durability are those of `profile`, so that latched messages arrive.
    """
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=RECORDING_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def bag_qos(profile: QoSProfile) -> Qos:
    """Return a profile in the form of bags; discovery does not announce the history."""
    return Qos(
        history=QosHistory[profile.history.name],
        depth=profile.depth,
        reliability=QosReliability[profile.reliability.name],
        durability=QosDurability[profile.durability.name],
        deadline=_time(profile.deadline),
        lifespan=_time(profile.lifespan),
        liveliness=QosLiveliness[profile.liveliness.name],
        liveliness_lease_duration=_time(profile.liveliness_lease_duration),
        avoid_ros_namespace_conventions=profile.avoid_ros_namespace_conventions,
    )


def replay_qos(offered: Sequence[Qos]) -> QoSProfile:
    """
    Return a profile that is compatible with all subscribers of the recorded publishers.

    Best effort only if all publishers `offered` it, transient local if one did. `offered` is
    empty if the bag does not contain the profiles.
    """
    reliable = not offered or any(q.reliability != QosReliability.BEST_EFFORT for q in offered)
    latched = any(q.durability == QosDurability.TRANSIENT_LOCAL for q in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=max([REPLAY_DEPTH, *(q.depth for q in offered)]),
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def _time(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, 1_000_000_000))
