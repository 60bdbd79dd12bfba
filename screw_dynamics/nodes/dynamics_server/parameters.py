# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `dynamics_server`."""

from dataclasses import dataclass

from screw_dynamics.control.model_parameters import INTERPOLATION, EffortParameters
from screw_dynamics.control.parameters import parameter


@dataclass(frozen=True)
class DynamicsServerParameters(EffortParameters):
    """Parameters of the node `dynamics_server`."""

    interpolation: str = parameter(
        'smooth', INTERPOLATION, choices=('smooth', 'jtc'), read_only=True
    )
    check_limits: str = parameter(
        'off',
        'What to do with limits that are exceeded. Requests with a position: position limits of '
        'the URDF. Trajectories: positions, velocities and efforts between their points too and, '
        'with elastic joints as in get_motor_feedforward, deflections, rates of the efforts, '
        'velocities and efforts of the motors.',
        choices=('off', 'warn', 'reject'),
    )
    max_samples: int = parameter(
        100000, 'Largest number of samples of one trajectory request.', within=(1, 10**7)
    )
