# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Human-readable table of the screw axes of a model."""

import shutil
import sys
import textwrap

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.model.geometry import pitch_and_point, spatial_screws
from screw_dynamics.model.records import ModelRecord
from screw_dynamics.text_table import NO_BREAK, text_table

_ABOUT = ('joint', 'type', 'link', 'on')
_SCREW = ('screw', f'angular{NO_BREAK}e', f'linear{NO_BREAK}v', 'pitch', 'point')


def screw_table(model: ModelRecord) -> str:
    """
    Return the joints with their screws, two rows each: body-fixed and spatial at q = 0.

    `pitch` is in m/rad, `point` is the point of the axis nearest to the origin of the respective
    frame [m]. If the terminal (80 columns if there is none) is too narrow, there are two tables.
    """
    abouts, screws = [_ABOUT], [_SCREW]
    for i, spatial in enumerate(spatial_screws(model)):
        parent = model.parents[i]
        about = (
            _joint_text(model, i),
            model.joint_types[i],
            model.body_names[i],
            model.base_link if parent < 0 else model.body_names[parent],
        )
        abouts += [about, ('', '', '', '')]
        screws.append(('body', *_screw_texts(model.screws[i])))
        screws.append(('spatial', *_screw_texts(spatial)))
    width = shutil.get_terminal_size().columns
    headline = textwrap.fill(_headline(model), max(width, 1), break_long_words=False)
    rows = list(zip(abouts, screws, strict=True))
    tables = text_table([(*about, *screw) for about, screw in rows], sys.maxsize)
    if max(map(len, tables.splitlines())) > width:
        first = text_table([_ABOUT, *abouts[1::2]], width)
        second = text_table([(about[0], *screw) for about, screw in rows], width, keys=2)
        tables = f'{first}\n\n{second}'
    return f'{headline}\n{tables}'.replace(NO_BREAK, ' ')


def _headline(model: ModelRecord) -> str:
    return (
        f'{model.name}: {_count(model.n, "coordinate", "coordinates")}, '
        f'{_count(model.body_count, "body", "bodies")}, base link {model.base_link!r}, '
        f'gravity{NO_BREAK}{_vector(model.gravity)}{NO_BREAK}m/s^2'
    )


def _count(number: int, one: str, many: str) -> str:
    return f'{number} {one if number == 1 else many}'


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
