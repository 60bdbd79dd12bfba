# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How each joint moves: a coordinate, a multiple of one (mimic), or locked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from screw_dynamics.errors import TopologyError
from screw_dynamics.parsers.records import Joint


@dataclass(frozen=True)
class Motion:
    """Joint position s = multiplier * q[coordinate] + offset; locked where there is none.

    Parameters
    ----------
    coordinate : str or None
        Name of the coordinate that the joint follows; None for a joint locked at `offset`.
    multiplier, offset : float

    """

    coordinate: str | None
    multiplier: float
    offset: float


class JointMotions:
    """
    Says for every joint how it moves.

    A joint in `locked` keeps its value; one in `coordinates` is itself; a mimic joint (with
    `reduce`) follows its master through any chain, so it is locked where the master is, at
    ``multiplier * value + offset``; everything else is locked at 0. A fixed joint as master
    stands at 0.

    Parameters
    ----------
    joints : mapping of str to Joint
        All joints of the robot.
    coordinates : collection of str
        Names of the coordinates.
    locked : mapping of str to float
        Positions of locked joints [rad or m].
    reduce : bool
        False where mimic joints are independent.

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

    def of(self, name: str, followers: tuple[str, ...] = ()) -> Motion:
        """
        Return the motion of a joint.

        Parameters
        ----------
        name : str
            Name of the joint.
        followers : tuple of str
            Joints that mimic it on the way of this question.

        Returns
        -------
        Motion

        Raises
        ------
        TopologyError
            If the joint mimics one that does not exist, or itself through a chain.

        """
        joint = self._joints[name]
        if name in self._locked:
            return Motion(None, 0.0, self._locked[name])
        if name in self._coordinates:
            return Motion(name, 1.0, 0.0)
        mimic = joint.mimic
        if mimic is None or not self._reduce:
            return Motion(None, 0.0, 0.0)
        place = joint.place.inside('mimic')
        if mimic.master not in self._joints:
            raise TopologyError(
                f'{place}: expected the name of a joint, got {mimic.master!r}; lock this joint '
                f"(locked={{{name!r}: 0.0}}) or read with mimic='independent'"
            )
        chain = (*followers, name)
        if mimic.master in chain:
            raise TopologyError(
                f'{place}: expected a chain that ends at an independent joint, got a loop: '
                f'{" -> ".join([*chain[chain.index(mimic.master) :], mimic.master])}'
            )
        master = self.of(mimic.master, chain)
        return Motion(
            master.coordinate,
            mimic.multiplier * master.multiplier,
            mimic.multiplier * master.offset + mimic.offset,
        )
