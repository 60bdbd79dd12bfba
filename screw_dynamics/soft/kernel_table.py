# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a chain of modules for the kernels of `kernels.soft`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.soft import layout
from screw_dynamics.lie import skew

_JOINTS = {
    'revolute': layout.REVOLUTE,
    'prismatic': layout.PRISMATIC,
    'helical': layout.HELICAL,
    'fixed': layout.FIXED,
}


class KernelTable(NamedTuple):
    """Tables of a chain; read-only."""

    modules: NDArray[np.int64]
    """(m + 1, columns) rows of the modules, and the end of their blocks."""
    reals: Array
    """Gravity, then the numbers of the modules."""
    given_width: int
    """Number of series that modules evaluated outside the kernels provide."""

    @property
    def given(self) -> NDArray[np.bool_]:
        """Modules (m,) that are evaluated outside the kernels."""
        return np.asarray(self.modules[:-1, layout.KIND] == layout.SERIES)


class RodStep(NamedTuple):
    """A step along a rod, and the rigid section behind it."""

    length: float
    """Step h of the arc length [m]."""
    bracket: float
    """Factor c of [xi_a, xi_b] in the exponent; 0 if only the first point is used."""
    mass: float
    """Mass of the section [kg]; 0 without a section."""
    second_moments: tuple[float, float]
    """Second moments of the section's mass along x and y [kg m^2]."""
    strains: Sequence[Array]
    """(6,) strain at zero coordinates at one or two points."""
    bases: Sequence[Array]
    """(6, n) strain basis at these points."""


class TableBuilder:
    """Collects the modules of a chain from the base on."""

    def __init__(self, gravity: ArrayLike) -> None:
        self._rows: list[list[int]] = []
        self._reals: list[float] = [float(g) for g in np.asarray(gravity)]
        self._coordinates = self._blocks = self._given = 0

    def _add(self, kind: int, n: int, width: int, numbers: list[Array], steps: int = 0) -> None:
        row = [0] * layout.COLUMNS
        row[layout.KIND], row[layout.FIRST], row[layout.SIZE] = kind, self._coordinates, n
        row[layout.REALS], row[layout.BLOCK] = len(self._reals), self._blocks
        row[layout.STEPS], row[layout.GIVEN] = steps, self._given
        self._rows.append(row)
        self._reals.extend(float(x) for array in numbers for x in np.ravel(array))
        self._coordinates += n
        self._blocks += width

    def add_joint(self, kind: str, axis: Array, pose: Array, pitch: float = 0.0) -> None:
        """Add a joint with its unit axis (3,) in the distal frame; `pitch` of a helical one."""
        home, turn = pose[:3, :3], skew(axis)
        zero = np.zeros(3)
        code, rotations = _JOINTS[kind], [home, np.zeros((3, 3)), np.zeros((3, 3))]
        turns, travel = zero, axis if kind == 'prismatic' else pitch * axis
        if code in (layout.REVOLUTE, layout.HELICAL):
            rotations = [home + home @ turn @ turn, home @ turn, -home @ turn @ turn]
            turns = axis
        numbers = [*rotations, pose[:3, 3], turns, travel]
        self._add(code, int(code != layout.FIXED), layout.PLAIN_WIDTH, numbers)

    def add_rigid_body(self, mass: float, com: Array, inertia: Array, tip_pose: Array) -> None:
        """Add a rigid body with inertia (3, 3) about its centre of mass."""
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
        moments = second[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        numbers = [tip_pose[:3, :3], tip_pose[:3, 3], np.array([mass]), mass * com, moments]
        self._add(layout.RIGID, 0, layout.PLAIN_WIDTH, numbers)

    def add_planar_arc(
        self, length: float, radius: float, mass: float, stiffness: float, damping: float
    ) -> None:
        """Add a planar arc of constant curvature, a homogeneous cylinder when straight."""
        numbers = np.array([length, mass, 0.25 * radius**2, stiffness, damping])
        self._add(layout.PLANAR, 1, layout.integrals_width(1), [numbers])

    def add_rod(self, stiffness: Array, damping: Array, steps: Sequence[RodStep]) -> None:
        """Add a rod with linear stiffness and damping (n, n) of its coordinates."""
        numbers = [stiffness, damping]
        for step in steps:
            scalars = [step.length, step.bracket, step.mass, *step.second_moments]
            numbers += [np.array(scalars), step.strains[0], step.bases[0]]
            numbers += [step.strains[-1], step.bases[-1]]
        width = len(steps) * layout.STEP_WIDTH
        self._add(layout.ROD, len(stiffness), width, numbers, len(steps))

    def add_given(self, n: int) -> None:
        """Add a module of n coordinates whose integrals are evaluated outside the kernels."""
        self._add(layout.SERIES, n, layout.integrals_width(n), [])
        self._given += layout.integrals_width(n)

    def table(self) -> KernelTable:
        """Return the table of the modules added so far."""
        end = [0] * layout.COLUMNS
        end[layout.FIRST], end[layout.BLOCK] = self._coordinates, self._blocks
        modules, reals = np.array([*self._rows, end], dtype=np.int64), np.array(self._reals)
        modules.flags.writeable = reals.flags.writeable = False
        return KernelTable(modules, reals, self._given)
