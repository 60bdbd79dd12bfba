# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SoftRobot` as a kind of robot: what it registers for functions of rooms below."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.sample_threads import require_threads
from screw_dynamics.dynamics.dispatch import register_kind
from screw_dynamics.dynamics.state_calls import output
from screw_dynamics.soft import functions
from screw_dynamics.soft.outline import outline
from screw_dynamics.soft.soft_robot import SoftRobot


def _filling(function: Callable[..., Array]) -> Callable[..., Array]:
    """Return a function with the arguments `out` and `threads`, of which it uses one."""

    @wraps(function)
    def call(robot: SoftRobot, *inputs: Any, out: Array | None = None, threads: int = 1) -> Array:
        require_threads(threads)
        result = function(robot, *inputs)
        if out is None:
            return result
        out = output(out, result.shape)
        out[...] = result
        return out

    return call


register_kind(
    SoftRobot,
    inverse_dynamics=functions.inverse_dynamics,
    outline=outline,
    places=SoftRobot.places,
    **{
        function.__name__: _filling(function)
        for function in (
            functions.bias_forces,
            functions.forward_dynamics,
            functions.frame_jacobian,
            functions.frame_pose,
            functions.gravity_forces,
            functions.mass_matrix,
        )
    },
)
