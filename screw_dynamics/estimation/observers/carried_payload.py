# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PayloadWatch`: contacts that are a load which the robot has picked up."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import regressor
from screw_dynamics.estimation.observers.contact_detector import ContactDetector
from screw_dynamics.model import ScrewModel

_STEP, _WAY = 0.02, 5e-3  # s and rad or m between samples, at least
_WINDOW, _EVERY = 128, 16  # samples that are explained, and new ones between two looks
_FORGOTTEN = 1.0  # s without contact
_UNEXPLAINED = 0.3  # of the external efforts
_MASS, _CENTRE, _REACH = 0.1, 0.05, 1.0  # largest deviations, a part and [m]; distance [m]
_PARAMETERS = 10  # of a body: mass, mass times centre of mass, rotational inertia
_UPPER = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]  # of the inertia, as `regressor` has them
_ROUNDS = 6  # the inertia of the load depends on its centre
_NEAR = 1e-9  # of singular values, and of directions


class CarriedPayload(NamedTuple):
    """A load in axes of a frame: mass [kg], its centre (3,) [m], and their deviations."""

    frame: str
    mass: float
    com: Array
    mass_deviation: float
    com_deviations: Array


class PayloadWatch:
    """
    Looks whether the external efforts of a contact are those of a point mass on a link.

    They have to agree over motion: over the last 128 samples that are apart from each other. The
    link is that of `frame`, or any at the end of a chain. What no motion shows of the centre of
    mass is 0.
    """

    def __init__(self, detector: ContactDetector, frame: str = '') -> None:
        self._detector, self._model = detector, detector.observer.model
        model = self._model
        ends = set(range(model.body_count)) - set(model.parents)
        names = [model.body_names[body] for body in sorted(ends)]
        if frame and model.frame(frame).body >= 0:
            names = [frame]
        seen = {name: _seen(model, model.frame(name).body) for name in names}
        self._seen = {name: found for name, found in seen.items() if found.size}
        self._rate = float(detector.observer.bandwidth.mean())
        self.reset()

    def reset(self) -> None:
        """Forget all samples."""
        self._samples: deque[tuple[Array, Array, Array]] = deque(maxlen=_WINDOW)
        self._state: Array | None = None  # position and velocity (2, n) of the last sample
        self._filtered = np.zeros((2, self._model.n))
        self._time = self._added = self._touched = -np.inf
        self._new, self._told = 0, False

    def update(self, time: float) -> CarriedPayload | None:
        """Return the load, once, after a further sample of the detector."""
        jet = self._filter(time)
        if self._detector.contact is not None:
            self._touched = time
        elif time - self._touched > _FORGOTTEN:
            self._samples.clear()
            self._told = False
            return None
        last = self._samples[-1][0][0] if self._samples else np.inf
        if self._told or time - self._added < _STEP or np.abs(jet[0] - last).max() < _WAY:
            return None
        observer = self._detector.observer
        self._samples.append((jet, observer.effort, self._detector.threshold))
        self._added, self._new = time, self._new + 1
        if len(self._samples) < _WINDOW or self._new < _EVERY:
            return None
        self._new = 0
        found = min(map(self._explained, self._seen), key=lambda one: one[0], default=None)
        if found is None or found[0] > _UNEXPLAINED:
            return None
        self._told = found[1] is not None
        return found[1]

    def _filter(self, time: float) -> Array:
        """Return the state and its acceleration (3, n), delayed as the external efforts are."""
        sample, filtered = self._detector.observer.sample, self._filtered
        state = np.stack([sample.q, sample.qd])
        if self._state is None:
            filtered[:] = state
        else:  # exact for a motion that is linear between samples
            scaled = self._rate * (time - self._time)
            decay = np.exp(-scaled)
            share = (1.0 - decay) / scaled
            filtered *= decay
            filtered += (1.0 - share) * state + (share - decay) * self._state
        self._state, self._time = state, time
        return np.vstack([filtered, self._rate * (state[1:] - filtered[1:])])

    def _explained(self, name: str) -> tuple[float, CarriedPayload | None]:
        """Return the part of the efforts that a mass on a frame leaves, and the load if it is."""
        jets, efforts, levels = (np.array(rows) for rows in zip(*self._samples, strict=True))
        frame, seen = self._model.frame(name), self._seen[name]
        rows = _rows(self._model, frame.body, jets) / levels[..., np.newaxis]
        # the load acts on the robot
        sought, com, load = -(efforts / levels).ravel(), np.zeros(3), np.zeros(4)
        for _ in range(_ROUNDS):
            inertia = (com @ com * np.eye(3) - np.outer(com, com))[_UPPER]
            own = rows[..., :4].copy()
            own[..., 0] += rows[..., 4:] @ inertia
            matrix = own.reshape(-1, 4) @ seen
            load = seen @ np.linalg.lstsq(matrix, sought, rcond=None)[0]
            if load[0] <= 0.0 or np.linalg.norm(load[1:]) > _REACH * load[0]:
                return np.inf, None
            com = load[1:] / load[0]
        rest = sought - own.reshape(-1, 4) @ load
        left = float(np.linalg.norm(rest) / np.linalg.norm(sought))
        if np.linalg.matrix_rank(matrix) < matrix.shape[1] or np.abs(rest).max() >= 1.0:
            return left, None
        # neighbouring samples share what the filter of the observer remembers
        shared = np.exp(-self._rate * _STEP)
        variance = rest @ rest / (len(rest) - len(seen.T)) * (1.0 + shared) / (1.0 - shared)
        spread = variance * seen @ np.linalg.inv(matrix.T @ matrix) @ seen.T
        rotation = frame.pose[:3, :3]
        slope = rotation.T @ np.column_stack([-com, np.eye(3)]) / load[0]
        deviation = float(np.sqrt(spread[0, 0]))
        deviations = np.sqrt((slope @ spread @ slope.T).diagonal())
        if deviation > _MASS * load[0] or deviations.max() > _CENTRE:
            return left, None
        centre = rotation.T @ (com - frame.pose[:3, 3])
        return left, CarriedPayload(name, float(load[0]), centre, deviation, deviations)


def _rows(model: ScrewModel, body: int, jets: Array) -> Array:
    """Return the efforts (T, n, 10) of the parameters of a body along joint jets (T, 3, n)."""
    own = slice(_PARAMETERS * body, _PARAMETERS * (body + 1))
    return np.asarray(regressor(model, jets)[:, 0, :, own])


def _seen(model: ScrewModel, body: int) -> Array:
    """Return a basis (4, k) of what motions show of a load; (4, 0) if that is not its mass."""
    jets = np.random.default_rng(0).uniform(-1.0, 1.0, (20, 3, model.n))
    rows = _rows(model, body, jets)[..., :4].reshape(-1, 4)
    _, values, right = np.linalg.svd(rows)
    basis: Array = right[values > _NEAR * values[0]].T
    shown = np.linalg.norm(basis[0]) > 1.0 - _NEAR
    return basis if shown else basis[:, :0]
