# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node `viewer`."""

from dataclasses import dataclass

from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.parameters import parameter


@dataclass(frozen=True)
class ViewerParameters(ModelParameters):
    """Parameters of the node `viewer`."""

    host: str = parameter(
        'localhost',
        'Address on which the page is served: 0.0.0.0 lets other computers open it.',
        read_only=True,
    )
    port: int = parameter(
        8080,
        'Port of the page; if it is taken, the next one that is free.',
        within=(1, 65535),
        read_only=True,
    )
    rate: float = parameter(
        30.0, 'Pictures per second, at most.', within=(1.0, 120.0), read_only=True
    )
