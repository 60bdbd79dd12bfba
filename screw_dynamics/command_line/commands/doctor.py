# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics doctor`: what is missing or odd in a URDF, and what that means."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from screw_dynamics.bridges.load import described_robot
from screw_dynamics.command_line.exit_codes import FAULTY
from screw_dynamics.command_line.many import Many
from screw_dynamics.command_line.motions import RECORDING_FILE, RecordingPart
from screw_dynamics.command_line.records import Options, argument
from screw_dynamics.command_line.robots import path_in_errors
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.text_table import MARK, text_table
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import gravity_forces
from screw_dynamics.errors import MjcfWarning, ModelWarning, listed
from screw_dynamics.estimation.identification import check_recording
from screw_dynamics.fleet import check
from screw_dynamics.lie.inertia import OF_NO_SOLID
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.geometry import reference_poses
from screw_dynamics.model.urdf import RobotDescription
from screw_dynamics.model.urdf.reports import MASSLESS, REVERSED, UNDECLARED, UNREAD
from screw_dynamics.recordings.motions import read_recording
from screw_dynamics.viewer.visuals import lost_meshes

DESCRIPTION = (
    'Look for what is missing or odd in a robot description: masses, inertias, limits, friction, '
    'lengths; and tell what each means for the results. With a recording, tell what is in it, '
    'what it tells of the robot, and what is odd about it. '
    f'Exit code {FAULTY} where something is wrong.'
)
EXAMPLES = (
    'screw_dynamics doctor my_robot.urdf',
    'screw_dynamics doctor my_robot.urdf my_bag',
    'screw_dynamics doctor my_robot.urdf measured.csv',
    'screw_dynamics doctor my_robot.urdf bags/* --output checks',
)

WRONG, MISSING, ODD = f'{MARK}wrong', 'missing', 'odd'
_DRAWN = 200  # configurations
_MOST_TURNS = 10.0 * np.pi  # rad; limits beyond it may be degrees, up to two turns of these
_LONGEST = 50.0  # m, of robots in m; a link of 0.1 m in mm is longer
_SIZES = 2.0  # of the robot, beyond which no part of a link lies
# what the warnings of the reader mean
_MEANINGS = {
    MASSLESS: (MISSING, 'their weight and inertia are left out of all efforts'),
    OF_NO_SOLID: (WRONG, 'no body turns like this: inertial efforts of these links are wrong'),
    REVERSED: (WRONG, 'the joint looks reversed, or its limits swapped: no position is allowed'),
    UNDECLARED: (ODD, 'its joints have a parent without a <link>: other readers may refuse it'),
    UNREAD: (ODD, 'they are no part of the model: expand xacro, or move them into <robot>'),
}
_OTHERWISE = ODD, 'it is used as it stands'
_LEFT_OUT = MISSING, 'neither model nor drives have it'


class Finding(NamedTuple):
    """What is odd, at which links or joints, and what it means for the results."""

    kind: str
    what: str
    names: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class Examined(Options):
    """A robot, and a recording of it."""

    urdf: str = argument('robot description (URDF or MJCF)', metavar='URDF')
    recordings: tuple[Path, ...] = argument(
        RECORDING_FILE, default=(), metavar='RECORDING', bare=()
    )


def run(files: Examined, part: RecordingPart, many: Many) -> int:
    """Run the command; return 0, or `FAULTY` if something is wrong."""
    path = expanded(files.urdf)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', ModelWarning)
        with path_in_errors(path):
            described = described_robot(path)
            description, model = described.description, described.robot().tree
    found = [
        Finding(kind, what, tuple(names), meaning)
        for warning in caught
        if isinstance(warning.message, ModelWarning)
        for what, names in warning.message.findings
        for kind, meaning in [
            _LEFT_OUT if warning.category is MjcfWarning else _MEANINGS.get(what, _OTHERWISE)
        ]
    ]
    found += [*_odd_joints(description), *_odd_bodies(model), *_odd_efforts(model)]
    found += _lost_meshes(path)
    found.sort(key=lambda finding: (WRONG, MISSING, ODD).index(finding.kind))
    mass = float(model.inertias[:, 3, 3].sum())
    print(f'{model.name}: {model.n} coordinates, {mass:.5g} kg that move')
    for line in _coordinates(description):
        print(line)
    rows = [(kind, what, listed(names), meaning) for kind, what, names, meaning in found]
    heading = '', 'finding', 'where', 'what it means'
    print(text_table([heading, *rows]) if rows else 'nothing is missing or odd')
    wrong = bool(found) and found[0].kind == WRONG
    if many.asked(files.recordings):
        return max(many.run(check, Robot(model), files.recordings, **part.span), FAULTY * wrong)
    for path in files.recordings:
        recording, _ = read_recording(path, model, **part.span)
        report = check_recording(model, recording)
        print(f'\n{report}')
        wrong |= not report.usable
    return FAULTY if wrong else 0


def _coordinates(description: RobotDescription) -> Iterator[str]:
    """Yield which joints are not one coordinate each."""
    followers = [
        f'{joint.name} follows {joint.mimic.master}'
        for joint in description.joints
        if joint.moves and joint.mimic is not None
    ]
    if followers:
        yield f'mimic joints are no coordinates: {listed(followers)}'
    for kind, count in (('planar', 3), ('floating', 6)):
        names = [joint.name for joint in description.joints if joint.type == kind]
        if names:
            yield f'{kind} joints are {count} coordinates each: {listed(names)}'


def _lost_meshes(path: Path) -> Iterator[Finding]:
    """Yield the links whose mesh files are not found."""
    lost = lost_meshes(path)
    if lost:
        text = '`view` draws rods in their place; its --package-path names folders'
        yield Finding(MISSING, 'mesh files that are not found', tuple(lost), text)


def _odd_joints(description: RobotDescription) -> Iterator[Finding]:
    """Yield what the entries of joints show by themselves."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    moving = [joint for joint in description.joints if joint.moves]
    for joint in moving:
        limit, turns = joint.limit, joint.type != 'prismatic'
        ends = np.array([limit.lower, limit.upper])
        size = np.abs(ends).max()
        if joint.type != 'continuous' and not np.isfinite(ends).all():
            text = 'positions are not checked: is it of type continuous?'
            found[MISSING, 'no position limits', text].append(joint.name)
        if turns and _MOST_TURNS < size <= 720.0:
            text = 'they look like degrees; the reader takes them as rad'
            found[WRONG, 'position limits of many turns', text].append(joint.name)
        if limit.lower <= limit.upper and not limit.lower <= 0.0 <= limit.upper:
            text = 'the pose at q = 0, in which axes are drawn, is not one of the robot'
            found[ODD, 'q = 0 beyond the limits', text].append(joint.name)
        for name, value in (('velocity', limit.velocity), ('effort', limit.effort)):
            if value == 0.0 or np.isinf(value):
                text = f'`evaluate --limits` and `retime` do not see any {name} that is too large'
                found[MISSING, f'no {name} limit', text].append(joint.name)
        if joint.mimic is None and joint.damping == joint.friction == 0.0:
            text = 'efforts are those of the links alone; see `identify` for friction'
            found[MISSING, 'no damping and friction', text].append(joint.name)
    for (kind, what, text), names in found.items():
        yield Finding(kind, what, tuple(names), text)


def _odd_bodies(model: ScrewModel) -> Iterator[Finding]:
    """Yield inertias and centres of mass that no body of this size has."""
    poses, masses = reference_poses(model), model.inertias[:, 3, 3]
    places = [
        frame.pose[:3, 3] if frame.body < 0 else (poses[frame.body] @ frame.pose)[:3, 3]
        for frame in model.frames.values()
    ]
    size = float(np.ptp(places, axis=0).max(initial=0.0))
    if size > _LONGEST:
        text = 'efforts are wrong by powers of ten: are lengths in mm?'
        yield Finding(WRONG, f'the robot is {size:.3g} m long', (model.base_link,), text)
    if not model.n:
        text = 'there is nothing to compute: are all joints of type fixed?'
        yield Finding(ODD, 'no joint moves', (model.base_link,), text)
    reach = _SIZES * size
    large, far = [], []
    for name, mass, inertia in zip(model.body_names, masses, model.inertias, strict=True):
        if mass <= 0.0:
            continue
        moment = inertia[[2, 0, 1], [4, 5, 3]]
        about_centre = np.trace(inertia[:3, :3]) / 2.0 - moment @ moment / mass
        if 0.0 < reach < np.sqrt(max(about_centre, 0.0) / mass):
            large.append(name)
        if 0.0 < reach < np.linalg.norm(moment) / mass:
            far.append(name)
    if large:
        text = 'they turn like bodies larger than the robot: are inertias in g mm^2, or left at 1?'
        yield Finding(WRONG, 'inertia too large for the mass', tuple(large), text)
    if far:
        text = 'gravity efforts are wrong: is the centre in mm?'
        yield Finding(
            WRONG, 'centre of mass farther away than the robot is long', tuple(far), text
        )


def _odd_efforts(model: ScrewModel) -> Iterator[Finding]:
    """Yield joints whose effort limit is below what gravity alone needs."""
    drawn = model.random_configuration(_DRAWN, seed=0)
    needed = np.abs(gravity_forces(model, drawn)).max(axis=0, initial=0.0)
    limits = model.limits.ignoring_zeros().effort
    weak = [
        name for name, beyond in zip(model.joint_names, needed > limits, strict=True) if beyond
    ]
    if weak:
        text = 'the robot cannot hold some poses: is the limit one of the motor, or a mass wrong?'
        yield Finding(ODD, 'effort limit below the efforts of gravity', tuple(weak), text)
