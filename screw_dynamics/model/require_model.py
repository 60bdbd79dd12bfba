# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of the argument that every function of a robot takes."""

from __future__ import annotations

from screw_dynamics.errors import InputError
from screw_dynamics.model.screw_model import ScrewModel


def require_model(model: object) -> ScrewModel:
    """Return `model` if it is one."""
    if not isinstance(model, ScrewModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model
