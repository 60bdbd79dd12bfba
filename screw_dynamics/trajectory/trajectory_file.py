# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`read_trajectory`: joint trajectories from YAML or CSV."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.paths import expanded
from screw_dynamics.trajectory.trajectory_csv import points_from_csv
from screw_dynamics.trajectory.trajectory_yaml import points_from_yaml
from screw_dynamics.trajectory.waypoints import TrajectoryPoint

_LONGEST = 2**31 - 1  # s, limit of a Duration message


@dataclass(frozen=True)
class TrajectoryFile:
    """
    The trajectory of a file; `waypoints_from_points` checks it against a robot.

    Parameters
    ----------
    joint_names : tuple of str
    points : tuple of TrajectoryPoint

    Raises
    ------
    TrajectoryError
        If there is no joint or no point, or a time is not valid in a message.

    """

    joint_names: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]

    def __post_init__(self) -> None:
        """Check the conditions for a message; the receiver checks the rest."""
        if not self.joint_names:
            raise TrajectoryError('expected at least one joint, got none')
        if not self.points:
            raise TrajectoryError('expected at least one point, got none')
        for i, point in enumerate(self.points):
            # also false for NaN
            if not 0.0 <= point.time_from_start <= _LONGEST:
                raise TrajectoryError(
                    f'point #{i}, time_from_start: expected 0 to {_LONGEST} s, '
                    f'got {point.time_from_start:g}'
                )


def read_trajectory(path: str | Path) -> TrajectoryFile:
    """
    Read a trajectory from a file.

    YAML has the keys of a JointTrajectory: ``joint_names`` and ``points``, each point with
    ``time_from_start`` ([s], or ``{sec: 1, nanosec: 500000000}`` as ROS prints it) and
    ``positions``, ``velocities``, ``accelerations``; ``effort`` is not read. CSV has a column
    ``time`` [s] and the columns ``<joint>`` or ``<joint>.position``, and, if any,
    ``<joint>.velocity``, ``<joint>.acceleration``.

    Parameters
    ----------
    path : str or Path
        Path of a CSV file if it ends in ``.csv``, else of a YAML file.

    Returns
    -------
    TrajectoryFile

    Raises
    ------
    TrajectoryError
        If the file is invalid; the error states file, row and column or key.

    """
    try:
        text = expanded(path).read_text(encoding='utf-8-sig')
        return parse_trajectory(text, csv=str(path).lower().endswith('.csv'))
    except (OSError, TypeError, ValueError) as error:  # a TrajectoryError is a ValueError
        reason = getattr(error, 'strerror', None) or error
        raise TrajectoryError(f'{path}: {reason}') from None


def parse_trajectory(text: str, *, csv: bool = False) -> TrajectoryFile:
    r"""
    Read a trajectory from the text of a file; see `read_trajectory`.

    Parameters
    ----------
    text : str
    csv : bool
        Whether the text is CSV instead of YAML.

    Returns
    -------
    TrajectoryFile

    Raises
    ------
    TrajectoryError
        If the text is invalid; the error states row and column or key.

    Examples
    --------
    >>> parse_trajectory('time,a,b\n0,1,2\n', csv=True).points[0].positions
    [1.0, 2.0]
    >>> text = '{joint_names: [a], points: [{time_from_start: 0.0, positions: [1]}]}'
    >>> parse_trajectory(text).points[0]
    TrajectoryPoint(time_from_start=0.0, positions=[1.0], velocities=[], accelerations=[])

    """
    if not isinstance(text, str):
        raise TrajectoryError(f'expected text, got {shown(text)}')
    names, points = points_from_csv(text) if csv else points_from_yaml(text)
    return TrajectoryFile(tuple(names), tuple(points))
