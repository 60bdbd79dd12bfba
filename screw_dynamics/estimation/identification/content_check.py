# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Content, signs, units and gravity of measured efforts, and loads that nobody seeks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import lsq_linear

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding, Level
from screw_dynamics.dynamics.effort_format import (
    MEASURED_CONTENTS,
    SENSES,
    Content,
    EffortFormat,
    left_out,
    other_content,
)
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor
from screw_dynamics.errors import listed
from screw_dynamics.estimation.identification.findings import LIMITS, REMEDY
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES, load_at
from screw_dynamics.model.screw_model import ScrewModel

_AS_LEAST = 1.0 + 1e-6  # times the least, what rounding alone tells from it
_ROUNDING = 1e-12  # of squares
_UNITS = {
    1e3: 'N mm',
    1e-3: 'kN m',
    0.102: 'kgf m',
    10.2: 'kgf cm',
    8.85: 'lbf in',
    142.0: 'ozf in',
}
_LIKE = 1.25  # times the factor of a unit, the most by which masses of a model are wrong


class Scales(NamedTuple):
    """
    Efforts over those of the model, by joint (m,), beside all else that may be in them.

    What is left without the model, with it, and with these factors, over the efforts (rms).
    """

    factors: Array
    without: Array
    as_it_is: Array
    best: Array

    @property
    def tell(self) -> Array:
        """What each joint tells of its factor: the logarithm of how much better it explains."""
        gain = 2.0 * np.log(np.maximum(self.without, self.best) / self.best)
        told = (gain > np.log(2.0)) & (self.without > LIMITS.negligible)
        return np.where(told, gain, 0.0)


def scales_of(efforts: Array, modelled: Array, rows: Array) -> Scales:
    """Return the scales of efforts (T, m) of a model beside columns (T, m, P), of any sign."""
    size = np.sqrt(np.mean(efforts**2, axis=0))
    size[size == 0.0] = 1.0
    own = modelled[..., np.newaxis] * np.eye(len(size))
    both = np.concatenate((rows, own), axis=2)
    best, factors = _left(both, np.full(both.shape[2], -np.inf), efforts[np.newaxis], size)
    targets = np.stack((efforts, efforts - modelled))
    without, as_it_is = _left(rows, np.full(rows.shape[2], -np.inf), targets, size)[0]
    best = np.maximum(best[0] / size, _ROUNDING)
    return Scales(factors[0, -len(size) :], without / size, as_it_is / size, best)


def other_scales(
    names: tuple[str, ...],
    efforts: Array,
    modelled: Array,
    rows: Array,
    load: Array,
    least: float,
    scaled: float = np.inf,
    rival: float = np.inf,
) -> Iterator[Finding]:
    """
    Yield other units and signs of efforts (T, m) than those `modelled`, beside rows (T, m, P).

    A load that nobody seeks, of columns (T, m, 10 or 0), that explains far more is no unit, nor is
    what another content explains, which leaves the part `rival` of the squares. A unit of all
    is at `least` this, or its inverse, that of one joint `scaled` if it explains far more.
    """
    own = units = scales_of(efforts, modelled, rows)
    if load.shape[2]:
        beside = scales_of(efforts, modelled, np.concatenate((rows, load), axis=2))
        if LIMITS.better * np.sum(beside.as_it_is**2) < np.sum(own.best**2):
            units = beside
    if (shared := _shared_unit(names, units, least)) is not None:
        yield shared
        return
    if 2.0 * np.sum(units.best**2) < rival * max(np.sum(units.as_it_is**2), 1e-300):
        sizes = np.linalg.norm(efforts, axis=0) / (np.linalg.norm(modelled, axis=0) + 1e-300)
        small = (LIMITS.factor * sizes < 1.0) & (not load.shape[2])
        yield from _other_units(names, units, np.where(small, sizes, 1.0), scaled)
    whole = np.einsum('tn,tn->n', efforts, modelled)
    alike = 1.0 - (own.best / np.maximum(own.without, own.best)) ** 2
    turned = (alike > LIMITS.opposite**2) & (own.factors < -1.0 / LIMITS.factor) & (whole < 0.0)
    if not turned.any():
        return
    flipped = scales_of(np.where(turned, -1.0, 1.0) * efforts, modelled, rows)
    share = float(1.0 - np.sum(flipped.as_it_is**2) / np.sum(flipped.without**2))
    joints = [names[j] for j in np.flatnonzero(turned)]
    if share < LIMITS.by_model:
        yield unexplained(names, share, f'more than signs of {listed(joints)} (effort_sign)')
        return
    for name, factor, part in zip(joints, own.factors[turned], alike[turned], strict=True):
        text = (
            f'recording: joint {name!r}: expected efforts with the sign of its axis, got '
            f'{factor:.2g} times those of the model: the joint is reversed (effort_sign){REMEDY}'
        )
        yield Finding('reversed', 'wrong', (name,), text, float(part))


def _shared_unit(names: tuple[str, ...], scales: Scales, least: float) -> Finding | None:
    """Return the unit of all efforts, if three quarters of what tells it agree on a scale."""
    tell, order = scales.tell, np.argsort(scales.factors)
    middle = int(np.searchsorted(np.cumsum(tell[order]), 0.5 * tell.sum()))
    scale = float(scales.factors[order[min(middle, len(order) - 1)]])
    near = (scales.factors > scale / LIMITS.scaled) & (scales.factors < scale * LIMITS.scaled)
    agree = tell.any() and tell[near].sum() >= LIMITS.agree * tell.sum()
    if not agree or scale < 0.0 or 1.0 / least < scale < least:
        return None
    units = [unit for size, unit in _UNITS.items() if 1.0 / _LIKE < scale / size < _LIKE]
    asked = f'are they in {units[0]}' if units else 'are they in another unit, or of the motors'
    joints = tuple(names[j] for j in np.flatnonzero(near & (tell > 0.0)))
    text = (
        f'recording: expected efforts in N m or N, got some that are {scale:.3g} times those of '
        f'the model at {listed(joints)}: {asked} (effort_scale)?{REMEDY}'
    )
    left = float(np.sum(scales.best**2) / np.sum(scales.as_it_is**2))
    return Finding('unit', 'wrong', joints, text, 1.0 - left)


def _other_units(
    names: tuple[str, ...], scales: Scales, small: Array, least: float
) -> Iterator[Finding]:
    """
    Yield the joints whose efforts have another size than those of the model.

    If others have its size, they are left out, else all are wrong; `small` (m,) is the size of
    efforts in those of the model where it is far too small, else 1. A scale, or its inverse, that
    explains far more is at `least` this.
    """
    factors, without, as_it_is, best = scales
    far = best**2 < (1.0 - LIMITS.telling**2) * without**2
    far &= ((factors < 1.0 / LIMITS.factor) | (factors > LIMITS.factor)) & (factors > 0.0)
    unlike = (factors > LIMITS.scale) & ((factors < 1.0 / least) | (factors > least))
    unlike &= (LIMITS.better * best < as_it_is) & (best < LIMITS.explained)
    found = far | unlike | (small < 1.0)
    level, end = ('wrong', REMEDY) if found.all() else ('left out', ': left out')
    for j in np.flatnonzero(found).tolist():
        got = f'{small[j]:.2g} times the size of those of the model: another unit or scale'
        if far[j] or unlike[j]:
            got = f'some that {factors[j]:.3g} times those of the model would explain '
            got += f'{as_it_is[j] / best[j]:.2g} times better: another unit or side of the motor'
        text = (
            f'recording: joint {names[j]!r}: expected efforts of the joint in N m or N, got {got} '
            f'(effort_scale), a load that is not sought (payload), or no measured efforts?{end}'
        )
        yield Finding('unit', cast(Level, level), (names[j],), text)


def unexplained(names: Sequence[str], share: float, beside: str) -> Finding:
    """Return what is said of efforts of which the model explains no more than a share."""
    text = (
        f'recording: expected efforts of the model, got some of which it explains '
        f'{100.0 * max(share, 0.0):.0f} % beside friction, rotors and offsets: another robot, '
        f'another order of joints, other units (effort_scale), or {beside}?{REMEDY}'
    )
    return Finding('model', 'wrong', tuple(names), text, max(share, 0.0))


def other_contents(
    model: ScrewModel,
    stated: EffortFormat,
    efforts: Array,
    jets: Array,
    rows: Array,
    least: Array,
    load: Array,
    joints: NDArray[np.bool_],
) -> Iterator[Finding]:
    """
    Yield another content or sign that explains efforts far better.

    `efforts` (T, m) of `joints` (n,) are full ones if the `stated` format is right; `rows`
    (T, m, P) are the columns of parameters above `least` (P,): so a negative mass is no
    explanation of gravity that is missing. A load with the columns `load` (T, m, 10 or 0) that
    nobody seeks may explain them better still: then there is nothing to say.
    """
    names = np.array(model.joint_names)[joints].tolist()
    motion = inverse_dynamics(model, jets)[:, 0, joints]
    lacking: dict[Content, Array] = {
        content: left_out(content, model, jets)[:, joints] for content in MEASURED_CONTENTS
    }
    reported = efforts - lacking[stated.content]
    size = np.sqrt(np.mean(reported**2, axis=0))
    size[size == 0.0] = 1.0
    hypotheses = sorted(
        product(MEASURED_CONTENTS, (1.0, -1.0)), key=lambda pair: pair[0] != stated.content
    )  # the stated one first, then its opposite sign
    targets = np.stack(
        [
            sign * SENSES[content] * SENSES[stated.content] * reported - motion + lacking[content]
            for content, sign in hypotheses
        ]
    )
    left = _left(rows, least, targets, size)[0]
    own = left[0]
    telling = own > LIMITS.negligible * size
    better = telling & (LIMITS.better * left < own) & (left < LIMITS.explained * size)
    as_good = (left < LIMITS.worse * own + LIMITS.negligible * size).all(axis=1)
    total = np.where(better.any(axis=1) & as_good, np.sum((left / size) ** 2, axis=1), np.inf)
    # of those that explain the same the first: a load may stand for all of a planar arm
    best = int(np.argmax(total <= _AS_LEAST * total.min()))
    loaded = np.inf
    if load.shape[2]:
        left_loaded = _left(*_with_load(load, rows, least), targets[:1], size)[0]
        loaded = LIMITS.better * float(np.sum((left_loaded / size) ** 2))
    whole = float(np.sum((own / size) ** 2))
    if total[best] < min(np.inf, loaded):
        content, sign = hypotheses[best]
        ratio = np.where(better[best], own / np.maximum(left[best], 1e-300), 0.0)
        joint = int(np.argmax(ratio))
        if content == 'external' != stated.content and sign < 0.0:  # friction, and no model
            share = float(1.0 - whole / total[best])
            found = unexplained(names, share, "effort_content 'external' of opposite sign")
            yield found._replace(explains=1.0 - total[best] / whole)
            return
        text = other_content(stated, content, sign < 0.0, float(ratio[joint]))
        yield Finding(
            'content',
            'wrong',
            (names[joint],),
            f'recording: joint {names[joint]!r}: {text}',
            1.0 - total[best] / whole,
        )


def turned_gravity(
    model: ScrewModel,
    efforts: Array,
    jets: Array,
    rows: Array,
    least: Array,
    load: Array,
    joints: NDArray[np.bool_],
) -> Iterator[Finding]:
    """Yield another direction of gravity that explains full efforts (T, m) far better."""
    strength = float(np.linalg.norm(model.gravity))
    if strength == 0.0:
        return
    size = np.sqrt(np.mean(efforts**2, axis=0))
    size[size == 0.0] = 1.0
    q, motion = jets[:, 0], inverse_dynamics(model, jets)[:, 0, joints]
    axes = np.stack(
        [gravity_forces(replace(model, gravity=axis), q)[:, joints] for axis in np.eye(3)], axis=2
    )
    told, directions = np.linalg.eigh(np.einsum('tja,tjb->ab', axes, axes))
    directions = directions[:, told > _ROUNDING * told[-1]]  # a planar arm does not tell all
    target = (efforts - motion)[np.newaxis]
    both = np.concatenate((axes @ directions, rows), axis=2)
    above = np.concatenate((np.full(directions.shape[1], -np.inf), least))
    left, factors = _left(both, above, target, size)
    own = _left(rows, least, target, size)[0][0]
    telling = own > LIMITS.slope * size

    def better(left: Array) -> float:
        """Return how many times less remains of the joint of which it says most."""
        return float(np.max(own / np.maximum(left[0], 1e-300), initial=0.0, where=telling))

    gain, loaded = better(left), 0.0
    if load.shape[2]:
        loaded = better(_left(*_with_load(load, rows, least), target, size)[0])
    total = np.sum((own / size) ** 2) / max(np.sum((left[0] / size) ** 2), 1e-300)
    if gain < max(LIMITS.turned, loaded) or total < LIMITS.turned**2:
        return
    found = model.gravity + directions @ factors[0, : directions.shape[1]]
    ratio = float(np.linalg.norm(found)) / strength
    if not LIMITS.like_gravity[0] < ratio < LIMITS.like_gravity[1]:
        return
    cosine = found @ model.gravity / (ratio * strength**2)
    angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    if angle > LIMITS.tilt:
        given, other = (
            ', '.join(f'{value:.3g}' for value in vector) for vector in (model.gravity, found)
        )
        yield Finding(
            'gravity',
            'wrong',
            (),
            f'recording: expected gravity ({given}) m/s^2 in the axes of {model.base_link!r}, got '
            f'efforts that gravity ({other}) m/s^2 explains far better, turned by {angle:.0f} '
            'degrees: does the base stand on a slope, a wall or a ceiling (gravity of the model)?',
            1.0 - gain**-2,
        )


def suspected_load(
    model: ScrewModel,
    efforts: Array,
    jets: Array,
    rows: Array,
    least: Array,
    joints: NDArray[np.bool_],
) -> tuple[Finding | None, Array]:
    """
    Return what is said of a load that is not sought, and its columns (T, m, 10) at `joints` (n,).

    One at the end of a chain that explains far more of the efforts (T, m) than none; no columns
    if there is none.
    """
    names = np.array(model.joint_names)[joints].tolist()
    target = (efforts - inverse_dynamics(model, jets)[:, 0, joints])[np.newaxis]
    size = np.sqrt(np.mean(efforts**2, axis=0))
    size[size == 0.0] = 1.0
    own = _left(rows, least, target, size)[0][0]
    masses = inertial_parameters(model)[:: len(NAMES)]
    every = regressor(model, jets)[:, 0, joints]
    found: tuple[Finding | None, Array] = None, rows[..., :0]
    most = LIMITS.loaded
    for body in sorted(set(range(len(model.body_names))) - set(model.parents)):
        name = model.body_names[body]
        place, transform = load_at(model, name)
        load = every[..., place] @ transform
        left, factors = _left(*_with_load(load, rows, least), target, size)
        ratio = np.where(own > LIMITS.negligible * size, own / np.maximum(left[0], 1e-300), 0.0)
        joint, mass = int(np.argmax(ratio)), float(factors[0, 0])
        if ratio[joint] > most and mass > LIMITS.load * masses.sum():
            most = float(ratio[joint])
            text = (
                f'recording: joint {names[joint]!r}: expected efforts of the model, '
                f'got some that a load of about {mass:.2g} kg on link {name!r} explains '
                f'{most:.2g} times better: is it sought (payload={name!r}), or do masses of the '
                'model differ? What is found without it is wrong, stiffness above all'
            )
            part = 1.0 - most**-2
            found = Finding('load', 'odd', (names[joint],), text, part), load
    return found


def _with_load(load: Array, rows: Array, least: Array) -> tuple[Array, Array]:
    """Return columns and least values with those of a load, whose mass is not negative."""
    possible = np.concatenate(([0.0], np.full(len(NAMES) - 1, -np.inf), least))
    return np.concatenate((load, rows), axis=2), possible


def _left(rows: Array, least: Array, targets: Array, size: Array) -> tuple[Array, Array]:
    """
    Return what rows (T, n, P) leave of targets (H, T, n), and the best factors (H, P).

    Root mean squares are (H, n), factors above `least` (P,); joints count by their `size` (n,).
    """
    weighted = (rows / size[:, np.newaxis]).reshape(-1, rows.shape[2])
    scale = np.linalg.norm(weighted, axis=0)
    scale[scale == 0.0] = 1.0
    sides = (targets / size).reshape(len(targets), -1).T
    both = np.column_stack((weighted / scale, sides))
    root = qr(both, mode='r', check_finite=False)[0][: both.shape[1]]
    count = len(least)
    factors = np.array(
        [
            lsq_linear(root[:, :count], side, (least, np.inf), method='bvls').x / scale
            for side in root[:, count:].T
        ]
    )
    rest: Array = targets - np.einsum('tnp,hp->htn', rows, factors)
    return np.sqrt(np.mean(rest**2, axis=1)), factors
