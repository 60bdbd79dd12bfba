# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as linear functions of the parameters that are identified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.base_parameters import BaseParameters, base_parameters
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.estimation.identification.pseudo_inertia import BASIS, NAMES, parameters_of
from screw_dynamics.model.screw_model import ScrewModel

COULOMB_VELOCITY = 0.01  # rad/s or m/s, of a first fit


@dataclass(frozen=True, eq=False)
class Columns:
    """
    Columns of the efforts, and what the model has without them.

    `names` are those of the P parameters; `of` returns (T, n, P) of joint jets (T, 3, n), `known`
    the efforts (T, n) that do not depend on the parameters. `positive` (D,) holds for parameters
    of joints, which come first, whether a negative value is impossible; `coulomb_velocity` (n,)
    are those of joints.
    """

    names: tuple[str, ...]
    of: Callable[[Array], Array]
    known: Callable[[Array], Array]
    positive: NDArray[np.bool_]
    coulomb_velocity: Array
    base: BaseParameters | None
    payload: str | None

    @property
    def least(self) -> Array:
        """The least possible values (P,): 0 or minus infinity."""
        above = np.zeros(len(self.names), dtype=bool)
        above[: len(self.positive)] = self.positive
        if self.payload is not None:
            above[self.names.index('payload.m')] = True
        return np.where(above, 0.0, -np.inf)


def columns_of(
    model: ScrewModel,
    *,
    offsets: bool,
    friction: bool,
    rotors: NDArray[np.bool_],
    links: bool,
    payload: str | None,
    coulomb_velocity: Array,
    joints: NDArray[np.bool_],
) -> Columns:
    """Return the columns of the chosen parameters; see `identify`, of some `joints` (n,)."""
    names: list[str] = []
    parts: list[Callable[[Array], Array]] = []

    def of_each_joint(
        name: str, part: Callable[[Array], Array], chosen: NDArray[np.bool_] = joints
    ) -> None:
        places = np.flatnonzero(chosen)
        names.extend(f'{model.joint_names[i]}.{name}' for i in places)
        parts.append(lambda jets: part(jets)[..., np.newaxis] * np.eye(model.n)[:, places])

    if offsets:
        of_each_joint('offset', lambda jets: np.ones_like(jets[:, 0]))
    if friction:
        of_each_joint('viscous', lambda jets: jets[:, 1])
        of_each_joint('coulomb', lambda jets: np.tanh(jets[:, 1] / coulomb_velocity))
    if (rotors & joints).any():
        of_each_joint('rotor_inertia', lambda jets: jets[:, 2], rotors & joints)
    positive = np.array([not name.endswith('.offset') for name in names], dtype=bool)
    base = base_parameters(model) if links else None
    if base is not None:
        names.extend(base.names)
        parts.append(lambda jets: regressor(model, jets)[:, 0][..., base.columns])
    if payload is not None:
        if links:
            raise InputError('payload: expected None with links, which contain it')
        names.extend(f'payload.{name}' for name in NAMES)
        parts.append(load_columns(model, payload))
    if not parts:
        raise InputError('identify: expected some parameters to identify, got none')

    def of(jets: Array) -> Array:
        return np.concatenate([part(jets) for part in parts], axis=2)

    def known(jets: Array) -> Array:
        return np.zeros_like(jets[:, 0]) if links else inverse_dynamics(model, jets)[:, 0]

    return Columns(tuple(names), of, known, positive, coulomb_velocity, base, payload)


def every_column(model: ScrewModel, joints: NDArray[np.bool_]) -> Columns:
    """Return the columns of all that a rigid robot may have at `joints`, whatever it carries."""
    return columns_of(
        model,
        offsets=True,
        friction=True,
        rotors=joints,
        links=True,
        payload=None,
        coulomb_velocity=np.full(model.n, COULOMB_VELOCITY),
        joints=joints,
    )


def chosen_joints(name: str, model: ScrewModel, given: bool | ArrayLike) -> NDArray[np.bool_]:
    """Return the joints (n,) that are chosen; raise ShapeError for other shapes."""
    chosen = np.asarray(given, dtype=bool)
    if chosen.shape not in ((), (model.n,)):
        raise ShapeError(name, f'(), or ({model.n},)', chosen.shape)
    return np.broadcast_to(chosen, model.n)


def load_columns(model: ScrewModel, frame: str) -> Callable[[Array], Array]:
    """Return what gives the columns (T, n, 10) of a load at a frame for jets (T, 3, n)."""
    own, transform = load_at(model, frame)
    return lambda jets: regressor(model, jets)[:, 0][..., own] @ transform


def load_at(model: ScrewModel, frame: str) -> tuple[slice, Array]:
    """Return the parameters of a link, among those of all, that a load at a frame adds to."""
    if frame not in model.frames:
        raise UnknownNameError('frame', frame, model.frames, 'payload')
    at = model.frames[frame]
    if at.body < 0:
        raise InputError(f'payload: expected a frame on a moving link, got {frame!r}')
    transform = np.column_stack([parameters_of(at.pose @ one @ at.pose.T) for one in BASIS])
    return slice(len(NAMES) * at.body, len(NAMES) * (at.body + 1)), transform
