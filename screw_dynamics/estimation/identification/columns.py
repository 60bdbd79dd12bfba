# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as linear functions of the parameters that are identified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
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
from screw_dynamics.dynamics.base_parameters import BaseParameters, base_parameters
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError, shown
from screw_dynamics.estimation.identification.pseudo_inertia import BASIS, NAMES, parameters_of
from screw_dynamics.model.screw_model import ScrewModel

FIRST_VELOCITY = 0.01  # rad/s or m/s, of a first fit
_KINDS = {
    'friction': ('viscous', 'coulomb'),
    'rotor': ('rotor_inertia',),
    'spring': ('spring_torque', 'spring_stiffness', 'spring_rate', 'spring_force'),
    'offset': ('offset',),
}
# of parallel springs: entry of their only parameter, and its field
_OF_SPRINGS: dict[type, tuple[str, str]] = {
    TorsionSpring: ('spring_stiffness', 'stiffness'),
    BalancingSpring: ('spring_rate', 'stiffness'),
    GasSpring: ('spring_force', 'force'),
}
ParallelSprings: TypeAlias = Mapping[str, Literal['constant', 'linear'] | ParallelSpring]


@dataclass(frozen=True, eq=False)
class Columns:
    """
    Columns of the efforts of a rigid robot, of the P parameters that are sought at `joints` (n,).

    `rotors` (n,) are those that are sought; `coulomb_velocity` (n,) are those of motors, which
    turn by `coupling` (n, n) of the joints; `springs` act beside the drives.
    """

    model: ScrewModel
    joints: NDArray[np.bool_]
    offsets: bool = True
    friction: bool = True
    rotors: NDArray[np.bool_] | bool = True
    links: bool = False
    payload: str | None = None
    coulomb_velocity: Array | float = FIRST_VELOCITY
    springs: ParallelSprings = field(default_factory=dict)
    coupling: Array | None = None

    def __post_init__(self) -> None:
        """Raise InputError for a load beside links, which contain it, or at no moving frame."""
        if self.payload is not None:
            load_at(self.model, self.payload)
            if self.links:
                raise InputError('payload: expected None with links, which contain it')
        for name, spring in self.springs.items():
            if name not in self.model.joint_names:
                raise UnknownNameError('joint', name, self.model.joint_names, 'parallel_springs')
            if spring not in ('constant', 'linear') and type(spring) not in _OF_SPRINGS:
                raise InputError(
                    f'parallel_springs: joint {name!r}: expected constant, linear or a '
                    f'ParallelSpring, got {shown(spring)}'
                )

    @cached_property
    def _chosen(self) -> dict[str, NDArray[np.int64]]:
        """The joints whose parameters are sought, by entry."""
        entries: dict[str, list[str]] = {}
        for name, spring in self.springs.items():
            own = ['spring_torque', 'spring_stiffness'][: 1 + (spring == 'linear')]
            for entry in own if isinstance(spring, str) else [_OF_SPRINGS[type(spring)][0]]:
                entries.setdefault(entry, []).append(name)
        names = self.model.joint_names
        of_springs = {entry: self.joints & np.isin(names, own) for entry, own in entries.items()}
        none = np.zeros(self.model.n, dtype=bool)
        sought = {
            'offset': self.joints & self.offsets & ~of_springs.get('spring_torque', none),
            'viscous': self.joints & self.friction,
            'coulomb': self.joints & self.friction,
            'rotor_inertia': self.joints & self.rotors,
            **of_springs,
        }
        return {entry: np.flatnonzero(chosen) for entry, chosen in sought.items() if chosen.any()}

    @cached_property
    def base(self) -> BaseParameters | None:
        """Base parameters of the links if they are sought."""
        return base_parameters(self.model) if self.links else None

    @cached_property
    def of_all_links(self) -> Columns:
        """The columns of all that a rigid robot may have, whatever it carries."""
        springs, coupling = self.springs, self.coupling
        return Columns(self.model, self.joints, links=True, springs=springs, coupling=coupling)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the parameters: those of joints come first."""
        own = [
            f'{self.model.joint_names[i]}.{entry}'
            for entry, places in self._chosen.items()
            for i in places
        ]
        load = [] if self.payload is None else [f'payload.{name}' for name in NAMES]
        return (*own, *(() if self.base is None else self.base.names), *load)

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Of parameters of joints (D,), whether a negative value is impossible."""
        signed = 'offset', 'spring_torque'
        found = [entry not in signed for entry, places in self._chosen.items() for _ in places]
        return np.array(found, dtype=bool)

    @property
    def least(self) -> Array:
        """The least possible values (P,): 0 or minus infinity."""
        above = np.zeros(len(self.names), dtype=bool)
        above[: len(self.positive)] = self.positive
        if self.payload is not None:
            above[self.names.index('payload.m')] = True
        return np.where(above, 0.0, -np.inf)

    def motor_rates(self, jets: Array) -> Array:
        """Return the velocities (T, n) of motors on the joint side of the gears."""
        return jets[:, 1] if self.coupling is None else jets[:, 1] @ self.coupling.T

    def springs_found(self, numbers: Mapping[str, float]) -> dict[str, ParallelSpring]:
        """Return the springs beside drives of `numbers` by name; no constant torques."""
        if self.coupling is not None:
            raise InputError(
                'robot: expected motors that turn one joint each, got a coupling: friction and '
                'rotors are those of coupled motors'
            )
        found: dict[str, ParallelSpring] = {}
        for name, spring in self.springs.items():
            if not self.joints[self.model.joint_names.index(name)]:
                continue
            if isinstance(spring, ParallelSpring):
                entry, number = _OF_SPRINGS[type(spring)]
                found[name] = replace(spring, **{number: numbers[f'{name}.{entry}']})  # type: ignore[type-var]
            elif spring == 'linear':
                stiffness = numbers[f'{name}.spring_stiffness']
                rest = numbers[f'{name}.spring_torque'] / stiffness
                found[name] = TorsionSpring(stiffness, rest)
        return found

    def _support(self, name: str, spring: ParallelSpring, jets: Array) -> Array:
        """Return the efforts (T, n) of a drive beside a spring of unit force or stiffness."""
        unit = replace(spring, **{_OF_SPRINGS[type(spring)][1]: 1.0})  # type: ignore[type-var]
        drives = Drives({name: JointDrive(parallel_spring=unit)}, urdf_dynamics=False)
        efforts = np.zeros((len(jets), 1, self.model.n))
        return transmitted_efforts(Robot(self.model, drives), jets, efforts)[:, 0]

    @property
    def velocities(self) -> Array:
        """Those of Coulomb friction (n,)."""
        return np.broadcast_to(self.coulomb_velocity, self.model.n)

    def of(self, jets: Array) -> Array:
        """Return the columns (T, n, P) of joint jets (T, 3, n)."""
        turned = np.eye(self.model.n) if self.coupling is None else self.coupling
        rate, acceleration = self.motor_rates(jets), jets[:, 2] @ turned.T
        of_motors = {'viscous': rate, 'rotor_inertia': acceleration}
        of_motors['coulomb'] = np.tanh(rate / self.coulomb_velocity)
        of_joints = {'offset': np.ones_like(rate), 'spring_torque': -np.ones_like(rate)}
        parts = [np.zeros((*rate.shape, 0))]
        for entry, places in self._chosen.items():
            if entry in of_motors:
                factors, axes = of_motors[entry], turned.T
            else:
                factors, axes = of_joints.get(entry, jets[:, 0]), np.eye(self.model.n)
            parts.append(factors[:, np.newaxis, places] * axes[:, places])
            for k, name in enumerate(np.array(self.model.joint_names)[places].tolist()):
                spring = self.springs.get(name)
                if entry.startswith('spring') and isinstance(spring, ParallelSpring):
                    parts[-1][..., k] = self._support(name, spring, jets)
        if self.base is not None:
            parts.append(regressor(self.model, jets)[:, 0][..., self.base.columns])
        if self.payload is not None:
            parts.append(load_columns(self.model, self.payload)(jets))
        return np.concatenate(parts, axis=2)

    def known(self, jets: Array) -> Array:
        """Return the efforts (T, n) that do not depend on the parameters."""
        if self.links:
            return np.zeros_like(jets[:, 0])
        return inverse_dynamics(self.model, jets)[:, 0]

    def parts(self, values: Array, jets: Array) -> dict[str, Array]:
        """Return the efforts (T, n) of jets (T, 3, n) by what causes them, with `values` (P,)."""
        count, entries = len(self.positive), [name.split('.')[-1] for name in self.names]

        def bodies(jets: Array) -> Array:
            return np.asarray(self.known(jets) + self.of(jets)[..., count:] @ values[count:])

        still = jets.copy()
        still[:, 1:] = 0.0
        gravity, columns = bodies(still), self.of(jets)
        parts = {'gravity': gravity, 'inertia': bodies(jets) - gravity}
        for kind, own in _KINDS.items():
            chosen = [p for p in range(count) if entries[p] in own]
            if chosen:
                parts[kind] = columns[..., chosen] @ values[chosen]
        return parts


def chosen_joints(name: str, model: ScrewModel, given: bool | ArrayLike) -> NDArray[np.bool_]:
    """Return the joints (n,) that are chosen; raise ShapeError for other shapes."""
    chosen = np.asarray(given, dtype=bool)
    if chosen.shape not in ((), (model.n,)):
        raise ShapeError(name, f'(), or ({model.n},)', chosen.shape)
    return np.broadcast_to(chosen, model.n)


def coupling_of(model: ScrewModel, given: ArrayLike | None) -> Array | None:
    """Return the matrix (n, n) of gears; raise ShapeError for another shape."""
    if given is None:
        return None
    found = require_finite('coupling', as_float_array('coupling', given))
    if found.shape != (model.n, model.n):
        raise ShapeError('coupling', f'({model.n}, {model.n})', found.shape)
    return found


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
