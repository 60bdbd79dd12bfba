# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`inverse_kinematics`, and `PoseTask`: a frame that follows poses; errors, positions, jets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, as_pose, as_vector
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.dynamics import frame_jacobian, frame_pose, task_to_joint_jet
from screw_dynamics.dynamics.task_space import COMPONENTS, direction
from screw_dynamics.errors import InputError
from screw_dynamics.lie import is_pose
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.trajectory.cartesian.rotations import rotation_vectors

REACHED = 1e-11  # m and rad: hundreds of times the rounding of poses at a reach of 100 m
_MOST_ITERATIONS = 200
_LONGEST_STEP = 0.5  # of a coordinate per iteration [rad or m]
_LEAST_DAMPING = 1e-14  # beside squares of Jacobians of order 1
_ATTEMPTS = 20  # from drawn positions, if no start is given
_RIGID = 1e-6  # deviation of a pose from a rigid motion that rounding of files explains


class Solution(NamedTuple):
    """Joint positions (n,), and what is left of the error [m, rad]."""

    q: Array
    distance: float
    angle: float

    @property
    def reached(self) -> bool:
        """True if the pose is met to rounding."""
        return max(self.distance, self.angle) <= REACHED

    def __str__(self) -> str:
        """Return what is left, for error texts."""
        return f'{self.distance:.3g} m and {np.degrees(self.angle):.3g} degrees are left'


@dataclass(frozen=True)
class PoseTask:
    """
    The task of a frame to follow poses, or their positions alone (`components` 'linear').

    Joint rates have the least norm with `weights` (n,).
    """

    model: ScrewModel
    frame: str
    components: str
    weights: Array

    @property
    def _rows(self) -> slice:
        return slice(3 if self.components == 'linear' else 0, 6)

    def errors(self, targets: Array, q: Array) -> Array:
        """Return hybrid twists (T, 6) that lead from q (T, n) to targets (T, 4, 4) in 1 s."""
        poses = frame_pose(self.model, q, self.frame)
        found = np.zeros((len(q), 6))
        found[:, 3:] = targets[:, :3, 3] - poses[:, :3, 3]
        if self.components == 'all':
            turns = targets[:, :3, :3] @ poses[:, :3, :3].swapaxes(1, 2)
            found[:, :3] = rotation_vectors(turns)
        return found

    def jet(self, q: Array, twist: Array, rates: Array) -> Array:
        """Return the joint jet (5, n) of hybrid twists (4, 6); the redundancy follows `rates`."""
        return task_to_joint_jet(
            self.model,
            q,
            np.ascontiguousarray(twist[:, self._rows]),
            self.frame,
            'hybrid',
            components=self.components,
            weights=self.weights,
            nullspace_rates=rates,
            least_squares=True,
        )

    def nullspace_rates(self, jet: Array, twist: Array) -> Array:
        """Return the rates (4, n) that the redundancy follows in the motion `jet` (5, n)."""
        rates = np.zeros_like(jet[1:])
        for k, row in enumerate(jet[1:]):
            rates[k] = row - self.jet(jet[0], twist, rates)[k + 1]
        return rates

    def solve(
        self, target: Array, q: Array, iterations: int = _MOST_ITERATIONS, *, limited: bool = False
    ) -> Solution:
        """
        Return the joint positions near `q` (n,) at which the frame has the pose `target` (4, 4).

        Steps are of least weighted norm, damped by the squared error (Levenberg-Marquardt), so
        that they do not grow near singularities; the last ones are Newton's. With `limited`,
        joints stop at their position limits.
        """
        limits = self.model.limits
        best = Solution(q, np.inf, np.inf)
        for _ in range(iterations):
            if limited:
                q = np.clip(q, limits.lower, limits.upper)
            error = self.errors(target[None], q[None])[0]
            found = Solution(q, _norm(error[3:]), _norm(error[:3]))
            if found.distance + found.angle < best.distance + best.angle:
                best = found
            if best.reached:
                break
            free = np.ones(len(q), dtype=bool)
            while free.any():
                step = self._newton_step(q, error, free)
                beyond = (step > 0.0) & (q >= limits.upper) | (step < 0.0) & (q <= limits.lower)
                if not (limited and beyond.any()):
                    break
                free &= ~beyond
            else:
                break
            q = q + step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), REACHED))
        return best

    def reach(
        self,
        target: Array,
        starts: Array,
        name: str,
        *,
        limited: bool,
        error: type[InputError] = InputError,
    ) -> Array:
        """Return positions (n,) of a pose by the first of `starts` (S, n); raise `error`."""
        best: Solution | None = None
        for start in starts:
            found = self.solve(target, start, limited=limited)
            if found.reached:
                return found.q
            if best is None or found.distance + found.angle < best.distance + best.angle:
                best = found
        within = ' and within the joint limits' if limited else ''
        raise error(
            f'{name}: expected a pose that frame {self.frame} reaches from the start '
            f'positions{within}, but {best}'
        )

    def weakest_direction(self, q: Array) -> str:
        """Return the direction in which the joints move the frame least, for error texts."""
        jacobian = frame_jacobian(self.model, q, self.frame, 'hybrid')[self._rows]
        left, values, _ = np.linalg.svd(jacobian / np.sqrt(self.weights))
        least = values[-1] if len(values) == len(jacobian) else 0.0
        return (
            f'the joints move it least along {direction(left[:, -1], COMPONENTS[self._rows])} '
            f'there, singular value {least:.3g} of {values[0]:.3g}'
        )

    def _newton_step(self, q: Array, error: Array, free: NDArray[np.bool_]) -> Array:
        """Return the damped step (n,) of the joints that are `free`; the others rest."""
        rows = self._rows
        jacobian = frame_jacobian(self.model, q, self.frame, 'hybrid')[rows]
        weighted = (free / self.weights)[:, None] * jacobian.T
        damping = 1e-3 * float(error @ error) + _LEAST_DAMPING
        normal = jacobian @ weighted + damping * np.eye(len(jacobian))
        step: Array = weighted @ np.linalg.solve(normal, error[rows])
        return step


def _norm(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def inverse_kinematics(
    model: ScrewModel,
    frame: str,
    pose: ArrayLike,
    start: ArrayLike | None = None,
    *,
    components: str = 'all',
    weights: ArrayLike | None = None,
    limited: bool = True,
) -> Array:
    """
    Return joint positions at which a frame has a pose, to 1e-11 m and rad.

    Steps of least weighted norm, damped by the squared error, lead there from `start`
    (Levenberg-Marquardt); of many solutions they find one nearby.

    Parameters
    ----------
    model : ScrewModel
    frame : str
        A link name; the link may be attached by fixed joints.
    pose : (4, 4) or (3,) array_like
        Pose in base-link axes, or scipy's `RigidTransform`; for 'linear' also a position [m].
    start : (n,) array_like, optional
        Joint positions to begin at [rad or m]; by default 0, and if this does not lead there up to
        20 others within the limits, the same in every call.
    components : {'all', 'linear'}
        'linear' reaches the position alone and leaves the orientation free.
    weights : (n,) array_like, optional
        Positive weights of the squared joint steps; by default 1.
    limited : bool
        Whether joints stay within their position limits.

    Returns
    -------
    (n,) ndarray
        [rad or m].

    Raises
    ------
    InputError
        If the pose is not reached; the error states what is left. If `pose` is no rigid motion.
    UnknownNameError
        If the frame does not exist.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    >>> pose = sd.frame_pose(model, model.random_configuration(seed=1), 'panda_hand')
    >>> q = sd.inverse_kinematics(model, 'panda_hand', pose)
    >>> np.allclose(sd.frame_pose(model, q, 'panda_hand'), pose)
    True
    """
    require_model(model).frame(frame)  # raises the error of an unknown name
    require_choice('components', components, ('all', 'linear'))
    target = as_float_array('pose', pose)
    if components == 'linear' and target.shape == (3,):
        position, target = target, np.eye(4)
        target[:3, 3] = position
    target = as_pose('pose', target)
    if not is_pose(target, _RIGID):
        raise InputError(f'pose: expected a rotation and a position, got {target.tolist()}')
    left, _, right = np.linalg.svd(target[:3, :3])
    target = np.block([[left @ right, target[:3, 3:]], [target[3:]]])
    if start is None:
        drawn = model.random_configuration(_ATTEMPTS, seed=0)
        starts = np.vstack([np.zeros((1, model.n)), drawn])
    else:
        starts = as_vector('start', start, model.n)[np.newaxis]
    task = PoseTask(model, frame, components, positive_weights(weights, model.n))
    return task.reach(target, starts, 'pose', limited=limited)


def positive_weights(weights: ArrayLike | None, n: int) -> Array:
    """Return the weights (n,) of joint rates, 1 by default; raise InputError unless positive."""
    if weights is None:
        return np.ones(n)
    found = as_vector('weights', weights, n)
    if not (found > 0.0).all():
        raise InputError(f'weights: expected numbers above 0, got {found.tolist()}')
    return found
