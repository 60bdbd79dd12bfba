# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules by which an incoming JointTrajectory becomes part of the `Reference`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoints
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.conversions import SECOND, nanoseconds, trajectory_points
from screw_dynamics.nodes.measured.joint_state_buffer import JointStateBuffer
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.reference.motion import continuable
from screw_dynamics.nodes.reference.reference import Reference
from screw_dynamics.nodes.reference.streamed_reference import StreamedReference
from screw_dynamics.nodes.services.error_codes import LimitError
from screw_dynamics.nodes.services.feasibility import check_curve
from screw_dynamics.trajectory import (
    JET_ROWS,
    PiecewisePolynomial,
    Waypoints,
    check_position_limits,
    require_end_in_future,
    scale_speed,
    waypoints_from_points,
)


def accept_trajectory(
    message: Any,
    model: ScrewModel,
    elastic: ElasticJoints | None,
    other_joints: Mapping[str, str],
    reference: Reference,
    streamed: StreamedReference,
    measured: JointStateBuffer,
    parameters: FeedforwardParameters,
    now: int,
) -> list[str]:
    """
    Check a trajectory message and have the reference follow it.

    Nothing changes if it is rejected: the trajectory before it goes on.

    Parameters
    ----------
    message : trajectory_msgs.msg.JointTrajectory
    model : ScrewModel
    elastic : ElasticJoints or None
        Whose limits are checked too.
    other_joints : mapping of str to str
        Joints that exist but cannot be commanded, with the reason.
    reference : Reference
    streamed : StreamedReference
        A stream that is followed ends where the trajectory takes over.
    measured : JointStateBuffer
    parameters : FeedforwardParameters
    now : int
        Time of the node [ns].

    Returns
    -------
    list of str
        Warnings.

    Raises
    ------
    TrajectoryError
        Says which rule the message breaks, or which limit in mode 'reject'.

    """
    stamp = nanoseconds(message.header.stamp)
    start = stamp or now
    # instants before this one have been sampled already
    sampled = now + round(1e9 * parameters.lead_time)
    positions = measured.positions(now, parameters.max_joint_state_age)
    begin = reference.interpolation.leaves(start, now, sampled)
    state = reference.state(begin)
    stream_state = _stream_state(streamed, begin, now, sampled) if state is None else None
    known = state if state is not None else stream_state
    if known is None and parameters.allow_partial_joints:
        _require_fresh(message.joint_names, model.joint_names, positions, parameters)
    waypoints = waypoints_from_points(
        message.joint_names,
        trajectory_points(message),
        model.joint_names,
        allow_partial_joints=parameters.allow_partial_joints,
        hold_positions=positions if known is None else known[0],
        allow_nonzero_end_velocity=parameters.allow_nonzero_velocity_at_end,
        other_joints=other_joints,
    )
    if stamp:
        require_end_in_future(waypoints, 1e-9 * start, 1e-9 * now)
    beyond = check_position_limits(
        waypoints, model.limits.lower, model.limits.upper, parameters.check_limits
    )
    more = f' (and {len(beyond) - 1} more)' if len(beyond) > 1 else ''
    warnings = [f'{beyond[0]}{more}'] if beyond else []

    def check_limits(curve: PiecewisePolynomial, begin: float) -> None:
        mode, speed = parameters.check_limits, reference.speed
        # positions between points are worth a word only where those at the points are not
        try:
            text = check_curve(model, elastic, curve, begin, mode, speed, positions=not beyond)
        except LimitError as error:
            raise TrajectoryError(str(error)) from None
        if text:
            warnings.append(text)

    reference.add(
        waypoints,
        start,
        sampled,
        start_jet=_start_jet(parameters, waypoints, stream_state, reference.speed, measured, now),
        follow=parameters.start_state == 'reference',
        require=check_limits,
        received=now,
    )
    streamed.supersede()
    return warnings


def _require_fresh(
    named: Collection[str],
    joint_names: tuple[str, ...],
    positions: Array,
    parameters: FeedforwardParameters,
) -> None:
    """Say for which joint that is left out nothing tells where it is."""
    for name, position in zip(joint_names, positions, strict=True):
        if name not in named and not np.isfinite(position):
            raise TrajectoryError(
                f'the trajectory leaves out {name}: expected a reference that it holds, or its '
                f'position on joint_states within the last {parameters.max_joint_state_age:g} s, '
                'got neither'
            )


def _stream_state(streamed: StreamedReference, begin: int, now: int, sampled: int) -> Array | None:
    """Return the state of a stream that is followed where the trajectory takes over from it."""
    state = streamed.state(now, begin)
    if state is not None and begin > sampled:
        assert streamed.followed is not None
        raise TrajectoryError(
            f'{streamed.followed.value} is followed and where it will be at header.stamp, '
            f'{(begin - now) / SECOND:.3f} s from now, is not known: expected stamp 0 or a start '
            'that has passed'
        )
    return state


def _start_jet(
    parameters: FeedforwardParameters,
    waypoints: Waypoints,
    stream_state: Array | None,
    speed: float,
    measured: JointStateBuffer,
    now: int,
) -> Array | None:
    """Return the state to start from where no reference is continued; None if there is none."""
    if parameters.start_state == 'reference' and stream_state is not None:
        # trajectory time may run slower: its derivatives are larger by powers of the speed
        with np.errstate(over='ignore', invalid='ignore'):
            scaled = scale_speed(stream_state.copy(), 1.0 / speed if speed > 0.0 else 1.0)
        return scaled if continuable(scaled) else stream_state
    if parameters.start_state == 'first_point':
        jet = np.zeros((JET_ROWS, len(waypoints.joint_names)))
        jet[0] = waypoints.positions[0]
        return jet if waypoints.times[0] > 0.0 else None
    # the controller leaves its measured state with the measured velocity
    moving = parameters.interpolation == 'jtc'
    jet_measured = measured.state(now, parameters.max_joint_state_age, moving)
    if jet_measured is None and parameters.start_state == 'joint_states':
        raise TrajectoryError(
            "start_state is 'joint_states': expected a position of every joint on joint_states "
            f'within the last {parameters.max_joint_state_age:g} s, got none'
        )
    return jet_measured
