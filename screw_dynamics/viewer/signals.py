# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Signal`: a quantity of the joints or motors with units and limits, as curves and numbers."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import EFFORTS, MOTION, MOTORS, Quantity
from screw_dynamics.drives.robot import Robot
from screw_dynamics.viewer.motion import Sample

_ROUNDING = 1e-12  # of numbers that are 0
EFFORT_NAMES = ('effort', 'effort rate', 'effort second rate')
STYLE = (
    '<style>.numbers{width:100%;padding:0 .4em;font-size:12px;font-variant-numeric:tabular-nums}'
    '.numbers th,.numbers td:not(:first-child,:nth-child(3)){text-align:right}'
    '.numbers th{font-weight:400;opacity:.6}.numbers td+td{white-space:nowrap}</style>'
)


class Signal(NamedTuple):
    """Values (..., k) of k joints or motors; limits are infinite if unknown."""

    name: str
    owners: tuple[str, ...]
    joints: list[int]  # numbers of the coordinates to which they belong
    units: list[str]
    low: Array  # (k,)
    high: Array  # (k,)
    values: Array


def signals(robot: Robot, sample: Sample) -> list[Signal]:
    """Return what is known of one sample, or of all samples of a motion."""
    limits = robot.model.limits.ignoring_zeros()
    slides = [kind == 'prismatic' for kind in robot.model.coordinate_types]
    bends = [kind == 'deformation' for kind in robot.model.coordinate_types]
    joints = list(range(robot.n))
    found = []

    def add(name: str, what: Quantity, owner: list[int], low: Array, high: Array, values: Array,
            owners: tuple[str, ...] = robot.joint_names) -> None:  # fmt: skip
        units = [what.typeset_unit(None if bends[j] else slides[j]) for j in owner]
        found.append(Signal(name, owners, owner, units, low, high, values))

    add('position', MOTION[0], joints, limits.lower, limits.upper, sample.position)
    if sample.efforts is not None:
        free = np.full(robot.n, np.inf)
        rates = np.array([drive.max_effort_rate for drive in robot.joint_drives])
        rows = zip(EFFORT_NAMES, EFFORTS, (limits.effort, rates, free), strict=True)
        for d, (name, what, high) in enumerate(rows):
            if d < sample.efforts.shape[-2]:
                add(name, what, joints, -high, high, sample.efforts[..., d, :])
    if sample.motor_positions is None and sample.motor_efforts is None:
        return found
    table, (*_, effort, deflection) = robot.motors, MOTORS
    owner = table.joint_of_motor.tolist()
    if sample.motor_efforts is not None:
        high = table.max_efforts
        add('motor effort', effort, owner, -high, high, sample.motor_efforts, table.names)
    if sample.motor_positions is not None:
        high = np.array([robot.joint_drives[j].max_deflection for j in owner])
        values = sample.motor_positions - sample.position[..., owner]
        add('deflection', deflection, owner, -high, high, values, table.names)
    return found


def numbers(shown: list[Signal], joint: str) -> str:
    """Return a table of one joint at one sample: value, limit and the share of it, as HTML."""
    rows = []
    for signal in shown:
        for k, owner in enumerate(signal.joints):
            if shown[0].owners[owner] != joint:
                continue
            value, low, high = (float(row[k]) for row in (signal.values, signal.low, signal.high))
            value *= abs(value) > _ROUNDING
            name = signal.name
            if signal.owners[k] != joint:
                name += f' {signal.owners[k].rpartition("/")[2]}'  # of two motors
            limit, share = '', ''
            if np.isfinite([low, high]).all():
                limit = f'± {high:.3g}' if low == -high else f'{low:.3g} to {high:.3g}'
                middle, half = 0.5 * (low + high), 0.5 * (high - low)
                share = f'{abs(value - middle) / half:.0%}' if half > 0.0 else ''
            cells = (f'{value:.4g}', escape(signal.units[k]), limit, share)
            rows.append(f'<td>{name}</td>' + ''.join(f'<td>{cell}</td>' for cell in cells))
    head = ''.join(f'<th>{name}</th>' for name in ('', 'value', '', 'limit', 'share'))
    body = ''.join(f'<tr>{row}</tr>' for row in rows)
    return f'<table class="numbers"><tr>{head}</tr>{body}</table>'
