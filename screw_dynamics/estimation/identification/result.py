# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification: parameters, error bars, payload, validation, robot, URDF."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.common.text_table import NO_BREAK
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.estimation.identification.columns import Columns
from screw_dynamics.estimation.identification.consistency import Cones, consistent
from screw_dynamics.estimation.identification.effort_shares import (
    EffortShares,
    Explained,
    shares_of,
)
from screw_dynamics.estimation.identification.export import identified_robot, written_urdf
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES, UPPER, second_moment
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.spring_fit import SpringFit
from screw_dynamics.model.records import EFFORT_UNITS, POSITION_UNITS
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.model.urdf.urdf_source import UrdfSource

_NAME = re.compile(r'^(?:(.*)[. ])?([a-z_]+?)(?:_at_.*)?$')  # place and entry of a parameter
_UNITS = {  # of revolute and of prismatic joints
    'rotor_inertia': ('kg m^2', 'kg'),
    'viscous': ('N m s/rad', 'N s/m'),
    **dict.fromkeys(('coulomb', 'breakaway_excess', 'offset'), EFFORT_UNITS),
    **dict.fromkeys(('coulomb_velocity', 'stribeck_velocity'), ('rad/s', 'm/s')),
    'stiffness': ('N m/rad', 'N/m'),
    'cubic_stiffness': ('N m/rad^3', 'N/m^3'),
    **dict.fromkeys(('hysteresis', 'backlash', 'encoder_offset', 'deflection'), POSITION_UNITS),
    'delay': ('s', 's'),
    'm': ('kg', 'kg'),
    **dict.fromkeys(NAMES[1:4], ('kg m', 'kg m')),
    **dict.fromkeys(NAMES[4:], ('kg m^2', 'kg m^2')),
}
BAND = 1.959963984540054  # standard deviations on either side of 95 % of a normal distribution


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


class ParameterResult(RecordedResult):
    """Base of results with rows of names, values and standard deviations of parameters."""

    @property
    @abstractmethod
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations."""

    @abstractmethod
    def _robot_model(self) -> ScrewModel:
        """Return the model whose parameters they are."""

    def _records(self) -> list[dict[str, Any]]:
        names = ('parameter', 'value', 'standard_deviation')
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def _parts(self) -> Sequence[Part]:
        lines = [('parameter', 'value', f'95{NO_BREAK}%', 'unit')]
        model = self._robot_model()
        kinds = dict(zip(model.joint_names, model.coordinate_types, strict=True))
        for name, value, deviation in self.rows:
            band = f'+-{NO_BREAK}{BAND * deviation:.2g}' if np.isfinite(deviation) else 'unknown'
            place, entry = _NAME.findall(name)[0]
            unit = _UNITS.get(entry, ('', ''))[kinds.get(place) == 'prismatic']
            lines.append((name, f'{value:.5g}', band, unit.replace(' ', NO_BREAK)))
        return (lines,)


class IdentifiedParameters(ParameterResult):
    """Base of what recordings tell: names, values and covariance of parameters."""

    names: tuple[str, ...]
    values: Array
    covariance: Array
    payload_frame: str | None

    @abstractmethod
    def _found(self) -> tuple[ScrewModel, Robot, bool]:
        """Return the model given, the robot found, and whether links were sought."""

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter, of springs too."""
        for row, value, _ in self.rows:
            if row == name:
                return value
        raise UnknownNameError('parameter', name, [row for row, *_ in self.rows])

    def to_urdf(self, source: UrdfSource, path: str | os.PathLike[str] | None = None) -> str:
        """
        Return a URDF with the inertias and the friction of `robot`; write it to a file if wanted.

        The inertia of a body is written at the link that its joint moves; links fixed to it lose
        theirs. A payload is added to its link. Everything else of the document remains.

        Parameters
        ----------
        source : str, bytes or path
            The document that the model was read from.
        path : str or path, optional
            File to write.

        Returns
        -------
        str

        Raises
        ------
        InputError
            If the document lacks a joint or link of the model, or as `robot`.
        UrdfError
            If the document cannot be read.
        """
        return written_urdf(source, *self._found(), self.payload_frame, path)

    @property
    def standard_deviations(self) -> Array:
        """Of the parameters, (P,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def bands(self) -> Array:
        """Lower and upper ends of the bands that hold a parameter with 95 %, (P, 2)."""
        half = BAND * self.standard_deviations
        return np.column_stack((self.values - half, self.values + half))

    @property
    def payload(self) -> Payload | None:
        """The payload; None if it was not identified."""
        if self.payload_frame is None:
            return None
        return payload_of(self.payload_frame, self.names, self.values, self.covariance)


@dataclass(frozen=True, eq=False)
class Identification(IdentifiedParameters):
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
    springs : tuple of SpringFit
        Of the joints whose motors were recorded.
    delays : (n,) ndarray
        By which efforts lagged the positions, taken out; 0 where none is certain [s].
    findings : tuple of Finding
        What was left out, and what is odd.
    shares : EffortShares
        What explains the efforts.
    """

    model: ScrewModel
    names: tuple[str, ...]
    values: Array
    covariance: Array
    residuals: Array
    before: Array
    noise: Array
    payload_frame: str | None
    springs: tuple[SpringFit, ...]
    columns: Columns
    root: Array
    explained: Callable[[Recording], Explained]
    delays: Array
    findings: tuple[Finding, ...]
    shares: EffortShares

    def _robot_model(self) -> ScrewModel:
        return self.model

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

    @cached_property
    def consistent_values(self) -> Array:
        """
        Parameters nearby that are physically consistent, (P,).

        Friction and rotor inertias are above 0, and inertias are those of positive masses. The
        weighted squares of the fit grow as little as they can; see `robot`.
        """
        return np.asarray(self._matrix @ self._consistent)

    @cached_property
    def _matrix(self) -> Array:
        """The parameters (P,) of numbers of joints and inertia parameters of bodies."""
        count = len(self.columns.positive)
        base = self.columns.base
        bodies = np.eye(len(self.names) - count) if base is None else base.combinations
        matrix = np.zeros((len(self.names), count + bodies.shape[1]))
        matrix[:count, :count] = np.eye(count)
        matrix[count:, count:] = bodies
        return matrix

    @cached_property
    def _consistent(self) -> Array:
        """Numbers of joints, then the inertia parameters of all links or of the payload."""
        count = len(self.columns.positive)
        if self.columns.base is not None:
            bodies = inertial_parameters(self.model)
        else:
            bodies = self.values[count:]
            _ = self.payload  # raises if its mass is not above 0
        cones = Cones(self.values[:count], self.columns.positive, bodies.reshape(-1, len(NAMES)))
        return consistent(cones, self.root @ self._matrix, self.root @ self.values)

    def robot(self) -> Robot:
        """
        Return the robot with all that was identified, made physically consistent.

        What the motion does not determine of links is as near as possible to the model. Rotors are
        those of motors with a gear ratio of 1, friction is that of the joints; offsets of measured
        efforts are no part of the robot.

        Returns
        -------
        Robot
            With drives, unless neither friction, nor rotors, nor springs were identified.

        Raises
        ------
        InputError
            If the mass of the payload is not above 0.
        """
        count = len(self.columns.positive)
        numbers = dict(zip(self.names[:count], self._consistent[:count].tolist(), strict=True))
        bodies = self._consistent[count:].reshape(-1, len(NAMES))
        return identified_robot(self.model, self.columns, numbers, bodies, self.springs)

    def _found(self) -> tuple[ScrewModel, Robot, bool]:
        return self.model, self.robot(), self.columns.base is not None

    def explain(self, recording: Recording) -> EffortShares:
        """
        Return what explains the efforts of another recording; `shares` are those of its own.

        Parameters
        ----------
        recording : Recording

        Returns
        -------
        EffortShares
        """
        return shares_of(self.model, self.columns, self.values, self.explained(recording))

    def plot(self, joints: Sequence[str] | None = None) -> Any:
        """
        Draw what explains the efforts, and the rest; see `EffortShares.plot`.

        Parameters
        ----------
        joints : sequence of str, optional
            By default all.

        Returns
        -------
        Figure
        """
        return self.shares.plot(joints)

    def _parts(self) -> Sequence[Part]:
        return (*super()._parts(), *self.shares.tables())

    def validate(self, recording: Recording, *, consistent: bool = False) -> Array:
        """
        Return the root mean square of the efforts that remain of another recording.

        Parameters
        ----------
        recording : Recording
            That was not used to identify the parameters. Samples with effort spikes are left out,
            unless `identify` had ``check=False``.
        consistent : bool
            With `consistent_values` instead of `values`.

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        seen = self.explained(recording)
        values = self.consistent_values if consistent else self.values
        rest = seen.measured - seen.known - seen.columns @ values
        return np.asarray(np.sqrt(np.mean(rest**2, axis=0)))

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations of all parameters and of the springs."""
        own = zip(self.names, self.values.tolist(), self.standard_deviations.tolist(), strict=True)
        return (*own, *spring_rows(self.springs))


def payload_of(frame: str, names: tuple[str, ...], values: Array, covariance: Array) -> Payload:
    """Return the payload among parameters; raise InputError if its mass is not above 0."""
    places = [names.index(f'payload.{name}') for name in NAMES]
    mass, *moment = values[places[:4]]
    covariance = covariance[np.ix_(places[:4], places[:4])]
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
    about_frame[UPPER] = values[places[4:]]
    about_frame = about_frame + np.triu(about_frame, 1).T
    sizes, axes = np.linalg.eigh(second_moment(about_frame) - mass * np.outer(com, com))
    second = (axes * np.maximum(sizes, 0.0)) @ axes.T
    return Payload(
        frame,
        float(mass),
        float(np.sqrt(covariance[0, 0])),
        com,
        deviations,
        np.trace(second) * np.eye(3) - second,
    )


def spring_rows(springs: tuple[SpringFit, ...]) -> tuple[tuple[str, float, float], ...]:
    """Return names, values and standard deviations of the parameters of springs."""
    return tuple(
        (f'{spring.joint}.{name}', value, deviation)
        for spring in springs
        for name, value, deviation in spring.rows
    )


def require_mass(mass: float, deviation: float, setting: str) -> None:
    """Raise InputError for a payload whose mass is below zero by more than its band."""
    if mass + BAND * deviation < 0.0:
        raise InputError(
            f'payload: expected a mass above 0, got {mass:.3g} +- {BAND * deviation:.1g} kg: do '
            f'the efforts lack gravity or have another unit ({setting}), or does the model have a '
            'mass that the robot has not?'
        )
