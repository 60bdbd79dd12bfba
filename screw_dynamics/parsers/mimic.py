# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mapping of joints to coordinates: independent, mimicking another joint, or locked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from screw_dynamics.errors import TopologyError
from screw_dynamics.parsers.records import Joint, Mimic


@dataclass(frozen=True)
class JointMapping:
    """Joint position s = multiplier * q[coordinate] + offset; without coordinate, s = offset."""

    coordinate: str | None
    multiplier: float
    offset: float


class MimicResolver:
    """
    Mappings of all joints of a robot.

    A joint in `locked` is fixed at its value [rad or m]; a joint in `coordinates` is independent;
    a mimic joint follows its master through any chain if `reduce` is set, and is locked at
    ``multiplier * value + offset`` if the master is locked; all others are locked at 0. The
    position of a fixed joint as master is 0.
    """

    def __init__(
        self,
        joints: Mapping[str, Joint],
        coordinates: Collection[str],
        locked: Mapping[str, float],
        reduce: bool,
    ) -> None:
        self._joints = joints
        self._coordinates = frozenset(coordinates)
        self._locked = locked
        self._reduce = reduce
        self._known: dict[str, JointMapping] = {}

    def resolve(self, name: str) -> JointMapping:
        """
        Return the mapping of a joint.

        Raises TopologyError if its mimic chain is a loop or leads to an unknown joint.
        """
        chain: dict[str, Mimic] = {}
        step = self._step(name)
        while isinstance(step, Mimic):
            chain[name] = step
            if step.master in chain:
                loop = [*chain][[*chain].index(step.master) :]
                where = self._joints[name].location.inside('mimic')
                raise TopologyError(
                    f'{where}: expected a chain that ends at an independent joint, '
                    f'got a loop: {" -> ".join([*loop, step.master])}'
                )
            name = step.master
            step = self._step(name)
        for name, mimic in reversed(chain.items()):
            step = self._known[name] = JointMapping(
                step.coordinate,
                mimic.multiplier * step.multiplier,
                mimic.multiplier * step.offset + mimic.offset,
            )
        return step

    def _step(self, name: str) -> JointMapping | Mimic:
        """Return the mapping of a joint, or its mimic relation to an existing joint."""
        joint = self._joints[name]
        if name in self._known:
            return self._known[name]
        if name in self._locked:
            return JointMapping(None, 0.0, self._locked[name])
        if name in self._coordinates:
            return JointMapping(name, 1.0, 0.0)
        mimic = joint.mimic
        if mimic is None or not self._reduce:
            return JointMapping(None, 0.0, 0.0)
        if mimic.master not in self._joints:
            # a joint with several degrees of freedom was split; name its parts
            parts = [part for part, at in self._joints.items() if at.location.name == mimic.master]
            one = f' with one degree of freedom ({", ".join(parts)})' if parts else ''
            raise TopologyError(
                f'{joint.location.inside("mimic")}: expected the name of a joint{one}, got '
                f'{mimic.master!r}; lock this joint (locked={{{name!r}: 0.0}}) or read with '
                "mimic='independent'"
            )
        return mimic
