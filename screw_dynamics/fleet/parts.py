# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a joint fit: factors of the equations of one recording; fits of one alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import require_count
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification import (
    DriveIdentification,
    Identification,
    Recording,
    identify,
    identify_drives,
)
from screw_dynamics.estimation.identification.least_squares import triangle
from screw_dynamics.estimation.identification.motor_terms import Field
from screw_dynamics.estimation.identification.parameter_table import parameter_unit
from screw_dynamics.fleet.functions import columns_of, span, texts
from screw_dynamics.fleet.joint_solution import RIGHT, WINDOW
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.tasks import AnyRobot, as_text
from screw_dynamics.recordings.motions.recording import is_table, read_recording

_WINDOWS = 5
_READ = 'topic', 'motor_states', 'start', 'end'  # options of `read_recording`
_OF_JOINT = 'noise', 'residual', 'delay', 'coulomb_velocity'
SPEED = '.coulomb_velocity'  # ends the name of such a value


def identify_part(
    robot: AnyRobot,
    path: str | Recording,
    *,
    windows: int = _WINDOWS,
    **options: Any,
) -> Record:
    """
    Reduce a recording to the triangular factors of its weighted equations.

    The efforts, weights, delays and parameters are those of `screw_dynamics.identify`. The
    equations of each window of neighbouring samples, A x = b, are replaced by R x = c of their
    factor Q [R c], which has the same least squares: some 20 kB of 21 parameters, however long
    the recording is.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str or Recording
        A bag or a table; see `read_recording`.
    windows : int
        Parts of the recording whose errors count as independent: few, so that slow errors are.
    **options
        Of `screw_dynamics.identify`; `topic`, `start` and `end` of `read_recording`. Without
        `coulomb_velocity` it is that of this recording, which parts that are combined must share;
        `fleet.identify` chooses one for all.

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
    (['shoulder_pan_joint.viscous', 'shoulder_lift_joint.viscous', 'elbow_joint.viscous'], 65)
    """
    require_count('windows', windows, 1)
    own = as_text(robot).robot
    where = {name: options.pop(name) for name in _READ if name in options}
    if where.pop('motor_states', None):
        raise InputError(
            'motor_states: expected none: motors and springs are identified of each recording '
            'alone, by fleet.identify_alone'
        )
    begin = 0.0  # since the epoch [s], if it is known
    if isinstance(path, Recording):
        recording = path.between(where.get('start', -np.inf), where.get('end', np.inf))
    else:
        recording, _ = read_recording(path, own.tree, **where)
        if not is_table(path):
            from screw_dynamics.recordings.bags import Bag  # tables need no rosbags

            with Bag(expanded(path)) as bag:
                begin = bag.start_time / SECOND
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RecordingWarning)  # they are findings
        found = identify(own.tree, recording, **options)
    shares, used, parts = found.shares, found.equations, []
    for some in np.array_split(np.arange(len(found.weights)), windows):
        rows = used.linear(shares.jets[some])[:, used.joints]
        rows[..., -1] = shares.measured[some][:, used.joints] - rows[..., -1]
        rows *= found.weights[some][..., np.newaxis]
        parts += [triangle(rows.reshape(-1, rows.shape[2]))] * bool(len(some))
    kinds = dict(zip(found.model.joint_names, found.model.coordinate_types, strict=True))
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
    velocities = used.initial[Field.VELOCITY]
    for j in np.flatnonzero(used.joints):
        told = found.noise[j], found.residuals[j], found.delays[j], velocities[j]
        for name, one in zip(_OF_JOINT, told, strict=True):
            values[f'{found.model.joint_names[j]}.{name}'] = one
    of = {f'{name}.alone{end}': unit for name, unit in units.items() for end in ('', '_sd')}
    units = {name: f'1/({unit})' for name, unit in units.items()} | of
    return Record(
        path if isinstance(path, str) else repr(path),
        values,
        {**columns, RIGHT: table[:, -1].copy(), WINDOW: numbers},
        {**units, **dict.fromkeys(('duration', 'begin'), 's')},
        texts(found),
    )


def median_velocities(parts: Iterable[Record], robot: AnyRobot) -> list[float] | None:
    """Return the medians of the Coulomb velocities (n,) that explain some recordings best."""
    rows, joints = [part.values for part in parts], as_text(robot).robot.joint_names
    found = [[row[key] for row in rows if (key := name + SPEED) in row] for name in joints]
    every = [value for own in found for value in own]
    return [float(np.median(own or every)) for own in found] if every else None


def identify_alone(
    robot: AnyRobot, path: str, *, of_motors: bool = False, **options: Any
) -> Record:
    """
    Identify a robot from one recording alone: its drives, or springs by positions of motors.

    Efforts of motors are not linear in all parameters of drives, so that recordings have no joint
    least squares as that of `fleet.identify`; compare their rows.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        A bag or a table.
    of_motors : bool
        By `screw_dynamics.identify_drives`, otherwise by `screw_dynamics.identify`.
    **options
        Of that function; `topic`, `motor_states`, `start` and `end` of `read_recording`.

    Returns
    -------
    Record
        A row per parameter; the same as values, with the ending ``_sd`` the standard deviation.

    Raises
    ------
    InputError, TrajectoryError, BagError, UnknownNameError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> path = sd.share_path('examples/recorded/ur10.npz')
    >>> record = sd.fleet.identify_alone(arm, str(path), end=9.0, rotors=False)
    >>> str(record.columns['parameter'][0])
    'shoulder_pan_joint.viscous'
    """
    own = as_text(robot).robot
    where = {name: options.pop(name) for name in _READ if name in options}
    recording, _ = read_recording(path, own.tree, of_motors=of_motors, **where)
    found: DriveIdentification | Identification
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RecordingWarning)  # they are findings
        if of_motors:
            found = identify_drives(own, recording, **options)
        else:
            found = identify(own.tree, recording, **options)
    kinds = dict(zip(own.joint_names, own.tree.coordinate_types, strict=True))
    values, units = span(recording.times), {'duration': 's'}
    for name, value, deviation in found.rows:
        values |= {name: value, f'{name}_sd': deviation}
        units |= dict.fromkeys((name, f'{name}_sd'), parameter_unit(name, kinds))
    return Record(path, values, columns_of(found._records()), units, texts(found))
