# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Content, sign and gravity of measured efforts, and loads that nobody seeks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import lsq_linear

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.findings import Finding
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
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.estimation.identification.columns import load_columns
from screw_dynamics.estimation.identification.findings import LIMITS
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.model.screw_model import ScrewModel

_AS_LEAST = 1.0 + 1e-6  # times the least, what rounding alone tells from it
_ROUNDING = 1e-12  # of squares


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
    Yield another content, sign, scale or gravity that explains efforts far better.

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
    scaled = np.concatenate(
        (rows, (motion - lacking[stated.content])[..., np.newaxis] * np.eye(len(names))), axis=2
    )
    above = np.concatenate((least, np.zeros(len(names))))
    left_scaled, factors = _left(scaled, above, reported[np.newaxis], size)
    total_scaled = float(np.sum((left_scaled / size) ** 2))
    loaded = np.inf
    if load.shape[2]:
        left_loaded = _left(*_with_load(load, rows, least), targets[:1], size)[0]
        loaded = LIMITS.better * float(np.sum((left_loaded / size) ** 2))
    whole = float(np.sum((own / size) ** 2))
    if 2.0 * total_scaled < total[best]:
        scale, ratio = factors[0, -len(names) :], own / np.maximum(left_scaled[0], 1e-300)
        unlike = telling & (left_scaled[0] < LIMITS.explained * size)
        unlike &= (scale > LIMITS.scale) & (
            (scale < 1.0 / LIMITS.scaled) | (scale > LIMITS.scaled)
        )
        unlike &= ratio > LIMITS.better
        every = bool(unlike[telling].all())
        for j in np.flatnonzero(unlike).tolist() if loaded > total_scaled else ():
            yield Finding(
                'scale',
                'wrong' if every else 'left out',
                (names[j],),
                f'recording: joint {names[j]!r}: expected efforts of the joint in '
                f'N m or N, got some that {scale[j]:.3g} times those of the model would '
                f'explain {ratio[j]:.2g} times better: another unit or the side of the motor '
                '(effort_scale), or a load that is not sought (payload)?'
                + ('' if every else ' The joint is left out'),
                1.0 - float(ratio[j]) ** -2,
            )
    elif total[best] < min(np.inf, loaded):
        content, sign = hypotheses[best]
        ratio = np.where(better[best], own / np.maximum(left[best], 1e-300), 0.0)
        joint = int(np.argmax(ratio))
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
    found: tuple[Finding | None, Array] = None, rows[..., :0]
    most = LIMITS.loaded
    for body in sorted(set(range(len(model.body_names))) - set(model.parents)):
        name = model.body_names[body]
        load = load_columns(model, name)(jets)[:, joints]
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
