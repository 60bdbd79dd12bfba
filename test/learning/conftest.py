# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A planar arm whose feedforward has wrong parameters, and what it has learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.learning_arm import GAINS, run
from helpers.planar_sea import NAMES, ROTOR_INERTIA, STIFFNESS

import screw_dynamics as sd
from screw_dynamics.trajectory import PiecewisePolynomial, smooth_trajectory, waypoints_from_points

WRONG = {'stiffness': (0.9, 1.1), 'rotors': (1.1, 0.9), 'masses': (0.92, 1.1)}


@pytest.fixture(scope='session')
def robot() -> sd.Robot:
    """Return the robot that the feedforward assumes, up to 10 % wrong."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    inertias = model.inertias * np.array(WRONG['masses'])[:, np.newaxis, np.newaxis]
    drives = {
        name: sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(rotor))
        for name, stiffness, rotor in zip(
            NAMES, STIFFNESS * WRONG['stiffness'], ROTOR_INERTIA * WRONG['rotors'], strict=True
        )
    }
    return sd.Robot(replace(model, inertias=inertias), sd.Drives(drives))


@pytest.fixture(scope='session')
def curve() -> PiecewisePolynomial:
    points = [(0.0, [-1.2, 0.4]), (0.6, [-0.3, 1.2]), (1.2, [-0.9, 0.2])]
    return smooth_trajectory(waypoints_from_points(NAMES, points, NAMES))


@pytest.fixture(scope='session')
def learned(robot, curve) -> list[sd.LearnedMotion]:
    """Return the results after each of three runs."""
    motion, results = curve, []
    for k in range(3):
        followed = motion if k == 0 else motion.curve
        motion = sd.learn_motion(robot, motion, run(robot, followed, k), gains=GAINS)
        results.append(motion)
    return results
