# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""QoS profiles: of recordings and replays, and how bags store what was offered."""

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

# Messages that DDS keeps for us while the recorder is busy: 1 s of a 1 kHz topic.
RECORDING_DEPTH = 1000
# Messages kept for a subscriber that is slow, at least.
REPLAY_DEPTH = 10


def recording_qos(profile: QoSProfile) -> QoSProfile:
    """Return what a subscription asks for to get all that a profile promises."""
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=RECORDING_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def bag_qos(profile: QoSProfile) -> Qos:
    """Return a profile as bags store it."""
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
    """Return a profile that reaches everybody whom the recorded publishers reached."""
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
