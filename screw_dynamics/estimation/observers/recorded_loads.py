# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External efforts and contacts along a recording: table, file, figure."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS, GREY
from screw_dynamics.common.text_table import text_table
from screw_dynamics.estimation.observers.contact_detector import Contact, ContactDetector
from screw_dynamics.model.records import EFFORT_UNITS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from screw_dynamics.model import ScrewModel

_GAP, _LEAST_GAP = 20.0, 0.1  # median steps, and s: beyond both the observer begins anew
_LEAST_FORCE = 0.05  # N, the smallest that is shown


class LastingContact(NamedTuple):
    """A contact at its strongest sample, and the time of the first sample without it [s]."""

    contact: Contact
    end: float


class RecordedLoads(NamedTuple):
    """External efforts and thresholds (T, n) at times (T,), the contacts, and the gaps [s]."""

    model: ScrewModel
    times: Array
    efforts: Array
    thresholds: Array
    contacts: tuple[LastingContact, ...]
    gaps: tuple[float, ...]

    def __str__(self) -> str:
        """Return the gaps and the table of contacts."""
        lines = [
            f'no samples after {gap:.3f} s: the observer begins anew behind the gap'
            for gap in self.gaps
        ]
        if not self.contacts:
            return '\n'.join([*lines, 'collisions: none'])
        heading = 'begin [s]', 'end [s]', 'link', 'force [N]', 'direction', 'torque [N m]'
        rows = [(*heading, 'strength')]
        for contact, end in self.contacts:
            size = float(np.linalg.norm(contact.force))
            # a torque alone explains the efforts: the joints do not feel the force
            felt = size > _LEAST_FORCE
            direction = ','.join(f'{x:.2f}' for x in contact.force / size) if felt else '-'
            rows.append(
                (
                    f'{contact.begin:.3f}',
                    f'{end:.3f}',
                    contact.link,
                    f'{size:.1f}',
                    direction,
                    f'{np.linalg.norm(contact.torque):.1f}',
                    f'{contact.strength:.1f}',
                )
            )
        return '\n'.join([*lines, f'collisions: {len(self.contacts)}', text_table(rows)])

    @property
    def touched(self) -> NDArray[np.object_]:
        """The link (T,) that is touched, or an empty text."""
        links = np.full(len(self.times), '', dtype=object)
        for contact, end in self.contacts:
            links[(self.times >= contact.begin) & (self.times < end)] = contact.link
        return links

    def write_csv(self, file: TextIO) -> None:
        """Write a row per sample: efforts, thresholds, and the link that is touched."""
        writer = csv.writer(file, lineterminator='\n')
        kinds = ('external_effort', 'threshold')
        names = [f'{name}.{kind}' for kind in kinds for name in self.model.joint_names]
        writer.writerow(['time', *names, 'contact'])
        table = np.column_stack([self.times, self.efforts, self.thresholds]).tolist()
        for row, link in zip(table, self.touched, strict=True):
            writer.writerow([*map(repr, row), link])

    def draw(self, figure: Figure, names: Sequence[str] = ()) -> None:
        """Draw a panel per joint: effort, threshold to both sides, contacts shaded."""
        joints = self.model.joint_names
        shown = names or joints
        panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for name, panel in zip(shown, panels, strict=True):
            j = joints.index(name)
            panel.margins(x=0.0)
            for contact, end in self.contacts:
                panel.axvspan(contact.begin, end, color=COLOURS[4], alpha=0.25, linewidth=0)
            for sign in (-1.0, 1.0):
                panel.plot(self.times, sign * self.thresholds[:, j], color=GREY, linestyle='--')
            panel.plot(self.times, self.efforts[:, j], color=COLOURS[0], zorder=3)
            slides = self.model.coordinate_types[j] == 'prismatic'
            panel.set_ylabel(f'[{EFFORT_UNITS[slides]}]')
            panel.annotate(
                name, (0.0, 1.04), xycoords='axes fraction', weight='bold', parse_math=False
            )
        for contact, _ in self.contacts:
            panels[0].annotate(
                contact.link,
                (contact.begin, 1.04),
                xycoords=('data', 'axes fraction'),
                color=COLOURS[1],
                parse_math=False,
            )
        panels[-1].set_xlabel('time [s]')


def recorded_loads(
    detector: ContactDetector, times: Array, q: Array, qd: Array, effort: Array
) -> RecordedLoads:
    """Run a detector over samples (T,), (T, n); it begins anew after a gap of the recording."""
    detector.reset()
    efforts, thresholds = np.zeros_like(q), np.zeros_like(q)
    longest = max(_LEAST_GAP, _GAP * float(np.median(np.diff(times)))) if len(times) > 1 else 0.0
    contacts: list[LastingContact] = []
    gaps: list[float] = []
    last: Contact | None = None
    for i, time in enumerate(times.tolist()):
        if i and time - times[i - 1] > longest:
            gaps.append(float(times[i - 1]))
            detector.reset()
        found = detector.update(time, q[i], qd[i], effort[i])
        if last is not None and found is None:
            contacts.append(LastingContact(last, time))
        last = found
        efforts[i], thresholds[i] = detector.observer.effort, detector.threshold
    if last is not None:
        contacts.append(LastingContact(last, float(times[-1])))
    return RecordedLoads(
        detector.observer.model, times, efforts, thresholds, tuple(contacts), tuple(gaps)
    )
