# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`cartesian_trajectory`: the C4 joint motion that leads a frame through poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_choice, require_number
from screw_dynamics.dynamics import frame_pose, frame_twist
from screw_dynamics.errors import InputError, ScrewDynamicsError, ShapeError, TrajectoryError
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.series.jets import taylor_shifted
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.cartesian.inverse_kinematics import (
    REACHED,
    PoseTask,
    positive_weights,
)
from screw_dynamics.trajectory.cartesian.pose_curve import PoseCurve
from screw_dynamics.trajectory.cartesian.poses import PoseWaypoints, pose_name
from screw_dynamics.trajectory.smooth.degree9_segment import hermite_coefficients
from screw_dynamics.trajectory.trajectory_start import join_continuity

# factors of h^k (q0^(k) - (-1)^k q1^(k)): the integral of q' by its values and three derivatives
_TWO_POINT = (1.0 / 2.0, 3.0 / 28.0, 1.0 / 84.0, 1.0 / 1680.0)
_CORRECTIONS = 6
_NEWTON_STEPS = 8
_FIRST_STEP = 0.25  # of the time to the first pose
_SHORTEST_STEP = 1e-6  # of the duration
_MOST_STEPS = 500  # between two poses
_LEAST_GROWTH, _LARGEST_GROWTH = 0.2, 2.0
_ORDER = 10  # of the error of a step
_SAFETY = 0.9  # of the step that would just keep to the tolerance
_KEPT = 0.5  # of the tolerance: the samples may miss the largest deviation
_WITHIN = np.array([0.2, 0.35, 0.5, 0.65, 0.8])  # of a step, where its error is measured
_LEAST_TOLERANCE = 1e-10  # knots are accurate to a tenth of it
_DENSE = np.arange(16) / 16.0  # of a step, where the result is checked


@dataclass(frozen=True, eq=False)
class CartesianTrajectory:
    """
    A joint motion that leads a frame through poses.

    Parameters
    ----------
    curve : PiecewisePolynomial
        The C4 joint motion; polynomials of degree 9 between `knots`.
    knots : Waypoints
        Times at which position to snap are exact, with positions, velocities and accelerations.
    path : PoseCurve
        The motion of the frame that the joints follow.
    distance, angle : float
        Largest deviation of the frame from `path` between the knots [m, rad].
    """

    curve: PiecewisePolynomial
    knots: Waypoints
    path: PoseCurve
    distance: float
    angle: float


def cartesian_trajectory(
    model: ScrewModel,
    waypoints: PoseWaypoints,
    start: ArrayLike,
    *,
    begin: float | None = None,
    components: str = 'all',
    weights: ArrayLike | None = None,
    tolerance: float = 1e-9,
    limited: bool = True,
) -> CartesianTrajectory:
    """
    Return the C4 joint motion that leads a frame through poses, at rest at the last one.

    The frame follows a C4 motion through the poses (`PoseCurve`). Joint rates are those of least
    weighted norm, q' = J^+ V, with exact derivatives up to snap at knots; between these the joints
    follow polynomials of degree 9, with as many knots as the tolerance requires. Positions at the
    knots are corrected by Newton's method, so that nothing drifts; a redundant robot follows the
    integral of q' as accurately.

    Parameters
    ----------
    model : ScrewModel
    waypoints : PoseWaypoints
    start : (n,) or (5, n) array_like
        Joint positions, or position to snap, in which the motion begins.
    begin : float, optional
        Time from start at which it begins; poses up to then are left out. By default 0; but if
        the first pose is at 0, the motion begins there at rest, in the joint positions that a
        damped Newton method finds near `start` [s].
    components : {'all', 'linear'}
        'linear' follows the positions alone and leaves the orientation free.
    weights : (n,) array_like, optional
        Positive weights w of the squared joint rates; by default 1.
    tolerance : float
        Largest deviation of the frame between the knots [m, rad]. The snap between knots is less
        accurate than at them; 1e-8 leaves about 1e-4 of it.
    limited : bool
        Whether positions beyond the joint limits are errors.

    Raises
    ------
    TrajectoryError
        If a pose cannot be reached, the robot passes a singular configuration, or a joint exceeds
        its limits; the error names poses, time and joint.
    UnknownNameError
        If the frame does not exist.
    ShapeError, NotFiniteError, InputError
        If an argument is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    >>> start = [0.0, 0.5, 0.0, -1.5, 0.0, np.pi - 2.0, 0.0]  # flange at (-0.565, 0, 0.436)
    >>> goal = sd.PoseWaypoints('flange', [2.0], [[-0.5, 0.1, 0.4]], [[0.0, 1.0, 0.0, 0.0]])
    >>> curve = sd.cartesian_trajectory(model, goal, start).curve
    >>> sd.frame_pose(model, curve.end, 'flange')[:3, 3].round(9)
    array([-0.5,  0.1,  0.4])
    >>> tau, tau_dot, tau_ddot = sd.inverse_dynamics(model, curve.jets([1.0])[0])
    """
    if not isinstance(waypoints, PoseWaypoints):
        raise InputError(f'waypoints: expected PoseWaypoints, got {type(waypoints).__name__}')
    require_model(model).frame(waypoints.frame)  # raises the error of an unknown name
    require_choice('components', components, ('all', 'linear'))
    require_number('tolerance', tolerance, _LEAST_TOLERANCE)
    task = PoseTask(model, waypoints.frame, components, positive_weights(weights, model.n))
    jet = _start_jet(start, model.n)
    rates = np.zeros((JET_ROWS - 1, model.n))
    if begin is None and waypoints.times[0] == 0.0:
        path = PoseCurve(waypoints)
        near, jet = jet[0], np.zeros_like(jet)
        jet[0] = _first_positions(task, path, near, limited)
    else:
        begin = require_number('begin', begin or 0.0)
        if begin >= waypoints.times[-1]:
            raise TrajectoryError(
                f'expected poses after the begin at {begin:g} s, but the last one is at '
                f'{waypoints.times[-1]:g} s'
            )
        twist = frame_twist(model, jet, waypoints.frame, 'hybrid')
        path = PoseCurve(waypoints, frame_pose(model, jet[0], waypoints.frame), twist, begin)
        if jet[1:].any():
            rates = _nullspace_rates(task, jet, twist)
    times, jets = _Steps(task, path, tolerance, rates).along_path(jet)
    return _checked(task, path, times, jets, limited)


def _start_jet(start: ArrayLike, n: int) -> Array:
    """Return the start as a jet (5, n)."""
    given = require_finite('start', as_float_array('start', start))
    if given.shape not in ((n,), (JET_ROWS, n)):
        raise ShapeError('start', f'({n},) or ({JET_ROWS}, {n})', given.shape)
    jet = np.zeros((JET_ROWS, n))
    jet[: JET_ROWS if given.ndim == 2 else 1] = given
    return jet


def _first_positions(task: PoseTask, path: PoseCurve, near: Array, limited: bool) -> Array:
    """Return joint positions (n,) of the first pose, near given ones."""
    target, name = path.sample(path.times[:1])[0][0], pose_name(0, path.times)
    return task.reach(target, near[None], name, limited=limited, error=TrajectoryError)


def _nullspace_rates(task: PoseTask, jet: Array, twist: Array) -> Array:
    """Return the rates (4, n) that the redundancy follows at the start."""
    try:
        return task.nullspace_rates(jet, twist)
    except ScrewDynamicsError as error:
        raise TrajectoryError(
            f'frame {task.frame} cannot follow poses from the start: {error}'
        ) from None


class _Steps:
    """Joint motion along a path of the frame, in steps that keep to the tolerance."""

    def __init__(self, task: PoseTask, path: PoseCurve, tolerance: float, rates: Array) -> None:
        self._task, self._path, self._tolerance = task, path, tolerance
        self._shortest = _SHORTEST_STEP * float(np.ptp(path.times))
        times = path.times[:2]  # up to the second one the redundancy comes to rest
        ends = np.zeros((2, 1, JET_ROWS, rates.shape[1]))
        ends[0, 0, :-1] = rates
        coefficients = hermite_coefficients(np.diff(times), *ends[:, : len(times) - 1])
        self._rates = PiecewisePolynomial(times, coefficients, np.zeros(rates.shape[1]), 3)

    def along_path(self, jet: Array) -> tuple[Array, Array]:
        """Return knots (K,) and joint jets (K, 5, n), which begin with `jet` (5, n)."""
        times, jets = [float(self._path.times[0])], [jet]
        step = _FIRST_STEP * float(np.diff(self._path.times[:2]).sum())
        for i, end in enumerate(self._path.times[1:].tolist()):
            first, most = len(times), f'it takes more than {_MOST_STEPS} knots'
            while times[-1] < end:
                if len(times) - first >= _MOST_STEPS:
                    raise self._failure(i, times[-1], jets[-1][0], most)
                after, jet, step = self._next(i, times[-1], jets[-1], end, step)
                times.append(after)
                jets.append(jet)
        return np.array(times), np.array(jets)

    def _next(
        self, i: int, time: float, jet: Array, end: float, step: float
    ) -> tuple[float, Array, float]:
        """Return the next knot in segment i, up to `end`, its jet, and the step to try next."""
        left = end - time
        while True:
            whole = step >= left
            h = left if whole else min(step, 0.5 * left)
            try:
                found, worst = self._step(time, jet, h)
                growth = _SAFETY * worst ** (-1.0 / _ORDER)
                problem: str | ScrewDynamicsError = f'it deviates by more than {self._tolerance:g}'
            except ScrewDynamicsError as error:
                worst, growth, problem = np.inf, 0.5, error
            if worst <= 1.0:
                larger = h * min(growth, _LARGEST_GROWTH)
                return end if whole else time + h, found, max(larger, step if whole else 0.0)
            if h <= self._shortest:
                raise self._failure(i, time, jet[0], problem)
            step = h * max(growth, _LEAST_GROWTH)

    def _step(self, time: float, jet: Array, h: float) -> tuple[Array, float]:
        """Return the jet after a step, and the deviation within it in parts of the tolerance."""
        poses, twists = self._path.sample(np.append(time + h * _WITHIN, time + h))
        rates = self._rates.jets([time + h], JET_ROWS - 1)[0]
        q = taylor_shifted(jet, h)[0]
        for _ in range(_CORRECTIONS):
            found = self._task.solve(poses[-1], q, _NEWTON_STEPS)
            if not found.reached:
                raise TrajectoryError(f'no joint positions nearby reach the pose: {found}')
            after = self._task.jet(found.q, twists[-1], rates)
            q = jet[0] + _integral(jet, after, h)
            defect = float(np.abs(q - found.q).max())
            if defect <= _KEPT * self._tolerance:
                break
        curve = PiecewisePolynomial(
            np.array([0.0, 1.0]), hermite_coefficients(np.array([h]), jet[None], after[None]), q, 4
        )
        deviation = np.abs(self._task.errors(poses[:-1], curve.jets(_WITHIN, 1)[:, 0])).max()
        return after, max(float(deviation), defect, REACHED) / (_KEPT * self._tolerance)

    def _failure(
        self, i: int, time: float, q: Array, problem: str | ScrewDynamicsError
    ) -> TrajectoryError:
        """Return the error of a path that cannot be followed beyond a time in segment i."""
        path = self._path
        end = self._task.solve(path.sample(path.times[i + 1 : i + 2])[0][0], q)
        if not end.reached:
            problem = f'{path.name(i + 1)} is out of reach from here: {end} ({problem})'
        elif isinstance(problem, (str, TrajectoryError)):  # others name what is lost
            problem = f'{problem}; {self._task.weakest_direction(q)}'
        return TrajectoryError(
            f'frame {self._task.frame} cannot follow the path from {path.name(i)} to '
            f'{path.name(i + 1)} beyond {time:.6g} s: {problem}'
        )


def _integral(before: Array, after: Array, h: float) -> Array:
    """Return the integral (n,) of q' over a step between two jets (5, n)."""
    total = np.zeros(before.shape[1])
    for k, factor in enumerate(_TWO_POINT, start=1):
        total += factor * h**k * (before[k] - (-1) ** k * after[k])
    return total


def _checked(
    task: PoseTask, path: PoseCurve, times: Array, jets: Array, limited: bool
) -> CartesianTrajectory:
    """Return the motion through knots with its deviation; raise TrajectoryError beyond limits."""
    h = np.diff(times)
    coefficients = (
        hermite_coefficients(h, jets[:-1], jets[1:]) if len(h) else np.empty((0, 1, task.model.n))
    )
    continuity, names = join_continuity(jets[-1:, 1:]), task.model.joint_names
    curve = PiecewisePolynomial(times, coefficients, jets[-1, 0], continuity, names)
    dense = np.append((times[:-1, None] + _DENSE * h[:, None]).ravel(), times[-1])
    q = curve.jets(dense, 1)[:, 0]
    if limited:
        _require_limits(task.model, path, dense, q)
    errors = task.errors(path.sample(dense)[0], q)
    knots = Waypoints(task.model.joint_names, times, *jets[:, :3].swapaxes(0, 1))
    distance, angle = (
        np.linalg.norm(part, axis=1).max() for part in (errors[:, 3:], errors[:, :3])
    )
    return CartesianTrajectory(curve, knots, path, float(distance), float(angle))


def _require_limits(model: ScrewModel, path: PoseCurve, times: Array, q: Array) -> None:
    lower, upper = model.limits.lower, model.limits.upper
    for t, j in np.argwhere((q < lower) | (q > upper))[:1]:
        i = int(np.searchsorted(path.times, times[t]))
        place = f'on the way to {path.name(i)}' if i else f'at {path.name(0)}'
        raise TrajectoryError(
            f'position of joint {model.joint_names[j]} at {times[t]:.6g} s, {place}: '
            f'expected within [{lower[j]:g}, {upper[j]:g}], got {q[t, j]:g}'
        )
