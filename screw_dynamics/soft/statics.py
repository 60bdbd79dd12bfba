# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equilibria of soft-rigid robots, and whether they are stable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.errors import InputError, SimulationError
from screw_dynamics.soft.actuators.actuator import Actuator, robot_of
from screw_dynamics.soft.checks import as_tuple
from screw_dynamics.soft.functions import gravity_forces, inverse_dynamics
from screw_dynamics.soft.soft_robot import SoftRobot, require_soft_robot

_STEPS = 200  # of Newton's method
_HALVINGS = 40  # of a step
_SUFFICIENT = 1e-4  # part of the predicted decrease that a step must reach
_TOLERANCE = 1e-12  # of the residual, relative to the efforts that balance
_FLAT = 1e-11  # curvatures below it, relative to the largest, count as none
_LONGEST = 1.0  # change of a coordinate in a step [rad, m, ...]
_ASIDE = 0.1  # of a step out of an unstable equilibrium


def equilibrium(
    robot: SoftRobot,
    efforts: ArrayLike,
    start: ArrayLike | None = None,
    *,
    actuators: Sequence[Actuator] = (),
    inputs: ArrayLike = (),
) -> Array:
    """
    Return coordinates of a stable equilibrium under constant efforts and inputs.

    Parameters
    ----------
    robot : SoftRobot
    efforts : (n,) array_like
        Generalised efforts [N m, N, ...].
    start : (n,) array_like, optional
        Where the search begins, by default 0 [rad, m, ...].
    actuators : sequence of Actuator
        m threads, chambers or joint efforts of the robot.
    inputs : (m,) array_like
        Their constant tensions [N], pressures [Pa] or efforts [N m, N].

    Returns
    -------
    (n,) ndarray
        q with ``inverse_dynamics(robot, (q, 0, 0)) = efforts + A(q) inputs``, to 12 digits of the
        largest effort in it.

    Raises
    ------
    SimulationError
        If the search does not converge; coordinate and residual are named.
    InputError
        If `start` is outside of the range of a body, or actuators belong to another robot.
    ShapeError, NotFiniteError

    Notes
    -----
    The balance is [P2025] (55). Newton's method on the potential, with the exact stiffness
    matrix; where that is not positive definite, with the absolute values of its eigenvalues. Steps
    are halved until they descend, by the work along them. An unstable equilibrium, such as that of
    an upright arm that buckles, is left in the direction in which the potential falls most.
    Elastic robots may have several stable equilibria: the one that is found depends on `start`. A
    coordinate that no effort acts on keeps its value; for such an equilibrium, which is neutral,
    `is_stable` returns False.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arc = sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, bending_stiffness=0.1)
    >>> arm = sd.soft.SoftRobot([arc], gravity=(0, 0, 0))
    >>> sd.soft.equilibrium(arm, [0.1]).round(9)
    array([0.5])
    >>> upright = sd.soft.SoftRobot([sd.soft.PlanarConstantCurvature(0.5, 0.01, 0.2, 0.01)])
    >>> bent = sd.soft.equilibrium(upright, [0.0])
    >>> abs(bent).round(3)
    array([4.258])
    >>> sd.soft.is_stable(upright, [0.0]), sd.soft.is_stable(upright, bent)
    (False, True)
    """
    potential = _Potential(robot, efforts, actuators, inputs)
    q = np.zeros(robot.n) if start is None else as_vector('start', start, robot.n).copy()
    robot.check(q)
    if not robot.n:
        return q
    residual = potential.slope(q)
    for _ in range(_STEPS):
        stiffness = potential.stiffness(q)
        spectrum = _spectrum(stiffness)
        scales = spectrum.scales
        parts = potential.parts(q) + abs(stiffness) @ abs(q)
        at_rest = np.linalg.norm(scales * residual) <= _TOLERANCE * np.linalg.norm(scales * parts)
        step = _downhill_step(spectrum, residual)
        if at_rest and spectrum.values[0] >= -spectrum.flat:
            return q + step  # to rounding, which decides where the potential is flat
        step = _step_aside(spectrum) if at_rest else step
        found = _shortened(potential, q, step, residual, float(step @ stiffness @ step))
        if found is None and at_rest:  # the potential falls by less than rounding
            return q
        if found is None:
            break
        q, residual = found
    worst = int(np.argmax(abs(scales * residual)))
    wanted = potential.efforts[worst]
    raise SimulationError(
        f'coordinate {robot.joint_names[worst]!r}: no equilibrium found from this start: expected '
        f'the effort {wanted:.6g}, got {wanted + residual[worst]:.6g} at q = {q[worst]:.6g}: try '
        'another start'
    )


def is_stable(
    robot: SoftRobot,
    q: ArrayLike,
    *,
    actuators: Sequence[Actuator] = (),
    inputs: ArrayLike = (),
) -> bool:
    """
    Return True if an equilibrium is stable: if the stiffness at it is positive definite.

    Parameters
    ----------
    robot : SoftRobot
    q : (n,) array_like
        Coordinates [rad, m, ...]; constant efforts hold the robot there, see `equilibrium`.
    actuators, inputs
        As of `equilibrium`: threads under constant tension and chambers under constant pressure
        contribute to the stiffness, constant generalised efforts do not.

    Returns
    -------
    bool
        False also if a direction is neutral: with a curvature of the potential of at most 1e-11
        of the largest one, for coordinates that are scaled to stiffnesses of 1.

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> pendulum = sd.soft.SoftRobot([
    ...     sd.soft.Joint('revolute', (0, 1, 0)),
    ...     sd.soft.RigidBody(1.0, (0, 0, 0.5), np.zeros((3, 3))),
    ... ])
    >>> sd.soft.is_stable(pendulum, [0.0]), sd.soft.is_stable(pendulum, [np.pi])
    (False, True)
    """
    potential = _Potential(robot, np.zeros(require_soft_robot(robot).n), actuators, inputs)
    place = as_vector('q', q, robot.n)
    robot.check(place)
    if not robot.n:
        return True
    spectrum = _spectrum(potential.stiffness(place))
    return bool(spectrum.values[0] > spectrum.flat)


class _Potential:
    """The potential of a robot at rest under constant efforts and inputs."""

    def __init__(
        self,
        robot: SoftRobot,
        efforts: ArrayLike,
        actuators: Sequence[Actuator],
        inputs: ArrayLike,
    ) -> None:
        self.robot = require_soft_robot(robot)
        self.efforts = as_vector('efforts', efforts, robot.n)
        drives = as_tuple('actuators', actuators, 'actuators')
        if drives and robot_of(drives) is not robot:
            raise InputError('actuators: expected those of the robot, got those of another')
        self._drives = list(zip(drives, as_vector('inputs', inputs, len(drives)), strict=True))

    def slope(self, q: Array) -> Array:
        """Return dV/dq (n,)."""
        jet = np.zeros((3, self.robot.n))
        jet[0] = q
        efforts: Array = inverse_dynamics(self.robot, jet)[0]
        return efforts - self.efforts - self._driven(q)

    def parts(self, q: Array) -> Array:
        """Return the absolute values of the terms of the slope (n,), but the elastic one."""
        return abs(self.efforts) + abs(gravity_forces(self.robot, q)) + abs(self._driven(q))

    def _driven(self, q: Array) -> Array:
        efforts = np.zeros(self.robot.n)
        for actuator, value in self._drives:
            efforts += value * actuator.effort_jet(q[np.newaxis])[0]
        return efforts

    def stiffness(self, q: Array) -> Array:
        """Return the second derivatives of the potential (n, n)."""
        stiffness = stiffness_matrix(self.robot, q)
        for actuator, value in self._drives:
            for j, direction in enumerate(np.eye(self.robot.n)):
                stiffness[:, j] -= value * actuator.effort_jet([q, direction])[1]
        return stiffness


def stiffness_matrix(robot: SoftRobot, q: Array) -> Array:
    """
    Return d(g + s)/dq (n, n) at rest, exactly.

    From rest with constant accelerations a, the second time derivative of the efforts is the
    sum of the stiffness times a and a quadratic form of a, which two opposite motions cancel.
    Damping and Coriolis efforts are part of the quadratic form alone.
    """
    n = robot.n
    jets = np.zeros((2 * n, 5, n))
    jets[:, 0] = q
    jets[:n, 2], jets[n:, 2] = np.eye(n), -np.eye(n)
    second = inverse_dynamics(robot, jets)[:, 2]
    return np.ascontiguousarray(0.5 * (second[:n] - second[n:]).T)


class _Spectrum(NamedTuple):
    """Eigenvalues (n,) and vectors (n, n) of a stiffness for coordinates divided by `scales`."""

    scales: Array
    values: Array
    vectors: Array
    flat: float


def _spectrum(stiffness: Array) -> _Spectrum:
    """Return the spectrum for coordinates whose units differ, scaled to stiffnesses of 1."""
    size = abs(np.diag(stiffness))
    size = np.where(size > _FLAT * size.max(), size, size.max() or 1.0)
    scales = 1.0 / np.sqrt(size)
    scaled = scales[:, np.newaxis] * stiffness * scales
    values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    return _Spectrum(scales, values, vectors, _FLAT * float(abs(values).max()))


def _downhill_step(spectrum: _Spectrum, residual: Array) -> Array:
    """Return Newton's step with the absolute values of the curvatures, none where it is flat."""
    scales, values, vectors, flat = spectrum
    curved = abs(values) > flat
    parts = vectors[:, curved].T @ (scales * residual) / abs(values[curved])
    return np.asarray(-scales * (vectors[:, curved] @ parts))


def _step_aside(spectrum: _Spectrum) -> Array:
    """Return a step in the direction of the lowest curvature."""
    step = spectrum.scales * spectrum.vectors[:, 0]
    return np.asarray(_ASIDE / step[np.argmax(abs(step))] * step)


def _shortened(
    potential: _Potential, q: Array, step: Array, residual: Array, curvature: float
) -> tuple[Array, Array] | None:
    """Return q and residual after the step, halved until the potential decreases, or None."""
    part = min(1.0, _LONGEST / max(abs(step).max(), _LONGEST))
    for _ in range(_HALVINGS):
        trial = q + part * step
        try:
            middle = potential.slope(q + 0.5 * part * step)
            after = potential.slope(trial)
        except InputError:  # out of range, or overflow
            part *= 0.5
            continue
        # the work along the step, by Simpson's rule
        work = (residual + 4.0 * middle + after) @ step / 6.0
        if work < _SUFFICIENT * (residual @ step + 0.5 * part * curvature) < 0.0:
            return trial, after
        part *= 0.5
    return None
