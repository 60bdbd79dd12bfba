# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `compensation`."""

from dataclasses import dataclass

from screw_dynamics.control.compensation import Settings
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.parameters import parameter


@dataclass(frozen=True)
class CompensationParameters(ModelParameters):
    """Parameters of the node `compensation`."""

    coriolis: bool = parameter(
        False,
        'Include Coriolis and centrifugal efforts of the measured velocities, which are noisy.',
    )
    input_timeout: float = parameter(
        0.1,
        'Largest age of joint_states by their stamp [s]; without younger ones the efforts end, '
        'and begin again as another motion.',
        within=(1e-3, 60.0),
    )

    @property
    def settings(self) -> Settings:
        """Values of the decisions."""
        return Settings(self.coriolis, self.input_timeout)
