# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The `smooth` interpolation: a C4 curve through all waypoints."""

from __future__ import annotations

from dataclasses import replace
from math import factorial, perm

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.errors import ShapeError, TrajectoryError
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS, PiecewisePolynomial
from screw_dynamics.trajectory.smooth.degree9_segment import (
    DEGREE,
    bernstein_matrix,
    segment_coefficients,
)
from screw_dynamics.trajectory.smooth.knot_derivatives import choose_derivatives
from screw_dynamics.trajectory.trajectory_start import join_continuity, require_start, start_rows
from screw_dynamics.trajectory.waypoint_checks import TrajectoryPoint
from screw_dynamics.trajectory.waypoints import (
    Waypoints,
    require_waypoints,
    waypoints_from_points,
)

_SEGMENTS_TOGETHER = 4096  # of several joints: many are no faster, and take memory


def smooth_trajectory(
    waypoints: Waypoints, start_jet: ArrayLike | None = None, *, rest_at_ends: bool = False
) -> PiecewisePolynomial:
    """
    Return the C4 reference through all waypoints, a `PiecewisePolynomial`.

    Its breaks are the times of the points, and 0. Pieces of degree 9 between knots with position,
    velocity, acceleration, jerk and snap. The derivatives that points have are kept; the others
    are chosen for little snap and jerk such that segments without contradicting derivatives are
    monotone: positions-only data are never overshot, local extrema have zero velocity, runs of
    equal positions stay flat. If given derivatives (or the start jet) force a segment out of the
    interval between its two positions, `overshoot_bound` is the maximum excess.

    The joints rest before the start and after the end. If the first or last point has a velocity
    or an acceleration other than 0, `continuity` of the result is 0 or 1.

    Parameters
    ----------
    waypoints : Waypoints
    start_jet : (5, n) array_like, optional
        Position to snap at time 0, from which the reference continues: the previous reference at
        the instant of replacement, or a measured state with zeros for unknown derivatives.
        Required if the first point is later than 0. It replaces a first point at 0; if that is
        the only one, the jet must be at rest there, as no time remains to reach the point.
    rest_at_ends : bool
        Set given accelerations of the last point (and of a first point at time 0) to 0, so that
        the reference is C4 there too.

    Raises
    ------
    TrajectoryError
        If the first point is later than 0 and no start jet is given, or a start jet contradicts
        a single point at 0.
    InputError
        If `waypoints` are not `Waypoints`.
    ShapeError, NotFiniteError
        If the start jet is invalid.

    Examples
    --------
    >>> from screw_dynamics.trajectory import waypoints_from_points
    >>> from screw_dynamics.trajectory import smooth_trajectory
    >>> w = waypoints_from_points(['a'], [(0.0, [0.0]), (1.0, [1.0])], ['a'])
    >>> smooth_trajectory(w).jets([0.5], rows=2).ravel()
    array([0.5      , 2.4609375])
    """
    times, jets = _knots(require_waypoints(waypoints), start_jet, rest_at_ends)
    h = np.diff(times)
    if len(h):
        together = max(1, _SEGMENTS_TOGETHER // len(h))  # joints
        for j in range(0, jets.shape[2], together):
            some = jets[..., j : j + together].transpose(2, 0, 1)
            some[..., 1:] = choose_derivatives(h, some[..., 0], some[..., 1:])
    return PiecewisePolynomial(
        times,
        segment_coefficients(h, jets) if len(h) else np.empty((0, DEGREE + 1, jets.shape[2])),
        jets[-1, 0],
        join_continuity(jets[[0, -1], 1:] if start_jet is None else jets[-1:, 1:]),
        waypoints.joint_names,
    )


def through(
    model: RobotModel,
    times: ArrayLike,
    positions: ArrayLike,
    velocities: ArrayLike | None = None,
    accelerations: ArrayLike | None = None,
) -> PiecewisePolynomial:
    """
    Return the `smooth_trajectory` of a robot through positions, from rest to rest.

    Parameters
    ----------
    model : RobotModel
    times : (P,) array_like
        Increasing; the motion begins at the first [s].
    positions : (P, n) array_like
        In the order of the joints of the model [rad or m].
    velocities, accelerations : (P, n) array_like, optional
        Derivatives to keep [per s, per s^2]; by default the curve chooses. Accelerations need
        velocities.

    Raises
    ------
    TrajectoryError
        If a check of `waypoints_from_points` fails; the error names point and joint.
    ShapeError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> curve = sd.trajectory.through(model, [0.0, 1.0, 2.0], [[0, 0], [0.5, 1.0], [0, 0]])
    >>> efforts = sd.inverse_dynamics(model, curve.jets([0.5, 1.5]))
    >>> efforts.shape
    (2, 3, 2)
    """
    names = require_robot_model(model).joint_names
    instants = as_float_array('times', times)
    if instants.ndim != 1:
        raise ShapeError('times', '(P,)', instants.shape)
    columns = {'positions': as_float_array('positions', positions)}
    for name, rows in (('velocities', velocities), ('accelerations', accelerations)):
        if rows is not None:
            columns[name] = as_float_array(name, rows)
    for name, rows in columns.items():
        if rows.shape != (len(instants), len(names)):
            raise ShapeError(name, f'(times, joints), ({instants.size}, {len(names)})', rows.shape)
    begin = float(instants[0]) if len(instants) else 0.0
    points = [
        TrajectoryPoint(t - begin, **{name: rows[i] for name, rows in columns.items()})
        for i, t in enumerate(instants.tolist())
    ]
    curve = smooth_trajectory(waypoints_from_points(names, points, names))
    return replace(curve, breaks=curve.breaks + begin)


def _knots(
    waypoints: Waypoints, start_jet: ArrayLike | None, rest_at_ends: bool
) -> tuple[Array, Array]:
    """Return knot times (K,) and jets (K, 5, n), NaN for free derivatives."""
    times = waypoints.times
    count, n = waypoints.positions.shape
    jets = np.full((count, JET_ROWS, n), np.nan)
    given = (waypoints.positions, waypoints.velocities, waypoints.accelerations)
    jets[:, :3] = np.stack(given, axis=1)
    for end in (0, -1):
        if end == -1 or times[0] == 0.0:
            jets[end] = np.nan_to_num(jets[end])
            if rest_at_ends:
                jets[end, 2] = 0.0
    start = start_rows(start_jet, n)
    if times[0] > 0.0:
        start = require_start(start, waypoints)
        return np.append(0.0, times), np.concatenate((start[None], jets))
    if start is not None and count > 1:
        jets[0] = start
    elif start is not None:
        _require_rest_there(start, waypoints)
    return times, jets


def _require_rest_there(start: Array, waypoints: Waypoints) -> None:
    """Raise a TrajectoryError unless a start jet rests at the only point, which is at time 0."""
    rest = np.zeros_like(start)
    rest[0] = waypoints.positions[0]
    for d, j in np.argwhere(start != rest)[:1]:
        raise TrajectoryError(
            f'start_jet[{d}, {j}]: expected {rest[d, j]:g}, rest at the only point, which is at '
            f'time 0: joint {waypoints.joint_names[j]} would jump there, got {start[d, j]:g}'
        )


def with_start(
    trajectory: PiecewisePolynomial, start_jet: Array, earlier: float = 0.0
) -> PiecewisePolynomial:
    """Return a smooth trajectory from another state (5, n), which begins `earlier` than before."""
    steps, rows = np.diff(trajectory.breaks[:3]), range(JET_ROWS)
    if len(steps) > 1:
        following = trajectory.coefficients[1]
        end = [factorial(d) * following[d] / steps[1] ** d for d in rows]
    else:
        powers = trajectory.coefficients[0]
        factors = np.array([[perm(k, d) for k in range(len(powers))] for d in rows], dtype=float)
        end = list(factors @ powers / steps[0] ** np.arange(JET_ROWS)[:, None])
    coefficients, breaks = trajectory.coefficients.copy(), trajectory.breaks.copy()
    breaks[1:] += earlier
    coefficients[:1] = segment_coefficients(steps[:1] + earlier, np.stack((start_jet, end)))
    return PiecewisePolynomial(breaks, coefficients, trajectory.end, trajectory.continuity)


def overshoot_bound(trajectory: PiecewisePolynomial) -> Array:
    """
    Return the maximum by which each segment can leave the interval of its two end positions.

    A polynomial lies in the convex hull of its Bernstein coefficients; their excess (S, n) over
    the interval [rad or m] is the bound. In a `smooth_trajectory` it is 0 (to rounding) if a
    segment can be monotone with the given derivatives. Else it is at most the excess due to these
    alone: with v, a at an end of a segment of length h (jerk and snap too of a start jet), the
    largest of k v h / 9 + k (k - 1) a h^2 / 144 over k = 1..4, in their direction.

    Parameters
    ----------
    trajectory : PiecewisePolynomial
        A trajectory of any degree.
    """
    offsets = trajectory.coefficients.copy()
    offsets[:, 0] = 0.0
    hull = np.matmul(bernstein_matrix(offsets.shape[1] - 1), offsets)
    low, high = np.minimum(hull[:, -1], 0.0), np.maximum(hull[:, -1], 0.0)
    excess: Array = np.maximum(hull.max(axis=1) - high, low - hull.min(axis=1))
    return excess
