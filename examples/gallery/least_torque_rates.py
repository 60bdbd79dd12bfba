# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The motion of an arm with least torque rates under limits of velocity, and minimum jerk."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.polynomial import Legendre, Polynomial
from scipy.optimize import minimize

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS

DURATION = 1.7  # [s]
START = np.array([-0.6, 0.3, 0.0, -1.2, 0.0, 0.8, 0.0])
END = np.array([0.7, 1.0, 0.4, -0.6, -0.5, 1.2, 0.5])
PHASE = np.linspace(0.0, 1.0, 81)
WEIGHTS = DURATION * np.gradient(PHASE)  # of integrals


def motions(arm: sd.ScrewModel) -> tuple[Array, Array]:
    """Return joint jets (T, 4, n): of minimum jerk, and of the least integral of |tau'|^2."""

    def rows(p: Polynomial) -> Any:
        return np.array([p.deriv(r)(PHASE) / DURATION**r if r else p(PHASE) for r in range(4)]).T

    quintic = Polynomial([0, 0, 0, 10, -15, 6])
    ends = Polynomial([0, 0, 0, 1]) * Polynomial([1, -1]) ** 3  # at rest, without acceleration
    shapes = [ends * Legendre.basis(k, [0, 1]).convert(kind=Polynomial) for k in range(6)]
    basis = np.stack([rows(shape) for shape in shapes], axis=-1)  # (T, 4, K)
    jerk = rows(quintic)[:, :, None] * (END - START)
    jerk[:, 0] += START

    def by_shapes(jets: Array) -> Any:  # tau' (T, n) by the coefficients, (T n, K n)
        by_rows = sd.effort_partials(arm, jets)[:, 1]
        return np.einsum('trij,trk->tikj', by_rows, basis).reshape(-1, len(shapes) * arm.n)

    # coefficients in which the cost is round: those of the factor of its matrix at first
    first = by_shapes(jerk)
    matrix = (first * np.repeat(WEIGHTS, arm.n)[:, None]).T @ first
    scale = np.linalg.inv(np.linalg.cholesky(matrix)).T

    def jets(z: Array) -> Any:
        return jerk + basis @ (scale @ z).reshape(-1, arm.n)

    def cost(z: Any) -> tuple[float, Any]:
        rates = sd.inverse_dynamics(arm, jets(z))[:, 1]
        gradient = (WEIGHTS[:, None] * rates).ravel() @ by_shapes(jets(z)) @ scale
        return 0.5 * float(WEIGHTS @ (rates**2).sum(axis=1)), gradient

    limit = np.tile(arm.limits.velocity, len(PHASE))
    velocities = np.einsum('tk,ij->tikj', basis[:, 1], np.eye(arm.n)).reshape(len(limit), -1)
    slope = np.vstack([-velocities, velocities]) @ scale

    def room(z: Array) -> Any:
        return np.tile(limit, 2) - np.append(jerk[:, 1], -jerk[:, 1]) + slope @ z

    keep: Any = {'type': 'ineq', 'fun': room, 'jac': lambda z: slope}
    best = minimize(cost, np.zeros(len(scale)), jac=True, constraints=keep, method='SLSQP')
    return jerk, jets(best.x)


def figure() -> Figure:
    """Return the figure."""
    arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    both = dict(zip(('minimum jerk', 'least torque rates'), motions(arm), strict=True))
    times = DURATION * PHASE
    result = Figure(figsize=(8.0, 7.0), dpi=110, layout='constrained')
    above, middle, below = result.subplots(3, 1, sharex=True)
    for (name, jets), colour in zip(both.items(), (COLOURS[1], COLOURS[0]), strict=True):
        rates = np.linalg.norm(sd.inverse_dynamics(arm, jets)[:, 1], axis=1)
        integral = WEIGHTS @ rates**2
        above.plot(times, rates, color=colour, label=f'{name}: {integral:.0f} N² m²/s')
        shares = np.abs(jets[:, 1]) / arm.limits.velocity
        middle.plot(times, shares.max(axis=1), color=colour)
        below.plot(times, np.linalg.norm(jets[:, 3], axis=1), color=colour)
    middle.axhline(1.0, color='#222222', linewidth=0.8, linestyle='--')
    above.set_ylabel(r'$|\dot\tau|$  [N m/s]')
    middle.set_ylabel('share of velocity limits')
    below.set_ylabel(r'$|q^{(3)}|$  [rad/s³]')
    above.legend(frameon=False)
    below.set_xlabel('time [s]')
    result.suptitle('iiwa14 from rest to rest: torque rates or jerk least', x=0.01, ha='left')
    return result
