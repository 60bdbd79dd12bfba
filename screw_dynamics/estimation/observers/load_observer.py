# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LoadObserver`: external efforts and wrenches from the generalised momentum."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector, per_joint, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import (
    bias_forces,
    coriolis_matrix,
    frame_jacobian,
    gravity_forces,
    mass_matrix,
)
from screw_dynamics.dynamics.effort_format import EffortFormat, MeasuredContent, measured_format
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.observers.content_at_rest import ContentAtRest
from screw_dynamics.estimation.observers.link_efforts_from_motors import LinkEffortsFromMotors
from screw_dynamics.estimation.observers.wrenches import least_squares_wrench
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model

_STRETCH = 2.5  # times the step before: longer steps would multiply noise
_FORGOTTEN = 1e3  # times 1 / K, after which nothing is left


class Sample(NamedTuple):
    """Coordinates, rates and efforts on the links (n,) of one instant."""

    q: Array
    qd: Array
    link_effort: Array


class LoadObserver:
    """
    Observer of external joint efforts by the generalised momentum.

    The momentum p = M q' obeys ``p' = tau + tau_ext + C^T q' - g`` [MK2021, (1)] with the Coriolis
    matrix for which M' = C + C^T, exactly: no mass matrix is differentiated. With the known terms
    f of the right side, ``r' = K (p' - f - r)`` is solved exactly for K p + f that is quadratic
    through the last three samples, or linear where a step is far longer than the one
    before. r follows tau_ext as a filter of first order, joint by joint, stable for every sample
    time.

    Parameters
    ----------
    robot : Robot or ScrewModel
        With payload, if there is one; gravity is that of the model. Drives have rotors, friction
        and parallel springs; without them `effort` is that of the links.
    bandwidth : float or (n,) array_like
        K, the rate at which r follows [1/s]; 2 pi times the cut-off frequency in Hz.
    effort_deviation, velocity_deviation : float or (n,) array_like
        Standard deviations of the white noise of measured efforts [N m or N] and velocities
        [rad/s or m/s], for `covariance`; 0 if unknown.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        What the measured efforts contain: all; all but gravity, as Universal Robots report them;
        or external loads, as the robot's own model tells them, which are filtered then. A format
        also has their sign and scale.
    check : bool
        Compare the efforts with those of gravity where the robot rests: `doubt` is the text of the
        first pose that another content explains four times better, and after three such poses
        every sample is refused.

    Raises
    ------
    InputError
        If an argument is not of its type or range.
    UnknownNameError
        If the drives have a joint that the model lacks.

    Notes
    -----
    `effort` of a joint without a spring is that of its motor, on the joint side of the gear; the
    inertia of the rotor is part of M. The friction of the motor and the joint is subtracted; where
    it depends on the load, that is taken without the inertia of the rotor. `effort` of a joint
    with a spring is what the spring transmits: from a torque sensor, or from the deflection.
    Rotors on moving links (`rotor_coupling`) are not supported.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import LoadObserver
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> observer = LoadObserver(pendulum, bandwidth=10.0)
    >>> for i in range(200):
    ...     external = observer.update(0.01 * i, [0.0], [0.0], [12.0])
    >>> external.round(6)  # held at rest with 12 N m, of which gravity takes 9.81 N m
    array([-2.19])
    """

    def __init__(
        self,
        robot: Robot | ScrewModel,
        *,
        bandwidth: ArrayLike = 30.0,
        effort_deviation: ArrayLike = 0.0,
        velocity_deviation: ArrayLike = 0.0,
        effort_content: MeasuredContent | EffortFormat = 'full',
        check: bool = True,
    ) -> None:
        robot = as_robot(robot)
        model, n = require_model(robot.model), robot.n
        self.model = model
        self._links = LinkEffortsFromMotors(robot)
        self._bandwidth = per_joint('bandwidth', bandwidth, n, above=True)
        self._effort_variance = per_joint('effort_deviation', effort_deviation, n) ** 2
        self._velocity_variance = per_joint('velocity_deviation', velocity_deviation, n) ** 2
        self._format = measured_format(effort_content, model.joint_names)
        self._at_rest = ContentAtRest(model, self._format) if check else None
        self._noisy = bool(self._effort_variance.any() or self._velocity_variance.any())
        self.reset()

    def __repr__(self) -> str:
        """Return the model, the range of the bandwidths, and the time of the last sample."""
        low, high = self._bandwidth.min(initial=np.inf), self._bandwidth.max(initial=0.0)
        rates = f'{high:g}' if low >= high else f'{low:g} to {high:g}'
        last = 'none' if self._time is None else f'{self._time:g} s'
        return f'LoadObserver({self.model!r}, bandwidth={rates} 1/s, last sample={last})'

    def reset(self) -> None:
        """Forget all samples but those at rest: external efforts begin with zero."""
        n = self.model.n
        self._time: float | None = None
        self._step = 0.0  # to the last sample
        self._q, self._rate, self._link_effort = np.zeros(n), np.zeros(n), np.zeros(n)
        self._effort = np.zeros(n)
        self._behind: Array = np.zeros(n)  # r - K p
        self._sums = np.zeros((3, n))  # K p + f of the last samples, the newest first
        # noise of the momenta and efforts of the last samples in r - K p, of older ones in r
        self._shares, self._momenta = np.zeros((2, 3, n)), np.zeros((3, n, n))
        self._older: Array = np.zeros((n, n))
        self.covariance: Array = np.zeros((n, n))

    @property
    def effort(self) -> Array:
        """The external efforts (n,) at the last sample [N m or N], a copy."""
        return np.array(self._effort)

    @property
    def bandwidth(self) -> Array:
        """The rates (n,) at which the external efforts follow [1/s], a copy."""
        return np.array(self._bandwidth)

    @property
    def doubt(self) -> str:
        """Why the efforts may have another content, or an empty text."""
        return '' if self._at_rest is None else self._at_rest.doubt

    @property
    def sample(self) -> Sample:
        """The last sample, with the efforts that the drives exert on the links."""
        return Sample(self._q.copy(), self._rate.copy(), self._link_effort.copy())

    def update(self, time: float, q: ArrayLike, qd: ArrayLike, effort: ArrayLike) -> Array:
        """
        Return the external efforts after a further sample.

        Parameters
        ----------
        time : float
            Later than that of the sample before [s].
        q, qd : (n,) array_like
            Measured coordinates and rates [rad or m, per s].
        effort : (n,) array_like
            Measured efforts [N m or N], see the notes of the class.

        Returns
        -------
        (n,) ndarray
            tau_ext, which acts ON the robot [N m or N]; zero at the first sample.

        Raises
        ------
        InputError
            If the time does not increase, or the efforts at rest have another content.
        ShapeError, NotFiniteError
            The observer stays as it was.
        """
        n, instant = self.model.n, require_number('time', time, -math.inf)
        if self._time is not None and instant <= self._time:
            raise InputError(f'time: expected more than {self._time:.9g} s, got {instant:.9g} s')
        position, rate = as_vector('q', q, n), as_vector('qd', qd, n)
        reported = self._format.reported(as_vector('effort', effort, n))
        gravity, support = gravity_forces(self.model, position), self._links.support(position)
        if self._at_rest is not None:
            self._at_rest.add(position, rate, reported, gravity, support)
        with np.errstate(over='ignore', invalid='ignore'):
            if self._format.content == 'external':  # r follows them: there is nothing to subtract
                inertia, force = np.zeros((n, n)), -reported
                link_effort = bias_forces(self.model, position, rate) - reported
            else:
                full = reported + (gravity if self._format.content == 'without_gravity' else 0.0)
                inertia = mass_matrix(self.model, position) + self._links.rotor_inertia
                link_effort = self._links.link_efforts(rate, full, support)
                velocity_force = coriolis_matrix(self.model, position, rate).T @ rate
                force = link_effort + velocity_force - gravity
            behind = self._bandwidth * (inertia @ rate)
            newest = require_finite('result', behind + force, 'overflow')
        first = self._time is None
        step = instant - (instant if self._time is None else self._time)
        decay, weights = _filter(self._bandwidth, step, 0.0 if first else self._step)
        self._sums[1:] = self._sums[:2]
        self._sums[0] = newest
        self._behind = decay * self._behind - (weights * self._sums).sum(axis=0)
        if first:
            self._behind = -behind
        self._effort = self._behind + behind
        if self._noisy:
            self._propagate(inertia, decay, weights)
        self._time, self._step = instant, step
        self._q, self._rate, self._link_effort = position, rate, link_effort
        return self.effort

    def _propagate(self, inertia: Array, decay: Array, weights: Array) -> None:
        """
        Update the covariance for white noise of the measured velocities and efforts.

        A sample has shares in r - K p as long as it is one of three, then decays with the rest.
        """
        bandwidth, momenta = self._bandwidth, self._momenta
        shares = self._shares * decay
        self._older = np.outer(decay, decay) * self._older + _spread(
            shares[:, 2:], momenta[2:], self._effort_variance
        )
        momenta[1:] = momenta[:2]
        momenta[0] = (inertia * self._velocity_variance) @ inertia.T
        shares[:, 1:], shares[:, 0] = shares[:, :2].copy(), 0.0
        if not weights.any():  # the first sample: r is 0 whatever its noise
            shares[0, 0] = -bandwidth
        shares[0] -= bandwidth * weights
        shares[1] -= weights
        self._shares = shares.copy()
        shares[0, 0] += bandwidth
        self.covariance = self._older + _spread(shares, momenta, self._effort_variance)

    def wrench(self, frame: str, components: str = 'all') -> tuple[Array, Array]:
        """
        Return the wrench at a frame that explains the external efforts, and its covariance.

        r = J^T F is solved by least squares, weighted by `covariance` where that is positive
        definite; what no wrench at the frame explains is left out.

        Parameters
        ----------
        frame : str
            A link name.
        components : {'all', 'force'}
            'force' for a force at the frame's origin without torque: joints 3 or more suffice.

        Returns
        -------
        wrench : (6,) ndarray
            [torque; force] ON the robot in axes and at the origin of the frame [N m, N].
        covariance : (6, 6) ndarray
            Zero if no noise is known.

        Raises
        ------
        SingularJacobianError
            If a component moves no joint at the last sample; the direction is named.
        UnknownNameError, InputError
        """
        jacobian = frame_jacobian(self.model, self._q, frame)
        return least_squares_wrench(
            self.model, frame, self._q, jacobian, self._effort, self.covariance, components
        )


def _spread(shares: Array, momenta: Array, efforts: Array) -> Array:
    """
    Return the covariance (n, n) of shares (2, s, n) of independent noise.

    That of samples of the momentum has covariances (s, n, n), that of efforts variances (n,).
    """
    of_momenta, of_efforts = shares
    spread: Array = (of_momenta[:, :, np.newaxis] * of_momenta[:, np.newaxis] * momenta).sum(
        axis=0
    )
    spread.flat[:: len(spread) + 1] += (of_efforts**2).sum(axis=0) * efforts
    return spread


def _filter(bandwidth: Array, step: float, before: float) -> tuple[Array, Array]:
    """
    Return exp(-K h) (n,), and weights (3, n) of the last samples of a function.

    They are those of the integral of ``K exp(-K (h - s))`` times the function over the step h,
    with the function quadratic through the samples; all 0 for a step of 0.
    """
    scaled = np.minimum(bandwidth * step, _FORGOTTEN)
    decay = np.exp(-scaled)
    weights = np.zeros((3, len(bandwidth)))
    if step == 0.0:
        return decay, weights
    gain = -np.expm1(-scaled)
    # of the distance y from the last sample, and of y (y - h)
    linear = (gain - decay * scaled) / bandwidth
    bent = (2.0 * linear - decay * scaled * step) / bandwidth - step * linear
    weights[0], weights[1] = gain - linear / step, linear / step
    if step <= _STRETCH * before:
        weights[0] += bent / (step * (step + before))
        weights[1] -= bent / (step * before)
        weights[2] = bent / (before * (step + before))
    return decay, weights
