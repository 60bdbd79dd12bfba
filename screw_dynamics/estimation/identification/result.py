# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of an identification: parameters, error bars, payload, validation, robot, URDF."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.estimation.identification.columns import Columns
from screw_dynamics.estimation.identification.consistency import Cones, consistent
from screw_dynamics.estimation.identification.effort_shares import EffortShares
from screw_dynamics.estimation.identification.evidence import of_joints, read_again
from screw_dynamics.estimation.identification.export import identified_robot, written_urdf
from screw_dynamics.estimation.identification.parameter_table import (
    parameter_table,
    parameter_unit,
)
from screw_dynamics.estimation.identification.payload import BAND, Payload, payload_of
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.estimation.identification.samples import Reading, Samples
from screw_dynamics.estimation.identification.spring_fit import SpringFit
from screw_dynamics.model.screw_model import ScrewModel
from screw_dynamics.model.urdf.urdf_source import UrdfSource


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
        model = self._robot_model()
        kinds = dict(zip(model.joint_names, model.coordinate_types, strict=True))
        return (parameter_table(self.rows, lambda name: parameter_unit(name, kinds)),)


@dataclass(frozen=True, eq=False)
class IdentifiedParameters(ParameterResult):
    """
    What recordings tell of a robot: parameters with their covariance, and what they explain.

    Parameters
    ----------
    names : tuple of str
        Joint and entry of parameters of joints, as ``joint_1.viscous``; those of a load, as
        ``payload.m``; body and entry of a base parameter.
    values : (P,) ndarray
        In SI units, on the joint side of gears.
    covariance : (P, P) ndarray
        Infinite on the diagonal for what the motion does not determine.
    residuals : (n,) ndarray
        Root mean square of the efforts that remain [N m or N].
    before : (n,) ndarray
        What remains of them by the robot given; with base parameters the efforts themselves.
    payload_frame : str or None
    springs : tuple of SpringFit
        Of the joints whose deflections or motor positions were recorded.
    findings : tuple of Finding
        What was left out, what is odd, and what the recording does not tell, the gravest first.
    shares : EffortShares
        What explains the efforts.
    reading : Reading
        How recordings are read.
    """

    names: tuple[str, ...]
    values: Array
    covariance: Array
    residuals: Array
    before: Array
    payload_frame: str | None
    springs: tuple[SpringFit, ...]
    findings: tuple[Finding, ...]
    shares: EffortShares
    reading: Reading

    def _robot_model(self) -> ScrewModel:
        return self.reading.model

    @abstractmethod
    def _explained(
        self, recording: Recording, model: ScrewModel | None, consistent: bool
    ) -> EffortShares:
        """Return what explains the efforts of another recording, of a robot with other bodies."""

    def explain(
        self,
        recording: Recording,
        *,
        consistent: bool = False,
        model: ScrewModel | None = None,
    ) -> EffortShares:
        """
        Return what explains the efforts of another recording; `shares` are those of its own.

        Parameters
        ----------
        recording : Recording
            Samples are left out as for the identification.
        consistent : bool
            With values that are physically consistent; see `robot`.
        model : ScrewModel, optional
            With the load that the robot carried then, in place of the links and the load found.

        Returns
        -------
        EffortShares
        """
        own = None if model is None else of_joints(model, self.reading.model.joint_names)
        return self._explained(recording, own, consistent)

    def validate(
        self,
        recording: Recording,
        *,
        consistent: bool = False,
        model: ScrewModel | None = None,
    ) -> Array:
        """
        Return the root mean square of the efforts that remain of another recording.

        Parameters
        ----------
        recording : Recording
            That was not used to identify the parameters, of the same joints.
        consistent, model
            See `explain`: friction, rotors and offsets of one load are validated with another.

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        rest = self.explain(recording, consistent=consistent, model=model).rest
        return np.asarray(np.sqrt(np.mean(rest**2, axis=0)))

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

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations of all parameters and of the springs."""
        own = zip(self.names, self.values.tolist(), self.standard_deviations.tolist(), strict=True)
        return (*own, *spring_rows(self.springs))

    def _parts(self) -> Sequence[Part]:
        texts = [f'{finding.level}: {finding.text}' for finding in self.findings]
        return (*super()._parts(), *self.shares._parts(), *texts)

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
    Identified parameters of a robot, as `identify` returns them; see `IdentifiedParameters`.

    Parameters
    ----------
    noise : (n,) ndarray
        Standard deviation of the measured efforts.
    delays : (n,) ndarray
        By which efforts lagged the positions, taken out; 0 where none is certain [s].
    columns : Columns
        Of the parameters in the efforts.
    root : (P, P) ndarray
        R: parameters x leave the weighted squares ``|R (x - values)|^2`` more.
    weights : (T, m) ndarray
        Of the samples in `shares`, for the m joints of `columns`.
    """

    noise: Array
    delays: Array
    columns: Columns
    root: Array
    weights: Array

    @property
    def model(self) -> ScrewModel:
        """Whose parameters they are, with the joints that were recorded."""
        return self.reading.model

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

    def _explained(
        self, recording: Recording, model: ScrewModel | None, consistent: bool
    ) -> EffortShares:
        columns, values = self.columns, self.consistent_values if consistent else self.values
        if model is not None:  # its links and load in place of those found
            columns = replace(columns, model=model, links=False, payload=None)
            values = values[: len(columns.positive)]
        samples = read_again(self.reading, recording, lambda own: own.rigid(columns.model), model)
        return explained(columns, values, samples, self.delays)


def explained(columns: Columns, values: Array, samples: Samples, delays: Array) -> EffortShares:
    """Return what parameters explain of the efforts of samples without delays (n,)."""
    jets, times = samples.jets().links, samples.recording.times
    parts = columns.parts(values, jets)
    return EffortShares(columns.model, times, jets, samples.on_time(delays), parts)


def spring_rows(springs: tuple[SpringFit, ...]) -> tuple[tuple[str, float, float], ...]:
    """Return names, values and standard deviations of the parameters of springs."""
    return tuple(
        (f'{spring.joint}.{name}', value, deviation)
        for spring in springs
        for name, value, deviation in spring.rows
    )
