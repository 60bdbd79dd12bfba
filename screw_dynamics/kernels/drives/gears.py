# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Hysteresis and backlash between motor and link, and friction that holds at rest.

A spring of the law f transmits ``tau = f(x)``. Its deflection x is phi = theta - q plus delta
beyond a gap b, x = dead zone of (phi + delta), with Dahl's law while it transmits anything:

    delta' = phi' - |phi'| delta / w,    |delta| <= w

So phi lags behind x by up to w in either direction, and at a reversal the slope is up to 3 f'.
While phi moves in one direction, delta is an exponential of the travel: steps are exact however
long they are, and x(phi) has an inverse. If x turns back between two samples, it does so where
the polynomial does that has its value and derivatives at both. The inverse of the gap would be a
jump: b/2 tanh(x / b) instead.

Friction that holds at rest is a spring that slips: at least up to `_ELASTIC` of the friction level
it is elastic, so that nothing creeps, beyond that it approaches the level like delta.
"""

import numpy as np

from screw_dynamics.kernels.drives.damped import END_ROWS, connect
from screw_dynamics.kernels.series import invert, tanh, to_jet

# columns of the table of gears (m, 3): half width w of the hysteresis, gap b, stiffness at rest
WIDTH, GAP, BRISTLE = range(3)

WORK = 3  # rows of the workspace of `write_slip`

_ELASTIC = 0.7
_MOST_STEPS = 60
_HALVINGS = 50
_ROUNDING = 2.0**-52


def dead_zone(value, gap):
    """Return by how much a value is outside of a gap around 0, with its sign."""
    return max(value - 0.5 * gap, 0.0) + min(value + 0.5 * gap, 0.0)


def slipped(value, limit, travel):
    """Return Dahl's state, at most `limit` in size, after some travel in one direction."""
    end = limit if travel >= 0.0 else -limit
    return end + (value - end) * np.exp(-abs(travel) / limit)


def held_friction(force, level, stiffness, travel):
    """Return friction that holds at rest after some travel in one direction."""
    sense = 1.0 if travel >= 0.0 else -1.0
    elastic = min(max(_ELASTIC * level - sense * force, 0.0) / stiffness, abs(travel))
    force += sense * stiffness * elastic
    rest = abs(travel) - elastic
    if rest > 0.0:
        force = sense * level + (force - sense * level) * np.exp(-stiffness * rest / level)
    return force


def held_friction_rate(force, level, stiffness, velocity):
    """Return the time derivative of friction that holds at rest."""
    sense = 1.0 if velocity >= 0.0 else -1.0
    slip = sense * force / level
    return stiffness * velocity * (1.0 - slip if slip >= _ELASTIC else 1.0)


def slip_travel(delta, width, change):
    """Return the travel of phi with which x changes by a value."""
    size = abs(change)
    short = width - delta if change >= 0.0 else width + delta
    # increasing and concave: Newton's steps from below never go too far
    travel = 0.0
    for _ in range(_MOST_STEPS):
        decay = np.exp(-travel / width)
        step = (size - travel - short * (1.0 - decay)) / (1.0 + short / width * decay)
        travel += step
        if step <= _ROUNDING * size:
            break
    return travel if change >= 0.0 else -travel


def turning_point(last, jet, h, work):
    """
    Return the value at which a quantity turns back between two samples, NaN if it does not.

    `last` and `jet` (p,) are its jets at both, a time `h` apart; it turns if the signs of the
    rates differ. `work` is (2, TERMS), see `damped`.
    """
    count = min(len(jet), END_ROWS)
    if count < 2 or not (h > 0.0 and last[1] * jet[1] < 0.0):
        return np.nan
    connect(last[:count], jet[:count], h, work)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle, slope = 0.5 * (low + high), 0.0
        for k in range(2 * count - 1, 0, -1):
            slope = slope * middle + k * work[0, k]
        if slope * last[1] > 0.0:
            low = middle
        else:
            high = middle
    value = 0.0
    for k in range(2 * count - 1, -1, -1):
        value = value * low + work[0, k]
    return value


def write_slip(gear, h, x, deflection, last, taylor, powers, connection, work):
    """
    Turn the series x (p,) of a spring's deflection into that of phi.

    `deflection` is phi and `last` (p,) the jet of x of the sample before, a time `h` ago, NaN for
    none; both are updated. An unknown phi is that without slip, delta = 0. Derivatives are those
    in the direction of motion. `connection` is workspace of `turning_point`.
    """
    width, gap, count = gear[WIDTH], gear[GAP], len(x)
    crossing, phi = work[0, :count], work[1, :count]
    crossing[:] = 0.0
    start = x[0] if np.isnan(last[0]) else last[0]
    before = start
    if gap > 0.0:
        before += 0.5 * gap * np.tanh(start / gap)
        for k in range(count):
            phi[k] = x[k] / gap
        tanh(phi, crossing, work[2, :count])
        for k in range(count):
            crossing[k] *= 0.5 * gap
    jet = work[2, :count]
    to_jet(x, jet)
    turning = turning_point(last, jet, h, connection)
    last[:] = jet
    if width > 0.0:
        delta = 0.0 if np.isnan(deflection[0]) else before - deflection[0]
        delta = min(max(delta, -width), width)
        if not np.isnan(turning):
            delta = slipped(delta, width, slip_travel(delta, width, turning - start))
            start = turning
        delta = slipped(delta, width, slip_travel(delta, width, x[0] - start))
        sense = 0.0
        for k in range(1, count):
            if sense == 0.0 and x[k] != 0.0:
                sense = 1.0 if x[k] > 0.0 else -1.0
        factor = delta - sense * width
        for k in range(1, count):
            factor *= -sense / (width * k)
            taylor[k] = factor
        if count > 1:
            taylor[1] += 1.0
        phi[0] = x[0] - delta
        invert(taylor, x, phi, powers)
        x[:] = phi
    for k in range(count):
        x[k] += crossing[k]
    deflection[0] = x[0]
