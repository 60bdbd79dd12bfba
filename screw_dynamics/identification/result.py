# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification: parameters, error bars, payload, validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.identification.columns import PAYLOAD, UPPER, Columns, second_moment
from screw_dynamics.identification.recording import Recording
from screw_dynamics.model.screw_model import ScrewModel

_BAND = 1.959963984540054  # standard deviations on either side of 95 % of a normal distribution


class Payload(NamedTuple):
    """
    A payload in the axes of its frame.

    Mass [kg] and centre of mass (3,) [m] with standard deviations; rotational inertia (3, 3) about
    the centre of mass [kg m^2], the nearest one that a mass can have.
    """

    frame: str
    mass: float
    mass_deviation: float
    com: Array
    com_deviations: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class Identification:
    """
    Identified parameters of a robot.

    Parameters
    ----------
    model : ScrewModel
        Whose parameters they are.
    names : tuple of str
        As ``joint_1.viscous``, ``joint_1.coulomb``, ``joint_1.rotor_inertia``, ``joint_1.offset``,
        ``payload.m``, ``payload.mx``, or body and entry of a base parameter.
    values : (P,) ndarray
        In SI units; 0 for what the motion does not determine.
    covariance : (P, P) ndarray
        Infinite on the diagonal for what the motion does not determine.
    residuals : (n,) ndarray
        Root mean square of the efforts that remain [N m or N].
    before : (n,) ndarray
        The same without these parameters; with base parameters the efforts themselves.
    noise : (n,) ndarray
        Standard deviation of the measured efforts.
    payload_frame : str or None
    """

    model: ScrewModel
    names: tuple[str, ...]
    values: Array
    covariance: Array
    residuals: Array
    before: Array
    noise: Array
    payload_frame: str | None
    columns: Columns
    motion: Callable[[Recording], tuple[Array, Array]]

    @property
    def standard_deviations(self) -> Array:
        """Of the parameters, (P,)."""
        deviations: Array = np.sqrt(np.diag(self.covariance))
        return deviations

    @property
    def bands(self) -> Array:
        """Lower and upper ends of the bands that hold a parameter with 95 %, (P, 2)."""
        half = _BAND * self.standard_deviations
        return np.column_stack((self.values - half, self.values + half))

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter."""
        if name not in self.names:
            raise InputError(f'expected one of {", ".join(self.names)}, got {name!r}')
        return float(self.values[self.names.index(name)])

    @property
    def payload(self) -> Payload | None:
        """The payload; None if it was not identified."""
        if self.payload_frame is None:
            return None
        places = [self.names.index(f'payload.{name}') for name in PAYLOAD]
        mass, *moment = self.values[places[:4]]
        covariance = self.covariance[np.ix_(places[:4], places[:4])]
        if not mass > 0.0:
            raise InputError(
                f'payload: expected a mass above 0, got {mass:.3g} kg '
                f'+- {np.sqrt(covariance[0, 0]):.1g} kg'
            )
        com = np.array(moment) / mass
        known = np.isfinite(np.diag(covariance))
        finite = np.where(np.outer(known, known), covariance, 0.0)
        slopes = np.column_stack((-com / mass, np.eye(3) / mass))
        deviations = np.sqrt(np.diag(slopes @ finite @ slopes.T))
        deviations[~known[1:]] = np.inf
        about_frame = np.zeros((3, 3))
        about_frame[UPPER] = self.values[places[4:]]
        about_frame = about_frame + np.triu(about_frame, 1).T
        sizes, axes = np.linalg.eigh(second_moment(about_frame) - mass * np.outer(com, com))
        second = (axes * np.maximum(sizes, 0.0)) @ axes.T
        return Payload(
            self.payload_frame,
            float(mass),
            float(np.sqrt(covariance[0, 0])),
            com,
            deviations,
            np.trace(second) * np.eye(3) - second,
        )

    def with_payload(self) -> ScrewModel:
        """
        Return the model with the payload.

        Raises
        ------
        InputError
            If no payload was identified, or its mass is not above 0.
        """
        found = self.payload
        if found is None:
            raise InputError('payload: none was identified')
        return self.model.with_payload(found.frame, found.mass, found.com, found.inertia)

    def validate(self, recording: Recording) -> Array:
        """
        Return the root mean square of the efforts that remain of another recording.

        Parameters
        ----------
        recording : Recording
            That was not used to identify the parameters.

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        jets, efforts = self.motion(recording)
        rest = efforts - self.columns.known(jets) - self.columns.of(jets) @ self.values
        remaining: Array = np.sqrt(np.mean(rest**2, axis=0))
        return remaining

    def __str__(self) -> str:
        """Return a table of the parameters with their 95 % bands."""
        lines = [f'{"parameter":<28}{"value":>12}{"95 %":>12}']
        for name, value, deviation in zip(
            self.names, self.values, self.standard_deviations, strict=True
        ):
            band = f'+- {_BAND * deviation:.2g}' if np.isfinite(deviation) else 'unknown'
            lines.append(f'{name:<28}{value:>12.5g}{band:>12}')
        return '\n'.join(lines)
