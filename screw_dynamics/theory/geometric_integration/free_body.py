# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A free rigid body as a `System`: a pose with body-fixed or spatial twist, or spatial momentum.

Without a wrench the rate of the spatial momentum is zero, [M2018] (37): every method preserves
linear and angular momentum exactly. The two forms in twists preserve it to the order of the
method only. The inertia is in the body frame; ``wrench(t, pose, twist)`` -> (6,), none by default,
is the wrench ON the body from its body-fixed twist, in body-fixed components.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from screw_dynamics.lie import adjoint, adjoint_inverse, coadjoint, wrench_cross
from screw_dynamics.lie.scalars import Scalar, ScalarArray, solve
from screw_dynamics.theory.geometric_integration.munthe_kaas import System
from screw_dynamics.theory.newton_euler import momentum, spatial_inertia

Wrench: TypeAlias = Callable[[Scalar, ScalarArray, ScalarArray], ScalarArray]


def body_fixed_form(inertia: ScalarArray, wrench: Wrench | None = None) -> System:
    """Return the system with y = V^b: M V' = ad_V^T M V + W, [M2018] (42), (89)."""

    def rates(t: Scalar, poses: ScalarArray, y: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        force = -wrench_cross(y) @ momentum(inertia, y)
        if wrench is not None:
            force = force + wrench(t, poses[0], y)
        return y[None], solve(inertia, force)

    return System(rates)


def spatial_form(inertia: ScalarArray, wrench: Wrench | None = None) -> System:
    """Return the system with y = V^s: M^s V' = ad_V^T M^s V + W^s, [M2018] (35), (39), (89)."""

    def rates(t: Scalar, poses: ScalarArray, y: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        at_base = spatial_inertia(inertia, poses[0])
        force = -wrench_cross(y) @ momentum(at_base, y)
        if wrench is not None:
            twist = adjoint_inverse(poses[0]) @ y
            force = force + coadjoint(poses[0]) @ wrench(t, poses[0], twist)
        return y[None], solve(at_base, force)

    return System(rates, spatial=True)


def momentum_form(inertia: ScalarArray, wrench: Wrench | None = None) -> System:
    """
    Return the system with y = Pi^s: Pi' = W^s, [M2018] (36), (37), (89).

    With `runge_kutta.IMPLICIT_MIDPOINT` a step is also reversible, and the energy does not drift.
    """

    def rates(t: Scalar, poses: ScalarArray, y: ScalarArray) -> tuple[ScalarArray, ScalarArray]:
        to_base = adjoint(poses[0])
        twist = solve(inertia, to_base.T @ y)
        if wrench is None:
            return (to_base @ twist)[None], 0 * y
        return (to_base @ twist)[None], coadjoint(poses[0]) @ wrench(t, poses[0], twist)

    return System(rates, spatial=True)


def spatial_momentum(inertia: ScalarArray, pose: ScalarArray, twist: ScalarArray) -> ScalarArray:
    """Return Pi^s = Ad_C^-T M V^b about the base origin, [M2018] (36)."""
    result: ScalarArray = coadjoint(pose) @ momentum(inertia, twist)
    return result
