# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams of samples for a `Rig`, and limits of its robot."""

from dataclasses import replace

import numpy as np

from screw_dynamics.common.times import SECOND
from screw_dynamics.model import JointLimits


def limited(arm, velocity=3.0, effort=80.0):
    limits = JointLimits(*(np.full(2, bound) for bound in (-6.0, 6.0, velocity, effort)))
    return replace(arm, limits=limits)


def wave(time, amplitude=0.2, rate=2.0):
    """Return the jet (5, 2) of a sine from rest at amplitude."""
    phases = rate * time + 0.5 * np.pi * np.arange(5)
    rows = amplitude * rate ** np.arange(5.0) * np.cos(phases)
    return np.column_stack([rows, np.zeros(5)])


def stream(rig, jet_of, rows=5):
    """Return a function that sends the sample of now before each tick."""
    begin = rig.now
    return lambda: rig.sample(jet_of((rig.now - begin) / SECOND)[:rows])
