# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions in C of motors behind springs, and of polynomial motions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.codegen.functions import READ, WRITTEN, CFunction, Example, body_table
from screw_dynamics.codegen.quantities import MOTOR_COMMANDS, REFERENCE
from screw_dynamics.codegen.values import Number, Size, View, linear, named
from screw_dynamics.elastic import ElasticJoints, elastic_feedforward
from screw_dynamics.errors import InputError, SpringRangeError
from screw_dynamics.kernels import motions, one_state
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial

_FACTORS = (1.0, 0.1, 0.0)  # of the joint jet of a test: springs may be out of range


class Motors(NamedTuple):
    """The motors of a robot: names, number of rows of their positions, tables of the kernel."""

    names: tuple[str, ...]
    rows: int
    integers: NDArray[np.int64]
    reals: Array


def motors_of(model: ScrewModel, joints: ElasticJoints, order: int) -> Motors:
    """Return the motors; raise InputError if the functions in C cannot have them."""
    table = joints.motors(model)
    if table.damped_names:
        raise InputError(
            f'joints: expected springs without dampers, got one at {table.damped_names[0]!r}'
        )
    if joints.coupling(model) is not None:
        raise InputError('joints: expected rotors without coupling, got rotor_coupling')
    if order < table.lost_orders:
        raise InputError(
            f'order: expected {table.lost_orders} or more for motors behind springs, got {order}'
        )
    (rows, _), *_ = table.jet_shapes(order + 3)[1:]
    return Motors(table.names, rows, *table.blocks)


def motor_function(
    model: ScrewModel, prefix: str, order: int, joints: ElasticJoints, motors: Motors
) -> CFunction:
    """Return the function of motor positions and efforts."""
    n, m, rows = Size(model.n), Size(len(motors.names)), motors.rows
    parameters = model.joint_frame_parameters.parameters

    def example(jet: Array) -> Example | None:
        for factor in _FACTORS:
            try:
                found = elastic_feedforward(model, joints, factor * jet)
            except SpringRangeError:
                continue
            return Example((factor * jet,), (found.motor_jet, found.motor_effort_jet))
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
        {
            'order': order,
            'shape': (n, rows, m),
            'jet': _array('jet', (order + 3) * model.n),
            'motions': _array('motions', rows * int(m)),
            'efforts': _array('efforts', (rows - 2) * int(m)),
            'parameters': body_table('bodies', parameters),
            'integers': _table('motor_indices', motors.integers, 'int'),
            'reals': _table('motor_numbers', motors.reals, 'double'),
        },
        {
            'bodies': parameters,
            'motor_indices': motors.integers,
            'motor_numbers': motors.reals,
        },
        example,
    )


def _array(name: str, size: int) -> View:
    return View(name, dims=((size, 1),))


def _table(name: str, numbers: NDArray[Any], ctype: str) -> View:
    strides = [stride // numbers.itemsize for stride in numbers.strides]
    dims = tuple(zip(numbers.shape, strides, strict=True))
    return View(name, dims=dims, data=numbers, ctype=ctype)


def reference_function(model: ScrewModel, prefix: str, order: int) -> CFunction:
    """Return the function of a motion of polynomials between breaks."""
    n, rows = Size(model.n), order + 3
    segments, count = named('segments'), named('count')
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
        {
            'breaks': View('breaks', dims=((linear(1, {'segments': 1}), 1),)),
            'coefficients': View(
                'coefficients',
                dims=((segments, linear(0, {'count': int(n)})), (count, int(n)), (n, 1)),
            ),
            'end': _array('end', int(n)),
            't': Number('t'),
            'out': View('jet', dims=((rows, int(n)), (n, 1))),
        },
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
