# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Series of the spring deflections of a joint from the effort that it transmits."""

from __future__ import annotations

import numpy as np

from screw_dynamics.kernels.springs.laws import cubic_root, law_taylor, spring_deflection
from screw_dynamics.kernels.springs.layout import (
    LINEAR,
    PAIR_EXPONENTIAL,
    PAIR_LAW,
    PAIR_QUADRATIC,
    PULL_ONLY,
    RIGID,
    VARIABLE,
)
from screw_dynamics.kernels.springs.series import invert, invert_pair, quotient

OK, NO_STIFFNESS, OUTSIDE_TABLE, STIFFNESS_RANGE, SINGULAR_PAIR, SLACK_TENDON = range(6)

# Relative bound of the determinant below which a pair is singular: phi1 - phi2 of a cubic pair
# is the root of a difference, which has four digits left at this bound.
SINGULAR = 1e-6


def deflection_series(law, data, at, tau, stiffness, phi, force, taylor, powers, failure):
    """
    Fill the deflection `phi` and the spring effort `force` of each motor of an undamped joint.

    `tau` and `stiffness` (K or sigma) are series (p,); `data[at:]` are the parameters of the law.
    Only pairs use row 1 of `phi`, `force` (2, p). Workspace: `taylor` (2, p + 1), `powers`
    (2, p, p), zeros. Return OK, or another status with its values in `failure` (3,).
    """
    count = len(tau)
    if law >= PAIR_EXPONENTIAL:
        return _pair_series(law, data, at, tau, stiffness, phi, force, taylor, powers, failure)
    force[0] = tau
    if law == RIGID:
        phi[0] = 0.0
    elif law == LINEAR:
        for k in range(count):
            phi[0, k] = tau[k] / data[at]
    elif law == VARIABLE:
        failure[0] = stiffness[0]
        if not stiffness[0] > 0.0:
            return NO_STIFFNESS
        quotient(tau, stiffness, phi[0])
    else:
        failure[0] = tau[0]
        phi[0, 0] = spring_deflection(law, data, at, tau[0])
        if np.isnan(phi[0, 0]):
            return OUTSIDE_TABLE
        law_taylor(law, data, at, phi[0, 0], taylor[0])
        invert(taylor[0], tau, phi[0], powers[0])
    return OK


def _pair_series(law, data, at, tau, sigma, phi, force, taylor, powers, failure):
    own = at + PAIR_LAW
    status = _pair_deflections(law, data, own, tau[0], sigma[0], phi)
    failure[0], failure[1] = tau[0], sigma[0]
    if status != OK:
        return status
    if data[at + PULL_ONLY] > 0.0 and not phi[0, 0] >= 0.0 >= phi[1, 0]:
        failure[0], failure[1] = phi[0, 0], phi[1, 0]
        return SLACK_TENDON
    law_taylor(law, data, own, phi[0, 0], taylor[0])
    # f2(x) = -f1(-x)
    law_taylor(law, data, own, -phi[1, 0], taylor[1])
    for i in range(0, taylor.shape[1], 2):
        taylor[1, i] = -taylor[1, i]
    one, other = taylor[0, 1] * taylor[1, 2], taylor[1, 1] * taylor[0, 2]
    failure[2] = 2.0 * (one - other)
    if not abs(one - other) > SINGULAR * (abs(one) + abs(other)):
        return SINGULAR_PAIR
    invert_pair(taylor, tau, sigma, phi, powers)
    for i in range(2):
        force[i, 0] = taylor[i, 0]
        for k in range(1, len(tau)):
            total = 0.0
            for j in range(1, k + 1):
                total += taylor[i, j] * powers[i, j, k]
            force[i, k] = total
    return OK


def _pair_deflections(law, data, at, tau, sigma, phi):
    """Solve f1(phi1) + f2(phi2) = tau, f1'(phi1) + f2'(phi2) = sigma."""
    if law == PAIR_EXPONENTIAL:
        k, a = data[at], data[at + 1]
        if not sigma > a * abs(tau):
            return STIFFNESS_RANGE
        phi[0, 0] = np.log((sigma + a * tau) / (2.0 * k)) / a
        phi[1, 0] = -np.log((sigma - a * tau) / (2.0 * k)) / a
        return OK
    if law == PAIR_QUADRATIC:
        c = data[at]
        # both springs taut: phi1 > 0 > phi2
        if not (sigma > 0.0 and sigma * sigma > 4.0 * c * abs(tau)):
            return STIFFNESS_RANGE
        phi[0, 0] = tau / sigma + sigma / (4.0 * c)
        phi[1, 0] = tau / sigma - sigma / (4.0 * c)
        return OK
    # cubic: with s, d = phi1 +- phi2 the equations are s^2 + d^2 = r^2 and
    # (k1 + 3/4 k3 r^2) s - k3/2 s^3 = tau, increasing in s up to the singularity
    k1, k3 = data[at], data[at + 1]
    square = 2.0 * (sigma - 2.0 * k1) / (3.0 * k3)
    if not square > 0.0:
        return STIFFNESS_RANGE
    linear, cubic = k1 + 0.75 * k3 * square, -0.5 * k3
    high = min(np.sqrt(square), np.sqrt(linear / (1.5 * k3)))
    most = high * (linear + cubic * high * high)
    if not abs(tau) <= most:
        return STIFFNESS_RANGE
    total = cubic_root(linear, cubic, abs(tau), high, high * abs(tau) / most)
    total = total if tau >= 0.0 else -total
    difference = np.sqrt(max(square - total * total, 0.0))
    phi[0, 0], phi[1, 0] = 0.5 * (total + difference), 0.5 * (total - difference)
    return OK
