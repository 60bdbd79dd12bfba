# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Energy and momentum of a tumbling body: integration on SE(3) against that of matrix entries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from screw_dynamics import lie
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import BLACK, COLOURS
from screw_dynamics.theory.geometric_integration import free_body, runge_kutta
from screw_dynamics.theory.geometric_integration.munthe_kaas import System, integrate

DURATION, STEP = 120.0, 0.15  # s
CENTER, TURN = np.array([0.1, -0.05, 0.2]), np.array([2.0, 0.2, 0.4])  # m, rad/s
INERTIA = lie.inertia_matrix(2.0, CENTER, np.diag([0.4, 0.5, 0.2]))
TWIST = np.append(TURN, [0.01, 0.0, 0.0] - np.cross(TURN, CENTER))  # the centre is slow
MOMENTUM = free_body.spatial_momentum(INERTIA, np.eye(4), TWIST)
LABELS = ('energy error [J]', 'momentum error [N m s, N s]', r'$|R^T R - I|$')


def figure() -> Figure:
    """Return the figure."""
    classical, midpoint = runge_kutta.CLASSICAL, runge_kutta.IMPLICIT_MIDPOINT
    runs = {
        'matrix entries, Runge-Kutta 4': in_entries(),
        'SE(3), twist, Runge-Kutta 4': on_group(free_body.spatial_form(INERTIA), TWIST, classical),
        'SE(3), momentum, Runge-Kutta 4': on_group(
            free_body.momentum_form(INERTIA), MOMENTUM, classical
        ),
        'SE(3), momentum, implicit midpoint': on_group(
            free_body.momentum_form(INERTIA), MOMENTUM, midpoint
        ),
    }
    result = Figure(figsize=(12.0, 4.8), dpi=110, layout='constrained')
    panels = result.subplots(1, 3)
    times = STEP * np.arange(1, round(DURATION / STEP) + 1)
    for (name, motion), colour in zip(runs.items(), (BLACK, *COLOURS), strict=False):
        errors = np.array([drifts(pose, twist) for pose, twist in motion])[1:]
        for axis, drift in zip(panels, errors.T, strict=True):
            axis.semilogy(times, np.maximum(drift, 1e-17), color=colour, label=name, lw=1.2)
    for axis, label in zip(panels, LABELS, strict=True):
        axis.set(title=label, xlabel='time [s]', xlim=(0.0, DURATION), ylim=(0.3e-17, 10.0))
    handles = panels[0].get_legend_handles_labels()
    result.legend(*handles, loc='outside lower center', ncols=4, frameon=False, fontsize=9)
    title = f'A free body that tumbles, steps of {STEP:g} s: drift of what is constant'
    result.suptitle(title, x=0.01, ha='left')
    return result


def on_group(
    system: System, start: Array, method: runge_kutta.Tableau
) -> Iterator[tuple[Array, Array]]:
    """Yield pose and spatial twist, integrated on SE(3)."""
    steps = round(DURATION / STEP)
    for t, poses, y in integrate(system, method, np.eye(4)[None], start, STEP, steps):
        yield poses[0], system.rates(t, poses, y)[0][0]


def in_entries() -> Iterator[tuple[Array, Array]]:
    """Yield pose and spatial twist; the entries of C' = V^ C are integrated as numbers."""
    rigid = free_body.spatial_form(INERTIA)

    def rates(t: float, poses: Array, y: Array) -> tuple[Array, Array]:
        pose, twist = y[:16].reshape(4, 4), y[16:]
        moving = lie.hat(twist) @ pose
        return np.zeros((0, 6)), np.append(moving, rigid.rates(t, pose[None], twist)[1])

    start, steps = np.append(np.eye(4), TWIST), round(DURATION / STEP)
    method, none = runge_kutta.CLASSICAL, np.zeros((0, 4, 4))
    for _, _, y in integrate(System(rates), method, none, start, STEP, steps):
        yield y[:16].reshape(4, 4), y[16:]


def drifts(pose: Array, twist: Array) -> tuple[float, float, float]:
    """Return the errors of energy, spatial momentum and orthogonality."""
    in_body = lie.adjoint_inverse(pose) @ twist
    energy = 0.5 * (in_body @ INERTIA @ in_body - TWIST @ INERTIA @ TWIST)
    momentum = free_body.spatial_momentum(INERTIA, pose, in_body) - MOMENTUM
    rotation = pose[:3, :3]
    return abs(energy), abs(momentum).max(), abs(rotation.T @ rotation - np.eye(3)).max()
