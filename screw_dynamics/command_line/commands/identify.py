# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics identify`: friction, rotors, payload and inertias behind recorded efforts."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from screw_dynamics import fleet
from screw_dynamics.command_line.argument_types import named_word
from screw_dynamics.command_line.exit_codes import FAILED
from screw_dynamics.command_line.many import Many, only_of_one, robot_of
from screw_dynamics.command_line.motions import RECORDING_FILE, RecordingOfMotors
from screw_dynamics.command_line.outputs import save, writing
from screw_dynamics.command_line.records import (
    Options,
    argument,
    by_joint,
    flag,
    not_negative,
    optional,
    positive,
    several,
)
from screw_dynamics.command_line.robots import MeasuredEfforts, RecordedRobot
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS, save_panels
from screw_dynamics.common.text_table import text_table
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics.effort_format import EffortFormat
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.estimation.identification import (
    DriveIdentification,
    Identification,
    identify,
    identify_drives,
)
from screw_dynamics.estimation.identification.payload import BAND
from screw_dynamics.estimation.identification.spring_laws import SpringLaw
from screw_dynamics.fleet import FleetIdentification, recordings_in
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import EFFORT_UNITS
from screw_dynamics.recordings.motions import read_recording
from screw_dynamics.recordings.motions.recording import is_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESCRIPTION = (
    'Identify friction, rotor inertias and offsets of joints, the payload, or the inertia '
    'parameters of all links, from recorded JointState messages with positions and efforts, with '
    'bands that hold 95 % of the parameters, and tell what explains the efforts. Tables (.csv, '
    '.npz; see Recording.from_file) are read too. The last quarter of the recording is not used, '
    'unless --validate names another one: what remains of its efforts is shown beside. With the '
    'positions of motors, the stiffness of their springs too; with --drives from the efforts of '
    'motors instead of those of joints. The robot that was found can be written as URDF and as a '
    'file for --drives.'
)
EXAMPLES = (
    'screw_dynamics identify my_bag',
    'screw_dynamics identify my_bag --urdf my_robot.urdf --load tool0 --csv parameters.csv',
    'screw_dynamics identify my_bag --load tool0 --effort-content without_gravity',
    'screw_dynamics identify measured.csv --urdf my_robot.urdf --validate other.csv',
    'screw_dynamics identify my_bag --parameters friction rotors links --held-out 0.3',
    'screw_dynamics identify my_bag --motor-states /motor_states --write-drives my_springs.yaml '
    '--write-urdf identified.urdf --plot identified.png',
    'screw_dynamics identify my_bag --drives my_springs.yaml --motor-states /motor_states '
    '--load tool0 --write-drives found.yaml',
    'screw_dynamics identify bags/* --urdf my_robot.urdf --output parts --jobs 8 --csv all.csv',
)
_PARAMETERS = ('friction', 'rotors', 'offsets', 'links')
_DEFAULT = 'friction', 'rotors'


@dataclass(frozen=True)
class BagsOrTables(Options):
    """Recordings."""

    bags: tuple[Path, ...] = argument(RECORDING_FILE, metavar='RECORDING')


@dataclass(frozen=True)
class IdentifiedRobot(RecordedRobot):
    """A robot whose drives are known in part, or not at all."""

    drives: str | None = optional(
        'find springs, rotors, friction and delay from the efforts of motors: those of '
        '--motor-states, and of the JointState messages for joints without a spring; YAML has the '
        'drives as far as they are known, and what the motion does not tell remains as it is',
        metavar='YAML',
        bare='',
    )


@dataclass(frozen=True)
class Measured(RecordingOfMotors):
    """What is read of the recording, and how it is used."""

    smoothing_time: float | None = optional(
        'measured motion faster than this is noise [s] (default: the data choose)',
        above=0.0,
        metavar='S',
    )
    held_out: float = positive(
        0.25, 'of the recording, at its end, for the validation', metavar='PART'
    )
    validate: Path | None = optional(
        'another recording, whose efforts are compared in place of the part held out',
        metavar='RECORDING',
    )
    no_check: bool = flag('accept efforts that contradict the model: reversed joints, other units')


@dataclass(frozen=True)
class Sought(Options, heading='parameters'):
    """What is identified."""

    parameters: tuple[str, ...] = several(
        'some of friction, rotors, offsets (of every joint), links (base parameters) (default: '
        f'{" ".join(_DEFAULT)})',
        choices=_PARAMETERS,
        metavar='NAME',
    )
    load: str | None = optional('link that carries an unknown load', metavar='LINK')
    parallel_springs: tuple[tuple[str, str], ...] = several(
        'springs beside motors: constant or linear torques, or drives for that of --drives, whose '
        'force or stiffness is sought',
        metavar='JOINT=KIND',
        parse=named_word,
    )
    coupling: tuple[tuple[str, float], ...] = by_joint(
        'velocities of motors that turn with a further joint, over that of the joint',
        'MOTOR:JOINT=RATIO',
    )
    springs: SpringLaw | None = optional(
        'law of the springs (default: those of --drives, or linear)',
    )
    torque_constants: bool = flag(
        'find the torque constants of the motors, from the weight of the links'
    )
    per_recording: tuple[str, ...] = several(
        'of many recordings, parameters that each has for itself: names, or what they begin or '
        'end with (default: offset)',
        metavar='NAME',
    )
    per_robot: tuple[str, ...] = several(
        'those that each robot has for itself; its recordings are in a folder of their own',
        metavar='NAME',
    )
    link_uncertainty: float = not_negative(
        0.05,
        'of masses, first moments and inertias of the links beside --drives, one standard '
        'deviation',
        metavar='PART',
    )


@dataclass(frozen=True)
class Files(Options, heading='output'):
    """Where the results are written."""

    csv: Path | None = optional('parameters and their bands, in SI units; - for standard output')
    write_urdf: Path | None = optional(
        'robot description with the friction, load and inertias found, all of them possible',
    )
    write_drives: Path | None = optional(
        'friction, rotors and springs found, as a YAML file for --drives'
    )
    plot: Path | None = optional(
        'efforts measured, explained and left, without --drives; of many recordings, parameters '
        'over time',
        metavar='PNG',
    )


def run(
    recordings: BagsOrTables,
    source: IdentifiedRobot,
    part: Measured,
    efforts: MeasuredEfforts,
    sought: Sought,
    files: Files,
    many: Many,
) -> int:
    """Run the command; return 0."""
    if many.asked(recordings.bags):
        return _of_many(recordings.bags, source, part, efforts, sought, files, many)
    (bag,) = recordings.bags
    if part.held_out >= 1.0:
        raise InputError(f'--held-out: expected a part below 1, got {part.held_out:g}')
    read = bag, part.validate, source.urdf, source.drives
    written = files.csv, files.write_urdf, files.write_drives
    with writing(read, *written, figure=files.plot) as write:
        _check_options(source, sought, files)
        of_motors = source.drives is not None
        if not source.urdf and is_table(bag):
            raise InputError(f'{bag}: expected the robot of a table: --urdf')
        recorded = source.recorded(bag)
        robot = source.robot(recorded)
        measured = efforts.format_for(robot)
        motors: dict[str, Any] = {'motor_states': part.motor_states, 'of_motors': of_motors}
        recording, samples = read_recording(bag, robot.tree, **part.span, **motors)
        first, used = recording.times[[0, -1]]
        if part.validate is not None:
            other = read_recording(part.validate, robot.tree, **part.span, **motors)[0]
            unseen = 'validated'
        else:
            unseen = 'held out'
            last, used = used, used - part.held_out * (used - first)
            other = recording.between(used, last)
        use = recording.between(first, used)
        options = _options(robot, part, sought, measured, of_motors)
        found = (
            identify_drives(robot, use, **options)
            if of_motors
            else identify(robot.tree, use, **options)
        )
        remaining = found.validate(other)
        print(f'{samples}\n\n{_report(found, robot.tree, remaining, unseen)}')
        write(files.csv, lambda file: _write_parameters(found, file))
        _write_robot(found, files, source.description(recorded))

        def draw(figure: Figure) -> None:
            assert isinstance(found, Identification)
            found.explain(recording).plot(figure=figure)
            end = recording.times[-1]
            for axes in figure.axes[::3]:
                axes.margins(x=0.0)
                axes.axvspan(used, end, color=COLOURS[4], alpha=0.2, linewidth=0)

        title = f'{robot.model.name}: efforts of {bag.name}'
        save(files.plot, lambda path: save_panels(path, robot.n, title, draw))
    return 0


def _of_many(
    paths: tuple[Path, ...],
    source: IdentifiedRobot,
    part: Measured,
    efforts: MeasuredEfforts,
    sought: Sought,
    files: Files,
    many: Many,
) -> int:
    """Identify what recordings tell together; return the exit code."""
    of_motors = source.drives is not None
    motors: dict[str, Any] = {'motor_states': part.motor_states, 'of_motors': of_motors}
    only_of_one(validate=part.validate, **(vars(files) if any(motors.values()) else {}))
    _check_options(source, sought, replace(files, plot=None))
    written = files.csv, files.write_urdf, files.write_drives
    with writing((*paths, source.urdf), *written, figure=files.plot) as write:
        every = recordings_in(paths)
        robot = robot_of(source, every)
        options = _options(robot, part, sought, efforts.format_for(robot), of_motors)
        if any(motors.values()):
            print('each recording alone: motors and springs have no joint least squares')
            return many.run(fleet.identify_alone, robot, every, **options, **part.span, **motors)
        found = fleet.identify(
            robot,
            every,
            per_recording=sought.per_recording or ('offset',),
            per_robot=sought.per_robot,
            robots=[os.path.dirname(path) for path in every] if sought.per_robot else None,
            **many.options,
            **options,
            **part.span,
        )
        print(found)
        drift = None
        if len(found.records) > 1:
            drift = found.drift((*found.names,))
            if drift.significant:
                print(f'\nchange over time:\n{drift}')
        write(files.csv, lambda file: _write_parameters(found, file))
        if files.write_urdf or files.write_drives:
            whole = read_recording(found.records[0].path, robot.tree, **part.span)[0]
            one = found.identification(robot, whole, **options)
            _write_robot(one, files, source.description(source.recorded(Path(every[0]))))
        if drift is not None:
            save(files.plot, lambda path: drift.plot().savefig(path))
    return FAILED if found.failed else 0


def _options(
    robot: Robot, part: Measured, sought: Sought, measured: EffortFormat, of_motors: bool
) -> dict[str, Any]:
    """Return the options of `identify`, or of `identify_drives` from efforts of motors."""
    springs: dict[str, Any] = dict(sought.parallel_springs)
    for name in [name for name, kind in springs.items() if kind == 'drives']:
        joints = {} if robot.drives is None else robot.drives.joints
        springs[name] = joints[name].parallel_spring if name in joints else None
        if springs[name] is None:
            raise InputError(f'--parallel-springs: joint {name!r}: --drives have none')
    names, gears = robot.joint_names, np.eye(robot.n)
    for pair, ratio in sought.coupling:
        motor, _, joint = pair.partition(':')
        for name in motor, joint:
            if name not in names:
                raise UnknownNameError('joint', name, names, '--coupling')
        gears[names.index(motor), names.index(joint)] = ratio
    of_drives = sought.of('torque_constants', 'springs', 'link_uncertainty')
    of_joints = {name: name in (sought.parameters or _DEFAULT) for name in _PARAMETERS}
    return {
        'payload': sought.load,
        'parallel_springs': springs,
        'coupling': gears if sought.coupling else None,
        'smoothing_time': part.smoothing_time,
        'check': not part.no_check,
        'effort_format' if of_motors else 'effort_content': measured,
        **(of_drives if of_motors else of_joints),
    }


def _check_options(source: IdentifiedRobot, sought: Sought, files: Files) -> None:
    """Raise `InputError` for options that do not fit each other."""
    if files.write_urdf is not None and source.urdf and not source.urdf_text():
        raise InputError(f'--write-urdf: expected a URDF to change, got {source.urdf}')
    for name, given, beside in (
        ('--parameters', sought.parameters, False),
        ('--plot', files.plot, False),
        ('--springs', sought.springs, True),
        ('--torque-constants', sought.torque_constants, True),
    ):
        if given and beside != (source.drives is not None):
            wanted = '--drives beside it' if beside else 'none with --drives'
            raise InputError(f'{name}: expected {wanted}')


def _write_robot(
    found: Identification | DriveIdentification, files: Files, urdf: Path | bytes
) -> None:
    """Write the URDF and the drives that are wanted."""
    save(files.write_urdf, partial(found.to_urdf, urdf))
    if files.write_drives is None:
        return
    own = found.robot() if isinstance(found, Identification) else found.robot
    if own.drives is None:
        raise InputError('--write-drives: expected friction, rotors or springs to write, got none')
    save(files.write_drives, own.drives.to_yaml, whole=True)


def _report(
    found: Identification | DriveIdentification, model: ScrewModel, remaining: Array, unseen: str
) -> str:
    """Return the parameters, the payload and the efforts that remain."""
    model = found.model if isinstance(found, Identification) else model
    rows = [
        [name, f'{before:.3g}', f'{own:.3g}', f'{held:.3g}', unit]
        for name, before, own, held, unit in zip(
            model.joint_names,
            found.before,
            found.residuals,
            remaining,
            (EFFORT_UNITS[kind == 'prismatic'] for kind in model.coordinate_types),
            strict=True,
        )
    ]
    heading = ['efforts that remain (rms)', 'before', 'fitted', unseen, 'unit']
    # others are warnings already
    remarks = tuple(finding for finding in found.findings if finding.level == 'remark')
    parts = [str(replace(found, findings=remarks)), text_table([heading, *rows])]
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


def _write_parameters(
    found: Identification | DriveIdentification | FleetIdentification, file: TextIO
) -> None:
    """Write a row per parameter; bands are empty where the motion tells nothing."""
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(['parameter', 'value', 'standard_deviation', 'low', 'high'])
    for name, value, deviation in found.rows:
        known = ['', '', '']
        if np.isfinite(deviation):
            half = BAND * deviation
            known = [repr(x) for x in (deviation, value - half, value + half)]
        writer.writerow([name, repr(value), *known])
