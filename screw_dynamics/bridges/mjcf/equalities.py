# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equalities of a compiled MJCF document: relations of joints, or an error."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from screw_dynamics.bridges.mjcf.compiled import CompiledMjcf
from screw_dynamics.errors import UnsupportedJointError, listed
from screw_dynamics.model.urdf.records import Mimic

Relation: TypeAlias = Mimic | float  # a float is the position that holds a joint


def relations(compiled: CompiledMjcf) -> dict[str, Relation]:
    """Return the linear relations of joints by name; raise UnsupportedJointError for others."""
    model, mujoco = compiled.model, compiled.mujoco
    found: dict[str, Relation] = {}
    refused = []
    for e in np.flatnonzero(model.eq_active0).tolist():
        kind = mujoco.mjtEq(int(model.eq_type[e])).name.removeprefix('mjEQ_').lower()
        ends = [end for end in (int(model.eq_obj1id[e]), int(model.eq_obj2id[e])) if end >= 0]
        constant, slope, *curved = model.eq_data[e, :5].tolist()
        linear = kind == 'joint' and all(map(compiled.is_scalar, ends)) and not any(curved)
        if not linear or compiled.joints[ends[0]] in found:
            power = ' (not linear)' if kind == 'joint' and any(curved) else ''
            refused.append(f'{_text(compiled, e, kind, ends)}{power}')
            continue
        name, *masters = [compiled.joints[end] for end in ends]
        zero, *zeros = [float(model.qpos0[model.jnt_qposadr[end]]) for end in ends]
        offset = zero + constant
        found[name] = Mimic(masters[0], slope, offset - slope * zeros[0]) if masters else offset
    if refused:
        raise UnsupportedJointError(
            f'{compiled.where}: equality: expected one linear relation per hinge or slide, got '
            f'{listed(refused)}: closed loops are not supported; active="false" opens them'
        )
    for _ in found:  # joints that follow held ones, through chains
        for name, relation in found.items():
            held = found.get(relation.master) if isinstance(relation, Mimic) else None
            if isinstance(relation, Mimic) and isinstance(held, float):
                found[name] = relation.multiplier * held + relation.offset
    return found


def _text(compiled: CompiledMjcf, e: int, kind: str, ends: list[int]) -> str:
    model, mujoco = compiled.model, compiled.mujoco
    of = mujoco.mjtObj.mjOBJ_JOINT if kind == 'joint' else int(model.eq_objtype[e])
    names = [mujoco.mj_id2name(model, of, end) or f'number {end}' for end in ends]
    return f'{kind} of {" and ".join(names)}'
