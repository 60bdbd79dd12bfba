# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of one recording: efforts, collisions, a faster motion, what is odd."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.dynamics.effort_format import EffortFormat, MeasuredContent, measured_format
from screw_dynamics.estimation.identification import check_recording
from screw_dynamics.estimation.observers import ContactDetector, LoadObserver
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.robot_text import AnyRobot, as_text
from screw_dynamics.limits.retiming import retime as retimed
from screw_dynamics.limits.retiming import retimed_waypoints
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
from screw_dynamics.model.records import EFFORT_UNITS, POSITION_UNITS
from screw_dynamics.recordings.motions.bag_efforts import bag_efforts
from screw_dynamics.recordings.motions.joint_states import observed_samples
from screw_dynamics.recordings.motions.measured_efforts import table_efforts
from screw_dynamics.recordings.motions.recording import is_table, read_recording
from screw_dynamics.recordings.motions.trajectories import curve_through, read_waypoints

_WITH_UNIT = re.compile(r'^(.*?)(?: \[(.*)\])?$')


def evaluate(robot: AnyRobot, path: str, **options: Any) -> Record:
    """
    Return the efforts of the motion in a recording, with their time derivatives.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
        With drives, motor commands are computed too.
    path : str
        A bag, or a table of measured positions; see `read_recording`.
    **options
        Of `bag_efforts`.

    Returns
    -------
    Record
        The columns of `Results.columns`; as values the largest sizes of the efforts.

    Raises
    ------
    BagError, InputError, TrajectoryError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> bag = sd.share_path('examples/recorded/ur10.npz')
    >>> record = sd.fleet.evaluate(arm, str(bag), order=0)
    >>> print(f"{record.values['shoulder_lift_joint.effort']:.0f} N m")
    119 N m
    """
    own = as_text(robot).robot
    if is_table(path):
        results = table_efforts(path, own, **options)
    else:
        from screw_dynamics.recordings.bags import Bag  # tables need no rosbags

        with Bag(expanded(path)) as bag:
            results = bag_efforts(bag, own, **options).results
    columns, units = _separated(results.columns())
    largest = {
        name: float(np.abs(values).max())
        for name, values in columns.items()
        if re.search(r'\.effort(_[a-z_]+)?$', name)
    }
    return Record(path, {**_span(results.times), **largest}, columns, units)


def observe(  # noqa: PLR0913  (options are keywords)
    robot: AnyRobot,
    path: str,
    *,
    topic: str | None = None,
    motor_states: str | None = None,
    start: float = -np.inf,
    end: float = np.inf,
    effort_content: MeasuredContent | EffortFormat = 'full',
    observer: Mapping[str, Any] | None = None,
    detector: Mapping[str, Any] | None = None,
) -> Record:
    """
    Return the external efforts along a bag, and the collisions in it.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        A bag of JointState messages with positions, velocities and efforts.
    topic, start, end : optional
        See `read_recording`.
    motor_states : str, optional
        JointState messages of the motors, whose deflections tell the efforts of springs.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        See `identify`.
    observer, detector : mapping, optional
        Options of `LoadObserver` and `ContactDetector`.

    Returns
    -------
    Record
        External efforts and thresholds of joints, and the link that is touched; as values the
        number of collisions, and link, begin [s] and strength of the strongest.

    Raises
    ------
    BagError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> record = sd.fleet.observe('my_robot.urdf', 'my_bag')  # doctest: +SKIP
    >>> record.values['collisions']  # doctest: +SKIP
    2
    """
    from screw_dynamics.recordings.bags import Bag

    own = as_text(robot).robot
    measured = measured_format(effort_content, own.joint_names)
    with Bag(expanded(path)) as bag:
        samples = observed_samples(
            bag, own, measured, topic=topic, motor_states=motor_states, start=start, end=end
        )
    known = measured if motor_states is None else EffortFormat()
    watching = LoadObserver(own, effort_content=known, **(observer or {}))
    loads = recorded_loads(ContactDetector(watching, **(detector or {})), *samples[:4])
    columns: dict[str, NDArray[Any]] = {'time': loads.times}
    units = dict.fromkeys(('time', 'begin', 'duration'), 's')
    unit = _units(own.model.coordinate_types, EFFORT_UNITS)
    for kind, values in (('external_effort', loads.efforts), ('threshold', loads.thresholds)):
        for name, own_unit, column in zip(own.joint_names, unit, values.T, strict=True):
            columns[f'{name}.{kind}'], units[f'{name}.{kind}'] = column, own_unit
    strongest = max(loads.contacts, key=lambda one: one.contact.strength, default=None)
    found = {**_span(loads.times), 'collisions': len(loads.contacts)}
    if strongest is not None:
        contact = strongest.contact
        found |= {'link': contact.link, 'begin': contact.begin, 'strength': contact.strength}
    doubt = watching.doubt
    columns['contact'] = loads.touched
    return Record(path, found, columns, units, (doubt,) if doubt else ())


def retime(
    robot: AnyRobot,
    path: str,
    *,
    topic: str | None = None,
    message: int = 0,
    interpolation: str = 'smooth',
    limits: Mapping[str, ArrayLike] | None = None,
    **options: Any,
) -> Record:
    """
    Return the fastest motion along the path of a trajectory.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        CSV or YAML file of points, or a bag with a JointTrajectory.
    topic : str, optional
        Of a bag, by default the only one.
    message : int
        Which message of the topic.
    interpolation : str
        Of the points, 'smooth' or 'jtc'.
    limits, **options : optional
        See `screw_dynamics.retime`.

    Returns
    -------
    Record
        Times, positions, velocities and accelerations of points; as values the durations `before`
        and `after` [s].

    Raises
    ------
    InfeasibleError, TrajectoryError, BagError, InputError

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('urdf/planar_2r.urdf')
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / 'points.csv'
    ...     _ = path.write_text('time,joint_1,joint_2' + chr(10) + '0,0,0' + chr(10) + '2,1,0.5')
    ...     record = sd.fleet.retime(
    ...         arm, str(path), limits={'velocity': 2.0, 'effort': 60.0, 'effort_rate': 1500.0})
    >>> print(f"{record.values['before']:.1f} s, {record.values['after']:.1f} s")
    2.0 s, 0.6 s
    """
    own = as_text(robot).robot
    points = read_waypoints(expanded(path), own.model, topic, message)
    curve = curve_through(points, interpolation)
    own = limited_robot(own, limits)
    waypoints, fast = retimed_waypoints(own, retimed(own, curve, **options))
    columns, units = {'time': waypoints.times}, dict.fromkeys(('time', 'before', 'after'), 's')
    unit = _units(own.model.coordinate_types, POSITION_UNITS)
    parts = ('', waypoints.positions), ('.velocity', waypoints.velocities)
    for d, (ending, values) in enumerate((*parts, ('.acceleration', waypoints.accelerations))):
        for name, own_unit, column in zip(own.joint_names, unit, values.T, strict=True):
            per = ('', '/s', '/s^2')[d]
            columns[f'{name}{ending}'], units[f'{name}{ending}'] = column, own_unit + per
    return Record(path, {'before': curve.duration, 'after': fast.duration}, columns, units)


def check(
    robot: AnyRobot,
    path: str,
    *,
    topic: str | None = None,
    motor_states: str | None = None,
    start: float = -np.inf,
    end: float = np.inf,
    effort_content: MeasuredContent | EffortFormat = 'full',
) -> Record:
    """
    Return what a recording tells of a robot, and what is odd about it.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        A bag or a table; see `read_recording`.
    topic, motor_states, start, end : optional
        See `read_recording`.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        See `identify`.

    Returns
    -------
    Record
        A row per joint: range of the motion and of the efforts, efforts left by what is told; as
        values whether the recording is usable, and of how many parameters it tells. Findings are
        warnings.

    Raises
    ------
    BagError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.share_path('examples/recorded/ur10.urdf')
    >>> bag = sd.share_path('examples/recorded/ur10.npz')
    >>> sd.fleet.check(arm, str(bag)).values['usable']
    True
    """
    own = as_text(robot).robot
    recording, _ = read_recording(
        path, own.tree, topic=topic, motor_states=motor_states, start=start, end=end
    )
    report = check_recording(own, recording, effort_content=effort_content)
    rows = report._records()
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}
    values = {**_span(report.recording.times), 'usable': report.usable, 'told': len(report.told)}
    return Record(
        path,
        values,
        columns,
        {'duration': 's'},
        tuple(f'{finding.level}: {finding.text}' for finding in report.findings),
    )


def _span(times: Array) -> dict[str, Any]:
    return {'samples': len(times), 'duration': float(np.ptp(times))}


def _units(kinds: Sequence[str], units: tuple[str, str]) -> list[str]:
    return [units[kind == 'prismatic'] for kind in kinds]


def _separated(columns: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, str]]:
    """Return columns without units in their names, and the units."""
    found, units = {}, {'time': 's', 'duration': 's'}
    for title, values in columns.items():
        name, unit = _WITH_UNIT.findall(title)[0]
        found[name] = values
        if unit:
            units[name] = unit
    return found, units
