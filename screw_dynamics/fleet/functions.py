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
from screw_dynamics.common.quantities import EFFORT_UNITS, POSITION_UNITS, derivative_unit
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import EffortFormat, MeasuredContent, measured_format
from screw_dynamics.estimation.identification import check_recording
from screw_dynamics.estimation.observers import ContactDetector, LoadObserver
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
from screw_dynamics.fleet.record import Record
from screw_dynamics.fleet.tasks import AnyRobot, as_text
from screw_dynamics.limits.retiming import retime as retimed
from screw_dynamics.limits.retiming import retimed_waypoints
from screw_dynamics.limits.retiming.limited_quantities import limited_robot
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
    columns, units = {}, dict.fromkeys(('time', 'duration'), 's')
    for title, values in results.columns().items():
        name, unit = _WITH_UNIT.findall(title)[0]
        columns[name], units[name] = values, unit or units.get(name, '')
    largest = {
        name: float(np.abs(values).max())
        for name, values in columns.items()
        if re.search(r'\.effort(_[a-z_]+)?$', name)
    }
    return Record(path, {**span(results.times), **largest}, columns, units)


def observe(
    robot: AnyRobot,
    path: str,
    *,
    effort_content: MeasuredContent | EffortFormat = 'full',
    observer: Mapping[str, Any] | None = None,
    detector: Mapping[str, Any] | None = None,
    **options: Any,
) -> Record:
    """
    Return the external efforts along a bag, and the collisions in it.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        A bag of JointState messages with positions, velocities and efforts.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        See `identify`.
    observer, detector : mapping, optional
        Options of `LoadObserver` and `ContactDetector`.
    **options
        `topic`, `motor_states`, `start` and `end` of `read_recording`.

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
        samples = observed_samples(bag, own, measured, **options)
    known = EffortFormat() if options.get('motor_states') else measured
    watching = LoadObserver(own, effort_content=known, **(observer or {}))
    loads = recorded_loads(ContactDetector(watching, **(detector or {})), *samples[:4])
    efforts = (loads.efforts, EFFORT_UNITS), (loads.thresholds, EFFORT_UNITS)
    kinds = dict(zip(('.external_effort', '.threshold'), efforts, strict=True))
    columns, units = _by_joint(own, loads.times, kinds)
    columns['contact'] = loads.touched
    units |= dict.fromkeys(('begin', 'duration'), 's')
    values = {**span(loads.times), 'collisions': len(loads.contacts)}
    if loads.contacts:
        contact = max((one.contact for one in loads.contacts), key=lambda one: one.strength)
        values |= {'link': contact.link, 'begin': contact.begin, 'strength': contact.strength}
    return Record(path, values, columns, units, (watching.doubt,) if watching.doubt else ())


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
    rows = waypoints.positions, waypoints.velocities, waypoints.accelerations
    of = [tuple(derivative_unit(unit, d) for unit in POSITION_UNITS) for d in range(3)]
    kinds = zip(('', '.velocity', '.acceleration'), zip(rows, of, strict=True), strict=True)
    columns, units = _by_joint(own, waypoints.times, dict(kinds))
    units |= dict.fromkeys(('before', 'after'), 's')
    return Record(path, {'before': curve.duration, 'after': fast.duration}, columns, units)


def check(
    robot: AnyRobot,
    path: str,
    *,
    effort_content: MeasuredContent | EffortFormat = 'full',
    **options: Any,
) -> Record:
    """
    Return what a recording tells of a robot, and what is odd about it.

    Parameters
    ----------
    robot : Robot, ScrewModel, URDF or RobotText
    path : str
        A bag or a table.
    effort_content : {'full', 'without_gravity', 'external'} or EffortFormat
        See `identify`.
    **options
        `topic`, `motor_states`, `start` and `end` of `read_recording`.

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
    recording, _ = read_recording(path, own.tree, **options)
    report = check_recording(own, recording, effort_content=effort_content)
    values = {**span(report.recording.times), 'usable': report.usable, 'told': len(report.told)}
    columns = columns_of(report._records())
    return Record(path, values, columns, {'duration': 's'}, texts(report))


def texts(found: Any) -> tuple[str, ...]:
    """Return the findings of a result."""
    return tuple(f'{finding.level}: {finding.text}' for finding in found.findings)


def span(times: Array) -> dict[str, Any]:
    """Return how many samples there are, and how long they take [s]."""
    return {'samples': len(times), 'duration': float(np.ptp(times))}


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Return the columns of records."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}


def _by_joint(
    robot: Robot, times: Array, quantities: Mapping[str, tuple[Array, tuple[str, ...]]]
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return columns of quantities (N, n), and their units: of revolute and prismatic joints."""
    columns, units = {'time': times}, {'time': 's'}
    for ending, (values, own) in quantities.items():
        for j, (name, kind) in enumerate(
            zip(robot.joint_names, robot.model.coordinate_types, strict=True)
        ):
            columns[name + ending] = values[:, j]
            units[name + ending] = own[kind == 'prismatic']
    return columns, units
