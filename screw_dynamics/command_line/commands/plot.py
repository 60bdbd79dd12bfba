# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics plot`: a figure of results."""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from screw_dynamics.command_line import outputs
from screw_dynamics.command_line.command_parser import EachOnce
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError, UnknownNameError
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.results.results import MotorResults, Results, picked
from screw_dynamics.recordings.results.results_csv import read_csv
from screw_dynamics.recordings.results.results_from_bag import is_bag
from screw_dynamics.recordings.results.results_plot import limits_of, save_plot

FILES = 'RESULTS'
DESCRIPTION = (
    'Draw the motion, efforts and derivatives, and motor commands, of a CSV file '
    'of this program, or of a bag with FeedforwardTorque messages, recorded ones too.'
)
EXAMPLES = (
    'screw_dynamics plot efforts.csv --output efforts.png',
    'screw_dynamics plot my_bag --topic /feedforward/feedforward --joints joint_1 joint_2 '
    '--output two_joints.png',
)
_MEANING = 'RESULTS with the ending .png, which must not exist'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        'results', metavar='RESULTS', type=Path, help='CSV file, or a bag (folder or .mcap file)'
    )
    parser.add_argument('-o', '--output', metavar='PNG', type=Path, help=f'(default: {_MEANING})')
    parser.add_argument(
        '--joints', nargs='+', action=EachOnce, metavar='JOINT', help='which (default: all)'
    )
    parser.add_argument(
        '--topic', help='FeedforwardTorque topic of the bag (default: the only one)'
    )
    parser.add_argument('--title', help='headline (default: the name of RESULTS)')


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    path = expanded(options.results)
    # replace the extension of a file; dots in the name of a folder are not an extension
    if options.output is not None:
        output = options.output
    elif path.is_dir():
        output = path.parent / f'{path.name}.png' if path.name else Path(f'{path.resolve()}.png')
    else:
        output = path.with_suffix('.png')
    outputs.check((path,), figure=output)
    if options.output is None and output.exists():
        raise InputError(
            f'{output}: it exists already: expected the name of the figure, --output PNG (this '
            'one is replaced then)'
        )
    model = None
    if is_bag(path):
        results, model = _from_bag(path, options.topic)
    else:
        results = read_csv(path)
    if options.joints:
        results = _chosen(results, options.joints)
    save_plot(results, output, options.title or path.name, _limits(model, results))
    print(f'written: {output}')
    return 0


def _from_bag(path: Path, topic: str | None) -> tuple[Results, ScrewModel | None]:
    """Read results, and the robot of the description that the bag has."""
    from screw_dynamics.command_line.recorded_bag import recorded_robot
    from screw_dynamics.command_line.robots import read_text
    from screw_dynamics.recordings.bags import Bag
    from screw_dynamics.recordings.results.results_from_bag import read_bag

    results = read_bag(path, topic)
    try:
        with Bag(path) as bag, warnings.catch_warnings():
            warnings.simplefilter('ignore')  # of a damaged bag once more, of the robot
            model = read_text(*recorded_robot(bag))
        kinds = dict(zip(model.joint_names, model.coordinate_types, strict=True))
        slides = tuple(kinds[joint] == 'prismatic' for joint in results.joint_names)
    except (ScrewDynamicsError, KeyError):  # no description, or not of this robot
        return results, None
    return replace(results, slides=slides), model


def _limits(model: ScrewModel | None, results: Results) -> dict[str, Array]:
    """Return the limits of the joints, in the order of the results."""
    if model is None:
        return {}
    order = [model.joint_names.index(joint) for joint in results.joint_names]
    found = limits_of(Robot(model), replace(results, motors=None))
    return {name: rows[:, order] for name, rows in found.items()}


def _chosen(results: Results, joints: list[str]) -> Results:
    """Return the results of some joints and their motors."""
    names = results.joint_names
    for joint in joints:
        if joint not in names:
            raise UnknownNameError('joint', joint, names)
    order = [names.index(joint) for joint in joints]
    motors = results.motors
    if motors is not None:
        # a motor has the name of its joint, with /1 or /2 appended if there are two
        kept = [i for i, name in enumerate(motors.names) if name in joints]
        kept += [i for i, name in enumerate(motors.names) if name.rpartition('/')[0] in joints]
        motors = MotorResults(
            tuple(motors.names[i] for i in kept),
            motors.gear_ratios[kept],
            motors.values[:, :, kept],
            picked(motors.deviations, np.s_[:, :, kept]),
        )
    return replace(
        results,
        joint_names=tuple(joints),
        joint_jet=results.joint_jet[:, :, order],
        effort_jet=results.effort_jet[:, :, order],
        joint_deviations=picked(results.joint_deviations, np.s_[:, :, order]),
        effort_deviations=picked(results.effort_deviations, np.s_[:, :, order]),
        motors=motors,
        slides=None if results.slides is None else tuple(results.slides[j] for j in order),
    )
