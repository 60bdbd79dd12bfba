# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify` and `combine`: one exact least squares of many recordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import Part, RecordedResult
from screw_dynamics.errors import InputError, UnknownNameError, listed
from screw_dynamics.estimation.identification import Identification, Recording
from screw_dynamics.estimation.identification import identify as identified
from screw_dynamics.estimation.identification.columns import FIRST_VELOCITY
from screw_dynamics.estimation.identification.parameter_table import parameter_table
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.fleet.drift import Drift, drift_of
from screw_dynamics.fleet.joint_solution import Factors, JointSolution, Solved
from screw_dynamics.fleet.parts import (
    RIGHT,
    WINDOW,
    WINDOWS,
    coarser,
    copies,
    identify_part,
    is_among,
    require_alike,
    velocities_of_all,
)
from screw_dynamics.fleet.record import Record, file_of
from screw_dynamics.fleet.robot_text import AnyRobot, as_text
from screw_dynamics.fleet.tasks import AnyPath, run

_ALL_WINDOWS = 300  # of all recordings, at least


@dataclass(frozen=True, eq=False)
class FleetIdentification(RecordedResult):
    """
    Parameters that many recordings tell together: the least squares of all of their equations.

    Parameters
    ----------
    records : tuple of Record
        The parts, in the order given.
    failed : tuple of Record
        Recordings that have none.
    solution : JointSolution
    """

    records: tuple[Record, ...]
    failed: tuple[Record, ...]
    solution: JointSolution

    @property
    def names(self) -> tuple[str, ...]:
        """Of the P shared parameters."""
        return self.solution.shared

    @property
    def values(self) -> Array:
        """Of the shared parameters (P,), in SI units."""
        return self.solution.values

    @cached_property
    def _shared(self) -> Solved:
        return self.solution.solved(0).part(self.names)

    @property
    def covariance(self) -> Array:
        """Of the shared parameters (P, P), infinite on the diagonal for undetermined ones."""
        return self._shared.covariance

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
        found = self.solution.solved(self._place(path))
        deviations = np.sqrt(np.diag(found.covariance)).tolist()
        return tuple(zip(found.names, found.values.tolist(), deviations, strict=True))

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
        return tuple(self.records[self._order[k]].path for k in self.solution.outlying)

    @cached_property
    def outlying_robots(self) -> tuple[str, ...]:
        """Robots that contradict the others, as `outlying` recordings do."""
        whole = self.solution.by_robot()
        return tuple(whole.recordings[k].robot for k in whole.outlying)

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
        units = self.records[0].units
        return drift_of(
            self.solution,
            names,
            instants[self._order],
            tuple(units.get(f'{name}.alone', '') for name in names),
            's' if known else 'recording',
        )

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
        model, entry = as_text(robot).robot.tree, '.coulomb_velocity'
        seen = {name: v for part in self.records for name, v in part.values.items()}
        speeds = [seen.get(f'{name}{entry}', FIRST_VELOCITY) for name in model.joint_names]
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

    @cached_property
    def _order(self) -> list[int]:
        """Places of the records in the order of the solution, in which numbers do not depend."""
        return sorted(range(len(self.records)), key=lambda k: self.records[k].path)

    def _place(self, path: str) -> int:
        paths = [self.records[k].path for k in self._order]
        if path not in paths:
            raise UnknownNameError('recording', path, paths)
        return paths.index(path)

    def _records(self) -> list[dict[str, Any]]:
        names = ('parameter', 'value', 'standard_deviation')
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def _parts(self) -> list[Part]:
        units = self.records[0].units
        rows = parameter_table(self.rows, lambda name: units.get(f'{name}.alone', ''))
        count = len(self.solution.of_robots)
        text = f'{len(self.records)} recordings' + f' of {count} robots' * (count > 1)
        odd = {'recordings': self.outlying, 'robots': self.outlying_robots}
        lines = [
            f'{kind} that contradict others: {listed(own)}' for kind, own in odd.items() if own
        ]
        lines += [*copies(self.records), *(f'failed: {record.error}' for record in self.failed)]
        return [text, rows, *lines]


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
    used = [(part, label) for part, label in zip(every, labels, strict=True) if not part.error]
    failed = tuple(part for part in every if part.error)
    if not used:
        why = f': {failed[0].error}' if failed else ''
        raise InputError(f'parts: expected one that has not failed, got {len(failed)}{why}')
    require_alike([part for part, _ in used])
    found = sorted(used, key=lambda one: one[0].path)
    names: dict[str, None] = {}
    for part, _ in found:
        names.update(dict.fromkeys(name for name in part.columns if name not in (RIGHT, WINDOW)))
    for given in (*per_recording, *per_robot):
        if given != 'offset' and not any(is_among(name, (given,)) for name in names):
            raise UnknownNameError('parameter', given, list(names))
    alone = [name for name in names if is_among(name, per_recording)]
    of_robot = [name for name in names if is_among(name, per_robot) and name not in alone]
    of_robots = {
        robot: tuple(
            n for n in of_robot if any(n in p.columns for p, own in found if own == robot)
        )
        for robot in dict.fromkeys(robot for _, robot in found)
    }
    solution = JointSolution(
        [Factors(part.columns, part.columns[RIGHT], part.columns[WINDOW], robot)
         for part, robot in found],
        [tuple(name for name in alone if name in part.columns) for part, _ in found],
        of_robots,
        tuple(name for name in names if name not in alone and name not in of_robot),
    )  # fmt: skip
    return FleetIdentification(tuple(part for part, _ in used), failed, solution)


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
    >>> found = sd.fleet.identify(arm, [path, path], jobs=1, offsets=True, end=9.0)
    >>> found.names[0], len(found.of(str(path)))
    ('shoulder_pan_joint.viscous', 24)
    """
    every = list(paths)
    text = as_text(robot)
    if coulomb_velocity is None and options.get('friction', True):
        place = None if output is None else Path(output) / 'velocities'
        how = {'jobs': jobs, 'output': place, **options}
        coulomb_velocity = velocities_of_all(text, every, executor, how)
    options['coulomb_velocity'] = coulomb_velocity
    windows = min(WINDOWS, -(-_ALL_WINDOWS // max(len(every), 1)))
    parts = []
    for part in run(
        identify_part, text, every, executor, jobs=jobs, shard=shard, output=output, **options
    ):
        if output is not None and not part.error:
            part = replace(Record.read(file_of(part.path, Path(output))), path=part.path)
        parts.append(part if part.error else coarser(part, windows))
    labels = None if robots is None else robots[shard[0] :: shard[1]]
    return combine(parts, per_recording=per_recording, per_robot=per_robot, robots=labels)
