# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of the iiwa 14 with two derivatives (MK2021): all published forms and the kernel."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.arrays import Array
from screw_dynamics.results.results_plot import COLOURS, GREY
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)

FORMS = {
    'body-fixed': body_fixed,
    'spatial': spatial,
    'hybrid': hybrid,
    'momentum': momentum,
    'Euler-Jourdain': euler_jourdain,
    'closed form': nth_derivatives,
}
LABELS = (
    r'$\tau$  [N m]',
    r'$\dot\tau$  [N m/s]',
    r'$\ddot\tau$  [N m/s²]',
    r'$\tau^{(3)}$  [N m/s³]',
)
COMPARED = 12  # instants


def motion(times: Array, sizes: Array, rate: float, rows: int) -> Array:
    """Return cosines of all joints with their derivatives, (T, rows, n); at rest at t = 0."""
    rates = rate * (1.0 + 0.15 * np.arange(len(sizes)))
    phases = np.multiply.outer(times, rates)
    jets = [-sizes * rates**d * np.cos(phases + 0.5 * np.pi * d) for d in range(rows)]
    return np.stack(jets, axis=1)


def differences(model: sd.ScrewModel, jets: Array) -> dict[str, Array]:
    """Return the largest difference of each form to the kernel, per order and largest value."""
    efforts = sd.inverse_dynamics(model, jets)
    size = np.abs(efforts).max(axis=(0, 2))
    found = {}
    for name, form in FORMS.items():
        computed = np.array([form.inverse_dynamics(model, jet) for jet in jets])
        found[name] = np.abs(computed - efforts).max(axis=(0, 2)) / size
    return found


def efforts_and_differences(model: sd.ScrewModel, jets: Array, times: Array, title: str) -> Figure:
    """Return a figure with a row per order: the efforts, and the forms' differences to them."""
    efforts = sd.inverse_dynamics(model, jets)
    found = differences(model, jets[:: len(jets) // COMPARED])
    rows = efforts.shape[1]
    result = Figure(figsize=(9.0, 1.0 + 1.7 * rows), dpi=110, layout='constrained')
    grid = result.subplots(rows, 2, sharex='col', width_ratios=(3, 1.4))
    for d, (curves, dots) in enumerate(grid):
        for j, colour in enumerate(COLOURS):  # the seven joints of the arm
            curves.plot(times, efforts[:, d, j], color=colour, label=f'joint {j + 1}')
        curves.set_ylabel(LABELS[d])
        dots.plot([values[d] for values in found.values()], list(found), 'o', color=COLOURS[0])
        dots.axvline(np.finfo(float).eps, color=GREY, lw=1, ls='--')
        dots.set(xscale='log', xlim=(3e-17, 3e-14), ylim=(len(found) - 0.5, -0.5))
        dots.tick_params(axis='y', labelsize=9)
    lines = grid[0, 0].get_lines()
    result.legend(handles=lines, loc='outside lower left', ncols=7, frameon=False, fontsize=9)
    grid[0, 1].set_title('difference to the kernel', fontsize=10, loc='left')
    grid[-1, 0].set_xlabel('time [s]')
    grid[-1, 1].set_xlabel('per largest value\n(dashed: one rounding)', fontsize=9)
    result.suptitle(title, x=0.01, ha='left')
    return result


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    times = np.linspace(0.0, 4.0, 361)
    sizes = np.array([0.6, 0.5, -0.5, 0.8, 0.6, -0.7, 0.9])
    jets = motion(times, sizes, 2.0, 5)
    return efforts_and_differences(
        model, jets, times, 'KUKA LBR iiwa 14: second-order inverse dynamics in seven ways'
    )
