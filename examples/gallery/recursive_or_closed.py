# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time of the recursive and the closed forms over order and joints, beside the kernel."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from gallery.iiwa_second_order import FORMS
from screw_dynamics.arrays import Array
from screw_dynamics.results.results_plot import BLACK, COLOURS

ORDERS, JOINTS = range(5), (1, 2, 3, 5, 7, 10, 14)
REPEATS = 5
SHOWN = ('body-fixed', 'spatial', 'hybrid', 'closed form')


def chain(joints: int) -> sd.ScrewModel:
    """Return a chain of revolute joints whose axes turn by a right angle from link to link."""
    turn = sd.lie.pose(sd.lie.rpy_rotation(0.5 * np.pi, 0.0, 0.3), np.array([0.0, 0.1, 0.3]))
    link = sd.lie.inertia_matrix(2.0, np.array([0.02, 0.1, 0.1]), 0.02 * np.eye(3))
    return sd.ScrewModel.from_screws(
        range(-1, joints - 1), [turn] * joints, [[0, 0, 1, 0, 0, 0]] * joints, [link] * joints
    )


def shortest(function: Callable[[sd.ScrewModel, Array], Array], joints: int, order: int) -> float:
    """Return the shortest CPU time of some calls [s]; the first call may compile."""
    model = chain(joints)
    jet = np.random.default_rng(0).normal(size=(order + 3, joints))
    function(model, jet)
    times = []
    for _ in range(REPEATS):
        begun = time.thread_time()
        function(model, jet)
        times.append(time.thread_time() - begun)
    return min(times)


def figure() -> Figure:
    """Return the figure."""
    functions = {name: FORMS[name].inverse_dynamics for name in SHOWN}
    functions['kernel'] = sd.inverse_dynamics
    result = Figure(figsize=(9.0, 4.2), dpi=110, layout='constrained')
    by_joints, by_order = result.subplots(1, 2, sharey=True)
    for colour, (name, function) in zip((*COLOURS[:4], BLACK), functions.items(), strict=True):
        style = {'color': colour, 'marker': 'o', 'ms': 4, 'label': name}
        by_joints.plot(JOINTS, [1e3 * shortest(function, n, 2) for n in JOINTS], **style)
        by_order.plot(ORDERS, [1e3 * shortest(function, 7, k) for k in ORDERS], **style)
    by_joints.set(
        xscale='log', yscale='log', xlabel='joints, order 2', ylabel='CPU time of a call [ms]'
    )
    by_joints.set_xticks(JOINTS, [str(n) for n in JOINTS])
    by_joints.minorticks_off()
    by_order.set(xlabel='order of the derivative, 7 joints', xticks=ORDERS)
    lines = by_joints.get_lines()
    result.legend(handles=lines, loc='outside lower left', ncols=5, frameon=False)
    result.suptitle('Readable forms in Python and the compiled kernel', x=0.01, ha='left')
    return result
