# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`EffortShares`: what explains measured efforts, and what the left-over looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import Part, RecordedResult, optional_library
from screw_dynamics.common.text_table import NO_BREAK
from screw_dynamics.model.records import EFFORT_UNITS
from screw_dynamics.model.screw_model import ScrewModel

_GROUPS = 20  # of samples, by position, velocity or time
_LOOKS = 0.2  # of the squares that remain, what a position, a velocity or a time has to tell


@dataclass(frozen=True, eq=False)
class EffortShares(RecordedResult):
    """
    What explains the measured efforts of every joint.

    Parameters
    ----------
    model : ScrewModel
    times : (T,) ndarray
        Of the samples, away from the ends and from gaps [s].
    jets : (T, 3, n) ndarray
        Of the joints.
    measured : (T, n) ndarray
        Efforts [N m or N].
    parts : mapping of str to (T, n) ndarray
        Efforts by what causes them: gravity, inertia, friction, rotor, offset [N m or N].
    """

    model: ScrewModel
    times: Array
    jets: Array
    measured: Array
    parts: Mapping[str, Array]

    @property
    def rest(self) -> Array:
        """What no part explains, (T, n) [N m or N]."""
        return np.asarray(self.measured - sum(self.parts.values()))

    @property
    def shares(self) -> dict[str, Array]:
        """
        Shares (n,) of the squared measured effort, by cause and of the rest; they add to 1.

        That of a part is its mean product with the measured effort, which is negative where it
        counteracts the others.
        """
        whole = np.maximum(np.sum(self.measured**2, axis=0), 1e-300)
        every = {**self.parts, 'rest': self.rest}
        return {name: np.sum(part * self.measured, axis=0) / whole for name, part in every.items()}

    @property
    def looks(self) -> tuple[str, ...]:
        """What the rest of every joint follows: 'position', 'velocity', 'time'; or 'noise'."""
        found = []
        for j in range(self.model.n):
            rest = self.rest[:, j] - self.rest[:, j].mean()
            told = {
                name: _told(by, rest)
                for name, by in (
                    ('velocity', self.jets[:, 1, j]),
                    ('position', self.jets[:, 0, j]),
                    ('time', self.times),
                )
            }
            best = max(told, key=told.__getitem__)
            found.append(best if told[best] > _LOOKS else 'noise')
        return tuple(found)

    def _records(self) -> list[dict[str, Any]]:
        size = np.sqrt(np.mean(self.measured**2, axis=0))
        left = np.sqrt(np.mean(self.rest**2, axis=0))
        shares, looks = self.shares, self.looks
        return [
            {
                'joint': name,
                'measured': float(size[j]),
                **{kind: float(share[j]) for kind, share in shares.items()},
                'left': float(left[j]),
                'looks': looks[j],
                'unit': EFFORT_UNITS[kinds == 'prismatic'],
            }
            for j, (name, kinds) in enumerate(
                zip(self.model.joint_names, self.model.coordinate_types, strict=True)
            )
        ]

    def _parts(self) -> Sequence[Part]:
        """Return the table of what explains the efforts."""
        kinds = [*self.parts, 'rest']
        rows = [('efforts', 'rms', *(f'{kind}{NO_BREAK}%' for kind in kinds), 'left', 'like')]
        for record in self._records():
            shares = (f'{100.0 * record[kind]:.1f}' for kind in kinds)
            left = f'{record["left"]:.3g} {record["unit"]}'.replace(' ', NO_BREAK)
            rows.append(
                (record['joint'], f'{record["measured"]:.3g}', *shares, left, record['looks'])
            )
        return (rows,)

    def plot(self, joints: Sequence[str] | None = None, figure: Any = None) -> Any:
        """
        Draw measured and explained efforts over time, and the rest against motion.

        Parameters
        ----------
        joints : sequence of str, optional
            By default all.
        figure : matplotlib Figure, optional
            Where to draw; by default a new one.

        Returns
        -------
        Figure
            A row per joint: efforts and rest over time; the rest over velocity and position.

        Raises
        ------
        ModuleNotFoundError
            If matplotlib is not installed (extra ``plot``).
        """
        names = list(self.model.joint_names if joints is None else joints)
        if figure is None:
            size = 11.0, 0.8 + 1.7 * len(names)
            pyplot = optional_library('matplotlib.pyplot', 'plot')
            figure = pyplot.figure(figsize=size, layout='constrained')
        grid = figure.subplots(len(names), 3, squeeze=False, width_ratios=(3, 1, 1))
        rest = self.rest
        for name, row in zip(names, grid, strict=True):
            j = self.model.joint_names.index(name)
            measured, left = self.measured[:, j], rest[:, j]
            row[0].plot(self.times, measured, color='0.45', label='measured')
            row[0].plot(self.times, measured - left, label='explained')
            row[0].plot(self.times, left, label='rest', linewidth=0.8)
            for axes, motion in zip(
                row[1:], (self.jets[:, 1, j], self.jets[:, 0, j]), strict=True
            ):
                axes.plot(motion, left, '.', color='C2', markersize=1.0, rasterized=True)
            kind = self.model.coordinate_types[j] == 'prismatic'
            row[0].set_ylabel(f'[{EFFORT_UNITS[kind]}]')
            row[0].set_title(name, loc='left', weight='bold', parse_math=False)
        grid[0, 0].legend(loc='lower right', bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False)
        for axes, label in zip(grid[-1], ('time [s]', 'velocity', 'position'), strict=True):
            axes.set_xlabel(label)
        return figure


def _told(by: Array, rest: Array) -> float:
    """Return the part of the squares of a rest (T,) that means over groups of samples tell."""
    order = np.argsort(by, kind='stable')
    groups = np.array_split(rest[order], _GROUPS)
    told = sum(len(group) * group.mean() ** 2 for group in groups if len(group))
    return float(told / max(float(np.sum(rest**2)), 1e-300))
