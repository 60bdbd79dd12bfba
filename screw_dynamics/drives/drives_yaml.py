# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives as YAML documents."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import YamlEntry, write_document
from screw_dynamics.common.yaml_files.records import (
    built,
    kind_of,
    read_record,
    record_entries,
    value,
)
from screw_dynamics.drives.joint_drive import JointDrive, Motor, Rotor
from screw_dynamics.drives.joint_friction import JointFriction
from screw_dynamics.drives.springs import (
    AntagonisticPair,
    BalancingSpring,
    CubicSpring,
    ExponentialSpring,
    GasSpring,
    LinearSpring,
    ParallelSpring,
    Spring,
    TabulatedSpring,
    TorsionSpring,
    VariableStiffness,
)
from screw_dynamics.drives.winding import Winding
from screw_dynamics.errors import ModelError, shown

SPRINGS: dict[str, type[Spring]] = {
    spring.type: spring
    for spring in (
        LinearSpring,
        CubicSpring,
        ExponentialSpring,
        TabulatedSpring,
        VariableStiffness,
        AntagonisticPair,
    )
}
PARALLEL_SPRINGS: dict[str, type[ParallelSpring]] = {
    spring.type: spring for spring in (TorsionSpring, BalancingSpring, GasSpring)
}
RIGID = 'rigid'
_LIMITS = {'deflection': 'max_deflection', 'effort_rate': 'max_effort_rate'}
_NUMBERS = ('hysteresis', 'backlash')
_RECORDS: dict[str, type[Motor | JointFriction | Winding | Rotor]] = {
    'motor': Motor,
    'second_motor': Motor,
    'rotor': Rotor,
    'friction': JointFriction,
    'winding': Winding,
}
_JOINT_KEYS = ('spring', *_RECORDS, 'parallel_spring', *_NUMBERS, 'limits')
_SETTINGS = ('rotor_coupling', 'urdf_dynamics', 'coulomb_velocity')


def write_drives(
    drives: Mapping[str, JointDrive],
    settings: Mapping[str, bool | float],
    path: str | os.PathLike[str] | None = None,
) -> str:
    """Return the fields of `Drives` as YAML text; write it to `path` if one is given."""
    entries = {name: _joint_entry(drive) for name, drive in drives.items()}
    return write_document({'drives': entries, **settings}, path)


def read_drives(document: Any) -> dict[str, Any]:
    """Return the fields of `Drives` in a YAML document, or raise ModelError."""
    root = YamlEntry(document, 'document')
    if 'elastic_joints' in (key for key, _ in root.entries()):
        raise ModelError('document: expected the entry drives, got its former name elastic_joints')
    root.require_keys(('drives', *_SETTINGS))
    drives = {
        name: _joint(YamlEntry(node.value, f'drives.{name}'))
        for name, node in root['drives'].entries()
    }
    settings = {key: value(entry) for key, entry in root.entries() if key in _SETTINGS}
    return {'joints': drives, **settings}


def unused_entries(drives: Mapping[str, JointDrive], coupling_named: bool) -> list[str]:
    """Return the entries of a file that have no effect (see `Drives`), with reasons."""
    entries = []
    for name, drive in drives.items():
        if drive.spring is None and np.isfinite(drive.max_deflection):
            entries.append(f'drives.{name}.limits.deflection (the joint is rigid)')
        # a file with `rotor_coupling: false` disables rotors on purpose
        if drive.rotor is not None and not coupling_named:
            entries.append(f'drives.{name}.rotor (rotor_coupling is not set)')
    return entries


def _joint(node: YamlEntry) -> JointDrive:
    if node.value is None:
        return JointDrive()
    node.require_keys(_JOINT_KEYS)
    parts: dict[str, Any] = {}
    for key, entry in node.entries():
        if key in _NUMBERS:
            parts[key] = entry.number()
        elif entry.value is None:
            continue
        elif key in _RECORDS:
            parts[key] = read_record(entry, _RECORDS[key])
        elif key == 'spring':
            parts[key] = _spring(entry)
        elif key == 'parallel_spring':
            parts[key] = read_record(entry, kind_of(entry, PARALLEL_SPRINGS), extra=('type',))
        else:
            entry.require_keys(_LIMITS)
            for name, bound in entry.entries():
                parts[_LIMITS[name]] = require_number(
                    bound.path, bound.number(), above=True, infinite=True, error=ModelError
                )
    return built(node, JointDrive, parts)


def _spring(node: YamlEntry) -> Spring | None:
    kind = kind_of(node, {RIGID: None, **SPRINGS})
    if kind is None:
        node.require_keys(('type',))
        return None
    if 'damping' in node.value and kind is not LinearSpring:
        raise ModelError(
            f'{node.path}.damping: expected no entry with a spring of type {shown(kind.type)}: '
            f'only a {LinearSpring.type} spring can have a parallel damper'
        )
    return read_record(node, kind, extra=('type',))


def _joint_entry(drive: JointDrive) -> dict[str, Any]:
    """Return the entries of a joint whose values are not the default ones."""
    entry: dict[str, Any] = {}
    for key in ('spring', 'parallel_spring'):
        if (spring := getattr(drive, key)) is not None:
            entry[key] = {'type': spring.type} | record_entries(spring)
    for key in _RECORDS:
        record = getattr(drive, key)
        if record is not None and (key != 'motor' or record != Motor()):
            entry[key] = record_entries(record)
    entry |= {key: getattr(drive, key) for key in _NUMBERS if getattr(drive, key)}
    limits = {key: getattr(drive, name) for key, name in _LIMITS.items()}
    if limits := {key: value for key, value in limits.items() if np.isfinite(value)}:
        entry['limits'] = limits
    return entry
