# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness of springs from the positions of motors and links."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, RecordingWarning
from screw_dynamics.estimation.identification.least_squares import Window, fit
from screw_dynamics.estimation.identification.recording import Recording
from screw_dynamics.model.screw_model import ScrewModel

_FOLLOWS = (0.5, 2.0)  # of the motion of a link, that of its motor
_KNOWN = 3.0  # standard deviations of a compliance, from which on a spring is told from a shaft


class SpringFit(NamedTuple):
    """
    A linear spring of a joint.

    Stiffness with its standard deviation [N m/rad or N/m], both infinite where the deflection does
    not show any compliance; deflection without effort, and the root mean square of what remains
    of the deflection [rad or m].
    """

    joint: str
    stiffness: float
    deviation: float
    zero: float
    remaining: float


def fitted_springs(
    model: ScrewModel,
    recording: Recording,
    efforts: Array,
    windows: Sequence[Window],
    uncertain: Callable[[int, Array], float],
) -> tuple[SpringFit, ...]:
    """
    Return the springs of all joints whose motors were recorded.

    `efforts` (T, n) are those that the identified parameters explain: with much less noise than
    the measured ones, they do not bias the fit of the compliance. `uncertain` returns the variance
    that the parameters give a mean of the efforts of a joint with weights (T,).
    """
    if recording.motor_positions is None:
        return ()
    found = []
    for i in np.flatnonzero(sprung(recording)).tolist():
        name = model.joint_names[i]
        link, motor = recording.positions[:, i], recording.motor_positions[:, i]
        if model.coordinate_types[i] == 'continuous':
            link, motor = np.unwrap(link), np.unwrap(motor)
        _check_motion(name, link, motor, efforts[:, i])
        deflection = motor - link
        if model.coordinate_types[i] == 'continuous':
            deflection -= 2.0 * np.pi * np.rint(deflection.mean() / (2.0 * np.pi))
        away = efforts[:, i] - efforts[:, i].mean()
        variance = uncertain(i, away / max(float(away @ away), np.finfo(float).tiny))
        found.append(_spring(name, efforts[:, i], deflection, windows, variance))
    return tuple(found)


def _spring(
    name: str, efforts: Array, deflection: Array, windows: Sequence[Window], variance: float
) -> SpringFit:
    """Return the spring of efforts (T,), whose scale has a `variance`, and deflections (T,)."""
    rows = np.column_stack((efforts, np.ones(len(efforts))))[:, np.newaxis]
    still = np.zeros((len(efforts), 1))
    line = fit(lambda part: rows[part], deflection[:, np.newaxis], still, windows)
    compliance, zero = line.values.tolist()
    # noise of encoders is white; errors of the parameters in the residuals count in `variance`
    own = float(np.linalg.inv(line.root.T @ line.root)[0, 0])
    deviation = float(np.sqrt(own + compliance**2 * variance))
    if compliance < -_KNOWN * deviation:
        raise InputError(
            f'recording: joint {name!r}: expected a motor that leads under a positive effort, '
            f'got {compliance:.2g} rad or m per N m or N: the effort or both positions are '
            'reversed'
        )
    known = compliance > _KNOWN * deviation
    if not known:
        warnings.warn(
            f'recording: joint {name!r}: expected a deflection that follows the effort, got '
            f'{compliance:.2g} +- {2.0 * deviation:.1g} rad or m per N m or N: its stiffness '
            'remains unknown (inf)',
            RecordingWarning,
            stacklevel=5,
        )
    return SpringFit(
        name,
        1.0 / compliance if known else np.inf,
        deviation / compliance**2 if known else np.inf,
        zero,
        float(np.sqrt(np.mean(line.residuals**2))),
    )


def sprung(recording: Recording) -> NDArray[np.bool_]:
    """Return for every joint whether the position of its motor was recorded, (n,)."""
    if recording.motor_positions is None:
        return np.zeros(len(recording.joint_names), dtype=bool)
    return np.array([not np.isnan(column).any() for column in recording.motor_positions.T], bool)


def _check_motion(name: str, link: Array, motor: Array, effort: Array) -> None:
    """Raise InputError unless a motor moves as its link does, but for a part of the effort."""
    columns = np.column_stack((link, effort, np.ones(len(link))))
    ratio = float(np.linalg.lstsq(columns, motor, rcond=None)[0][0])
    if ratio < 0.0:
        raise InputError(
            f'recording: joint {name!r}: expected a motor that moves with its link, got '
            f'{ratio:.3g} times the motion of the link: one of both encoders is reversed'
        )
    if not _FOLLOWS[0] < ratio < _FOLLOWS[1]:
        raise InputError(
            f'recording: joint {name!r}: expected the motor position on the joint side of the '
            f'gear, got {ratio:.3g} times the motion of the link'
        )
