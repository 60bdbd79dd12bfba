# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated recordings of robots, with friction, rotors and noise drawn at random."""

import numpy as np
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.trajectory import Waypoints, smooth_trajectory

V0 = 0.01
POSITION_NOISE, EFFORT_NOISE = 2e-5, 0.3
COM = np.array([0.02, -0.01, 0.05])


def random_motion(model, rng, seconds, rate=200.0):
    """Return times and joint jets of a motion through random points, 1.5 s apart."""
    count = round(seconds / 1.5) + 1
    low, high = np.maximum(model.limits.lower, -2.0), np.minimum(model.limits.upper, 2.0)
    positions = 0.7 * rng.uniform(low, high, (count, model.n))
    free = np.full(positions.shape, np.nan)
    knots = np.linspace(0.0, seconds, count)
    curve = smooth_trajectory(Waypoints(model.joint_names, knots, positions, free, free))
    times = np.arange(0.0, seconds, 1.0 / rate)
    return times, curve.jets(times, rows=3)


class Drives:
    """Friction and rotors drawn at random, and the efforts that they add."""

    def __init__(self, model, rng):
        self.viscous, self.coulomb = rng.uniform(0.2, 1.0, (2, model.n))
        self.rotors = rng.uniform(0.05, 0.5, model.n)

    def efforts(self, jets):
        friction = self.viscous * jets[:, 1] + self.coulomb * np.tanh(jets[:, 1] / V0)
        return friction + self.rotors * jets[:, 2]

    @property
    def parameters(self):
        return np.concatenate((self.viscous, self.coulomb, self.rotors))


def recording(model, rng, times, jets, efforts):
    noise = rng.normal(size=(2, len(times), model.n))
    positions = jets[:, 0] + POSITION_NOISE * noise[0]
    return Recording(model.joint_names, times, positions, efforts + EFFORT_NOISE * noise[1])


def drawn(model, seed, payload=None, seconds=20.0, rotors=True):
    """Return a simulated recording and the drives."""
    rng = np.random.default_rng(seed)
    times, jets = random_motion(model, rng, seconds)
    drives = Drives(model, rng)
    drives.rotors *= rotors
    loaded = model if payload is None else model.with_payload(*payload)
    efforts = sd.inverse_dynamics(loaded, jets)[:, 0] + drives.efforts(jets)
    return recording(model, rng, times, jets, efforts), drives


def random_robot(seed):
    """Return a tree of four joints drawn at random, with prismatic and mimic ones among them."""
    return random_model(np.random.default_rng(seed), 4)
