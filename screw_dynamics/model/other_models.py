# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`OtherModel`: robots that functions of a `ScrewModel` accept in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from screw_dynamics.common.arrays import Array, require_out
from screw_dynamics.errors import ShapeError
from screw_dynamics.model.records import JointLimits
from screw_dynamics.model.screw_model import ScrewModel, require_model


class OtherModel:
    """Base of models with functions of their own, by the names of those for a `ScrewModel`."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}
    n: int
    weightless: Any
    """The same robot without gravity."""


class JointedModel(OtherModel):
    """Base of other models with what nodes ask of a `ScrewModel` beside its functions."""

    name: str
    base_link: str
    joint_names: Any
    coordinate_types: Any
    limits: JointLimits
    gravity: Array


def in_place_of_screw_model(model: JointedModel) -> ScrewModel:
    """Return another model as the record of a robot holds it; not all functions accept it."""
    return cast(ScrewModel, model)


def other_result(name: str, model: OtherModel, *arguments: Any, out: Array | None) -> Array:
    """Return what the function of an `OtherModel` computes, in the array `out` if there is one."""
    result: Array = model.functions[name](model, *arguments)
    if out is None:
        return result
    if require_out(out).shape != result.shape:
        raise ShapeError('out', str(result.shape), out.shape)
    out[...] = result
    return out


def function_for(name: str, model: object) -> Callable[..., Any]:
    """Return the function of an `OtherModel`; raise InputError for any other object."""
    if not isinstance(model, OtherModel):
        require_model(model)
    assert isinstance(model, OtherModel)
    return model.functions[name]
