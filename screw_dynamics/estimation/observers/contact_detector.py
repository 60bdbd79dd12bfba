# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ContactDetector`: contacts from external efforts above what noise and errors explain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector, per_joint, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.dynamics import bias_forces, inertial_parameters, regressor
from screw_dynamics.errors import InputError, shown
from screw_dynamics.estimation.observers.contact_location import locate
from screw_dynamics.estimation.observers.load_observer import LoadObserver


@dataclass(frozen=True, eq=False)
class Contact:
    """
    A contact, as found at its strongest sample so far.

    Parameters
    ----------
    begin : float
        Time of the sample at which it was found [s].
    time : float
        Time of its strongest sample so far [s].
    link : str
        The link that is touched: the first from the base that explains the external efforts. If
        the line of the force meets the axis of the link's own joint, that is the link before.
    wrench : (6,) ndarray
        The most likely [torque; force] ON the link at its centre of mass, in base-link axes
        [N m, N]. If the joints before the link do not measure all components, it is the smallest
        one that explains the efforts.
    effort : (n,) ndarray
        External efforts [N m or N].
    strength : float
        Largest external effort relative to its threshold.
    """

    begin: float
    time: float
    link: str
    wrench: Array
    effort: Array
    strength: float

    @property
    def torque(self) -> Array:
        """The torque (3,) of `wrench` [N m]."""
        return self.wrench[:3]

    @property
    def force(self) -> Array:
        """The force (3,) of `wrench` [N]."""
        return self.wrench[3:]


class ContactDetector:
    """
    Detector of contacts from the external efforts of a `LoadObserver`.

    A contact begins when the external effort of any joint reaches its threshold
    ``floor + deviations * sigma + model_error * s``, with the standard deviations sigma of the
    observer's covariance and the sizes s of the efforts that the model explains, filtered as the
    external efforts are. It ends when all have been below `release` times the threshold for
    `hold`.

    Parameters
    ----------
    observer : LoadObserver
        The detector updates it.
    floor : float or (n,) array_like
        What friction and other unknowns leave [N m or N].
    deviations : float
        Standard deviations of the noise below the threshold.
    model_error : float
        Relative error of the inertia parameters below the threshold, 0.05 for 5 %. If each of
        them is off by no more than this, gravity, Coriolis and centrifugal efforts of the model
        never reach the threshold; for inertial efforts, the effort as a whole is taken to have
        this error.
    release : float
        Relative level at which a contact ends; also the level below which an effort that a link
        leaves unexplained counts as explained.
    hold : float
        Time below that level after which it ends [s].

    Raises
    ------
    InputError
        If an argument is not of its type or range.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import ContactDetector
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> detector = ContactDetector(sd.LoadObserver(arm, bandwidth=50.0), floor=0.5)
    >>> q, rest = np.array([0.3, 0.8]), np.zeros(2)
    >>> pull = sd.frame_jacobian(arm, q, 'link_1', 'hybrid').T @ [0, 3.0, 0, 0, 0, 0]
    >>> for i in range(100):
    ...     load = pull if i >= 50 else rest
    ...     contact = detector.update(
    ...         0.005 * i, q, rest, sd.gravity_forces(arm, q) - load
    ...     )
    >>> contact.link, round(contact.begin, 6)
    ('link_1', 0.255)
    """

    def __init__(
        self,
        observer: LoadObserver,
        *,
        floor: ArrayLike = 1.0,
        deviations: float = 5.0,
        model_error: float = 0.0,
        release: float = 0.5,
        hold: float = 0.1,
    ) -> None:
        if not isinstance(observer, LoadObserver):
            raise InputError(f'observer: expected a LoadObserver, got {shown(observer)}')
        n = observer.model.n
        self.observer = observer
        self._floor = per_joint('floor', floor, n, above=True)
        self._deviations = require_number('deviations', deviations)
        self._model_error = require_number('model_error', model_error)
        self._release = require_number('release', release, above=True)
        if self._release > 1.0:
            raise InputError(f'release: expected a number up to 1, got {self._release:g}')
        self._hold = require_number('hold', hold)
        self._parameters = abs(inertial_parameters(observer.model))
        self._level, self._size = self._floor.copy(), np.zeros(n)
        self.reset()

    def reset(self) -> None:
        """Forget all samples, those of the observer too."""
        self.observer.reset()
        self._time: float | None = None
        self._level[:], self._size[:] = self._floor, 0.0
        self._last_strong = -math.inf
        self.contact: Contact | None = None

    @property
    def threshold(self) -> Array:
        """The thresholds (n,) at the last sample [N m or N], a copy."""
        return np.array(self._level)

    def update(
        self, time: float, q: ArrayLike, qd: ArrayLike, effort: ArrayLike
    ) -> Contact | None:
        """
        Return the contact that lasts after a further sample, or None.

        Parameters
        ----------
        time, q, qd, effort
            See `LoadObserver.update`, also for errors: the detector stays as it was.

        Returns
        -------
        Contact or None
            Also `contact`, until the next sample.
        """
        known = self._known_size(q, qd)
        external = self.observer.update(time, q, qd, effort)
        self._update_level(time, known)
        strength = float((abs(external) / self._level).max(initial=0.0))
        if strength >= self._release:
            self._last_strong = time
        present = self.contact
        if strength >= 1.0 and (present is None or strength > present.strength):
            self.contact = self._located(time, external, strength)
        elif present is not None and time - self._last_strong > self._hold:
            self.contact = None
        return self.contact

    def _located(self, time: float, external: Array, strength: float) -> Contact:
        model = self.observer.model
        with np.errstate(all='ignore'):
            found = locate(model, self.observer.sample.q, external, self._level, self._release)
        begin = time if self.contact is None else self.contact.begin
        link = model.body_names[found.body]
        return Contact(begin, time, link, found.wrench, external, strength)

    def _update_level(self, time: float, known: Array) -> None:
        """Update the thresholds; s is filtered as the external efforts are."""
        deviations = np.sqrt(self.observer.covariance.diagonal())
        self._level = self._floor + self._deviations * deviations
        if self._model_error > 0.0:
            model, sample = self.observer.model, self.observer.sample
            size = known + abs(sample.link_effort - bias_forces(model, sample.q, sample.qd))
            if self._time is None:
                self._size = size
            else:
                gain = -np.expm1(-self.observer.bandwidth * (time - self._time))
                self._size += gain * (size - self._size)
            self._level += self._model_error * self._size
        self._time = time

    def _known_size(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return sum |Y_j pi_j| (n,) without acceleration, or raise as `update` does."""
        n = self.observer.model.n
        if self._model_error == 0.0:
            return np.zeros(n)
        jet = np.stack([as_vector('q', q, n), as_vector('qd', qd, n), np.zeros(n)])
        with np.errstate(over='ignore', invalid='ignore'):
            known: Array = abs(regressor(self.observer.model, jet)[0]) @ self._parameters
        return require_finite('result', known, 'overflow')
