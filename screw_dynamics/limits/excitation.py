# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`excitation_motion`: a motion that tells much about drives and a load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector, per_joint
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.drives import Drives
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics.frames import frame_pose
from screw_dynamics.errors import InfeasibleError, InputError, ShapeError, UnknownNameError
from screw_dynamics.estimation.identification.predicted_bands import BandPrediction
from screw_dynamics.estimation.identification.result import ParameterResult
from screw_dynamics.limits.certificate import certify
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.report import FeasibilityReport
from screw_dynamics.limits.retiming.limited_quantities import limited_robot, limits_by_name
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

Box: TypeAlias = tuple[ArrayLike, ArrayLike]
_SAMPLES = 0.02  # s, of the limits while a motion is sought
_WORKSPACE_SAMPLES = 2e-3  # s, of frames
_LEAST_RANGE, _MOST_RANGE = 0.05, 2.0  # rad or m about the begin, where a joint has no limits
_FROM_LIMITS = 0.25  # of the range of a joint, a begin that is not given
_SHRINKING = 0.85
_SMALLEST = 1e-2  # of a motion through points within the limits of position
_CHANGED = 0.3  # of the points, in a trial
_FIRST_STEP, _LAST_STEP = 0.5, 0.05  # of the range of positions, of changes


@dataclass(frozen=True, eq=False)
class Excitation(ParameterResult):
    """
    A motion for `identify_drives`, and what an identification from it will tell.

    Parameters
    ----------
    model : ScrewModel
    waypoints : Waypoints
        Points of the smooth motion, from rest to rest.
    curve : PiecewisePolynomial
        The C4 motion through them.
    names : tuple of str
        Parameters, as `DriveIdentification` names them.
    values : (P,) ndarray
        Those of the robot.
    standard_deviations : (P,) ndarray
        That an identification is expected to have; infinite for what the motion does not tell.
    report : FeasibilityReport
        Of the whole motion, between samples too.
    """

    model: ScrewModel
    waypoints: Waypoints
    curve: PiecewisePolynomial
    names: tuple[str, ...]
    values: Array
    standard_deviations: Array
    report: FeasibilityReport

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and expected standard deviations of the parameters."""
        deviations = self.standard_deviations.tolist()
        return tuple(zip(self.names, self.values.tolist(), deviations, strict=True))

    def _robot_model(self) -> ScrewModel:
        return self.model


def excitation_motion(
    robot: Robot | ScrewModel,
    *,
    payload: str | None = None,
    duration: float = 15.0,
    points: int = 12,
    start: ArrayLike | None = None,
    share: float = 0.8,
    workspace: Mapping[str, Box] | None = None,
    effort_noise: ArrayLike | None = None,
    encoder_noise: float = 2e-5,
    rate: float = 500.0,
    link_uncertainty: float = 0.05,
    trials: int = 200,
    seed: int = 0,
    on_trial: Callable[[], object] | None = None,
) -> Excitation:
    """
    Return a motion from rest to rest that `identify_drives` learns much from.

    Of `trials` motions, each a change of the best one so far, it is the one with the smallest
    determinant of the covariance that the parameters of drives, springs and load are expected to
    have. Every trial is made smaller until it keeps the limits, and the result is certified.

    Parameters
    ----------
    robot : Robot or ScrewModel
        With its limits, and its drives as far as they are known.
    payload : str, optional
        Frame of a load that is to be identified.
    duration : float
        [s]
    points : int
        Points between begin and end.
    start : (n,) array_like, optional
        Positions at begin and end, by default 0 or the nearest in the middle half of the range
        within the limits [rad or m].
    share : float
        Of the limits of joints and motors, but those of positions, that the motion may use: drives
        and load are not known yet.
    workspace : mapping of str to (low, high), optional
        Boxes (3,) in the axes of the base, which the origins of these frames do not leave [m].
    effort_noise : float or (n,) array_like, optional
        Standard deviation of the motor efforts; default 2 % of the effort limits [N m or N].
    encoder_noise : float
        Standard deviation of the positions [rad or m].
    rate : float
        Samples of the recording per second [1/s].
    link_uncertainty : float
        See `identify_drives`.
    trials : int
    seed : int
        Of the random changes.
    on_trial : callable, optional
        Called after each trial.

    Returns
    -------
    Excitation

    Raises
    ------
    InfeasibleError
        If even small motions about `start` exceed a limit.
    InputError, ShapeError, UnknownNameError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> spring = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(rotor_inertia=0.2))
    >>> robot = sd.Robot(arm, sd.Drives({name: spring for name in arm.joint_names}))
    >>> found = sd.excitation_motion(robot, effort_noise=0.2, duration=10.0, trials=20)
    >>> found.report.feasible, found.curve.duration
    (True, 10.0)
    """
    given = as_robot(robot)
    model = require_model(given.model)
    lasting = require_number('duration', duration, above=True)
    count = require_count('points', points, 1)
    part = require_number('share', share, above=True)
    if part > 1.0:
        raise InputError(f'share: expected a number up to 1, got {part:g}')
    if not lasting > (count + 1) * _SAMPLES:
        raise InputError(
            f'duration: expected more than {(count + 1) * _SAMPLES:g} s for {count} points, got '
            f'{lasting:g}'
        )
    limited = _limited(given, part)
    low, high = _ranges(model, start)
    away = _FROM_LIMITS * (high - low)
    begin = np.clip(np.zeros(model.n), low + away, high - away)
    begin = begin if start is None else as_vector('start', start, model.n)
    if not ((low <= begin) & (begin <= high)).all():
        raise InputError(f'start: expected positions within the limits, got {begin.tolist()}')
    boxes = _boxes(model, workspace)
    prediction = BandPrediction(
        given,
        payload=payload,
        effort_noise=_effort_noise(model, effort_noise),
        encoder_noise=require_number('encoder_noise', encoder_noise, above=True),
        rate=require_number('rate', rate, above=True),
        link_uncertainty=require_number('link_uncertainty', link_uncertainty),
    )

    def curve_of(inner: Array) -> tuple[Waypoints, PiecewisePolynomial]:
        positions = np.vstack((begin, inner, begin))
        free = np.full(positions.shape, np.nan)
        times = np.round(np.linspace(0.0, lasting, count + 2), 9)
        waypoints = Waypoints(model.joint_names, times, positions, free, free)
        return waypoints, smooth_trajectory(waypoints)

    def kept(curve: PiecewisePolynomial) -> bool:
        times = np.arange(0.0, lasting, _SAMPLES)
        # the rate of an effort needs four rows
        jets = curve.jets(times, max(4, limited.required_rows))
        return check_feasibility(limited, jets, times).feasible and _inside(model, curve, boxes)

    def certified(curve: PiecewisePolynomial) -> bool:
        return certify(limited, curve).feasible and _inside(model, curve, boxes)

    def shrunk(
        inner: Array,
        kept: Callable[[PiecewisePolynomial], bool] = kept,
        shrinking: float = _SHRINKING,
    ) -> Array:
        factor = 1.0
        while not kept(curve_of(begin + factor * (inner - begin))[1]):
            factor *= shrinking
            if factor < _SMALLEST:
                raise InfeasibleError(
                    'start: expected a begin about which the robot can move within '
                    f'{lasting:g} s, got {begin.tolist()}, where motions of {_SMALLEST:g} of its '
                    'range exceed limits'
                )
        return begin + factor * (inner - begin)

    random = np.random.default_rng(seed)
    best = shrunk(random.uniform(low, high, (count, model.n)))
    cost = prediction.cost(curve_of(best)[1])
    for trial in range(require_count('trials', trials)):
        step = _FIRST_STEP * (_LAST_STEP / _FIRST_STEP) ** (trial / max(trials - 1, 1))
        changed = random.random(best.shape) < _CHANGED
        moved = best + changed * random.normal(size=best.shape) * step * (high - low)
        candidate = shrunk(np.clip(moved, low, high))
        found = prediction.cost(curve_of(candidate)[1])
        if found < cost:
            best, cost = candidate, found
        if on_trial is not None:
            on_trial()
    waypoints, curve = curve_of(shrunk(best, certified, _SHRINKING**0.25))
    report = certify(limited, curve)
    return Excitation(model, waypoints, curve, *prediction.bands(curve), report)


def _limited(robot: Robot, part: float) -> Robot:
    """Return the robot with a part of its limits but those of positions."""
    limits = {name: part * values for name, values in limits_by_name(robot).items()}
    limited = limited_robot(robot, limits)
    records = {}
    for name, drive in zip(limited.joint_names, limited.joint_drives, strict=True):
        motor, winding = drive.motor, drive.winding
        records[name] = replace(
            drive,
            max_deflection=part * drive.max_deflection,
            motor=replace(
                motor,
                max_effort=part * motor.max_effort,
                max_velocity=part * motor.max_velocity,
            ),
            winding=winding and replace(winding, max_current=part * winding.max_current),
        )
    drives = limited.drives or Drives({})
    return replace(limited, drives=replace(drives, joints=records))


def _ranges(model: ScrewModel, start: ArrayLike | None) -> tuple[Array, Array]:
    """Return the positions (n,) between which points lie: limits, or about the begin."""
    middle = np.zeros(model.n) if start is None else as_vector('start', start, model.n)
    low = np.where(np.isfinite(model.limits.lower), model.limits.lower, middle - _MOST_RANGE)
    high = np.where(np.isfinite(model.limits.upper), model.limits.upper, middle + _MOST_RANGE)
    return low, high


def _effort_noise(model: ScrewModel, given: ArrayLike | None) -> Array:
    """Return the standard deviations (n,) of motor efforts."""
    if given is None:
        found: Array = 0.02 * model.limits.ignoring_zeros().effort
        if not np.isfinite(found).all():
            name = model.joint_names[int(np.argmin(np.isfinite(found)))]
            raise InputError(
                f'effort_noise: expected values, as joint {name!r} has no effort limit'
            )
        return found
    return per_joint('effort_noise', given, model.n, above=True)


def _boxes(model: ScrewModel, given: Mapping[str, Box] | None) -> dict[str, Array]:
    """Return the boxes (2, 3) of frames."""
    found = {}
    for name, box in (given or {}).items():
        if name not in model.frames:
            raise UnknownNameError('frame', name, model.frames, 'workspace')
        bounds = np.asarray(box, dtype=np.float64)
        if bounds.shape != (2, 3):
            raise ShapeError(f'workspace[{name!r}]', '(2, 3), low and high', bounds.shape)
        if not (bounds[0] < bounds[1]).all():
            raise InputError(
                f'workspace[{name!r}]: expected low below high, got {bounds.tolist()}'
            )
        found[name] = bounds
    return found


def _inside(model: ScrewModel, curve: PiecewisePolynomial, boxes: Mapping[str, Array]) -> bool:
    """Return whether frames stay within their boxes, by as much as they move between samples."""
    if not boxes:
        return True
    times = np.arange(0.0, curve.duration, _WORKSPACE_SAMPLES)
    positions = curve.jets(times, 1)[:, 0]
    for name, (low, high) in boxes.items():
        places = frame_pose(model, positions, name)[:, :3, 3]
        margin = np.abs(np.diff(places, axis=0)).max(axis=0)
        if (places < low + margin).any() or (places > high - margin).any():
            return False
    return True
