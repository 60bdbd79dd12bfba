# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""External efforts and contacts along a recording."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.observers.contact_detector import Contact, ContactDetector

_GAP, _LEAST_GAP = 20.0, 0.1  # median steps, and s: beyond both the observer begins anew


class LastingContact(NamedTuple):
    """A contact at its strongest sample, and the time of the first sample without it [s]."""

    contact: Contact
    end: float


class RecordedLoads(NamedTuple):
    """External efforts and thresholds (T, n) at times (T,), the contacts, and the gaps [s]."""

    times: Array
    efforts: Array
    thresholds: Array
    contacts: tuple[LastingContact, ...]
    gaps: tuple[float, ...]


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
    return RecordedLoads(times, efforts, thresholds, tuple(contacts), tuple(gaps))
