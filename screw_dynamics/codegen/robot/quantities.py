# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities that can be generated: names, inputs, results and the kernels they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from screw_dynamics import dynamics
from screw_dynamics.kernels.bodies import quantities
from screw_dynamics.kernels.bodies.state_kernel import JetKernel, StateKernel
from screw_dynamics.kernels.frames import quantities as frames


class Quantity(NamedTuple):
    """A quantity of a joint jet, of the joint position, or also of the velocity."""

    name: str
    kernel: StateKernel | JetKernel
    compute: Callable[..., Any]
    """The function of the library, of the model, the inputs and for frames the frame."""
    out: str
    text: tuple[str, ...]
    """Its comment in C."""
    weightless: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        if isinstance(self.kernel, JetKernel):
            return ('jet',)
        return ('q', 'qd')[: self.kernel.inputs]


INVERSE_DYNAMICS, EFFORT_PARTIALS = 'inverse_dynamics', 'effort_partials'
DRIVE_FORCES, MOTOR_COMMANDS = 'drive_forces', 'motor_commands'
OF_DRIVES = DRIVE_FORCES, MOTOR_COMMANDS
_JET = 'jet, (ORDER + 3, N) by rows: row d is the d-th derivative of the joint position.'
JETS = {
    INVERSE_DYNAMICS: Quantity(
        INVERSE_DYNAMICS,
        quantities.INVERSE_DYNAMICS,
        dynamics.inverse_dynamics,
        'tau',
        (
            "Efforts tau = M q'' + C q' + g and their time derivatives, (ORDER + 1, N) by rows:",
            'row d is the d-th derivative.',
            _JET,
        ),
    ),
    EFFORT_PARTIALS: Quantity(
        EFFORT_PARTIALS,
        quantities.EFFORT_PARTIALS,
        dynamics.effort_partials,
        'partials',
        (
            'Derivatives of the efforts and their rates, (ORDER + 1, ORDER + 3, N, N): entry',
            '[d, r, i, j] is that of the d-th derivative of effort i by row r of coordinate j.',
            _JET,
        ),
    ),
}
REFERENCE = 'reference'
_TERMS = (
    Quantity(
        'mass_matrix',
        quantities.MASS_MATRIX,
        dynamics.mass_matrix,
        'm',
        ("Mass matrix M(q), (N, N) by rows, with M q'' + C q' + g = tau.",),
    ),
    Quantity(
        'gravity_forces',
        quantities.GRAVITY_FORCES,
        dynamics.gravity_forces,
        'g',
        ('Efforts g(q) that hold the robot at rest, (N).',),
    ),
    Quantity(
        'bias_forces',
        quantities.BIAS_FORCES,
        dynamics.bias_forces,
        'b',
        ("Bias C(q, q') q' + g(q), (N).",),
    ),
    Quantity(
        'coriolis_forces',
        quantities.BIAS_FORCES,
        dynamics.bias_forces,
        'c',
        ("Coriolis and centrifugal efforts C(q, q') q', (N).",),
        weightless=True,
    ),
    Quantity(
        'coriolis_matrix',
        quantities.CORIOLIS_MATRIX,
        dynamics.coriolis_matrix,
        'c',
        ("Coriolis matrix C(q, q'), (N, N) by rows; the derivative of M minus 2 C is skew.",),
    ),
)
_FRAMES = (
    Quantity(
        'frame_pose',
        frames.FRAME_POSE,
        dynamics.frame_pose,
        'pose',
        ('Pose of the frame in base axes, homogeneous matrix (4, 4) by rows [m].',),
    ),
    Quantity(
        'frame_jacobian',
        frames.FRAME_JACOBIAN,
        dynamics.frame_jacobian,
        'jacobian',
        ("Jacobian of the frame, (6, N) by rows: twist [angular; linear] = J q'.",),
    ),
)
TERMS = JETS | {quantity.name: quantity for quantity in _TERMS}
FRAME_TERMS = {quantity.name: quantity for quantity in _FRAMES}
QUANTITIES = (*TERMS, REFERENCE, *FRAME_TERMS, *OF_DRIVES)
