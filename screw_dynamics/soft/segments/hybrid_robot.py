# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`HybridRobot`: a rigid chain with soft segments behind its tip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, TopologyError, UnknownNameError
from screw_dynamics.model import JointLimits, ScrewModel
from screw_dynamics.model.records import LIMITS
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.module import Module
from screw_dynamics.soft.rigid_chain import modules_of
from screw_dynamics.soft.segments.thread_set import ThreadSet, ThreadSpec
from screw_dynamics.soft.soft_robot import BASE, TIP, SoftRobot


@dataclass(frozen=True)
class Segment:
    """A segment: its type and body, and limits by coordinate and quantity."""

    name: str
    type: str
    body: Module
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates in the segment."""
        return self.body.coordinates or ('curve',) * self.body.n


@dataclass(frozen=True)
class Segments:
    """Segments, and where they begin: a pose (4, 4) in a link, None for the last body."""

    segments: tuple[Segment, ...]
    threads: tuple[ThreadSpec, ...] = ()
    tip_link: str | None = None
    pose: Array = field(default_factory=lambda: np.eye(4))
    origin: str = 'soft segments'  # names the file in errors

    @property
    def coordinates(self) -> list[tuple[Segment, str]]:
        """The coordinates in their order, each with its segment."""
        return [(segment, name) for segment in self.segments for name in segment.coordinates]


class HybridRobot(SoftRobot):
    """
    A rigid chain with soft segments; made by `append_segments`.

    Beside what a `SoftRobot` has there are limits and types of the coordinates, names of links
    and threads, as nodes and the command line need them.

    Parameters
    ----------
    rigid : ScrewModel
        A chain up to the link of the segments.
    appended : Segments

    Raises
    ------
    TopologyError
        If the model branches, or continues behind the link of the segments.
    InputError
        If it has mimic joints, or names coincide.
    UnknownNameError
        If the link does not exist.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> file = sd.share_path('config/soft_finger.yaml')
    >>> sd.soft.append_segments(arm, file).joint_names
    ('joint_1', 'joint_2', 'finger/curve_x', 'finger/curve_y')
    """

    def __init__(self, rigid: ScrewModel, appended: Segments) -> None:
        mounts, self._link_places = _mount(rigid, appended)
        chain: list[Module] = modules_of(rigid) if rigid.body_count else []
        self.rigid, self.appended = rigid, appended
        self._own_names = (
            *(f'{rigid.body_names[i // 2]}' if i % 2 else name.name or '' for i, name in
              enumerate(chain)),
            *(f'{appended.tip_link or "tip"} (mount)' for _ in mounts),
            *(segment.name for segment in appended.segments),
        )  # fmt: skip
        bodies = [segment.body for segment in appended.segments]
        super().__init__([*chain, *mounts, *bodies], rigid.gravity)
        self.name, self.base_link = rigid.name, rigid.base_link
        self.limits = _limits(rigid, appended)
        self.threads = ThreadSet(self, rigid.n, appended.threads) if appended.threads else None

    def _names(self) -> tuple[str, ...]:
        """Return the names; links and joints may have the same, segments may not."""
        taken = {BASE, TIP, *self.rigid.frames, *self.rigid.joint_names}
        for i, segment in enumerate(self.appended.segments):
            if segment.name in taken:
                raise InputError(
                    f'segments[{i}].name: expected a name of no link, joint or other segment, '
                    f'got {segment.name!r}'
                )
            taken.add(segment.name)
        return self._own_names

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates: of the joints, then ``<segment>/<coordinate>``."""
        soft = (f'{segment.name}/{name}' for segment, name in self.appended.coordinates)
        return (*self.rigid.joint_names, *soft)

    @cached_property
    def coordinate_types(self) -> tuple[str, ...]:
        """For each coordinate a type of joint with its units: 'prismatic' for lengths."""
        soft = (
            'prismatic' if name.startswith(segment.body.lengths) else 'revolute'
            for segment, name in self.appended.coordinates
        )
        return (*self.rigid.coordinate_types, *soft)

    @cached_property
    def frames(self) -> Mapping[str, int]:
        """Number of modules up to each frame: the base link, bodies, the tip link, segments."""
        first = len(self.modules) - len(self.appended.segments)
        places = {segment.name: first + i for i, segment in enumerate(self.appended.segments, 1)}
        return {BASE: 0, TIP: len(self.modules), **self._link_places, **places}

    def frame(self, name: str) -> NoReturn:
        """Raise InputError: only `inverse_dynamics` knows external wrenches."""
        raise InputError(
            f'frame {name!r}: expected none for a robot with soft segments, whose external '
            'wrenches only inverse_dynamics accepts'
        )

    @cached_property
    def _weightless(self) -> HybridRobot:
        return HybridRobot(self.rigid.without_gravity(), self.appended)

    def __repr__(self) -> str:
        """Return the name and size."""
        return f'HybridRobot({self.name!r}, n={self.n}, segments={len(self.appended.segments)})'


def _mount(rigid: ScrewModel, appended: Segments) -> tuple[list[Module], dict[str, int]]:
    """Return the joint to the first segment, and numbers of modules up to the known links."""
    places = {rigid.base_link: 0}
    places.update({name: 2 * (i + 1) for i, name in enumerate(rigid.body_names)})
    pose, last = appended.pose, rigid.body_count - 1
    if appended.tip_link is not None:
        if appended.tip_link not in rigid.frames:
            raise UnknownNameError('link', appended.tip_link, tuple(rigid.frames), 'tip_link')
        frame = rigid.frames[appended.tip_link]
        if frame.body != last:
            raise TopologyError(
                f'tip_link: expected a link on the last body {rigid.body_names[last]!r} of the '
                f'chain, got {appended.tip_link!r}; select the chain to it by tip_link of the URDF'
            )
        if np.array_equal(pose, np.eye(4)):
            places.setdefault(appended.tip_link, 2 * rigid.body_count + 1)
        pose = frame.pose @ pose
    return [Joint('fixed', (0.0, 0.0, 1.0), pose)], places


def _limits(rigid: ScrewModel, appended: Segments) -> JointLimits:
    """Return the limits of the joints, then those of the segments."""
    own = [segment.limits.get(name, {}) for segment, name in appended.coordinates]
    none, joined = JointLimits.none(1), {}
    for key in LIMITS:
        joined[key] = np.array([limits.get(key, getattr(none, key)[0]) for limits in own])
    return rigid.limits.joined(JointLimits(**joined))
