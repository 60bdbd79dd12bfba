# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of `spring_deflections`: deflections of the springs from the efforts they transmit."""

import numpy as np

from screw_dynamics.kernels.drives.damped import TERMS, TIME, advance
from screw_dynamics.kernels.drives.gears import WORK, write_slip
from screw_dynamics.kernels.drives.laws import (
    DAMPED,
    EXPONENTIAL,
    LINEAR,
    PAIR_EXPONENTIAL,
    PAIR_LAW,
    PAIR_QUADRATIC,
    PULL_ONLY,
    RIGID,
    VARIABLE,
    cubic_root,
    law_taylor,
    pair_taylor,
    sinh_taylor,
    spring_deflection,
)
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.series import invert, invert_pair, quotient, to_jet, to_series

# status codes
OK, NO_STIFFNESS, OUTSIDE_TABLE, STIFFNESS_RANGE, SINGULAR_PAIR, SLACK_TENDON = range(6)
BACKWARD, NOT_FINITE = -1, -2

_LARGEST = np.finfo(np.float64).max

# Relative bound of the determinant below which a pair is singular: phi1 - phi2 of a cubic pair
# is the root of a difference, which has four digits left at this bound.
SINGULAR = 1e-6


def deflection_series(law, data, at, tau, stiffness, phi, taylor, powers, failure):
    """
    Fill the deflections `phi` (2, p) of an undamped joint, the second row only of pairs.

    `tau` and `stiffness` (K or sigma) are series (p,); `data[at:]` are the parameters of the law.
    `taylor` (2, p + 1) and `powers` (2, p, p), zeros, are workspace. Return a status, with its
    values in `failure` (3,).
    """
    count = len(tau)
    if law >= PAIR_EXPONENTIAL:
        return _pair_series(law, data, at, tau, stiffness, phi, taylor, powers, failure)
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
    elif law == EXPONENTIAL:
        slope, rate = data[at], data[at + 1]
        sine = rate * tau[0] / slope
        phi[0, 0] = np.arcsinh(sine) / rate
        sinh_taylor(slope, rate, sine, taylor[0])
        invert(taylor[0], tau, phi[0], powers[0])
    else:
        failure[0] = tau[0]
        phi[0, 0] = spring_deflection(law, data, at, tau[0])
        if np.isnan(phi[0, 0]):
            return OUTSIDE_TABLE
        law_taylor(law, data, at, phi[0, 0], taylor[0])
        invert(taylor[0], tau, phi[0], powers[0])
    return OK


def _pair_series(law, data, at, tau, sigma, phi, taylor, powers, failure):
    own = at + PAIR_LAW
    status = _pair_deflections(law, data, own, tau[0], sigma[0], phi)
    failure[0], failure[1] = tau[0], sigma[0]
    if status != OK:
        return status
    if data[at + PULL_ONLY] > 0.0 and not phi[0, 0] >= 0.0 >= phi[1, 0]:
        failure[0], failure[1] = phi[0, 0], phi[1, 0]
        return SLACK_TENDON
    pair_taylor(law, data, at, phi[:, 0], taylor)
    one, other = taylor[0, 1] * taylor[1, 2], taylor[1, 1] * taylor[0, 2]
    failure[2] = 2.0 * (one - other)
    if not abs(one - other) > SINGULAR * (abs(one) + abs(other)):
        return SINGULAR_PAIR
    invert_pair(taylor, tau, sigma, phi, powers)
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


def write_spring_deflections(
    efforts, stiffness, laws, offsets, data, damped, variable, first_motor, gears, times, clock,
    psi, last_jets, deflections, failure,
):  # fmt: skip
    """
    Fill the deflections (T, p, m) of every sample; return OK or another status.

    `efforts` is (T, k + 1, n), `stiffness` (1 or T, p, V). `times` and the state `clock`, `psi`,
    `last_jets` (see `advance`, `write_slip`) are used for joints with memory only. `failure` (5,)
    has sample, joint and values if the status is not OK. See `MotorTable` for the other arrays.
    """
    # k + 1 <= p: springs without damper lose two orders, other joints fewer
    terms, count = efforts.shape[1], deflections.shape[1]
    tau, sigma, phi = np.zeros(count), np.zeros(count), np.zeros((2, count))
    taylor, powers = np.empty((2, terms + 1)), np.empty((2, terms, terms))
    weights, connection = np.empty(TERMS + 1), np.empty((2, TERMS))
    slip = np.empty((WORK, terms))
    for t in range(len(efforts)):
        failure[0] = t
        step = times[t] - clock[TIME] if len(psi) > 0 else 0.0
        if len(psi) > 0 and not advance(
            times[t],
            efforts[t],
            laws,
            offsets,
            data,
            damped,
            clock,
            psi,
            last_jets,
            weights,
            connection,
        ):
            failure[2], failure[3] = clock[TIME], times[t]
            return BACKWARD
        for j in range(len(laws)):
            failure[1] = j
            law, motor = laws[j], first_motor[j]
            if law == DAMPED:
                deflections[t, :, motor] = psi[damped[j]]
            else:
                to_series(efforts[t, :, j], tau[:terms])
                if variable[j] >= 0:
                    to_series(stiffness[min(t, len(stiffness) - 1), :, variable[j]], sigma)
                phi[:] = 0.0
                status = deflection_series(
                    law, data, offsets[j], tau[:terms], sigma,
                    phi[:, :terms], taylor, powers, failure[2:],
                )  # fmt: skip
                if status != OK:
                    return status
                if damped[j] >= 0:
                    write_slip(
                        gears[motor], step, phi[0, :terms], psi[damped[j]],
                        last_jets[damped[j]], taylor[0], powers[0], connection, slip,
                    )  # fmt: skip
                for i in range(2 if law >= PAIR_EXPONENTIAL else 1):
                    to_jet(phi[i], deflections[t, :, motor + i])
            for i in range(2 if law >= PAIR_EXPONENTIAL else 1):
                for k in range(count):
                    if not abs(deflections[t, k, motor + i]) <= _LARGEST:
                        return NOT_FINITE
    return OK


set_spring_deflections = Kernel(
    write_spring_deflections,
    f'int64({read_only(3)}, {read_only(3)}, {read_only(1, "int64")}, {read_only(1, "int64")}, '
    f'{read_only(1)}, {read_only(1, "int64")}, {read_only(1, "int64")}, {read_only(1, "int64")}, '
    f'{read_only(2)}, {read_only(1)}, float64[::1], float64[:, ::1], float64[:, ::1], '
    'float64[:, :, ::1], float64[::1])',
)
