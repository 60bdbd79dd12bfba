# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams of samples, their commands, and limits of a robot."""

import numpy as np

from helpers import rig as rigs
from screw_dynamics.common.times import SECOND
from screw_dynamics.trajectory.reference.interpolation import SMOOTH
from screw_dynamics.trajectory.reference.reference import Reference, Source
from screw_dynamics.trajectory.reference.streamed_reference import StreamedReference

JET = np.arange(10.0).reshape(5, 2) - 4.0


def limited(arm, velocity=3.0, effort=80.0, **derivatives):
    return rigs.limited(arm, velocity, effort, 6.0, **derivatives)


def wave(time, amplitude=0.2, rate=2.0):
    """Return the jet (5, 2) of a sine from rest at amplitude."""
    phases = rate * time + 0.5 * np.pi * np.arange(5)
    rows = amplitude * rate ** np.arange(5.0) * np.cos(phases)
    return np.column_stack([rows, np.zeros(5)])


def stream(rig, jet_of, rows=5):
    """Return a function that sends the sample of now before each tick."""
    begin = rig.now
    return lambda: rig.sample(jet_of((rig.now - begin) / SECOND)[:rows])


class StreamedCommands:
    """The trajectories and streams of two joints, of which the first turns, and a clock."""

    def __init__(self, settings, now):
        self.reference = Reference(2, SMOOTH)
        self.streamed = StreamedReference(self.reference, np.array([True, False]), settings)
        self.now = now

    def add_sample(self, jet=JET, rows=5, instant=None):
        return self.streamed.add_sample(jet, rows, instant or self.now, self.now)

    def add_positions(self, *positions):
        return self.streamed.add_positions(np.array(positions), self.now, self.now)

    def sample(self):
        """Return what a tick gets: source, jet."""
        jet = np.full((5, 2), np.nan)
        if self.streamed.followed:
            sample = self.streamed.sample(self.now, self.now, jet)
            return (None if sample is None else Source.STREAM), jet
        return self.reference.sample(self.now, jet), jet
