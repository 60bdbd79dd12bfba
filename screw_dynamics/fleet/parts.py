# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`identify_part`: a recording, reduced to the triangular factors of its equations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import require_count
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification import Identification, Recording, identify
from screw_dynamics.estimation.identification.least_squares import triangle
from screw_dynamics.estimation.identification.parameter_table import parameter_unit
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.robot_text import AnyRobot, as_text
from screw_dynamics.fleet.tasks import AnyPath, run
from screw_dynamics.recordings.motions.recording import is_table, read_recording

WINDOW, RIGHT = 'window', 'effort'  # columns beside those of parameters
WINDOWS = 15
_FIRST = 5  # recordings whose Coulomb velocities are those of all


def identify_part(
    robot: AnyRobot,
    path: str | Recording,
    *,
    windows: int = WINDOWS,
    topic: str | None = None,
    start: float = -np.inf,
    end: float = np.inf,
    **options: Any,
) -> Record:
    """
    Reduce a recording to the triangular factors of its weighted equations.

    The efforts, weights, delays and parameters are those of `screw_dynamics.identify`. The
    equations of each window of neighbouring samples, A x = b, are replaced by R x = c of their
    factor Q [R c], which has the same least squares: some 50 kB of 21 parameters, however long
    the recording is.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str or Recording
        A bag or a table; see `read_recording`.
    windows : int
        Parts of the recording whose errors count as independent.
    topic, start, end : optional
        See `read_recording`.
    **options
        Of `screw_dynamics.identify`. Without `coulomb_velocity` it is that of this recording,
        which parts that are combined must share; `fleet.identify` chooses one for all.

    Returns
    -------
    Record
        A column per parameter, the right side ``effort``, and the ``window`` of each row; as
        values for each parameter ``.alone`` and ``.alone_sd``, what the recording tells alone, and
        for each joint the ``.noise`` of its efforts, ``.residual`` and ``.delay``.

    Raises
    ------
    InputError, TrajectoryError, BagError, UnknownNameError
        See `screw_dynamics.identify`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> path = sd.share_path('examples/recorded/ur10.npz')
    >>> part = sd.fleet.identify_part(arm, str(path), end=9.0, rotors=False)
    >>> list(part.columns)[:3], len(part.columns['window'])
    (['shoulder_pan_joint.viscous', 'shoulder_lift_joint.viscous', 'elbow_joint.viscous'], 195)
    """
    own = as_text(robot).robot
    require_count('windows', windows, 1)
    recording, begin = _read(path, own, topic, start, end)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RecordingWarning)  # they are findings
        found = identify(own.tree, recording, **options)
    kinds = dict(zip(found.model.joint_names, found.model.coordinate_types, strict=True))
    parts = [
        triangle(_equations(found, rows))
        for rows in np.array_split(np.arange(len(found.weights)), windows)
        if len(rows)
    ]
    table = np.vstack(parts)
    numbers = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    columns = dict(zip(found.names, table[:, :-1].T.copy(), strict=True))
    units = {name: parameter_unit(name, kinds) for name in found.names}
    times = recording.times
    values = {'samples': len(times), 'duration': float(np.ptp(times)), 'begin': begin + times[0]}
    for name, value, deviation in zip(
        found.names, found.values, found.standard_deviations, strict=True
    ):
        values |= {f'{name}.alone': float(value), f'{name}.alone_sd': float(deviation)}
    speeds = found.columns.velocities
    for j in np.flatnonzero(found.columns.joints):
        joint, noise, left = found.model.joint_names[j], found.noise[j], found.residuals[j]
        values |= {f'{joint}.noise': noise, f'{joint}.residual': left}
        values |= {f'{joint}.delay': found.delays[j], f'{joint}.coulomb_velocity': speeds[j]}
    return Record(
        path if isinstance(path, str) else repr(path),
        values,
        {**columns, RIGHT: table[:, -1].copy(), WINDOW: numbers},
        {
            **{name: f'1/({unit})' for name, unit in units.items()},
            **{f'{name}.alone{end}': unit for name, unit in units.items() for end in ('', '_sd')},
            **dict.fromkeys(('duration', 'begin'), 's'),
        },
        tuple(f'{finding.level}: {finding.text}' for finding in found.findings),
    )


def _read(
    path: str | Recording, robot: Any, topic: str | None, start: float, end: float
) -> tuple[Recording, float]:
    """Return a recording, and the time of its zero since the epoch [s], 0 if it is not known."""
    if isinstance(path, Recording):
        return path.between(start, end), 0.0
    recording, _ = read_recording(path, robot.tree, topic=topic, start=start, end=end)
    if is_table(path):
        return recording, 0.0
    from screw_dynamics.recordings.bags import Bag

    with Bag(expanded(path)) as bag:
        return recording, bag.start_time / SECOND


def _equations(found: Identification, rows: Any) -> Array:
    """Return the weighted equations of some samples, a row per measured effort."""
    shares, columns = found.shares, found.columns
    jets, joints = shares.jets[rows], columns.joints
    right = (shares.measured[rows] - columns.known(jets))[:, joints]
    table = np.concatenate((columns.of(jets)[:, joints], right[..., np.newaxis]), axis=2)
    weighted: Array = table * found.weights[rows][..., np.newaxis]
    return weighted.reshape(-1, table.shape[2])


def coarser(part: Record, windows: int) -> Record:
    """Return a part with fewer windows, of neighbours put together."""
    numbers = part.columns[WINDOW]
    given = np.unique(numbers)
    if len(given) <= windows:
        return part
    names = [name for name in part.columns if name != WINDOW]
    table = np.column_stack([part.columns[name] for name in names])
    groups = [np.isin(numbers, group) for group in np.array_split(given, windows)]
    parts = [triangle(table[group]) for group in groups]
    counts = np.repeat(np.arange(windows), [len(own) for own in parts])
    columns = dict(zip(names, np.vstack(parts).T.copy(), strict=True))
    return replace(part, columns={**columns, WINDOW: counts})


def is_among(name: str, chosen: Sequence[str]) -> bool:
    """Return whether a parameter has one of some names, or begins or ends with one."""
    return any(name == one or name.startswith(f'{one}.') or name.endswith(f'.{one}')
               for one in chosen)  # fmt: skip


def require_alike(parts: Sequence[Record]) -> None:
    """Raise InputError unless parts have a parameter and velocities of Coulomb friction alike."""
    seen: dict[str, tuple[float, str]] = {}
    for part in parts:
        if not part.columns.keys() & parts[0].columns.keys() - {RIGHT, WINDOW}:
            raise InputError(
                f'parts: expected one kind of robot, got no common parameter of {parts[0].path} '
                f'and {part.path}'
            )
        for name, value in part.values.items():
            if not name.endswith('.coulomb_velocity'):
                continue
            before, path = seen.setdefault(name, (value, part.path))
            if before != value:
                raise InputError(
                    f'parts: {name}: expected one velocity in all, got {before:.3g} in {path} and '
                    f'{value:.3g} in {part.path}: choose one by coulomb_velocity'
                )


def copies(parts: Sequence[Record]) -> list[str]:
    """Return a line for each part with the equations of one before it."""
    seen: dict[bytes, str] = {}
    lines = []
    for part in parts:
        content = sha256(b''.join(column.tobytes() for column in part.columns.values())).digest()
        if content in seen:
            lines.append(
                f'{part.path} has the equations of {seen[content]}: counted twice, bands are too '
                'narrow'
            )
        seen.setdefault(content, part.path)
    return lines


def velocities_of_all(
    robot: AnyRobot,
    paths: Sequence[AnyPath | Recording],
    executor: Executor | None,
    options: dict[str, Any],
) -> list[float] | None:
    """Return the medians of the Coulomb velocities (n,) that explain some recordings best."""
    some = paths[:: max(1, -(-len(paths) // _FIRST))]
    rows = [part.values for part in run(identify_part, robot, some, executor, **options)]
    joints = as_text(robot).robot.joint_names
    found = [[row[key] for row in rows if (key := f'{name}.coulomb_velocity') in row] for name in
             joints]  # fmt: skip
    every = [value for own in found for value in own]
    return [float(np.median(own or every)) for own in found] if every else None
