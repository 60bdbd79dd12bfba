# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Latest states of joints and motors, and external wrenches, with their timeouts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, instant_of, nanoseconds
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.model import RobotModel
from screw_dynamics.model.robot_model import frame_of, frames_of
from screw_dynamics.recordings.messages.joints import joint_state_rows
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST

WRENCH_TOPIC = '~/external_wrench'


class JointStateBuffer:
    """Keeps the latest JointState values, by their stamps; joints may be spread over messages."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._names = tuple(joint_names)
        self._positions = np.full(len(self._names), np.nan)
        self._velocities = np.zeros(len(self._names))
        self.stamps = np.zeros(len(self._names), dtype=np.int64)

    def update(self, message: Any, now: int) -> None:
        """Store the values of a message received at `now` [ns], or raise InputError."""
        positions, velocities = joint_state_rows(message, self._names)
        # positions beyond LARGEST are unusable as a start; NaN means not measured
        known = np.abs(positions) <= LARGEST
        self._positions[known] = positions[known]
        self._velocities[known] = np.where(np.abs(velocities) <= LARGEST, velocities, 0.0)[known]
        self.stamps[known] = nanoseconds(message.header.stamp) or now

    def clear(self) -> None:
        """Drop all values."""
        self._positions[:] = np.nan

    def positions(self, now: int, max_age: float) -> Array:
        """Return the positions (n,); NaN if unknown or with a stamp beyond `max_age` [s]."""
        # a stamp ahead is of another clock
        fresh = np.abs(now - self.stamps) <= max_age * SECOND
        result: Array = np.where(fresh, self._positions, np.nan)
        return result

    def write(self, now: int, max_age: float, out: Array) -> bool:
        """Write positions and velocities to `out` (2, n); return False if a joint is not fresh."""
        for j, stamp in enumerate(self.stamps.tolist()):
            if abs(now - stamp) > max_age * SECOND or not np.isfinite(self._positions[j]):
                return False
        out[0], out[1] = self._positions, self._velocities
        return True

    def state(self, now: int, max_age: float, moving: bool = False) -> Array | None:
        """Return the joint jet (5, n), with velocities if `moving`; None if a joint is old."""
        jet = np.zeros((JET_ROWS, len(self._names)))
        jet[0] = self.positions(now, max_age)
        if moving:
            jet[1] = self._velocities
        return jet if np.isfinite(jet[0]).all() else None


_COMPONENTS = [f'{part}.{axis}' for part in ('torque', 'force') for axis in 'xyz']
_components_of = attrgetter(*_COMPONENTS)
_NONE: Mapping[str, Array] = MappingProxyType({})


@dataclass
class _Wrench:
    components: Array  # (6,)
    instant: int  # [ns]
    in_force: bool = True


class ExternalWrenches:
    """Wrenches ON the links, constant in their frames, each until it is older than a timeout."""

    def __init__(self, model: RobotModel) -> None:
        self._wrenches: dict[str, _Wrench] = {}  # by frame
        self.changed = False  # what is in force, since this was reset
        self.set_model(model)

    def set_model(self, model: RobotModel) -> None:
        """Continue with another model, under the wrenches on its moving links."""
        self._model = model
        for name in tuple(self._wrenches):
            if name not in frames_of(model) or frame_of(model, name).body < 0:
                del self._wrenches[name]
                self.changed = True
        self._prepare()

    def _prepare(self) -> None:
        """Make the workspaces by order: a tick makes no arrays."""
        names = list(self._wrenches)
        orders = range(JET_ROWS - 2) if names else ()
        self._loads = [Workspace(self._model, k, names) for k in orders]

    def clear(self) -> None:
        """Drop all wrenches."""
        self._wrenches.clear()

    def read(self, message: Any, now: int, timeout: float) -> tuple[str, Array, int]:
        """Return frame, components (6,) and instant [ns] of a message, or raise InputError."""
        name = message.header.frame_id
        if frame_of(self._model, name).body < 0:
            raise InputError(
                f'header.frame_id: expected a moving link, got {name!r}, a part of the base: '
                'a wrench on it requires no effort'
            )
        components = _components_of(message.wrench)
        for component, value in zip(_COMPONENTS, components, strict=True):
            if not abs(value) < np.inf:  # also True for NaN
                raise InputError(f'wrench.{component}: expected a finite number, got {value}')
        return name, np.array(components), instant_of(message, now, timeout)

    def add(self, name: str, components: Array, instant: int) -> bool:
        """Add a wrench about the origin of its frame; return True if one there had expired."""
        before = self._wrenches.get(name)
        self._wrenches[name] = _Wrench(components, instant)
        same = before is not None and before.in_force and (before.components == components).all()
        self.changed |= not same
        if before is None:
            self._prepare()
        return before is not None and not before.in_force

    def by_age(self, now: int, timeout: float) -> tuple[list[str], list[str]]:
        """Return the frames with a fresh wrench, and those with one beyond `timeout` [s]."""
        lists: tuple[list[str], list[str]] = ([], [])
        for name, wrench in self._wrenches.items():
            lists[now - wrench.instant > timeout * SECOND].append(name)
        return lists

    def in_force(self) -> Mapping[str, Array]:
        """Return the wrenches (6,) that are included in the latest efforts, by frame."""
        if not self._wrenches:
            return _NONE
        return {name: item.components for name, item in self._wrenches.items() if item.in_force}

    def inverse_dynamics(
        self, joint_jet: Array, out: Array, now: int, timeout: float
    ) -> Sequence[str]:
        """Write the efforts of a jet (k + 3, n) under fresh wrenches; return expired frames."""
        expired: list[str] | tuple[str, ...] = ()
        oldest = now - round(timeout * SECOND)
        for name, wrench in self._wrenches.items():
            if wrench.in_force and wrench.instant < oldest:
                wrench.in_force, self.changed = False, True
                expired = [*expired, name]
        if not any(wrench.in_force for wrench in self._wrenches.values()):
            inverse_dynamics(self._model, joint_jet, out=out)
            return expired
        loads = self._loads[len(out) - 1]
        for row, wrench in enumerate(self._wrenches.values()):
            loads.wrenches[row, 0] = wrench.components if wrench.in_force else 0.0
        out[...] = loads.efforts(joint_jet)
        return expired
