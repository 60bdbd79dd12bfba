# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives as YAML documents."""

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

import numpy as np

from screw_dynamics.common.scalars import number_from_text, require_number
from screw_dynamics.common.yaml_files.document import YamlEntry, write_document
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
from screw_dynamics.errors import InputError, ModelError, among, shown

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
# entries that are read as text even if they look like a number
_TEXTS = ('carrier', 'law', 'link', 'parent')
_JOINT_KEYS = (
    'spring',
    'motor',
    'second_motor',
    'friction',
    'parallel_spring',
    'winding',
    *_NUMBERS,
    'limits',
    'rotor',
)
_SETTINGS = ('rotor_coupling', 'urdf_dynamics', 'coulomb_velocity')

R = TypeVar('R')


def write_drives(
    drives: Mapping[str, JointDrive],
    settings: Mapping[str, bool | float],
    path: str | os.PathLike[str] | None = None,
) -> str:
    """Return the fields of `Drives` as YAML text; write it to `path` if one is given."""
    entries = {name: _joint_entry(drive) for name, drive in drives.items()}
    return write_document({'elastic_joints': entries, **settings}, path)


def read_drives(document: Any) -> dict[str, Any]:
    """Return the fields of `Drives` in a YAML document, or raise ModelError."""
    root = YamlEntry(document, 'document')
    root.require_keys(('elastic_joints', *_SETTINGS))
    drives = {
        name: _joint(YamlEntry(node.value, f'elastic_joints.{name}'))
        for name, node in root['elastic_joints'].entries()
    }
    settings = {key: _value(key, entry) for key, entry in root.entries() if key in _SETTINGS}
    return {'joints': drives, **settings}


def unused_entries(drives: Mapping[str, JointDrive], coupling_named: bool) -> list[str]:
    """Return the entries of a file that have no effect (see `Drives`), with reasons."""
    entries = []
    for name, drive in drives.items():
        if drive.spring is None and np.isfinite(drive.max_deflection):
            entries.append(f'elastic_joints.{name}.limits.deflection (the joint is rigid)')
        # a file with `rotor_coupling: false` disables rotors on purpose
        if drive.rotor is not None and not coupling_named:
            entries.append(f'elastic_joints.{name}.rotor (rotor_coupling is not set)')
    return entries


def _joint(node: YamlEntry) -> JointDrive:
    if node.value is None:
        return JointDrive()
    node.require_keys(_JOINT_KEYS)
    parts: dict[str, Any] = {}
    if node.value.get('spring') is not None:
        parts['spring'] = _spring(node['spring'])
    for key in ('motor', 'second_motor'):
        if node.value.get(key) is not None:
            parts[key] = _record(node[key], Motor)
    if node.value.get('limits') is not None:
        node['limits'].require_keys(_LIMITS)
        for key, entry in node['limits'].entries():
            parts[_LIMITS[key]] = require_number(
                entry.path, entry.number(), above=True, infinite=True, error=ModelError
            )
    if node.value.get('rotor') is not None:
        parts['rotor'] = _record(node['rotor'], Rotor)
    if node.value.get('friction') is not None:
        parts['friction'] = _record(node['friction'], JointFriction)
    if node.value.get('winding') is not None:
        parts['winding'] = _record(node['winding'], Winding)
    if node.value.get('parallel_spring') is not None:
        parts['parallel_spring'] = _parallel_spring(node['parallel_spring'])
    for key, entry in node.entries():
        if key in _NUMBERS:
            parts[key] = entry.number()
    return _built(node, JointDrive, parts)


def _spring(node: YamlEntry) -> Spring | None:
    kind = node['type'].value
    if kind == RIGID:
        node.require_keys(('type',))
        return None
    if not isinstance(kind, str) or kind not in SPRINGS:
        raise ModelError(f'{node.path}.type: expected one of {among((RIGID, *SPRINGS), kind)}')
    if 'damping' in node.value and kind != LinearSpring.type:
        raise ModelError(
            f'{node.path}.damping: expected no entry with a spring of type {shown(kind)}: '
            f'only a {LinearSpring.type} spring can have a parallel damper'
        )
    return _record(node, SPRINGS[kind], extra=('type',))


def _parallel_spring(node: YamlEntry) -> ParallelSpring:
    kind = node['type'].value
    if not isinstance(kind, str) or kind not in PARALLEL_SPRINGS:
        raise ModelError(f'{node.path}.type: expected one of {among(PARALLEL_SPRINGS, kind)}')
    return _record(node, PARALLEL_SPRINGS[kind], extra=('type',))


def _record(node: YamlEntry, kind: Callable[..., R], extra: tuple[str, ...] = ()) -> R:
    """Return a record with the entries of a mapping as its fields."""
    parts = [field for field in fields(kind) if field.init]  # type: ignore[arg-type]
    node.require_keys((*extra, *(field.name for field in parts)))
    for field in parts:
        if field.default is MISSING:
            node[field.name]
    values = {key: _value(key, entry) for key, entry in node.entries() if key not in extra}
    return _built(node, kind, values)


def _built(node: YamlEntry, kind: Callable[..., R], values: dict[str, Any]) -> R:
    try:
        return kind(**values)
    except (ModelError, InputError) as error:
        raise ModelError(f'{node.path}.{error}') from None


def _value(key: str, node: YamlEntry) -> Any:
    """Return a number, a tuple of numbers, a truth value or text."""
    if key in _TEXTS:
        return node.value
    if isinstance(node.value, list):
        return tuple(item.number() for item in node.items())
    if isinstance(node.value, str):
        try:
            return number_from_text(node.value)  # 1e-3 without a dot is text in YAML 1.1
        except ValueError:
            return node.value
    return node.value


def _joint_entry(drive: JointDrive) -> dict[str, Any]:
    """Return the entries of a joint whose values are not the default ones."""
    entry: dict[str, Any] = {}
    if drive.spring is not None:
        entry['spring'] = {'type': drive.spring.type} | _fields(drive.spring)
    if motor := _fields(drive.motor):
        entry['motor'] = motor
    entry |= {key: getattr(drive, key) for key in _NUMBERS if getattr(drive, key)}
    limits = {key: getattr(drive, name) for key, name in _LIMITS.items()}
    if limits := {key: value for key, value in limits.items() if np.isfinite(value)}:
        entry['limits'] = limits
    for key in ('second_motor', 'rotor', 'friction', 'winding'):
        record = getattr(drive, key)
        if record is not None:
            entry[key] = _fields(record)
    if drive.parallel_spring is not None:
        kind = drive.parallel_spring.type
        entry['parallel_spring'] = {'type': kind} | _fields(drive.parallel_spring)
    return entry


def _fields(record: Any) -> dict[str, Any]:
    return {
        field.name: list(value) if isinstance(value, tuple) else value
        for field in fields(record)
        if field.init
        and (value := getattr(record, field.name)) is not None
        and value != field.default
    }
