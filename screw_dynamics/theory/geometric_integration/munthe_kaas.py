# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Runge-Kutta methods of Munthe-Kaas on SE(3)^m x R^k: poses, and numbers beside them.

[M2018] (89), (90). In each step the motion of a body is C = C_0 exp(X), or exp(X) C_0 with the
spatial twist, and X, which begins at zero, is integrated in the vector space se(3) by any method:
X' = dexp_(-X)^-1 V^b, or dexp_X^-1 V^s. Poses remain poses without projection. The print places
exp(X) on the right for both; with the spatial twist it is on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from screw_dynamics.lie import dexp_inverse_se3, exp_se3
from screw_dynamics.lie.scalars import Scalar, ScalarArray
from screw_dynamics.theory.geometric_integration.runge_kutta import Tableau, increment

Rates: TypeAlias = Callable[[Scalar, ScalarArray, ScalarArray], tuple[ScalarArray, ScalarArray]]


@dataclass(frozen=True)
class System:
    """
    Equations of motion of m poses and k numbers; with m = 0 they are those of a vector space.

    ``rates(t, poses, y)`` -> twists (m, 6), spatial ones with `spatial`, else body-fixed, and y'
    (k,).
    """

    rates: Rates
    spatial: bool = False


def step(
    system: System, method: Tableau, t: Scalar, poses: ScalarArray, y: ScalarArray, h: Scalar
) -> tuple[ScalarArray, ScalarArray]:
    """
    Return poses and numbers after one step of length h [s], [M2018] (89), (90).

    No body may turn by 2 pi in it. SimulationError is raised if the stages of an implicit method
    do not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.theory.geometric_integration.munthe_kaas import System, step
    >>> from screw_dynamics.theory.geometric_integration.runge_kutta import EULER
    >>> turning = System(lambda t, poses, y: (np.eye(6)[2:3], 0 * y))
    >>> poses, _ = step(turning, EULER, 0.0, np.eye(4)[None], np.zeros(0), np.pi / 2)
    >>> poses[0, :3, 0].round(12)
    array([0., 1., 0.])
    """
    split = 6 * len(poses)
    sign = 1 if system.spatial else -1

    def slope(time: Scalar, x: ScalarArray) -> ScalarArray:
        screws = x[:split].reshape(-1, 6)
        twists, rates = system.rates(
            t + time, _displaced(poses, screws, system.spatial), y + x[split:]
        )
        turned = [
            dexp_inverse_se3(sign * screw) @ twist
            for screw, twist in zip(screws, twists, strict=True)
        ]
        return np.concatenate([*turned, rates])

    x = increment(method, slope, h, split + len(y))
    return _displaced(poses, x[:split].reshape(-1, 6), system.spatial), y + x[split:]


def integrate(
    system: System,
    method: Tableau,
    poses: ScalarArray,
    y: ScalarArray,
    h: Scalar,
    steps: int,
    *,
    t: Scalar = 0,
) -> Iterator[tuple[Scalar, ScalarArray, ScalarArray]]:
    """Yield time, poses and numbers at the start and after each `step`."""
    yield t, poses, y
    for k in range(steps):
        poses, y = step(system, method, t + k * h, poses, y, h)
        yield t + (k + 1) * h, poses, y


def _displaced(poses: ScalarArray, screws: ScalarArray, spatial: bool) -> ScalarArray:
    """Return C exp(X) of all bodies, or exp(X) C, (m, 4, 4)."""
    if not len(poses):
        return poses
    motions = map(exp_se3, screws)
    pairs = zip(poses, motions, strict=True)
    return np.array([motion @ c if spatial else c @ motion for c, motion in pairs])
