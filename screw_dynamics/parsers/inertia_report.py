# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""One warning for all links with a non-physical mass or inertia."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.error_texts import listed
from screw_dynamics.errors import InertiaWarning
from screw_dynamics.parsers.lumping import Body

# Identified and exported inertias are printed with few digits; a defect below this fraction of
# the largest moment is ignored.
_TOLERANCE = 1e-6


def warn_of_inertia(bodies: Sequence[Body], invented: Sequence[str], stacklevel: int) -> None:
    """
    Warn once (`InertiaWarning`) and name all suspicious links that move.

    There are four kinds: joints that move no mass; links with the mass 0; links whose inertia is
    not positive semidefinite or violates the triangle inequality of principal moments; and links
    whose inertia a parser invented (see `from_urdfpy`). Links that do not move are not checked,
    as their inertia has no effect. A `stacklevel` of 1 is the caller of this function.
    """
    moving = [link for body in bodies for link in body.links]
    massless = [
        body.joint.child
        for body in bodies
        if body.inertia[3, 3] == 0.0 and not _has_virtual_child(body)
    ]
    stated = [link for link in moving if link.inertial is not None]
    kinds = (
        ('moving links without mass', massless),
        (
            'mass 0 stated',
            [link.name for link in stated if link.inertial and link.inertial.mass == 0.0],
        ),
        (
            'inertia not positive semidefinite, or triangle rule broken',
            [link.name for link in stated if link.inertial and _impossible(link.inertial.tensor)],
        ),
        (
            'mass 1 and unit inertia taken as invented for a missing <inertial>, so massless',
            [link.name for link in moving if link.name in invented],
        ),
    )
    parts = [f'{kind}: {listed(names)}' for kind, names in kinds if names]
    if parts:
        warnings.warn(
            f'links that are no physical bodies, used as they are ({"; ".join(parts)})',
            InertiaWarning,
            stacklevel=stacklevel + 1,
        )


def _has_virtual_child(body: Body) -> bool:
    return any(link.virtual for link in body.links)


def _impossible(tensor: Array) -> bool:
    low, middle, high = np.linalg.eigvalsh(tensor)
    tolerance = _TOLERANCE * max(abs(low), abs(high))
    return bool(low < -tolerance or low + middle < high - tolerance)
