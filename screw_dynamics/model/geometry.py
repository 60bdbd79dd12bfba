# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Exact screws, poses and inertias of a checked model; its screw axes at q = 0 and their table.

The checks accept numbers rounded to nine digits. The kernels and the published recursion use
different entries of a matrix, so their results would differ if it were only nearly a rotation (or
nearly symmetric). Rounded values are therefore corrected once, here; exact values are not changed.
"""

import shutil
import textwrap

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import EFFORT_UNITS, POSITION_UNITS, derivative_unit
from screw_dynamics.common.text_table import NO_BREAK, table_width, text_table
from screw_dynamics.lie import adjoint, exp_screw, inertia_parameters, screw_pitch, skew
from screw_dynamics.model.records import LIMITS, JointLimits, ModelRecord, shared_unit
from screw_dynamics.model.robot_model import RobotModel

_EPSILON = float(np.finfo(np.float64).eps)

# Products of many rotations drift by about one rounding error each; these are not corrected.
_DRIFT = 64.0 * _EPSILON


def exact_geometry(model: ModelRecord) -> dict[str, Array]:
    """Return the exact screws, home poses and inertias of a checked model by field name."""
    return {
        'screws': unit_screws(model.screws),
        'home_poses': orthonormal_poses(model.home_poses),
        'inertias': np.array([inertia_form(m) for m in model.inertias]).reshape(-1, 6, 6),
    }


def unit_screws(screws: Array) -> Array:
    """Return screws (N, 6), of unit length to nine digits, with axes of unit length."""
    units: Array = screws.copy()
    for unit in units:
        norm = float(np.linalg.norm(unit[:3] if unit[:3].any() else unit[3:]))
        if abs(norm - 1.0) > 4.0 * _EPSILON:
            unit /= norm
    return units


def orthonormal_poses(poses: Array) -> Array:
    """Return poses (N, 4, 4) with orthonormal rotations; a Newton step squares their defects."""
    exact: Array = poses.copy()
    for pose in exact:
        rotation = pose[:3, :3]
        gram = rotation.T @ rotation
        if np.abs(gram - np.eye(3)).max() > _DRIFT:
            pose[:3, :3] = 0.5 * rotation @ (3.0 * np.eye(3) - gram)
    return exact


def inertia_form(inertia: Array) -> Array:
    """Return an inertia (6, 6) as [[Theta, m c~], [-m c~, m I]], itself if it has this form."""
    mass, first_moment, rotational = inertia_parameters(inertia)
    form = np.block(
        [
            [0.5 * (rotational + rotational.T), skew(first_moment)],
            [-skew(first_moment), mass * np.eye(3)],
        ]
    )
    return inertia if np.array_equal(form, inertia) else form


def reference_poses(model: ModelRecord) -> Array:
    """Return A_i = C_i(0) (N, 4, 4): the pose of every body in base-link axes at q = 0."""
    poses = np.empty((model.body_count, 4, 4))
    for i in range(model.body_count):
        pose = model.home_poses[i]
        if model.offsets[i] != 0.0:
            pose = pose @ exp_screw(model.screws[i], float(model.offsets[i]))
        poses[i] = pose if model.parents[i] < 0 else poses[model.parents[i]] @ pose
    return poses


def spatial_screws(model: ModelRecord) -> Array:
    """Return Y_i = Ad_{A_i} X_i (N, 6), the base-frame screws at q = 0 (MK2021 sect. 2.1)."""
    poses = reference_poses(model)
    screws = [adjoint(pose) @ screw for pose, screw in zip(poses, model.screws, strict=True)]
    return np.array(screws).reshape(-1, 6)


def pitch_and_point(screw: Array) -> tuple[float, Array | None]:
    """Return pitch [m/rad] and nearest point [m] of a screw's axis; inf, None if prismatic."""
    pitch = screw_pitch(screw)
    return pitch, np.cross(screw[:3], screw[3:]) if np.isfinite(pitch) else None


_UNITS = {False: 'rad, rad/s, {}N m, kg', True: 'm, m/s, {}N, kg for prismatic joints'}
_DERIVATIVES = {False: 'rad/s^2, rad/s^3, ', True: 'm/s^2, m/s^3, '}  # of more limits than usual
_ABOUT = ('joint', 'type', 'link', 'on')
_SCREW = ('screw', f'angular{NO_BREAK}e', f'linear{NO_BREAK}v', 'pitch', 'point')


def model_text(model: ModelRecord, *tables: str) -> str:
    """Return name and size of a robot above tables, by default `screw_table`."""
    width = max(shutil.get_terminal_size().columns, 1)
    first = textwrap.fill(_headline(model), width, break_long_words=False)
    return '\n'.join([first, *(tables or [screw_table(model)])]).replace(NO_BREAK, ' ')


def screw_table(model: ModelRecord) -> str:
    """Return the joints with their body-fixed and spatial screws, as two tables if too wide."""
    abouts, screws = [_ABOUT], [_SCREW]
    for i, spatial in enumerate(spatial_screws(model)):
        about = _joint_text(model, i), model.joint_types[i], model.body_names[i], _parent(model, i)
        abouts += [about, ('', '', '', '')]
        screws.append(('body', *_screw_texts(model.screws[i])))
        screws.append(('spatial', *_screw_texts(spatial)))
    width = shutil.get_terminal_size().columns
    rows = list(zip(abouts, screws, strict=True))
    whole = [(*about, *screw) for about, screw in rows]
    if table_width(whole) <= width:
        return text_table(whole, width)
    first = text_table([_ABOUT, *abouts[1::2]], width)
    second = text_table([(about[0], *screw) for about, screw in rows], width, keys=2)
    return f'{first}\n\n{second}'


def screw_parts(model: ModelRecord) -> tuple[str, list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the headline, rows of joints with their spatial screws, and `limit_rows`."""
    rows = [
        (_joint_text(model, i), model.joint_types[i], model.body_names[i], *_screw_texts(screw))
        for i, screw in enumerate(spatial_screws(model))
    ]
    return _headline(model), [(*_ABOUT[:3], *_SCREW[1:]), *rows], limit_rows(model)


def limit_rows(model: ModelRecord | RobotModel) -> list[tuple[str, ...]]:
    """Return rows with the limits of every coordinate, units in the header."""
    position = shared_unit(model.coordinate_types, POSITION_UNITS)
    effort = shared_unit(model.coordinate_types, EFFORT_UNITS)
    orders = {'lower': 0, 'upper': 0, 'velocity': 1, 'acceleration': 2, 'jerk': 3}
    bounds = _stated_limits(model.limits)
    header = [
        f'{name} [{effort if name == "effort" else derivative_unit(position, orders[name])}]'
        for name in bounds
    ]
    rows = [('coordinate', *(cell.replace(' ', NO_BREAK) for cell in header))]
    for j, name in enumerate(model.joint_names):
        rows.append((name, *(f'{column[j]:.5g}' for column in bounds.values())))
    return rows


def _stated_limits(limits: JointLimits) -> dict[str, Array]:
    """Return the limits by name; without those of acceleration and jerk that no joint has."""
    columns = {name: getattr(limits, name) for name in LIMITS}
    return {
        name: column
        for name, column in columns.items()
        if name not in ('acceleration', 'jerk') or np.isfinite(column).any()
    }


def joint_table(model: ModelRecord) -> str:
    """Return the joints with parents, limits of their coordinates, and the masses they move."""
    columns = _stated_limits(model.limits)
    rows: list[tuple[str, ...]] = [('joint', 'type', 'parent', *columns, 'mass')]
    bounds = np.stack(list(columns.values()))
    for i, joint in enumerate(model.tree_joint_names):
        values = *bounds[:, model.coordinates[i]], model.inertias[i, 3, 3]
        numbers = (f'{value:.5g}' for value in values)
        rows.append((joint, model.joint_types[i], _parent(model, i), *numbers))
    slides = {kind == 'prismatic' for kind in model.joint_types}
    more = len(columns) > 4
    units = [_UNITS[kind].format(_DERIVATIVES[kind] * more) for kind in sorted(slides)]
    texts = (_joint_text(model, i) for i in range(model.body_count))
    mimics = [f'mimic: {text}' for text in texts if ' = ' in text]
    mass = f'moving mass: {float(model.inertias[:, 3, 3].sum()):.5g} kg'
    return '\n'.join([text_table(rows), f'in {"; ".join(units)}', *mimics, mass])


def _headline(model: ModelRecord) -> str:
    return (
        f'{model.name}: {_count(model.n, "coordinate", "coordinates")}, '
        f'{_count(model.body_count, "body", "bodies")}, base link {model.base_link!r}, '
        f'gravity{NO_BREAK}{_vector(model.gravity)}{NO_BREAK}m/s^2'
    )


def _count(number: int, one: str, many: str) -> str:
    return f'{number} {one if number == 1 else many}'


def _parent(model: ModelRecord, i: int) -> str:
    """Return the name of the link on which a joint is."""
    parent = model.parents[i]
    return model.base_link if parent < 0 else model.body_names[parent]


def _joint_text(model: ModelRecord, i: int) -> str:
    """Return the joint's name, with the relation to its coordinate if it mimics one."""
    name, master = model.tree_joint_names[i], model.joint_names[model.coordinates[i]]
    if name == master:
        return name
    offset = float(model.offsets[i])
    sign = '-' if offset < 0.0 else '+'
    shift = f' {sign} {_number(abs(offset))}' if offset else ''
    return f'{name} = {_number(model.multipliers[i])} {master}{shift}'


def _screw_texts(screw: Array) -> tuple[str, str, str, str]:
    pitch, point = pitch_and_point(screw)
    return (
        _vector(screw[:3]),
        _vector(screw[3:]),
        _number(pitch),
        '-' if point is None else _vector(point),
    )


def _vector(values: Array) -> str:
    return f'({f",{NO_BREAK}".join(_number(value) for value in values)})'


def _number(value: float) -> str:
    # adding zero turns -0.0 into 0.0
    return f'{np.round(value, 4) + 0.0:g}' if np.isfinite(value) else f'{value}'
