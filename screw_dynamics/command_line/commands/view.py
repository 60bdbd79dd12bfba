# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics view`: a robot and its motion in a browser."""

import argparse
import sys
import warnings
from pathlib import Path

from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.command_line.shown_motions import recorded_motion
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import finite
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.results.evaluation import evaluate_samples, sampled_jets
from screw_dynamics.recordings.results.results_csv import has_results, read_csv
from screw_dynamics.recordings.results.results_from_bag import is_bag
from screw_dynamics.viewer.motion import Motion, motion_of_results
from screw_dynamics.viewer.stage import LAYERS
from screw_dynamics.viewer.viewer import Viewer
from screw_dynamics.viewer.visuals import read_visuals

FILES = 'URDF [MOTION]'
DESCRIPTION = (
    'Show a robot in a web browser, with the efforts of its joints, the deflections of its '
    'springs and its soft bodies: along a trajectory, a CSV file of `evaluate`, or a bag. Without '
    'a motion the page has a slider for every coordinate. Ctrl-C ends it.'
)
EXAMPLES = (
    'screw_dynamics view my_robot.urdf',
    'screw_dynamics view my_robot.urdf my_trajectory.yaml --elastic my_springs.yaml',
    'screw_dynamics view my_robot.urdf my_bag --html motion.html',
    'screw_dynamics view my_robot.urdf efforts.csv --screenshot robot.png --time 1.5',
    'screw_dynamics view my_robot.urdf --show axes names frames --screenshot axes.png',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    motions.add_trajectory(
        parser,
        'MOTION',
        'trajectory (CSV or YAML file of points, or of poses of a frame), results of `evaluate` '
        '(CSV), or a bag with either, or with joint states',
    )
    robots.add_options(parser)
    robots.add_soft_segments(parser)
    motions.add_options(parser)
    group = parser.add_argument_group('output')
    group.add_argument(
        '--html', metavar='FILE', type=Path, help='a page that plays without server and network'
    )
    group.add_argument(
        '--screenshot', metavar='PNG', type=Path, help='a picture, drawn by Chromium or Chrome'
    )
    group.add_argument(
        '--time', metavar='S', type=finite, help='at which the page begins [s] (default: first)'
    )
    group.add_argument(
        '--show',
        metavar='LAYER',
        nargs='+',
        choices=[name for name, visible in LAYERS.items() if not visible],
        default=[],
        help='draw more: %(choices)s',
    )
    group.add_argument(
        '--package-path',
        metavar='DIR',
        nargs='+',
        type=expanded,
        default=[],
        help='folders with the packages of the meshes, before those above the URDF and those of '
        'AMENT_PREFIX_PATH and ROS_PACKAGE_PATH',
    )
    group.add_argument(
        '-v', '--verbose', action='store_true', help='list the links whose meshes are missing'
    )
    group.add_argument(
        '--port', metavar='N', type=int, default=8080, help='first one to try (default: 8080)'
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    files = options.html, options.screenshot
    outputs.check((options.urdf, options.trajectory, options.elastic), files)
    robot = robots.read_robot(options)
    visuals = None
    if robots.urdf_text(options):
        visuals = read_visuals(expanded(options.urdf), options.package_path)
        lines = visuals.warnings('--package-path DIR names the folder with the package')
        for line in (*lines, *(visuals.details() if options.verbose else ())):
            print(f'warning: {line}', file=sys.stderr)
    motion = None if options.trajectory is None else _motion(options, robot)
    if motion is None and options.time is not None:
        raise InputError('--time: expected a motion, too')
    with Viewer(robot, motion, visuals, options.port) as viewer:
        if options.time is not None:
            viewer.show_time(options.time)
        viewer.show_layers(*options.show)
        if options.html is not None:
            viewer.save_html(options.html)
            print(f'written: {options.html}')
        if options.screenshot is not None:
            viewer.save_screenshot(options.screenshot)
            print(f'written: {options.screenshot}')
        if files == (None, None):
            print(f'{viewer.address} (Ctrl-C ends)', flush=True)
            viewer.wait()
    return 0


def _motion(options: argparse.Namespace, robot: Robot) -> Motion:
    path = expanded(options.trajectory)
    if has_results(path):
        return motion_of_results(read_csv(path), robot)
    if is_bag(path):
        recorded = recorded_motion(path, robot, options)
        if recorded is not None:
            return recorded
    curve = motions.read_curve(options, robot.model)
    begin, end = float(curve.breaks[0]), float(curve.breaks[-1])
    times = motions.sample_times(begin, end, options.rate)
    jets = sampled_jets(curve, times, robot)
    with warnings.catch_warnings():
        results = evaluate_samples(robot, times, jets, options.order, EffortFormat())
    return motion_of_results(results, robot)
