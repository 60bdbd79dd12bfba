# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C99 code of the inverse dynamics and other terms of one robot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from screw_dynamics.codegen.robot import c_files
from screw_dynamics.codegen.robot.c_text import REALS, Real
from screw_dynamics.codegen.robot.casadi_functions import casadi_functions
from screw_dynamics.codegen.robot.functions import CFunction, body_function, frame_function
from screw_dynamics.codegen.robot.motor_functions import (
    drive_function,
    motor_function,
    motors_of,
    reference_function,
)
from screw_dynamics.codegen.robot.quantities import (
    DRIVE_FORCES,
    FRAME_TERMS,
    INVERSE_DYNAMICS,
    JETS,
    MOTOR_COMMANDS,
    OF_DRIVES,
    QUANTITIES,
    REFERENCE,
    TERMS,
)
from screw_dynamics.codegen.translator.arrays import allocated
from screw_dynamics.codegen.translator.calls import CALLS
from screw_dynamics.codegen.translator.functions import Program
from screw_dynamics.codegen.translator.lines import Value
from screw_dynamics.codegen.translator.statements import Statements
from screw_dynamics.codegen.translator.types import DOUBLE, Pointer
from screw_dynamics.common.scalars import require_choice, require_count
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.errors import InputError, UnknownNameError, shown
from screw_dynamics.kernels.bodies import rows
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import REPRESENTATIONS, Representation
from screw_dynamics.model.screw_model import require_model

_ALL_IN_LINE = 4  # the order up to which loops over the order are repeated
_SHORT, _SHORTER = 12, 4
_RESERVED = set(
    'auto break case char const continue default do double else enum extern float for goto if '
    'inline int long register restrict return short signed sizeof static struct switch typedef '
    'union unsigned void volatile while'.split()
)


class CCode(NamedTuple):
    """
    C99 code of one robot.

    Attributes
    ----------
    prefix : str
        Beginning of all names, and the name of the files.
    header : str
        Text of ``<prefix>.h``.
    source : str
        Text of ``<prefix>.c``.
    self_test : str
        Text of ``<prefix>_self_test.c``, a program that compares the functions with numbers of the
        library at one state; it returns 0 if they agree.

    """

    prefix: str
    header: str
    source: str
    self_test: str

    def __repr__(self) -> str:
        """Return the files with their lengths."""
        texts = {**self.files, f'{self.prefix}_self_test.c': self.self_test}
        lines = (f'{name}: {text.count(chr(10))} lines' for name, text in texts.items())
        return f'CCode({", ".join(lines)})'

    @property
    def files(self) -> dict[str, str]:
        """Texts of header and source by file name."""
        return {f'{self.prefix}.h': self.header, f'{self.prefix}.c': self.source}


def generate_c(
    robot: Robot | ScrewModel,
    prefix: str = 'robot',
    *,
    order: int = 2,
    quantities: Sequence[str] = (INVERSE_DYNAMICS,),
    frames: Sequence[str] = (),
    representation: Representation = 'hybrid',
    real: Real = 'double',
    casadi: bool = False,
) -> CCode:
    """
    Return C99 code that computes the dynamics of one robot.

    The functions are translated from the sources of the kernels that the library runs, with the
    constants of the robot in them. They need no memory but the stack, and of the standard library
    only cos and sin; they are reentrant.

    Parameters
    ----------
    robot : Robot or ScrewModel
        Drives have springs, motors and friction of the motor commands, see `elastic_feedforward`;
        without dampers and coupled rotors. Variable stiffness is that of the records.
    prefix : str
        Beginning of all names in C.
    order : int
        Highest time derivative of the efforts.
    quantities : sequence of str
        Some of `QUANTITIES`: 'inverse_dynamics', 'effort_partials', 'mass_matrix',
        'gravity_forces', 'bias_forces', 'coriolis_forces', 'coriolis_matrix', 'reference' (a
        motion of polynomials), of every frame 'frame_pose', 'frame_jacobian', and of a robot with
        drives 'drive_forces' and 'motor_commands'.
    frames : sequence of str
        Frames of the model; characters that C does not know become underscores.
    representation : {'hybrid', 'body', 'spatial', 'mixed'}
        Axes and point of the twists of Jacobians.
    real : {'double', 'float'}
        Type in C of all real numbers.
    casadi : bool
        Whether the source also has, for ``casadi.external``, the function ``<prefix>_efforts`` of
        a joint jet (n, order + 3), whose columns are q, q', ..., with the efforts (n, order + 1),
        and its Jacobian. Both quantities are added.

    Returns
    -------
    CCode

    Raises
    ------
    InputError
        If the model is not a `ScrewModel`, a prefix is not a name in C, a quantity is unknown or
        repeated, frames are missing or not used, two frames have the same name in C, the robot has
        no coordinates, motor commands are wanted of one without drives, with dampers or coupled
        rotors, or the order is too low for motors behind springs.
    UnknownNameError
        If the model has no such frame or joint.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> code = sd.generate_c(robot, 'arm', order=1, quantities=['mass_matrix'])
    >>> [line for line in code.header.splitlines() if line.startswith('void')]
    ['void arm_mass_matrix(const double *q, double *m);']

    """
    robot = as_robot(robot)
    model = require_model(robot.model)
    order = require_count('order', order)
    _require_name(prefix)
    wanted = _known_quantities(quantities)
    if casadi:
        wanted += [name for name in JETS if name not in wanted]
        if real != 'double':
            raise InputError(f'real: expected double for CasADi, got {shown(real)}')
    require_choice('representation', representation, REPRESENTATIONS)
    require_choice('real', real, REALS)
    names = _frame_names(model, frames)
    if model.n == 0:
        raise InputError('model: expected at least one coordinate, got none')
    if bool(names) != any(name in FRAME_TERMS for name in wanted):
        raise InputError(
            'frames: expected together with frame_pose or frame_jacobian, got '
            f'{shown(list(names))} and {", ".join(wanted)}'
        )
    for quantity in wanted:
        if quantity in OF_DRIVES and robot.drives is None:
            raise InputError(f'robot: expected one with drives for {quantity}, got none')
    motors = motors_of(robot, order) if MOTOR_COMMANDS in wanted else None
    functions: list[CFunction] = []
    for quantity in wanted:
        if quantity in TERMS:
            functions.append(body_function(model, prefix, order, TERMS[quantity]))
        elif quantity == REFERENCE:
            functions.append(reference_function(model, prefix, order))
        elif quantity == DRIVE_FORCES:
            functions.append(drive_function(robot, prefix))
        elif motors is not None and quantity == MOTOR_COMMANDS:
            functions.append(motor_function(robot, prefix, order, motors))
        else:
            functions.extend(
                frame_function(model, prefix, FRAME_TERMS[quantity], frame, name, representation)
                for frame, name in names.items()
            )
    program = Program(
        {**CALLS, rows.apart: _array_of_rows}, _SHORT if order <= _ALL_IN_LINE else _SHORTER
    )
    defined = [function.define(program) for function in functions]
    types = [kind for kind, _ in defined]
    text = c_files.source(prefix, functions, [text for _, text in defined], program, real)
    return CCode(
        prefix,
        c_files.header(model, prefix, order, functions, motors, types, real),
        text + casadi_functions(prefix, model.n, order) * casadi,
        c_files.self_test(model, prefix, order, functions, types, real),
    )


def _array_of_rows(body: Statements, ws: Value, row: Value, count: Value) -> Value:
    """Return an array of its own, whose elements compilers keep in registers."""
    made = allocated(body.out, DOUBLE, [count])
    return Value(f'{made.text}.p', Pointer(DOUBLE))


def _require_name(prefix: str) -> None:
    usable = isinstance(prefix, str) and re.fullmatch('[A-Za-z][A-Za-z0-9_]*', prefix)
    if not usable or prefix in _RESERVED:
        raise InputError(f'prefix: expected a name in C, got {shown(prefix)}')


def _known_quantities(quantities: Sequence[str]) -> list[str]:
    wanted = list(quantities)
    for k, name in enumerate(wanted):
        if name not in QUANTITIES or name in wanted[:k]:
            raise InputError(
                f'quantities: expected some of {", ".join(QUANTITIES)}, each once, got '
                f'{shown(name)}' + (' twice' if name in wanted[:k] else '')
            )
    if not wanted:
        raise InputError('quantities: expected at least one, got none')
    return wanted


def _frame_names(model: ScrewModel, frames: Sequence[str]) -> dict[str, str]:
    """Return the names in C of frames."""
    names: dict[str, str] = {}
    for frame in frames:
        if frame not in model.frames:
            raise UnknownNameError('frames: frame', frame, model.frames)
        name = re.sub('[^A-Za-z0-9_]', '_', frame)
        if name in names.values():
            raise InputError(f'frames: expected different names in C, got {name} twice')
        names[frame] = name
    return names
