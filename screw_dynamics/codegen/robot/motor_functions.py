# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions in C of drives, and of polynomial motions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.codegen.robot.functions import (
    READ,
    WRITTEN,
    CFunction,
    Example,
    body_table,
    table_rows,
)
from screw_dynamics.codegen.robot.quantities import DRIVE_FORCES, MOTOR_COMMANDS, REFERENCE
from screw_dynamics.codegen.translator.arrays import shaped
from screw_dynamics.codegen.translator.known_numbers import Contents, Size
from screw_dynamics.codegen.translator.lines import Lines, Value, known, length
from screw_dynamics.codegen.translator.types import DOUBLE, INTEGER
from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Robot, elastic_feedforward
from screw_dynamics.errors import InputError, SpringRangeError
from screw_dynamics.kernels import one_state
from screw_dynamics.kernels.curves import motions
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.kernels.drives.parallel import COLUMNS
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial

_FACTORS = (1.0, 0.1, 0.0)  # of the joint jet of a test: springs may be out of range


class Motors(NamedTuple):
    """The motors of a robot: names, number of rows of their positions, tables of the kernel."""

    names: tuple[str, ...]
    rows: int
    integers: NDArray[np.int64]
    reals: Array


def motors_of(robot: Robot, order: int) -> Motors:
    """Return the motors; raise InputError if the functions in C cannot have them."""
    table = robot.motors
    if table.damped_names:
        raise InputError(
            'drives: expected springs without damper, hysteresis and backlash, got one at '
            f'{table.damped_names[0]!r}'
        )
    if robot.coupling is not None:
        raise InputError('drives: expected rotors without coupling, got rotor_coupling')
    if order < table.lost_orders:
        raise InputError(
            f'order: expected {table.lost_orders} or more for motors behind springs, got {order}'
        )
    (rows, _), *_ = table.jet_shapes(order + 3)[1:]
    return Motors(table.names, rows, *table.blocks)


def motor_function(robot: Robot, prefix: str, order: int, motors: Motors) -> CFunction:
    """Return the function of motor positions and efforts."""
    n, m, rows = Size(robot.n), Size(len(motors.names)), motors.rows
    bodies = body_table(robot.tree)
    integers, reals = motors.integers, motors.reals

    def arguments(out: Lines) -> Sequence[Value]:
        return (
            known(order),
            known((n, rows, m)),
            read_array(out, 'jet', [order + 3, n]),
            shaped(out, 'motions', DOUBLE, [known(rows), known(m)]),
            shaped(out, 'efforts', DOUBLE, [known(rows - 2), known(m)]),
            table_rows('bodies', bodies),
            read_array(out, 'motor_indices', [8, n], integers),
            read_array(out, 'motor_numbers', [reals.size], reals),
        )

    def example(jet: Array) -> Example | None:
        for factor in _FACTORS:
            try:
                commands = elastic_feedforward(robot, factor * jet)
            except SpringRangeError:
                continue
            return Example((factor * jet,), (commands.motor_jet, commands.motor_effort_jet))
        return None

    return CFunction(
        f'{prefix}_{MOTOR_COMMANDS}',
        (f'{READ}jet', f'{WRITTEN}motions', f'{WRITTEN}efforts'),
        (
            'Motor positions, (MOTOR_ROWS, MOTORS) by rows, and motor efforts, (MOTOR_ROWS - 2,',
            'MOTORS), with their time derivatives; on the joint side of the gear. jet as of',
            'inverse_dynamics. Returns 0; else a spring cannot transmit an effort, is out of its',
            'range, or a result is not finite, and the results are undefined.',
        ),
        one_state.motor_commands,
        arguments,
        {'bodies': bodies, 'motor_indices': integers, 'motor_numbers': reals},
        example,
    )


def drive_function(robot: Robot, prefix: str) -> CFunction:
    """Return the function of parallel springs, and of friction under no load."""
    n, motors = Size(robot.n), robot.motors
    parallel = motors.parallel_springs
    rigid, first = (motors.laws == RIGID)[:, np.newaxis], motors.first_motor
    of_motors = (np.where(rigid, rows[first], 0.0) for rows in (motors.rows, motors.friction))
    tables = np.stack([motors.joint_rows, motors.joint_friction, *of_motors])
    forces: Callable[..., None] = one_state.drive_forces

    def example(jet: Array) -> Example | None:
        springs, friction = np.empty(robot.n), np.empty(robot.n)
        for factor in _FACTORS:
            q, qd = factor * jet[:2]
            forces(q, qd, springs, friction, parallel, tables)
            if np.isfinite(springs).all():
                return Example((q, qd), (springs, friction))
        return None

    return CFunction(
        f'{prefix}_{DRIVE_FORCES}',
        (f'{READ}q', f'{READ}qd', f'{WRITTEN}springs', f'{WRITTEN}friction'),
        (
            'Efforts of parallel springs on the joints, (N), NaN out of their range; friction of',
            'joints, and of motors without springs, under no load, (N).',
        ),
        forces,
        lambda out: (
            read_array(out, 'q', [n]),
            read_array(out, 'qd', [n]),
            shaped(out, 'springs', DOUBLE, [known(n)]),
            shaped(out, 'friction', DOUBLE, [known(n)]),
            read_array(out, 'parallel', [n, COLUMNS], parallel),
            read_array(out, 'friction_tables', [4, n, 4], tables),
        ),
        {'parallel': parallel, 'friction_tables': tables},
        example,
    )


def read_array(
    out: Lines, name: str, shape: Sequence[int | str], numbers: NDArray[Any] | None = None
) -> Value:
    """Return an array of inputs or of known numbers; parts of the shape may be names in C."""
    sizes = [length(part) if isinstance(part, str) else known(part) for part in shape]
    integers = numbers is not None and numbers.dtype == np.int64
    contents = None if numbers is None else Contents(numbers)
    return shaped(out, name, INTEGER if integers else DOUBLE, sizes, True, contents)


def reference_function(model: ScrewModel, prefix: str, order: int) -> CFunction:
    """Return the function of a motion of polynomials between breaks."""
    n, rows = Size(model.n), order + 3
    return CFunction(
        f'{prefix}_{REFERENCE}',
        (
            'int segments',
            'int count',
            f'{READ}breaks',
            f'{READ}coefficients',
            f'{READ}end',
            'double t',
            f'{WRITTEN}jet',
        ),
        (
            'Joint jet, (ORDER + 3, N) by rows, at time t [s] of polynomials between breaks.',
            'breaks, (segments + 1), increase [s]; coefficients, (segments, count, N), are those',
            'of powers of (t - breaks[i]) / (breaks[i + 1] - breaks[i]), the lowest first. At',
            'rest before the first break, and at end, (N), after the last.',
        ),
        motions.write_joint_jet,
        lambda out: (
            read_array(out, 'breaks', ['(segments + 1)']),
            read_array(out, 'coefficients', ['segments', 'count', n]),
            read_array(out, 'end', [n]),
            Value('t', DOUBLE),
            shaped(out, 'jet', DOUBLE, [known(rows), known(n)]),
        ),
        {},
        _polynomial_example,
    )


def _polynomial_example(jet: Array) -> Example:
    """Return the jet of two quintic segments with coefficients from the joint jet."""
    rows, n = jet.shape
    breaks, t = np.array([-0.5, 0.25, 1.5]), 0.75
    coefficients = np.resize(jet, (2, 6, n))
    motion = PiecewisePolynomial(breaks, coefficients, jet[0], continuity=0)
    inputs = (2, 6, breaks, coefficients, jet[0], t)
    return Example(inputs, (motion.sample(t, np.empty((rows, n))),))
