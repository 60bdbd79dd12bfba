# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Table of one robot for the plug-ins of `screw_dynamics_controllers`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from screw_dynamics.codegen.robot.c_text import literal
from screw_dynamics.codegen.robot.motor_functions import motors_of
from screw_dynamics.codegen.robot.quantities import DRIVE_FORCES, MOTOR_COMMANDS, OF_DRIVES
from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.laws import INERTIA, RIGID
from screw_dynamics.limits.table import LimitTable

VERSION = 5  # of the struct in robot_table.h
_FUNCTIONS = (
    'inverse_dynamics',
    'gravity_forces',
    MOTOR_COMMANDS,
    'mass_matrix',
    'coriolis_forces',
    DRIVE_FORCES,
)


def robot_table(
    robot: Robot, prefix: str, order: int, quantities: Sequence[str], urdf: str
) -> str:
    """
    Return the source of the table, with the digest of the URDF text.

    Raise InputError if functions that it names are missing.
    """
    needed = [name for name in _FUNCTIONS if robot.drives is not None or name not in OF_DRIVES]
    missing = [name for name in needed if name not in quantities]
    if missing:
        raise InputError(
            f'quantities: expected {", ".join(needed)} for a controller, got none of '
            f'{", ".join(missing)}'
        )
    limits, model = LimitTable.of(robot).rows, robot.model
    motors = None if robot.drives is None else motors_of(robot, order)
    names = () if motors is None else motors.names
    count = len(names)
    owners = robot.motors.joint_of_motor[:count]
    none, table = np.zeros(0), robot.motors
    inertias = np.where(table.laws == RIGID, table.rows[table.first_motor, INERTIA], 0.0)
    bounds = {name: (row.lower, row.upper) for name, row in limits.items()}
    numbers: dict[str, Array] = {
        'efforts': bounds['effort'][1],
        'effort_rates': bounds['effort rate'][1],
        'lower': bounds['position'][0],
        'upper': bounds['position'][1],
        'velocities': bounds['velocity'][1],
        'accelerations': bounds['acceleration'][1],
        'jerks': bounds['jerk'][1],
        **{
            name: bounds[quantity][side] if count else none
            for name, quantity, side in (
                ('deflections', 'deflection', 1),
                ('motor_lower', 'motor position', 0),
                ('motor_upper', 'motor position', 1),
                ('motor_velocities', 'motor velocity', 1),
                ('motor_efforts', 'motor effort', 1),
                ('motor_effort_rates', 'motor effort rate', 1),
            )
        },
    }
    turning = [str(int(kind == 'continuous')) for kind in model.coordinate_types]
    lines = [
        '/* Table of a robot for screw_dynamics_controllers. Do not edit. */',
        '#include <math.h>',
        '#include <stddef.h>',
        '',
        f'#include "{prefix}.h"',
        '#include "screw_dynamics_controllers/robot_table.h"',
        '',
        f'#if SCREW_DYNAMICS_ROBOT_VERSION != {VERSION}',
        '#error "robot_table.h has another version: generate this file again"',
        '#endif',
        '',
        *_array('const char *const', 'joint_names', [_text(name) for name in model.joint_names]),
        *_array('const char *const', 'motor_names', [_text(name) for name in names]),
        *_array('int', 'joint_of_motor', [str(int(j)) for j in owners]),
        *_array('int', 'continuous', turning),
    ]
    for name, values in {**numbers, 'rotor_inertias': inertias}.items():
        lines += _array('double', name, [literal(float(x)) for x in values])
    entries = [
        *(str(VERSION), str(model.n), str(order), str(count)),
        str(0 if motors is None else motors.rows),
        str(robot.required_rows),
        _text(hashlib.sha256(urdf.encode()).hexdigest() if urdf else ''),
        *('joint_names', 'motor_names', 'joint_of_motor', 'continuous', *numbers),
        *(f'{prefix}_{name}' if name in needed else 'NULL' for name in _FUNCTIONS),
        'rotor_inertias',
    ]
    return '\n'.join(
        [
            *lines,
            '',
            'const struct screw_dynamics_robot_table *screw_dynamics_robot(void)',
            '{',
            '    static const struct screw_dynamics_robot_table robot = {',
            *(f'        {value},' for value in entries),
            '    };',
            '    return &robot;',
            '}',
            '',
        ]
    )


def _array(ctype: str, name: str, values: Sequence[str]) -> Iterator[str]:
    """Yield the definition of an array; C has none without elements."""
    constant = '' if ctype.endswith('const') else 'const '
    filler = 'NULL' if '*' in ctype else '0'
    yield f'static {constant}{ctype} {name}[] = {{{", ".join(values or [filler])}}};'


def _text(name: str) -> str:
    """Return a literal in C; other characters than those of ASCII by their bytes."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\?')
    escaped = (chr(b) if b in plain else f'\\{b:03o}' for b in name.encode())
    return f'"{"".join(escaped)}"'
