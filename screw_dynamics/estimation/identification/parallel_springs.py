# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs beside drives whose torques, stiffness or forces are sought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import (
    BalancingSpring,
    Drives,
    GasSpring,
    JointDrive,
    TorsionSpring,
    transmitted_efforts,
)
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import ParallelSpring
from screw_dynamics.errors import InputError, UnknownNameError, shown
from screw_dynamics.model.screw_model import ScrewModel

# entry of the only parameter of a spring of known geometry, and its field
_OF_SPRINGS: dict[type, tuple[str, str]] = {
    TorsionSpring: ('spring_stiffness', 'stiffness'),
    BalancingSpring: ('spring_rate', 'stiffness'),
    GasSpring: ('spring_force', 'force'),
}
TORQUE = 'spring_torque'
ParallelSprings: TypeAlias = Mapping[str, Literal['constant', 'linear'] | ParallelSpring]


def require_springs(springs: ParallelSprings, joint_names: Sequence[str]) -> None:
    """Raise UnknownNameError for springs at other joints, InputError for other springs."""
    for name, spring in springs.items():
        if name not in joint_names:
            raise UnknownNameError('joint', name, joint_names, 'parallel_springs')
        if spring not in ('constant', 'linear') and type(spring) not in _OF_SPRINGS:
            raise InputError(
                f'parallel_springs: joint {name!r}: expected constant, linear or a '
                f'ParallelSpring, got {shown(spring)}'
            )


def spring_entries(
    springs: ParallelSprings, joint_names: Sequence[str], joints: NDArray[np.bool_]
) -> list[tuple[str, int]]:
    """Return the entry and the joint of each parameter of the springs at `joints` (n,)."""
    entries: dict[str, list[str]] = {}
    for name, spring in springs.items():
        own = [TORQUE, 'spring_stiffness'][: 1 + (spring == 'linear')]
        for entry in own if isinstance(spring, str) else [_OF_SPRINGS[type(spring)][0]]:
            entries.setdefault(entry, []).append(name)
    chosen = [(j, name) for j, name in enumerate(joint_names) if joints[j]]
    return [(entry, j) for entry, own in entries.items() for j, name in chosen if name in own]


def spring_columns(
    springs: ParallelSprings, entries: Sequence[tuple[str, int]], model: ScrewModel, jets: Array
) -> Array:
    """Return the efforts (T, n, S) that drives transmit beside springs, by their parameters."""
    found = np.zeros((len(jets), model.n, len(entries)))
    for place, (entry, j) in enumerate(entries):
        name = model.joint_names[j]
        spring = springs[name]
        if isinstance(spring, ParallelSpring):
            unit = replace(spring, **{_OF_SPRINGS[type(spring)][1]: 1.0})  # type: ignore[type-var]
            drives = Drives({name: JointDrive(parallel_spring=unit)}, urdf_dynamics=False)
            none = np.zeros((len(jets), 1, model.n))
            found[..., place] = transmitted_efforts(Robot(model, drives), jets, none)[:, 0]
        else:
            found[:, j, place] = -1.0 if entry == TORQUE else jets[:, 0, j]
    return found


def springs_found(
    springs: ParallelSprings, numbers: Mapping[str, float]
) -> dict[str, ParallelSpring]:
    """Return the springs with parameters among `numbers`; no constant torques."""
    found: dict[str, ParallelSpring] = {}
    for name, spring in springs.items():
        if isinstance(spring, ParallelSpring):
            entry, field = _OF_SPRINGS[type(spring)]
            if f'{name}.{entry}' in numbers:
                number = {field: numbers[f'{name}.{entry}']}
                found[name] = replace(spring, **number)  # type: ignore[type-var]
        elif (stiffness := numbers.get(f'{name}.spring_stiffness')) is not None:
            found[name] = TorsionSpring(stiffness, numbers[f'{name}.{TORQUE}'] / stiffness)
    return found
