# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time limits of tests with processes."""

from __future__ import annotations

import os

# s on a machine that has nothing else to do
IDLE_PATIENCE = 120.0


def patience(seconds: float = IDLE_PATIENCE) -> float:
    """Return a time limit [s], longer where processes queue for the cores."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
