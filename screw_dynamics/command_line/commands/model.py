# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics model`: summary of a robot description."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from screw_dynamics.command_line.outputs import writing
from screw_dynamics.command_line.records import Options, flag, optional
from screw_dynamics.command_line.robots import AnyRobot
from screw_dynamics.common.text_table import NO_BREAK, text_table
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.geometry import joint_table, limit_rows, model_text, screw_table
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.soft.segments.hybrid_robot import HybridRobot

DESCRIPTION = (
    'Read a robot and show its joints with limits and masses; warn of what no solid body has.'
)
EXAMPLES = (
    'screw_dynamics model my_robot.urdf',
    'screw_dynamics model my_robot.urdf --tip-link tool0 --locked gripper=0.02',
    'screw_dynamics model my_robot.urdf --payload tool0=1.2,0,0,0.06 --yaml loaded.yaml',
    'screw_dynamics model my_robot.urdf --soft-segments my_segments.yaml',
)


@dataclass(frozen=True)
class Shown(Options):
    """What is shown and written."""

    screws: bool = flag('show screw axes, centres of mass, and links that others carry, too')
    yaml: Path | None = optional(
        'write the model to this file, without loss; - for standard output',
        metavar='OUT',
    )


def run(source: AnyRobot, shown: Shown) -> int:
    """Run the command; return 0."""
    with writing((source.urdf, source.drives), shown.yaml) as write:
        robot: object = source.robot().model
        if isinstance(robot, HybridRobot):
            if shown.yaml is not None:
                raise InputError('--yaml: expected none beside --soft-segments')
            tables = _tables(robot.rigid, shown.screws)
            limits = text_table(limit_rows(robot))
            print(model_text(robot.rigid, *tables, f'\n{_segments(robot)}', f'\n{limits}'))
            return 0
        model = require_model(robot)
        print(model_text(model, *_tables(model, shown.screws)))
        write(shown.yaml, lambda file: file.write(model.to_yaml()))
    return 0


def _tables(model: ScrewModel, screws: bool) -> list[str]:
    """Return the table of joints and, on demand, those of screws and of masses in detail."""
    more = [f'\n{screw_table(model)}', f'\n{_masses(model)}']
    return [joint_table(model), *more] if screws else [joint_table(model)]


def _segments(robot: HybridRobot) -> str:
    rows = [('segment', 'type', 'mass [kg]', 'coordinates', 'threads')]
    for segment in robot.appended.segments:
        names = [spec.name for spec in robot.appended.threads if segment.name in spec.offsets]
        rows.append(
            (
                segment.name,
                segment.type,
                f'{float(np.sum(segment.body.masses)):.5g}',
                ', '.join(segment.coordinates) or '-',
                ', '.join(names) or '-',
            )
        )
    return text_table(rows)


def _masses(model: ScrewModel) -> str:
    rows = [('link', 'mass [kg]', 'centre of mass [m]', 'carries')]
    for i, name in enumerate(model.body_names):
        inertia = model.inertias[i]
        mass = float(inertia[3, 3])
        # the upper right block is m times the cross-product matrix of the centre of mass
        moment = np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]])
        centre = '-'
        if mass > 0.0:
            centre = f',{NO_BREAK}'.join(f'{x:.4g}' for x in moment / mass + 0.0)
        others = [link for link, frame in model.frames.items() if frame.body == i and link != name]
        rows.append((name, f'{mass:.5g}', centre, ', '.join(others) or '-'))
    return text_table(rows)
