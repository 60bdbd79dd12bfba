# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The arm of N2021 section 6: five joints, of which only the first one moves.

The paper measured a Fanuc LR Mate 100iB, and prints neither its dimensions nor its masses. Those
here are of an arm of that kind and size; frames are the paper's, with y along the first axis.
"""

from __future__ import annotations

import numpy as np

import screw_dynamics as sd
from paper_experiments.arms import FORMS
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix, transform_inertia
from screw_dynamics.theory.acceleration_energy import equations

DURATION = 1.5  # s; the fastest speed is 225 degrees per second
TRAVEL = np.pi  # rad, from -90 to 90 degrees
POSTURE = np.array([0.35, -0.25, 0.4, 0.0])  # rad, joints 2 to 5

# per body: axis, origin in the frame before [m], mass [kg], half edges of its block [m],
# centre of the block [m]
_BODIES = (
    ((0, 1, 0), (0.0, 0.35, 0.0), 9.0, (0.10, 0.09, 0.08), (0.05, -0.05, 0.01)),
    ((0, 0, 1), (0.15, 0.0, 0.0), 7.0, (0.05, 0.15, 0.05), (0.0, 0.11, 0.03)),
    ((0, 0, 1), (0.0, 0.25, 0.0), 6.0, (0.12, 0.06, 0.06), (0.07, 0.02, -0.02)),
    ((0, 0, 1), (0.22, 0.0, 0.0), 1.5, (0.04, 0.04, 0.04), (0.02, 0.0, 0.0)),
    ((1, 0, 0), (0.08, 0.0, 0.0), 0.5, (0.02, 0.03, 0.03), (0.01, 0.0, 0.0)),
)


def model() -> sd.ScrewModel:
    """Return the arm."""
    homes, screws, inertias = [], [], []
    for axis, origin, mass, half, center in _BODIES:
        home = np.eye(4)
        home[:3, 3] = origin
        squares = np.square(half)
        rotational = np.diag(mass / 3.0 * (squares.sum() - squares))  # of a block
        homes.append(home)
        screws.append((*axis, 0.0, 0.0, 0.0))
        inertias.append(inertia_matrix(mass, np.array(center), rotational))
    parents = np.arange(-1, len(homes) - 1)
    return sd.ScrewModel.from_screws(parents, homes, screws, inertias, gravity=(0.0, -9.81, 0.0))


def motion(times: Array) -> Array:
    """Return joint jets (T, 5, 5): the fifth-degree polynomial from rest to rest of joint 1."""
    polynomial = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
    jets = np.zeros((len(times), 5, 5))
    jets[:, 0, 0], jets[:, 0, 1:] = -TRAVEL / 2, POSTURE
    for d in range(5):
        values = (polynomial.deriv(d) if d else polynomial)(times / DURATION)
        jets[:, d, 0] += TRAVEL * values / DURATION**d
    return jets


def parameters() -> dict[str, float]:
    """Return M_1, x_C, z_C and the axial inertia of all that turns, in the posture of the arm."""
    robot = model()
    q = np.concatenate([[0.0], POSTURE])
    first = sd.lie.inverse_pose(sd.frame_pose(robot, q, 'body_1'))
    whole = np.zeros((6, 6))
    for i, inertia in enumerate(robot.inertias):
        whole += transform_inertia(inertia, first @ sd.frame_pose(robot, q, f'body_{i + 1}'))
    mass, moment, about_origin = sd.lie.inertia_parameters(whole)
    x, _, z = moment / mass
    return {'M1': mass, 'xC': x, 'zC': z, 'inertia': about_origin[1, 1] - mass * (x**2 + z**2)}


def printed(jets: Array) -> Array:
    """Return the right-hand sides of (99) to (101), (T, 3)."""
    p = parameters()
    return (p['M1'] * p['xC'] ** 2 + p['M1'] * p['zC'] ** 2 + p['inertia']) * jets[:, 2:, 0]


def from_energies(jets: Array) -> Array:
    """Return the left-hand sides, derivatives of acceleration energies, (T, 3)."""
    robot = model()
    return np.array(
        [
            [equations.inertia_forces(robot, jet, k, k + 1)[0] for k in (1, 2, 3)]
            + sd.dynamics.gravity_forces_jet(robot, jet)[:, 0]
            for jet in jets
        ]
    )


def differences(jets: Array) -> dict[str, Array]:
    """Return max |form - print| / max |print| of each order (3,), by form."""
    robot, expected = model(), printed(jets)
    size = np.abs(expected).max(axis=0)
    found = {'energies': from_energies(jets)}
    for name in ('body-fixed', 'closed form'):
        found[name] = np.array([FORMS[name](robot, jet)[:, 0] for jet in jets])
    found['kernel'] = sd.inverse_dynamics(robot, jets)[:, :, 0]
    return {name: np.abs(x - expected).max(axis=0) / size for name, x in found.items()}
