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
from scipy.linalg import block_diag

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.estimation.identification.consistency import Cones, consistent
from screw_dynamics.estimation.identification.effort_shares import EffortShares
from screw_dynamics.estimation.identification.equations import Equations
from screw_dynamics.estimation.identification.evidence import of_joints, read_again
from screw_dynamics.estimation.identification.export import identified_robot, written_urdf
from screw_dynamics.estimation.identification.motor_terms import Field
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

_DRY = tuple(f'.{kind.entry}' for kind in (Field.BREAKAWAY, Field.LOAD))


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
    equations : Equations
        Of the parameters in the efforts.
    root : (Q, Q) ndarray
        R: parameters x leave the weighted squares ``|R (x - values)|^2`` more.
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
    equations: Equations
    root: Array

    def _robot_model(self) -> ScrewModel:
        return self.reading.model

    @property
    def _estimates(self) -> Array:
        """Of all parameters (Q,)."""
        return self.values

    @property
    def _consistent_estimates(self) -> Array:
        return self._possible[0]

    def _on_time(self, samples: Samples) -> Array:
        """Return the efforts of samples without delays that are no parameters."""
        return samples.efforts

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
        equations = self.equations
        values = self._consistent_estimates if consistent else self._estimates
        if model is not None:
            own = equations.robot.with_model(of_joints(model, self.reading.model.joint_names))
            equations = replace(equations, robot=own, payload=None, links=False, uncertainty=0.0)
            values = values[: equations.first_body]
        samples = read_again(self.reading, recording, equations)
        return explained(equations, values, samples, self._on_time(samples))

    @cached_property
    def _possible(self) -> tuple[Array, Array]:
        """
        Parameters (Q,) nearby that are physically consistent, and those (B, 10) of their bodies.

        Dry friction that does not show is that of the robot, its velocities those found.
        """
        equations, values, base = self.equations, self._estimates, self.equations.base
        if not equations.motors:
            _ = self.payload  # raises if its mass is not above 0
        count, first, loaded = equations.drive_count, equations.first_body, equations.public.stop
        told = equations.determined(values, self.standard_deviations)[:count]
        found = values.copy()
        dry = np.array([name.endswith(_DRY) for name in self.names[:count]], dtype=bool) & ~told
        found[:count][dry] = equations.initial_values[:count][dry]
        links = [] if base is not None else list(range(loaded, len(values)))  # their errors
        numbers = [*np.flatnonzero(told).tolist(), *range(count, first), *links]
        above = np.concatenate((equations.positive, np.zeros(len(values) - first, dtype=bool)))
        bodies, matrix = values[first:loaded], np.eye(len(values))
        matrix = matrix[:, [*numbers, *range(first, loaded)]]
        if base is not None:
            bodies = inertial_parameters(equations.robot.tree)
            matrix = block_diag(np.eye(first), base.combinations)
        cones = Cones(values[numbers], above[numbers], bodies.reshape(-1, len(NAMES)))
        kept = self.root[:, :count][:, ~told] @ found[:count][~told]
        nearest = consistent(cones, self.root @ matrix, self.root @ values - kept)
        changed = matrix.any(axis=1)
        found[changed] = (matrix @ nearest)[changed]
        return found, nearest[len(numbers) :].reshape(-1, len(NAMES))

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
    weights : (T, m) ndarray
        Of the samples in `shares`, for the m joints of `equations`.
    """

    noise: Array
    delays: Array
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

    @property
    def consistent_values(self) -> Array:
        """
        Parameters nearby that are physically consistent, (P,).

        Friction and rotor inertias are above 0, and inertias are those of positive masses. The
        weighted squares of the fit grow as little as they can; see `robot`.
        """
        return self._possible[0]

    def _on_time(self, samples: Samples) -> Array:
        return samples.on_time(self.delays)

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
        numbers = dict(zip(self.names, self.consistent_values.tolist(), strict=True))
        return identified_robot(self.equations, numbers, self._possible[1], self.springs)

    def _found(self) -> tuple[ScrewModel, Robot, bool]:
        return self.model, self.robot(), self.equations.links


def explained(
    equations: Equations, values: Array, samples: Samples, efforts: Array
) -> EffortShares:
    """Return what parameters explain of efforts (T, n) of samples."""
    jets = samples.jets(equations.delay(values))
    parts = equations.parts(values, jets)
    return EffortShares(equations.robot.tree, samples.recording.times, jets.links, efforts, parts)


def spring_rows(springs: tuple[SpringFit, ...]) -> tuple[tuple[str, float, float], ...]:
    """Return names, values and standard deviations of the parameters of springs."""
    return tuple(
        (f'{spring.joint}.{name}', value, deviation)
        for spring in springs
        for name, value, deviation in spring.rows
    )
