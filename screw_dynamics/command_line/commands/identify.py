# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics identify`: friction, rotors, payload and inertias behind recorded efforts."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np

from screw_dynamics.command_line import outputs, recorded_bag, robots
from screw_dynamics.command_line.command_parser import EachOnce
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import expanded, is_standard_output, new_file, reports_beside
from screw_dynamics.common.scalars import not_negative, positive
from screw_dynamics.common.text_table import text_table
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification import (
    DriveIdentification,
    Identification,
    Recording,
    identify,
    identify_drives,
)
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.spring_laws import SPRING_LAWS
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import EFFORT_UNITS

if TYPE_CHECKING:
    pass

FILES = 'BAG'
DESCRIPTION = (
    'Identify friction, rotor inertias and offsets of joints, the payload, or the inertia '
    'parameters of all links, from recorded JointState messages with positions and efforts, with '
    'bands that hold 95 % of the parameters, and tell what explains the efforts. Tables (.csv, '
    '.npz; see Recording.from_file) are read too. The last quarter of the recording is not used, '
    'unless --validate names another one: what remains of its efforts is shown beside. With the '
    'positions of motors, the stiffness of their springs too; with --drives from the efforts of '
    'motors instead of those of joints. The robot that was found can be written as URDF and as a '
    'file for --elastic.'
)
EXAMPLES = (
    'screw_dynamics identify my_bag',
    'screw_dynamics identify my_bag --urdf my_robot.urdf --load tool0 --csv parameters.csv',
    'screw_dynamics identify my_bag --load tool0 --effort-content without_gravity',
    'screw_dynamics identify measured.csv --urdf my_robot.urdf --validate other.csv',
    'screw_dynamics identify my_bag --parameters friction rotors links --held-out 0.3',
    'screw_dynamics identify my_bag --motor-states /motor_states --write-drives my_springs.yaml '
    '--write-urdf identified.urdf --plot identified.png',
    'screw_dynamics identify my_bag --drives --motor-states /motor_states --load tool0 '
    '--elastic my_springs.yaml --write-drives found.yaml',
)
_PARAMETERS = ('friction', 'rotors', 'offsets', 'links')
_DEFAULT = 'friction', 'rotors'
_HELD_OUT = 0.25


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    recorded_bag.add_bag(parser)
    group = recorded_bag.add_selection(
        parser, 'of the JointState messages (default: the only one)'
    )
    group.add_argument(
        '--motor-states',
        metavar='TOPIC',
        help='JointState messages of motors behind springs, on the joint side of the gear: the '
        'springs are found from the deflections',
    )
    group.add_argument(
        '--smoothing-time',
        type=positive,
        metavar='S',
        help='measured motion faster than this is noise [s] (default: the data choose)',
    )
    group.add_argument(
        '--held-out',
        type=positive,
        metavar='PART',
        default=_HELD_OUT,
        help=f'of the recording, at its end, for the validation (default: {_HELD_OUT:g})',
    )
    group.add_argument(
        '--validate',
        type=Path,
        metavar='BAG',
        help='another recording, whose efforts are compared in place of the part held out',
    )
    group.add_argument(
        '--no-check',
        action='store_true',
        help='accept efforts that contradict the model: reversed joints, other units',
    )
    robots.add_options(parser)
    robots.add_effort_options(parser, measured=True)
    group = parser.add_argument_group('parameters')
    group.add_argument(
        '--parameters',
        nargs='+',
        choices=_PARAMETERS,
        action=EachOnce,
        help='what is identified: of every joint, or base parameters of the links (default: '
        f'{" ".join(_DEFAULT)})',
    )
    group.add_argument('--load', metavar='LINK', help='link that carries an unknown load')
    group = parser.add_argument_group(
        'drives', 'Springs, rotors, friction and delay from motor efforts, without torque sensors.'
    )
    group.add_argument(
        '--drives',
        action='store_true',
        help='the efforts are those of the motors: of --motor-states, and of the JointState '
        'messages for joints without a spring',
    )
    group.add_argument(
        '--elastic',
        metavar='YAML',
        help='drives as far as they are known: what the motion does not tell remains as it is',
    )
    group.add_argument(
        '--springs',
        choices=SPRING_LAWS,
        help='law of the springs (default: those of --elastic, or linear)',
    )
    group.add_argument(
        '--torque-constants',
        action='store_true',
        help='find the torque constants of the motors, from the weight of the links',
    )
    group.add_argument(
        '--link-uncertainty',
        type=not_negative,
        metavar='PART',
        default=0.05,
        help='of masses, first moments and inertias of the links, one standard deviation '
        '(default: 0.05)',
    )
    group = parser.add_argument_group('output')
    group.add_argument(
        '--csv',
        metavar='FILE',
        type=Path,
        help='parameters and their bands, in SI units; - for standard output',
    )
    group.add_argument(
        '--write-urdf',
        metavar='FILE',
        type=Path,
        help='robot description with the friction, load and inertias found, all of them possible',
    )
    group.add_argument(
        '--write-drives',
        metavar='FILE',
        type=Path,
        help='friction, rotors and springs found, as a YAML file for --elastic',
    )
    group.add_argument(
        '--plot', metavar='PNG', type=Path, help='efforts measured, by the model, and fitted'
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; return 0."""
    if options.held_out >= 1.0:
        raise InputError(f'--held-out: expected a part below 1, got {options.held_out:g}')
    written = options.csv, options.write_urdf, options.write_drives
    read = options.bag, options.validate, options.urdf, options.elastic
    outputs.check(read, written, options.plot)
    _check_options(options)
    described = _described(options)
    robot = robots.read_robot(options, described)
    measured = robots.measured_format(options, robot)
    source = robot.tree, options, options.motor_states, options.drives
    recording, samples = recorded_bag.measured(options.bag, *source)
    first, used = recording.times[[0, -1]]
    if options.validate is not None:
        other = recorded_bag.measured(options.validate, *source)[0]
    else:
        last, used = used, used - options.held_out * (used - first)
        other = recording.between(used, last)
    with reports_beside(options.csv) as output:
        found = _found(robot, recording.between(first, used), options, measured)
        remaining = found.validate(other)
        print(f'{samples}\n\n{_report(found, robot.tree, remaining)}')
        if is_standard_output(options.csv):
            _write(found, output)
        elif options.csv is not None:
            with new_file(options.csv) as place, place.open('w', encoding='utf-8') as file:
                _write(found, file)
            print(f'written: {options.csv}')
        _write_robot(found, options, described)
        if isinstance(found, Identification) and options.plot is not None:
            from screw_dynamics.command_line.identification_figure import save_identification

            title = f'{robot.model.name}: efforts of {options.bag.name}'
            save_identification(found, recording, used, options.plot, title)
            print(f'written: {options.plot}')
    return 0


def _found(
    robot: Robot, recording: Recording, options: argparse.Namespace, measured: EffortFormat
) -> Identification | DriveIdentification:
    """Return what explains the efforts of joints or motors."""
    if options.drives:
        return identify_drives(
            robot,
            recording,
            payload=options.load,
            torque_constants=options.torque_constants,
            springs=options.springs,
            link_uncertainty=options.link_uncertainty,
            effort_format=measured,
            smoothing_time=options.smoothing_time,
            check=not options.no_check,
        )
    chosen = options.parameters or _DEFAULT
    return identify(
        robot.tree,
        recording,
        friction='friction' in chosen,
        rotors='rotors' in chosen,
        offsets='offsets' in chosen,
        links='links' in chosen,
        payload=options.load,
        effort_content=measured,
        smoothing_time=options.smoothing_time,
        check=not options.no_check,
    )


def _check_options(options: argparse.Namespace) -> None:
    """Raise `InputError` for files that cannot be written, and options that do not fit."""
    if options.write_urdf is not None and str(options.urdf).endswith(robots.YAML_ENDINGS):
        raise InputError(f'--write-urdf: expected a URDF to change, got the model {options.urdf}')
    if options.drives and (options.parameters or options.plot):
        name = '--parameters' if options.parameters else '--plot'
        raise InputError(f'{name}: expected none with --drives')
    for name in ('elastic', 'springs', 'torque_constants'):
        if getattr(options, name) and not options.drives:
            raise InputError(f'--{name.replace("_", "-")}: expected --drives beside it')


def _described(options: argparse.Namespace) -> tuple[str, str] | None:
    """Return the robot in a bag and its origin, None if another one is given."""
    from screw_dynamics.recordings.bags import Bag

    if options.urdf:
        return None
    if recorded_bag.is_table(options.bag):
        raise InputError(f'{options.bag}: expected the robot of a table: --urdf')
    with Bag(expanded(options.bag)) as bag:
        return recorded_bag.recorded_robot(bag)


def _write_robot(
    found: Identification | DriveIdentification,
    options: argparse.Namespace,
    described: tuple[str, str] | None,
) -> None:
    """Write the URDF and the drives that the options name."""
    if options.write_urdf is not None:
        source = expanded(options.urdf) if described is None else described[0]
        found.to_urdf(source, options.write_urdf)
        print(f'written: {options.write_urdf}')
    if options.write_drives is not None:
        own = found.robot() if isinstance(found, Identification) else found.robot
        drives = own.drives
        if drives is None:
            raise InputError(
                '--write-drives: expected friction, rotors or springs to write, got none'
            )
        with new_file(options.write_drives) as place:
            drives.to_yaml(place)
        print(f'written: {options.write_drives}')


def _report(
    found: Identification | DriveIdentification, model: ScrewModel, remaining: Array
) -> str:
    """Return the parameters, the payload and the efforts that remain."""
    model = found.model if isinstance(found, Identification) else model
    rows = [
        [name, _number(before), _number(own), _number(held), unit]
        for name, before, own, held, unit in zip(
            model.joint_names,
            found.before,
            found.residuals,
            remaining,
            (EFFORT_UNITS[kind == 'prismatic'] for kind in model.coordinate_types),
            strict=True,
        )
    ]
    heading = ['efforts that remain (rms)', 'before', 'fitted', 'held out', 'unit']
    parts = [str(found), text_table([heading, *rows])]
    if found.payload is not None:
        load = found.payload
        com = ', '.join(
            f'{value:.4g} +- {2.0 * deviation:.1g}' if np.isfinite(deviation) else 'unknown'
            for value, deviation in zip(load.com, load.com_deviations, strict=True)
        )
        parts.append(
            f'load at {load.frame}: {load.mass:.4g} +- {2.0 * load.mass_deviation:.1g} kg, '
            f'centre of mass {com} m'
        )
    return '\n\n'.join(parts)


def _number(value: float) -> str:
    return f'{value:.3g}'


def _write(found: Identification | DriveIdentification, file: TextIO) -> None:
    """Write a row per parameter; bands are empty where the motion tells nothing."""
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(['parameter', 'value', 'standard_deviation', 'low', 'high'])
    for name, value, deviation in found.rows:
        known = ['', '', '']
        if np.isfinite(deviation):
            half = BAND * deviation
            known = [repr(x) for x in (deviation, value - half, value + half)]
        writer.writerow([name, repr(value), *known])
