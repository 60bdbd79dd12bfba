# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify` and `combine`: one exact least squares of many recordings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.errors import InputError, RecordingWarning, UnknownNameError, listed
from screw_dynamics.estimation.identification import Identification, Recording
from screw_dynamics.estimation.identification import identify as identified
from screw_dynamics.estimation.identification.equations import FIRST_VELOCITY
from screw_dynamics.estimation.identification.parameter_table import parameter_table
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.fleet.drift import Drift, drift_of
from screw_dynamics.fleet.joint_solution import RIGHT, WINDOW, JointSolution
from screw_dynamics.fleet.parts import SPEED, identify_part, median_velocities
from screw_dynamics.fleet.record import Record, file_of
from screw_dynamics.fleet.tasks import AnyPath, AnyRobot, as_text, run

_FIRST = 5  # recordings whose Coulomb velocities are those of all


@dataclass(frozen=True, eq=False)
class FleetIdentification(RecordedResult):
    """
    Parameters that many recordings tell together: the least squares of all of their equations.

    Parameters
    ----------
    solution : JointSolution
    failed : tuple of Record
        Recordings that have no part.
    warnings : tuple of str
        Recordings that are left out, and why.
    """

    solution: JointSolution
    failed: tuple[Record, ...]
    warnings: tuple[str, ...]

    @property
    def records(self) -> tuple[Record, ...]:
        """The parts, in the order given."""
        return self.solution.records

    @property
    def names(self) -> tuple[str, ...]:
        """Of the P shared parameters."""
        return self.solution.shared

    @property
    def values(self) -> Array:
        """Of the shared parameters (P,), in SI units."""
        return self._shared[0]

    @cached_property
    def _shared(self) -> tuple[Array, Array]:
        """Values and covariance of the shared parameters, the last of each recording."""
        first, found = len(self.solution.names) - len(self.names), self.solution.solved(0)
        return found.values[first:], found.covariance[first:, first:]

    @property
    def covariance(self) -> Array:
        """Of the shared parameters (P, P), infinite on the diagonal for undetermined ones."""
        return self._shared[1]

    @property
    def standard_deviations(self) -> Array:
        """Of the shared parameters, (P,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def bands(self) -> Array:
        """Lower and upper ends of the bands that hold a shared parameter with 95 %, (P, 2)."""
        return self.values[:, None] + BAND * self.standard_deviations[:, None] * [-1.0, 1.0]

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Names, values and standard deviations of the shared parameters."""
        own = self.names, self.values.tolist(), self.standard_deviations.tolist()
        return tuple(zip(*own, strict=True))

    def of(self, path: str) -> tuple[tuple[str, float, float], ...]:
        """
        Return names, values and standard deviations of all that concerns a recording.

        Parameters
        ----------
        path : str
            Of one of `records`.

        Returns
        -------
        tuple of (str, float, float)
            Its own parameters, those of its robot, and the shared ones.
        """
        paths = [record.path for record in self.records]
        if path not in paths:
            raise UnknownNameError('recording', path, paths)
        place = paths.index(path)
        found = self.solution.solved(place)
        absent = {*self.solution.own} - self.records[place].columns.keys()
        deviations = np.sqrt(np.diag(found.covariance)).tolist()
        rows = zip(self.solution.names, found.values.tolist(), deviations, strict=True)
        return tuple(row for row in rows if row[0] not in absent)

    def __getitem__(self, name: str) -> float:
        """Return the value of a shared parameter."""
        if name not in self.names:
            raise UnknownNameError('parameter', name, self.names)
        return float(self.values[self.names.index(name)])

    @cached_property
    def outlying(self) -> tuple[str, ...]:
        """
        Paths of recordings that contradict the others, the worst first.

        The cube root of what the joint parameters leave more of a recording than its own do is 4
        robust standard deviations above the median. Of fewer than five recordings none is named.
        """
        return self.solution.outlying

    @cached_property
    def outlying_robots(self) -> tuple[str, ...]:
        """Robots that contradict the others, as `outlying` recordings do."""
        return self.solution.by_robot().outlying

    def drift(
        self,
        parameters: Sequence[str] = ('viscous', 'coulomb'),
        times: Sequence[float] | None = None,
    ) -> Drift:
        """
        Return how parameters change from recording to recording.

        Parameters
        ----------
        parameters : sequence of str
            Names of shared parameters, or what they end or begin with.
        times : sequence of float, optional
            Of the `records` [s]; by default when they begin, their numbers if that is not known.

        Returns
        -------
        Drift
            A rate of each parameter with the probability of a larger one by chance, and a plot.
        """
        given = [record.values.get('begin', 0.0) for record in self.records]
        known = times is not None or (min(given) > 0.0 and len(given) == len(set(given)))
        numbers = given if known else range(len(given))
        instants = np.asarray(numbers if times is None else times, dtype=np.float64)
        if len(instants) != len(self.records):
            raise InputError(f'times: expected {len(self.records)} numbers, got {len(instants)}')
        names = tuple(name for name in self.names if is_among(name, parameters))
        if not names:
            raise InputError(
                f'parameters: expected some of {listed(self.names)}, got {listed(parameters)}'
            )
        units = tuple(map(self._unit, names))
        return drift_of(self.solution, names, instants, units, 's' if known else 'recording')

    def identification(
        self, robot: AnyRobot, recording: Recording, **options: Any
    ) -> Identification:
        """
        Return the identification of one recording with the parameters of all.

        Its `robot`, `to_urdf`, `validate` and `plot` are those of the fleet.

        Parameters
        ----------
        robot : Robot, ScrewModel, URDF or RobotText
        recording : Recording
            Of the same joints; its parameters that are not shared remain its own.
        **options
            As those of the parts.

        Returns
        -------
        Identification
        """
        model = as_text(robot).robot.tree
        seen = {name: v for part in self.records for name, v in part.values.items()}
        speeds = [seen.get(f'{name}{SPEED}', FIRST_VELOCITY) for name in model.joint_names]
        found = identified(model, recording, **{'coulomb_velocity': speeds, **options})
        own = np.array([found.names.index(name) for name in self.names if name in found.names])
        if len(own) < len(self.names):
            absent = [name for name in self.names if name not in found.names]
            raise InputError(f'recording: expected the parameters of all, got no {listed(absent)}')
        values, covariance = found.values.copy(), found.covariance.copy()
        values[own], covariance[own], covariance[:, own] = self.values, 0.0, 0.0
        covariance[np.ix_(own, own)] = self.covariance
        root = found.root.copy()
        root[:, own] = 0.0
        joint = np.zeros((len(self.solution.root), len(found.names)))
        joint[:, own] = self.solution.root
        return replace(found, values=values, covariance=covariance, root=np.vstack((root, joint)))

    def _unit(self, name: str) -> str:
        return self.records[0].units.get(f'{name}.alone', '')

    def _records(self) -> list[dict[str, Any]]:
        names = ('parameter', 'value', 'standard_deviation')
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def _parts(self) -> list[Part]:
        count = len(set(self.solution.robots))
        text = f'{len(self.records)} recordings' + f' of {count} robots' * (count > 1)
        odd = {'recordings': self.outlying, 'robots': self.outlying_robots}
        lines = [
            f'{kind} that contradict others: {listed(own)}' for kind, own in odd.items() if own
        ]
        lines += [*self.warnings, *(f'failed: {record.error}' for record in self.failed)]
        return [text, parameter_table(self.rows, self._unit), *lines]


def combine(
    parts: Iterable[Record],
    *,
    per_recording: Sequence[str] = ('offset',),
    per_robot: Sequence[str] = (),
    robots: Sequence[str] | None = None,
) -> FleetIdentification:
    """
    Return the least squares of all equations of recordings, from their parts.

    The solution of all weighted equations together, in any order of the parts. The bands add the
    squares of what each window of each recording adds to the parameters.

    Parameters
    ----------
    parts : iterable of Record
        As `identify_part` returns them; those with an error count as failed.
    per_recording, per_robot : sequence of str
        Parameters that each recording, or each robot, has for itself: names, or what they begin or
        end with, as ``payload`` or ``offset``. All others are shared.
    robots : sequence of str, optional
        The robot of each part; by default all are of one.

    Returns
    -------
    FleetIdentification

    Raises
    ------
    InputError
        If no part is left, or parts differ in the velocity of Coulomb friction.
    UnknownNameError
        If no part has a parameter of `per_recording` but offsets, or of `per_robot`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> path = sd.share_path('examples/recorded/ur10.npz')
    >>> parts = [sd.fleet.identify_part(arm, str(path), rotors=False, coulomb_velocity=0.1,
    ...     start=start, end=start + 9.0) for start in (0.0, 9.0)]
    >>> found = sd.fleet.combine(parts)
    >>> len(found.records), found.names[0]
    (2, 'shoulder_pan_joint.viscous')
    """
    every = list(parts)
    labels = [''] * len(every) if robots is None else list(robots)
    if len(labels) != len(every):
        raise InputError(f'robots: expected {len(every)} names, one per part, got {len(labels)}')
    failed = tuple(part for part in every if part.error)
    first: dict[bytes, tuple[Record, str]] = {}
    left_out = []
    for part, robot in zip(every, labels, strict=True):
        content = sha256(b''.join(column.tobytes() for column in part.columns.values())).digest()
        if not part.error and first.setdefault(content, (part, robot))[0] is not part:
            other = first[content][0].path
            left_out.append(f'{part.path}: left out: it has the samples of {other}')
            warnings.warn(left_out[-1], RecordingWarning, stacklevel=2)
    if not first:
        why = f': {failed[0].error}' if failed else ''
        raise InputError(f'parts: expected one that has not failed, got {len(failed)}{why}')
    used, of = zip(*first.values(), strict=True)
    _require_alike(used)
    names = list(dict.fromkeys(
        name for part in sorted(used, key=lambda one: one.path) for name in part.columns
        if name not in (RIGHT, WINDOW)
    ))  # fmt: skip
    for given in (*per_recording, *per_robot):
        if given != 'offset' and not any(is_among(name, (given,)) for name in names):
            raise UnknownNameError('parameter', given, names)
    own = tuple(name for name in names if is_among(name, per_recording))
    of_robot = tuple(name for name in names if is_among(name, per_robot) and name not in own)
    shared = tuple(name for name in names if name not in own and name not in of_robot)
    solution = JointSolution(used, of, own, of_robot, shared)
    return FleetIdentification(solution, failed, tuple(left_out))


def identify(  # noqa: PLR0913  (options are keywords)
    robot: AnyRobot,
    paths: Iterable[AnyPath | Recording],
    executor: Executor | None = None,
    *,
    per_recording: Sequence[str] = ('offset',),
    per_robot: Sequence[str] = (),
    robots: Sequence[str] | None = None,
    jobs: int | None = None,
    shard: tuple[int, int] = (0, 1),
    output: AnyPath | None = None,
    coulomb_velocity: Any = None,
    **options: Any,
) -> FleetIdentification:
    """
    Return the parameters that many recordings tell together.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    paths : iterable of str, path or Recording
        Of the recordings. One that fails does not count; see `FleetIdentification.failed`.
    executor, jobs, shard, output : optional
        See `run`; what is found is that of the shard.
    per_recording, per_robot, robots : optional
        See `combine`.
    coulomb_velocity : float or (n,) array_like, optional
        Of all recordings; by default the median of those that explain five of them best.
    **options
        Of `identify_part` and of `screw_dynamics.identify`.

    Returns
    -------
    FleetIdentification

    Raises
    ------
    InputError
        If all recordings fail.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> path = sd.share_path('examples/recorded/ur10.npz')
    >>> found = sd.fleet.identify(arm, [path], jobs=1, offsets=True, end=9.0)
    >>> found.names[0], len(found.of(str(path)))
    ('shoulder_pan_joint.viscous', 24)
    """
    every = list(paths)
    text = as_text(robot)
    if coulomb_velocity is None and options.get('friction', True):
        place = None if output is None else Path(output) / 'velocities'
        some = every[:: max(1, -(-len(every) // _FIRST))]
        how: dict[str, Any] = {'jobs': jobs, 'output': place, **options}
        coulomb_velocity = median_velocities(run(identify_part, text, some, executor, **how), text)
    options['coulomb_velocity'] = coulomb_velocity
    parts = []
    for part in run(
        identify_part, text, every, executor, jobs=jobs, shard=shard, output=output, **options
    ):
        if output is not None and not part.error:
            part = replace(Record.read(file_of(part.path, Path(output))), path=part.path)
        parts.append(part)
    labels = None if robots is None else robots[shard[0] :: shard[1]]
    return combine(parts, per_recording=per_recording, per_robot=per_robot, robots=labels)


def is_among(name: str, chosen: Sequence[str]) -> bool:
    """Return whether a parameter has one of some names, or begins or ends with one."""
    return any(f'.{name}.'.startswith(f'.{one}.') or f'.{name}.'.endswith(f'.{one}.')
               for one in chosen)  # fmt: skip


def _require_alike(parts: Sequence[Record]) -> None:
    """Raise InputError unless parts have a parameter and velocities of Coulomb friction alike."""
    seen: dict[str, tuple[float, str]] = {}
    for part in parts:
        if not part.columns.keys() & parts[0].columns.keys() - {RIGHT, WINDOW}:
            raise InputError(
                f'parts: expected one kind of robot, got no common parameter of {parts[0].path} '
                f'and {part.path}'
            )
        for name in (name for name in part.values if name.endswith(SPEED)):
            before, path = seen.setdefault(name, (part.values[name], part.path))
            if before != part.values[name]:
                raise InputError(
                    f'parts: {name}: expected one velocity in all, got {before:.3g} in {path} and '
                    f'{part.values[name]:.3g} in {part.path}: choose one by coulomb_velocity'
                )
