# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics generate`: C99 code of one robot."""

import argparse
import re
from pathlib import Path

from screw_dynamics.codegen.robot import QUANTITIES, generate_c
from screw_dynamics.codegen.robot.c_text import REALS
from screw_dynamics.codegen.robot.quantities import FRAME_TERMS, MOTOR_COMMANDS
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.command_line import motions, outputs, robots
from screw_dynamics.common.paths import expanded, new_file
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import REPRESENTATIONS

FILES = 'URDF'
DESCRIPTION = (
    'Write C99 code without dependencies that computes the efforts of a robot and their time '
    'derivatives, its matrices, poses and Jacobians of frames, motor commands and polynomial '
    'motions: a header and a source, translated from the kernels of the library.'
)
EXAMPLES = (
    'screw_dynamics generate my_robot.urdf',
    'screw_dynamics generate my_robot.urdf --prefix arm --order 4 --self-test',
    'screw_dynamics generate my_robot.urdf --quantities mass_matrix frame_pose --frame tool0',
    'screw_dynamics generate my_robot.urdf --elastic my_springs.yaml --quantities motor_commands',
)
_HIGHEST_ORDER = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    robots.add_urdf(parser)
    robots.add_options(parser)
    group = parser.add_argument_group('code')
    group.add_argument(
        '--prefix', help='beginning of all names in C and of the files (default: the file name)'
    )
    group.add_argument(
        '--order',
        type=int,
        choices=range(_HIGHEST_ORDER + 1),
        default=2,
        metavar='ORDER',
        help=f'highest time derivative of the efforts, 0 to {_HIGHEST_ORDER} (default: 2)',
    )
    group.add_argument(
        '--quantities',
        nargs='+',
        choices=QUANTITIES,
        metavar='NAME',
        help=f'some of {", ".join(QUANTITIES)} (default: all, those of frames with '
        f'--frame, {MOTOR_COMMANDS} with --elastic)',
    )
    group.add_argument(
        '--frame',
        metavar='LINK',
        action='append',
        default=[],
        help='frame of poses and Jacobians; may be repeated',
    )
    group.add_argument(
        '--representation',
        choices=REPRESENTATIONS,
        default='hybrid',
        help='axes and point of the twists of Jacobians (default: hybrid)',
    )
    group.add_argument(
        '--real',
        choices=REALS,
        default='double',
        help='type of real numbers in C, double or float (default: double)',
    )
    motions.add_elastic(group)
    group = parser.add_argument_group('output')
    group.add_argument(
        '-o',
        '--output',
        metavar='FOLDER',
        type=Path,
        default=Path('.'),
        help='a new one is made (default: this folder)',
    )
    group.add_argument(
        '--self-test',
        action='store_true',
        help='also write a program that compares the code with numbers of the library',
    )
    group.add_argument(
        '--controller',
        action='store_true',
        help='also write the table of the robot that screw_dynamics_controllers reads',
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    prefix = options.prefix or _prefix(options.urdf)
    names = [f'{prefix}.h', f'{prefix}.c']
    names += [f'{prefix}_self_test.c'] * options.self_test
    names += [f'{prefix}_table.c'] * options.controller
    paths = [options.output / name for name in names]
    if options.controller and options.real != 'double':
        raise InputError(f'--real: expected double with --controller, got {options.real}')
    # a new folder is made
    files = paths if options.output.exists() else [options.output]
    outputs.check((options.urdf, options.elastic), files)
    robot = robots.read_robot(options)
    if options.controller:
        robot = robot.with_limited_motors()  # as the output guard of the node
    left_out = set() if options.frame else set(FRAME_TERMS)
    if robot.drives is None:
        left_out.add(MOTOR_COMMANDS)
    quantities = options.quantities or [name for name in QUANTITIES if name not in left_out]
    code = generate_c(
        robot,
        prefix,
        order=options.order,
        quantities=quantities,
        frames=options.frame,
        representation=options.representation,
        real=options.real,
    )
    texts = [code.header, code.source]
    if options.self_test:
        texts.append(code.self_test)
    if options.controller:
        urdf = robots.urdf_text(options)
        texts.append(robot_table(robot, prefix, options.order, quantities, urdf))
    expanded(options.output).mkdir(exist_ok=True)
    for path, text in zip(paths, texts, strict=True):
        with new_file(path) as file:
            file.write_text(text, encoding='ascii')
        print(f'written: {path}')
    return 0


def _prefix(urdf: str) -> str:
    """Return the name of the file as a name in C."""
    name = re.sub('[^A-Za-z0-9_]', '_', expanded(urdf).stem)
    return name if name[:1].isalpha() else f'robot_{name}'
