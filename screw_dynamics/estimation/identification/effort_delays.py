# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Delays of measured efforts behind positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
from screw_dynamics.estimation.identification.least_squares import Window, fit

_LEAST, MOST_DELAY = 1e-3, 0.05  # s
_SURE = 6.0  # standard deviations


def delays_of(
    columns: Callable[[Array], Array],
    times: Array,
    jets: Array,
    efforts: Array,
    smooth: Array,
    spread: Array,
    windows: Sequence[Window],
    noise: Array,
) -> Array:
    """
    Return the certain delays (m,) of efforts (T, m) behind the positions, 0 for others [s].

    Efforts that lag by d differ by -d times their rate. These rates, of `smooth` efforts (T, m)
    without Coulomb friction, are further columns of a fit of all that a rigid robot may have,
    `columns` (T, m, P) of jets, so that what the chosen parameters lack is not taken for a delay.
    """
    instants, first, place = np.unique(times, return_index=True, return_inverse=True)
    rates = np.gradient(smooth[first], instants, axis=0)[place]
    count = smooth.shape[1]

    def of(part: slice) -> Array:
        own = -rates[part][..., np.newaxis] * np.eye(count)
        return np.concatenate((columns(jets[part]), own), axis=2)

    wide = fit(of, efforts, spread, windows, noise)
    return certain_delays(wide.values[-count:], np.sqrt(np.diag(wide.covariance)[-count:]))


def certain_delays(delays: Array, deviations: Array) -> Array:
    """
    Return the delays (m,) of efforts that are certain, 0 for others [s].

    If one delay, the mean weighted by certainty, explains all, joints whose own is not certain
    have that one.
    """
    weights = deviations**-2.0
    common, deviation = (weights @ delays) / weights.sum(), weights.sum() ** -0.5
    alike = np.abs(delays - common) < _SURE * deviations + _LEAST
    rest = common if alike.all() and _is_certain(common, deviation) else 0.0
    return np.where(_is_certain(delays, deviations), delays, rest)


def _is_certain(delay: Array, deviation: Array) -> NDArray[np.bool_]:
    size = np.abs(delay)
    return (size > _LEAST) & (size > _SURE * deviation)


def late(names: Sequence[str], delays: Array) -> tuple[Finding, ...]:
    """Return what is said of delays (n,) that are taken out [s], or that are too long."""
    found = np.flatnonzero(delays).tolist()
    if not len(found):
        return ()
    worst = max(found, key=lambda i: abs(delays[i]))
    delay = 1e3 * delays[worst]
    others = f'; so do those of {len(found) - 1} other joints' if len(found) > 1 else ''
    side = f'lag by {delay:.0f} ms' if delay > 0.0 else f'are {-delay:.0f} ms ahead'
    text = (
        f'recording: joint {names[worst]!r}: expected efforts of the instants of the positions, '
        f'got efforts that {side}{others}'
    )
    joints = tuple(names[i] for i in found)
    if abs(delays[worst]) > MOST_DELAY:
        return (Finding('late', 'wrong', joints, text),)
    hint = lead_time_hint(float(delays[worst]))
    return (Finding('late', 'left out', joints, f'{text}; taken out{hint}'),)


def lead_time_hint(delay: float) -> str:
    """Return the text for efforts that are ahead, as commands are; '' for a delay above 0 [s]."""
    return '' if delay > 0.0 else f'; if they are the commands, set lead_time: {-delay:.2g}'
