# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Content and sign of measured efforts, and loads that nobody seeks, from what explains them."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.linalg import qr
from scipy.optimize import lsq_linear

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.effort_format import (
    MEASURED_CONTENTS,
    SENSES,
    Content,
    EffortFormat,
    left_out,
    other_content,
)
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import inertial_parameters
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.columns import load_columns
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES
from screw_dynamics.model.screw_model import ScrewModel

_AS_LEAST = 1.0 + 1e-6  # times the least, what rounding alone tells from it
_BETTER = 4.0  # times smaller is what another content leaves of an effort
_WORSE = 1.5  # times larger, at the most, is what it leaves of those of other joints
_EXPLAINED = 0.5  # of an effort, the most that a content leaves that explains it
_SCALED = 2.0  # the least factor, or its inverse, that is not an error of the model
_NEGLIGIBLE = 0.01  # of an effort
_TELLING, _LEAST_LOAD = 2.0, 0.02  # times smaller with a load, of a part of the robot's mass


def check_content(
    model: ScrewModel,
    stated: EffortFormat,
    efforts: Array,
    jets: Array,
    rows: Array,
    least: Array,
    load: Array,
) -> None:
    """
    Raise InputError where another content, sign or scale explains efforts far better.

    `efforts` (T, n) are full ones if the `stated` format is right; `rows` (T, n, P) are the
    columns of parameters above `least` (P,): so a negative mass is no explanation of gravity that
    is missing. A load with the columns `load` (T, n, 10 or 0) that nobody seeks may explain them
    better still: then nothing is raised.
    """
    motion = inverse_dynamics(model, jets)[:, 0]
    lacking: dict[Content, Array] = {
        content: left_out(content, model, jets) for content in MEASURED_CONTENTS
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
    telling = own > _NEGLIGIBLE * size
    better = telling & (_BETTER * left < own) & (left < _EXPLAINED * size)
    as_good = (left < _WORSE * own + _NEGLIGIBLE * size).all(axis=1)
    total = np.where(better.any(axis=1) & as_good, np.sum((left / size) ** 2, axis=1), np.inf)
    # of those that explain the same the first: a load may stand for all of a planar arm
    best = int(np.argmax(total <= _AS_LEAST * total.min()))
    scaled = np.concatenate(
        (rows, (motion - lacking[stated.content])[..., np.newaxis] * np.eye(model.n)), axis=2
    )
    above = np.concatenate((least, np.zeros(model.n)))
    left_scaled, factors = _left(scaled, above, reported[np.newaxis], size)
    total_scaled = float(np.sum((left_scaled / size) ** 2))
    loaded = np.inf
    if load.shape[2]:
        left_loaded = _left(*_with_load(load, rows, least), targets[:1], size)[0]
        loaded = _BETTER * float(np.sum((left_loaded / size) ** 2))
    if 2.0 * total_scaled < total[best]:
        scale, ratio = factors[0, -model.n :], own / np.maximum(left_scaled[0], 1e-300)
        unlike = telling & (left_scaled[0] < _EXPLAINED * size)
        unlike &= (scale < 1.0 / _SCALED) | (scale > _SCALED)
        joint = int(np.argmax(np.where(unlike, ratio, 0.0)))
        if unlike[joint] and ratio[joint] > _BETTER and loaded > total_scaled:
            raise InputError(
                f'recording: joint {model.joint_names[joint]!r}: expected efforts of the joint in '
                f'N m or N, got some that {scale[joint]:.3g} times those of the model would '
                f'explain {ratio[joint]:.2g} times better: another unit or the side of the motor '
                '(effort_scale), or a load that is not sought (payload)?'
            )
    elif total[best] < min(np.inf, loaded):
        content, sign = hypotheses[best]
        ratio = np.where(better[best], own / np.maximum(left[best], 1e-300), 0.0)
        joint = int(np.argmax(ratio))
        text = other_content(stated, content, sign < 0.0, float(ratio[joint]))
        raise InputError(f'recording: joint {model.joint_names[joint]!r}: {text}')


def suspected_load(
    model: ScrewModel, efforts: Array, jets: Array, rows: Array, least: Array
) -> tuple[str, Array]:
    """
    Return the text of a load that is not sought, and its columns (T, n, 10).

    One at the end of a chain that explains far more of the efforts than none; '' and no columns
    if there is none.
    """
    target = (efforts - inverse_dynamics(model, jets)[:, 0])[np.newaxis]
    size = np.sqrt(np.mean(efforts**2, axis=0))
    size[size == 0.0] = 1.0
    own = _left(rows, least, target, size)[0][0]
    masses = inertial_parameters(model)[:: len(NAMES)]
    found, most = ('', rows[..., :0]), _TELLING
    for body in sorted(set(range(len(model.body_names))) - set(model.parents)):
        name = model.body_names[body]
        load = load_columns(model, name)(jets)
        left, factors = _left(*_with_load(load, rows, least), target, size)
        ratio = np.where(own > _NEGLIGIBLE * size, own / np.maximum(left[0], 1e-300), 0.0)
        joint, mass = int(np.argmax(ratio)), float(factors[0, 0])
        if ratio[joint] > most and mass > _LEAST_LOAD * masses.sum():
            most = float(ratio[joint])
            text = (
                f'recording: joint {model.joint_names[joint]!r}: expected efforts of the model, '
                f'got some that a load of about {mass:.2g} kg on link {name!r} explains '
                f'{most:.2g} times better: is it sought (payload={name!r}), or do masses of the '
                'model differ? What is found without it is wrong, stiffness above all'
            )
            found = text, load
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
