# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Robots of MuJoCo's Menagerie against MuJoCo.

The package mujoco-menagerie downloads them, or takes them from the folder MENAGERIE_ROOT.
"""

from __future__ import annotations

import os
import re
import struct
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import screw_dynamics as sd
from benchmarks.accuracy.corpus import RobotFile
from benchmarks.report import Report

BOUND = 1e-12
_STATES = 3
# URDF: MJCF with the same inertias
_SAME_ROBOTS = {
    'anymal_c_simple_description/urdf/anymal.urdf': 'anybotics_anymal_c/anymal_c.xml',
    'g1_description/urdf/g1_29dof_rev_1_0.urdf': 'unitree_g1/g1.xml',
}
_ABSENT = 'not in the folder MENAGERIE_ROOT'
_QUANTITIES = {
    'efforts': 'tau / mj_inverse',
    'mass': 'M / mj_fullM',
    'driven efforts': 'tau with drives',
    'driven mass': 'M with rotors',
    'poses': 'poses',
}
_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


@dataclass
class MenagerieRow:
    """Errors of one document by quantity, or why there are none."""

    name: str
    path: Path = Path()
    coordinates: int = 0
    bodies: int = 0
    errors: dict[str, float] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    absent_meshes: int = 0
    problem: str = ''


def compare_menagerie() -> Iterator[MenagerieRow]:
    """Yield the rows of all documents of robots; none without the package."""
    try:
        import mujoco_menagerie
    except ModuleNotFoundError:
        return
    for robot in mujoco_menagerie.robots():
        try:
            folder = robot.path()
        except mujoco_menagerie.DownloadError:
            yield MenagerieRow(robot.name, problem='cannot be downloaded')
            continue
        except mujoco_menagerie.MenagerieError:
            yield MenagerieRow(robot.name, problem=_ABSENT)
            continue
        for entry in robot.entry_points:
            if entry.kind == 'robot':
                yield compare(f'{robot.name}/{entry.file}', folder / entry.file)


def compare(name: str, path: Path) -> MenagerieRow:
    """Compare efforts, mass matrices and poses of a document."""
    from oracles.mujoco_inverse import deviations

    row = MenagerieRow(name, path)
    if not path.exists():
        row.problem = _ABSENT
        return row
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            robot = sd.read_mjcf(path)
        row.coordinates, row.bodies = robot.n, robot.tree.body_count
        row.left_out = tuple(
            what
            for warning in caught
            if isinstance(warning.message, sd.errors.MjcfWarning)
            for what, _ in warning.message.findings
        )
        if robot.n:
            assets = _stand_ins(path)
            row.absent_meshes = len(assets)
            row.errors = deviations(path, robot, _STATES, seed=0, assets=assets)
        else:
            row.problem = 'no joint moves'
    except (sd.ScrewDynamicsError, ValueError) as error:
        row.problem = ' '.join(str(error).replace(f'{path}: ', '').split())
    return row


def _stand_ins(path: Path) -> dict[str, bytes]:
    """Return small meshes for MuJoCo in place of those that are not there: they weigh nothing."""
    import mujoco

    found: dict[str, bytes] = {}
    while True:
        try:
            mujoco.MjModel.from_xml_path(str(path), assets=found)
            return found
        except ValueError as error:
            absent = re.search(r"opening file '(?:.*/)?(.*\.(?:obj|stl))'", str(error))
            if absent is None or absent[1] in found:
                raise
            found[absent[1]] = _mesh(absent[1])


def _mesh(name: str) -> bytes:
    if name.endswith('.obj'):
        lines = [f'v {x} {y} {z}' for x, y, z in _CORNERS.tolist()]
        lines += ['f ' + ' '.join(str(corner + 1) for corner in face) for face in _FACES]
        return '\n'.join(lines).encode()
    triangles = (struct.pack('<12fH', 0, 0, 0, *_CORNERS[list(f)].ravel(), 0) for f in _FACES)
    return b''.join((bytes(80), struct.pack('<I', len(_FACES)), *triangles))


def with_urdf(rows: Sequence[MenagerieRow], files: Iterable[RobotFile]) -> Iterator[list[str]]:
    """Yield mass matrices of robots of both formats, by people who wrote the same numbers."""
    documents = {row.name: row for row in rows if row.errors}
    for file in files:
        row = documents.get(_SAME_ROBOTS.get(file.name, ''))
        if row is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            urdf = sd.read_urdf(file.path)
            names = [
                name for name in sd.read_mjcf(row.path).joint_names if name in urdf.joint_names
            ]
            urdf, mjcf = (
                sd.read_urdf(file.path, joints=names),
                sd.read_mjcf(row.path, joints=names),
            )
        error = 0.0
        for q in urdf.random_configuration(_STATES, seed=0):
            expected = sd.mass_matrix(urdf, q)
            difference = np.abs(sd.mass_matrix(mjcf.model, q) - expected).max()
            error = max(error, difference / np.abs(expected).max())
        yield [row.name, f'{file.package}: {file.name}', str(len(names)), f'{error:.1e}']


def add_section(
    report: Report, rows: list[MenagerieRow], pairs: Sequence[Sequence[str]] = ()
) -> None:
    """Add the section of the page; errors beyond the bound fail the run."""
    report.heading('Robots in MJCF')
    if not rows:
        report.text('Not compared: the package mujoco-menagerie is not installed.')
        return
    read = [row for row in rows if row.errors]
    robots = {row.name.partition('/')[0] for row in rows}
    report.text(
        f'All {len(rows)} documents of the {len(robots)} robots of mujoco-menagerie '
        f'{_version()}, read by `read_mjcf`: {len(read)} are trees and compared with '
        'MuJoCo, which compiles each again from its file.',
        'An entry is max |x - ref| / max |ref|, the largest of three random states; of poses of '
        'bodies and sites max |x - ref| [m, -]. Efforts are those of `mj_inverse`: of the links, '
        'and with drives, where armature, damping, springs and frictionloss act. Mass matrices '
        'are those of `mj_fullM`, the second with armature. Free and ball joints are compared in '
        'the coordinates of their chains, mimic joints through their relation. What `read_mjcf` '
        'leaves out with a warning (last column) does not act in MuJoCo, and neither do contacts '
        f'and limits. The bound is {BOUND:g}: both sides sum the same products of doubles in '
        'other orders.',
    )
    if os.environ.get('MENAGERIE_ROOT'):
        report.text(
            'The documents of this run are those of a folder (MENAGERIE_ROOT), a copy of the '
            'Menagerie that is older than the package and lacks large meshes. Such a mesh is a '
            'tetrahedron for MuJoCo, which is of no effect where the body states its inertia; '
            'robots with other bodies are not read.'
        )
    header = ['robot', 'coordinates', 'bodies', *_QUANTITIES.values(), 'left out']
    report.table(header, [_cells(row) for row in read])
    report.heading('Beside the URDF', 3)
    report.text(
        'Mass matrices of common joints of robots whose MJCF and URDF state the same inertias, in '
        'decimals that are rounded to six digits.'
    )
    report.table(['MJCF', 'URDF', 'joints', 'difference'], pairs)
    report.heading('Not read', 3)
    report.table(['robot', 'reason'], [[row.name, row.problem] for row in rows if row.problem])
    for row in read:
        for name, error in row.errors.items():
            if not error <= BOUND:
                report.fail(f'{row.name}: {name} beyond the bound {BOUND:g}')


def _cells(row: MenagerieRow) -> list[object]:
    errors = [f'{row.errors[name]:.1e}' for name in _QUANTITIES]
    notes = [*row.left_out, *[f'meshes not there: {row.absent_meshes}'] * bool(row.absent_meshes)]
    return [row.name, row.coordinates, row.bodies, *errors, '; '.join(notes)]


def _version() -> str:
    from importlib import metadata

    return metadata.version('mujoco-menagerie')
