# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics view`: a robot and its motion in a browser."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from screw_dynamics.command_line.motions import ROBOT_FIRST, Order, TrajectorySource
from screw_dynamics.command_line.outputs import check, save
from screw_dynamics.command_line.records import (
    Options,
    argument,
    flag,
    option,
    optional,
    positive,
    several,
)
from screw_dynamics.command_line.robots import AnyRobot
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.evaluation import RATE, evaluate_samples, sampled_jets
from screw_dynamics.recordings.results.results_csv import has_results, read_csv
from screw_dynamics.recordings.results.results_from_bag import is_bag
from screw_dynamics.trajectory.piecewise_polynomial import sample_times
from screw_dynamics.viewer.motion import Motion, motion_of_results
from screw_dynamics.viewer.recorded_motion import recorded_motion
from screw_dynamics.viewer.stage import LAYERS
from screw_dynamics.viewer.viewer import Viewer
from screw_dynamics.viewer.visuals import read_visuals

DESCRIPTION = (
    'Show a robot in a web browser, with the efforts of its joints, the deflections of its '
    'springs and its soft bodies: along a trajectory, a CSV file of `evaluate`, or a bag. Without '
    'a motion the page has a slider for every coordinate. Ctrl-C ends it.'
)
EXAMPLES = (
    'screw_dynamics view my_robot.urdf',
    'screw_dynamics view my_robot.urdf my_trajectory.yaml --drives my_springs.yaml',
    'screw_dynamics view my_robot.urdf my_bag --html motion.html',
    'screw_dynamics view my_robot.urdf efforts.csv --screenshot robot.png --time 1.5',
    'screw_dynamics view my_robot.urdf --show axes names frames --screenshot axes.png',
)
_LAYERS = tuple(name for name, visible in LAYERS.items() if not visible)


@dataclass(frozen=True)
class ShownMotion(TrajectorySource):
    """A motion, or none."""

    trajectory: str = argument(
        'trajectory (CSV or YAML file of points, or of poses of a frame), results of `evaluate` '
        '(CSV), or a bag with either, or with joint states',
        default='',
        metavar='MOTION',
    )
    rate: float = positive(RATE, 'samples per second', metavar='HZ')
    order: Order = option(2, 'highest derivative of the efforts')


@dataclass(frozen=True)
class Page(Options, heading='output'):
    """What is shown, and where."""

    html: Path | None = optional('a page that plays without server and network')
    screenshot: Path | None = optional('a picture, drawn by Chromium or Chrome', metavar='PNG')
    time: float | None = optional('at which the page begins [s] (default: first)', metavar='S')
    show: tuple[str, ...] = several(
        f'draw more: {", ".join(_LAYERS)}', choices=_LAYERS, metavar='LAYER'
    )
    package_path: tuple[Path, ...] = several(
        'folders with the packages of the meshes, before those above the URDF and those of '
        'AMENT_PREFIX_PATH and ROS_PACKAGE_PATH',
        parse=expanded,
        metavar='DIR',
    )
    verbose: bool = flag('list the links whose meshes are missing', short='-v')
    port: int = option(8080, 'first one to try')


def run(source: AnyRobot, motion: ShownMotion, page: Page) -> int:
    """Run the command; return 0."""
    files = page.html, page.screenshot
    check((source.urdf, motion.trajectory, source.drives), files)
    robot = source.robot(hint=ROBOT_FIRST)
    visuals = None
    if source.urdf_text():
        visuals = read_visuals(expanded(source.urdf), page.package_path)
        lines = visuals.warnings('--package-path DIR names the folder with the package')
        for line in (*lines, *(visuals.details() if page.verbose else ())):
            print(f'warning: {line}', file=sys.stderr)
    shown = _motion(motion, robot) if motion.trajectory else None
    if shown is None and page.time is not None:
        raise InputError('--time: expected a motion, too')
    with Viewer(robot, shown, visuals, page.port) as viewer:
        if page.time is not None:
            viewer.show_time(page.time)
        viewer.show_layers(*page.show)
        save(page.html, viewer.save_html)
        save(page.screenshot, viewer.save_screenshot)
        if files == (None, None):
            print(f'{viewer.address} (Ctrl-C ends)', flush=True)
            viewer.wait()
    return 0


def _motion(motion: ShownMotion, robot: Robot) -> Motion:
    path = expanded(motion.trajectory)
    if has_results(path):
        return motion_of_results(read_csv(path), robot)
    if is_bag(path):
        recorded = recorded_motion(path, robot, motion.topic)
        if recorded is not None:
            return recorded
    curve = motion.curve(robot.model)
    times = sample_times(float(curve.breaks[0]), float(curve.breaks[-1]), motion.rate)
    jets = sampled_jets(curve, times, robot)
    with warnings.catch_warnings():
        results = evaluate_samples(robot, times, jets, motion.order, EffortFormat())
    return motion_of_results(results, robot)
