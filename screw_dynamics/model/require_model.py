# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of `model` arguments."""

from __future__ import annotations

from screw_dynamics.errors import InputError
from screw_dynamics.model.screw_model import ScrewModel


def require_model(model: object) -> ScrewModel:
    """Return `model`; raise InputError if it is not a ScrewModel."""
    if not isinstance(model, ScrewModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model
