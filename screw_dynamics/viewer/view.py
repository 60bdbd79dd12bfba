# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`view`: a robot and its motion in a browser."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from screw_dynamics.bridges.load import load
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError, ModelWarning
from screw_dynamics.model import RobotModel
from screw_dynamics.viewer.motion import motion_of_jets
from screw_dynamics.viewer.viewer import Viewer
from screw_dynamics.viewer.visuals import PackagePath, read_visuals


def view(
    robot: Robot | RobotModel | str | os.PathLike[str],
    times: ArrayLike | None = None,
    joint_jet: ArrayLike | None = None,
    *,
    efforts: ArrayLike | None = None,
    motor_positions: ArrayLike | None = None,
    wrenches: Mapping[str, ArrayLike] | None = None,
    threads: Sequence[object] = (),
    port: int = 8080,
    package_path: PackagePath = (),
) -> Viewer:
    """
    Show a robot, and its motion if there is one, on a page for a web browser.

    The page has the links, rings at the joints whose colours are efforts over their limits, motors
    and springs of elastic joints, soft bodies, and curves. Without a motion the efforts are those
    of gravity at the positions of the sliders. It is served until the process ends.

    Parameters
    ----------
    robot : path, ScrewModel, SoftRobot or Robot
        Path of a URDF or MJCF. Only of a URDF the meshes of the links are drawn; else rods are.
    times : (T,) array_like, optional
        Increasing [s]; without them every coordinate has a slider.
    joint_jet : (T, n) or (T, r, n) array_like, optional
        Positions, with derivatives if r > 1 [rad or m, per s^d].
    efforts : (T, n) or (T, k + 1, n) array_like, optional
        Measured ones, or others [N m or N, per s^d]; by default those of `inverse_dynamics` if
        r > 2.
    motor_positions : (T, m) array_like, optional
        Behind the gears [rad or m]; by default those of `elastic_feedforward` if the robot has
        drives, and the jet enough rows.
    wrenches : mapping of str to (T, 6) array_like, optional
        [torque; force] at frames, in their axes [N m, N]; they are drawn as arrows.
    threads : sequence of soft.Thread
        Of a `SoftRobot`; those of `append_segments` are drawn anyway.
    port : int
        The first one that is free from here on is taken.
    package_path : path, or sequence of paths
        Folders with the packages of the meshes, before those above the URDF and those of ROS.

    Returns
    -------
    Viewer
        Its `address` is that of the page.

    Raises
    ------
    InputError, ShapeError, NotFiniteError, UnknownNameError, ModelError
        If an argument is not of its type, shape or range.
    ModuleNotFoundError
        If viser is not installed (extra ``view``).

    Warns
    -----
    ModelWarning
        If files of meshes are not found: their links are drawn as rods.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> times = np.linspace(0.0, 2.0, 101)
    >>> swing = 0.5 * np.sin(3.0 * times)[:, np.newaxis] * np.ones(7)
    >>> with sd.view(sd.share_path('urdf/iiwa14.urdf'), times, swing) as viewer:
    ...     viewer.show_time(1.0)
    """
    visuals = None
    if isinstance(robot, (str, os.PathLike)):
        visuals, robot = read_visuals(robot, package_path), load(robot)
        for line in visuals.warnings('package_path names the folder with it'):
            warnings.warn(line, ModelWarning, stacklevel=2)
    whole = as_robot(robot)
    if (times is None) != (joint_jet is None):
        raise InputError('times, joint_jet: expected both or none')
    motion = None
    if times is not None and joint_jet is not None:
        motion = motion_of_jets(whole, times, joint_jet, efforts, motor_positions, wrenches)
    return Viewer(whole, motion, visuals, port, threads=threads)
