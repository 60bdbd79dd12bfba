# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics generate`: C99 code of one robot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from screw_dynamics.codegen.robot import QUANTITIES, generate_c
from screw_dynamics.codegen.robot.c_text import Real
from screw_dynamics.codegen.robot.quantities import EFFORT_PARTIALS, FRAME_TERMS, OF_DRIVES
from screw_dynamics.codegen.robot.robot_table import robot_table
from screw_dynamics.command_line.outputs import check, save
from screw_dynamics.command_line.records import Options, flag, option, optional, several
from screw_dynamics.command_line.robots import DrivenRobot
from screw_dynamics.common.paths import expanded
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import Representation

DESCRIPTION = (
    'Write C99 code without dependencies that computes the efforts of a robot and their time '
    'derivatives, its matrices, poses and Jacobians of frames, motor commands and polynomial '
    'motions: a header and a source, translated from the kernels of the library.'
)
EXAMPLES = (
    'screw_dynamics generate my_robot.urdf',
    'screw_dynamics generate my_robot.urdf --prefix arm --order 4 --self-test',
    'screw_dynamics generate my_robot.urdf --quantities mass_matrix frame_pose --frame tool0',
    'screw_dynamics generate my_robot.urdf --drives my_springs.yaml --quantities motor_commands',
)
_HIGHEST_ORDER = 10


@dataclass(frozen=True)
class Code(Options, heading='code'):
    """What is computed, under which names."""

    prefix: str | None = optional(
        'beginning of all names in C and of the files (default: the file name)'
    )
    order: int = option(
        2,
        f'highest time derivative of the efforts, 0 to {_HIGHEST_ORDER}',
        choices=tuple(range(_HIGHEST_ORDER + 1)),
        metavar='ORDER',
    )
    quantities: tuple[str, ...] = several(
        f'some of {", ".join(QUANTITIES)} (default: all but {EFFORT_PARTIALS}, those of frames '
        f'with --frame, {" and ".join(OF_DRIVES)} with --drives)',
        choices=tuple(QUANTITIES),
        metavar='NAME',
    )
    frame: tuple[str, ...] = several(
        'frame of poses and Jacobians; may be repeated', metavar='LINK', repeated=True
    )
    representation: Representation = option('hybrid', 'axes and point of the twists of Jacobians')
    real: Real = option('double', 'type of real numbers in C, double or float')
    casadi: bool = flag('also functions that casadi.external reads, with their Jacobian')


@dataclass(frozen=True)
class Output(Options, heading='output'):
    """Where the code is written."""

    output: Path = option(
        Path(),
        'a new one is made (default: this folder)',
        metavar='FOLDER',
        short='-o',
    )
    self_test: bool = flag(
        'also write a program that compares the code with numbers of the library'
    )
    controller: bool = flag(
        'also write the table of the robot that screw_dynamics_controllers reads'
    )


def run(source: DrivenRobot, chosen: Code, files: Output) -> int:
    """Run the command; return 0."""
    prefix = chosen.prefix or _prefix(source.urdf)
    names = [f'{prefix}.h', f'{prefix}.c']
    names += [f'{prefix}_self_test.c'] * files.self_test
    names += [f'{prefix}_table.c'] * files.controller
    paths = [files.output / name for name in names]
    if files.controller and chosen.real != 'double':
        raise InputError(f'--real: expected double with --controller, got {chosen.real}')
    # a new folder is made
    check((source.urdf, source.drives), paths if files.output.exists() else [files.output])
    robot = source.robot()
    if files.controller:
        robot = robot.with_limited_motors()  # as the output guard of the node
    left_out = {EFFORT_PARTIALS, *(() if chosen.frame else FRAME_TERMS)}
    if robot.drives is None:
        left_out |= set(OF_DRIVES)
    quantities = chosen.quantities or [name for name in QUANTITIES if name not in left_out]
    code = generate_c(
        robot,
        prefix,
        order=chosen.order,
        quantities=quantities,
        frames=chosen.frame,
        representation=chosen.representation,
        real=chosen.real,
        casadi=chosen.casadi,
    )
    texts = [code.header, code.source]
    if files.self_test:
        texts.append(code.self_test)
    if files.controller:
        texts.append(robot_table(robot, prefix, chosen.order, quantities, source.urdf_text()))
    expanded(files.output).mkdir(exist_ok=True)
    for path, text in zip(paths, texts, strict=True):
        save(path, partial(Path.write_text, data=text, encoding='ascii'), whole=True)
    return 0


def _prefix(urdf: str) -> str:
    """Return the name of the file as a name in C."""
    name = re.sub('[^A-Za-z0-9_]', '_', expanded(urdf).stem)
    return name if name[:1].isalpha() else f'robot_{name}'
