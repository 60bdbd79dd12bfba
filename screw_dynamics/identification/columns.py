# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as linear functions of the parameters that are identified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics.base_parameters import base_parameters
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.model.screw_model import ScrewModel

PAYLOAD = ('m', 'mx', 'my', 'mz', 'xx', 'xy', 'yy', 'xz', 'yz', 'zz')
_FIRST_INERTIA = 4
UPPER = (0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)  # xx, xy, yy, xz, yz, zz


@dataclass(frozen=True, eq=False)
class Columns:
    """
    Columns of the efforts, and what the model has without them.

    `names` are those of the P parameters; `of` returns (T, n, P) of joint jets (T, 3, n), `known`
    the efforts (T, n) that do not depend on the parameters.
    """

    names: tuple[str, ...]
    of: Callable[[Array], Array]
    known: Callable[[Array], Array]


def columns_of(
    model: ScrewModel,
    *,
    offsets: bool,
    friction: bool,
    rotors: bool,
    links: bool,
    payload: str | None,
    coulomb_velocity: float,
) -> Columns:
    """Return the columns of the chosen parameters; see `identify`."""
    names: list[str] = []
    parts: list[Callable[[Array], Array]] = []

    def of_each_joint(name: str, part: Callable[[Array], Array]) -> None:
        names.extend(f'{joint}.{name}' for joint in model.joint_names)
        parts.append(lambda jets: part(jets)[..., np.newaxis] * np.eye(model.n))

    if offsets:
        of_each_joint('offset', lambda jets: np.ones_like(jets[:, 0]))
    if friction:
        of_each_joint('viscous', lambda jets: jets[:, 1])
        of_each_joint('coulomb', lambda jets: np.tanh(jets[:, 1] / coulomb_velocity))
    if rotors:
        of_each_joint('rotor_inertia', lambda jets: jets[:, 2])
    if links:
        base = base_parameters(model)
        names.extend(base.names)
        parts.append(lambda jets: regressor(model, jets)[:, 0][..., base.columns])
    if payload is not None:
        if links:
            raise InputError('payload: expected None with links, which contain it')
        body, transform = _payload(model, payload)
        names.extend(f'payload.{name}' for name in PAYLOAD)
        own = slice(len(PAYLOAD) * body, len(PAYLOAD) * (body + 1))
        parts.append(lambda jets: regressor(model, jets)[:, 0][..., own] @ transform)
    if not parts:
        raise InputError('identify: expected some parameters to identify, got none')

    def of(jets: Array) -> Array:
        return np.concatenate([part(jets) for part in parts], axis=2)

    def known(jets: Array) -> Array:
        return np.zeros_like(jets[:, 0]) if links else inverse_dynamics(model, jets)[:, 0]

    return Columns(tuple(names), of, known)


def _payload(model: ScrewModel, frame: str) -> tuple[int, Array]:
    """Return the body of a frame, and its parameters (10, 10) of those of a load at the frame."""
    if frame not in model.frames:
        raise UnknownNameError('frame', frame, model.frames, 'payload')
    at = model.frames[frame]
    if at.body < 0:
        raise InputError(f'payload: expected a frame on a moving link, got {frame!r}')
    columns = []
    for k in range(len(PAYLOAD)):
        # the integral of p p^T over the mass, p = (x, y, z, 1), is linear in the parameters
        moment = np.zeros((4, 4))
        if k == 0:
            moment[3, 3] = 1.0
        elif k < _FIRST_INERTIA:
            moment[k - 1, 3] = moment[3, k - 1] = 1.0
        else:
            i, j = (axes[k - _FIRST_INERTIA] for axes in UPPER)
            rotational = np.zeros((3, 3))
            rotational[i, j] = rotational[j, i] = 1.0
            moment[:3, :3] = second_moment(rotational)
        moved = at.pose @ moment @ at.pose.T
        rotational = np.trace(moved[:3, :3]) * np.eye(3) - moved[:3, :3]
        columns.append(np.concatenate(([moved[3, 3]], moved[:3, 3], rotational[UPPER])))
    return at.body, np.column_stack(columns)


def second_moment(rotational: Array) -> Array:
    """Return the integral of r r^T over a mass (3, 3) with a rotational inertia (3, 3)."""
    moment: Array = 0.5 * np.trace(rotational) * np.eye(3) - rotational
    return moment
