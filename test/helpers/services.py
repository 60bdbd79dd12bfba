# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The services of dynamics_server by name."""

from __future__ import annotations

from builtin_interfaces.msg import Duration

from screw_dynamics_interfaces.srv import (
    ComputeTrajectoryTorques,
    GetDynamicTerms,
    GetForwardDynamics,
    GetFrameMotion,
    GetInverseDynamics,
    GetMassMatrix,
    GetMotorFeedforward,
    RetimeTrajectory,
)

SERVICES = {
    'get_mass_matrix': GetMassMatrix,
    'get_dynamic_terms': GetDynamicTerms,
    'get_frame_motion': GetFrameMotion,
    'get_forward_dynamics': GetForwardDynamics,
    'get_inverse_dynamics': GetInverseDynamics,
    'get_motor_feedforward': GetMotorFeedforward,
    'compute_trajectory_torques': ComputeTrajectoryTorques,
    'retime_trajectory': RetimeTrajectory,
}


def ros_duration(seconds: float) -> Duration:
    """Return a Duration message."""
    sec, nanosec = divmod(round(1e9 * seconds), 10**9)
    return Duration(sec=sec, nanosec=nanosec)
