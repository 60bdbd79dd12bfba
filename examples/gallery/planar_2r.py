# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The planar 2R arm of MK2021: its printed efforts and derivatives, the theory's, the kernel's."""

from __future__ import annotations

import numpy as np
import sympy as sp
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.arrays import Array
from screw_dynamics.results.results_plot import BLACK, COLOURS
from screw_dynamics.theory.inverse_dynamics import body_fixed

# halves and quarters, exact in floats, so that symbolic results are exact too
LENGTHS, MASSES, GRAVITY = (0.5, 0.25), (2.0, 1.5), 9.75
LABELS = (r'$\tau$  [N m]', r'$\dot\tau$  [N m/s]', r'$\ddot\tau$  [N m/s²]')
Q = sp.Matrix(5, 2, lambda d, i: sp.Symbol(f'q{i + 1}_{d}', real=True))


def model() -> sd.ScrewModel:
    """Return the arm: unit screws about z, point masses at the ends of the links."""
    links = [
        sd.lie.inertia_matrix(mass, np.array([length, 0, 0]), np.zeros((3, 3)))
        for mass, length in zip(MASSES, LENGTHS, strict=True)
    ]
    homes = [np.eye(4), sd.lie.pose(np.eye(3), np.array([LENGTHS[0], 0, 0]))]
    return sd.ScrewModel.from_screws(
        [-1, 0], homes, [[0, 0, 1, 0, 0, 0]] * 2, links, (0.0, -GRAVITY, 0.0)
    )


def printed() -> sp.Matrix:
    """Return the six expressions of section 6.1, (3, 2), in the symbols `Q`."""
    (l1, l2), (m1, m2), g = map(sp.Rational, LENGTHS), map(sp.Rational, MASSES), GRAVITY
    g = sp.Rational(g)
    (p, s), (p1, s1), (p2, s2), (p3, s3), (p4, s4) = (Q[d, :] for d in range(5))
    c, d, c12, d12 = sp.cos(s), sp.sin(s), sp.cos(p + s), sp.sin(p + s)
    c1, d1 = sp.cos(p), sp.sin(p)
    inertia, arm = (m1 + m2) * l1**2 + m2 * l2**2, m2 * l1 * l2
    tau = [
        inertia * p2 + m2 * l2**2 * s2 + l2 * g * m2 * c12 + l1 * g * (m1 + m2) * c1
        - arm * s1**2 * d + 2 * arm * p2 * c + arm * s2 * c - 2 * arm * p1 * s1 * d,
        l2 * m2 * (l1 * d * p1**2 + l2 * (p2 + s2) + g * c12 + l1 * p2 * c),
    ]  # fmt: skip
    tau_dot = [
        inertia * p3 + m2 * l2**2 * s3 - l2 * g * m2 * (p1 + s1) * d12
        + 2 * arm * p3 * c + arm * s3 * c - l1 * p1 * g * (m1 + m2) * d1 - arm * s1**3 * c
        - 4 * arm * p2 * s1 * d - 2 * arm * s2 * p1 * d - 3 * arm * s2 * s1 * d
        - 2 * arm * p1 * s1**2 * c,
        l2 * m2 * (
            l2 * (p3 + s3) - (p1 + s1) * g * d12 + l1 * p3 * c + 2 * l1 * p2 * p1 * d
            - l1 * p2 * s1 * d + l1 * p1**2 * s1 * c
        ),
    ]  # fmt: skip
    tau_ddot = [
        inertia * p4 + m2 * l2**2 * s4 - 3 * arm * s2**2 * d + arm * s1**4 * d
        - l1 * p1**2 * g * (m1 + m2) * c1 - l2 * (p2 + s2) * g * m2 * d12 + 2 * arm * p4 * c
        + arm * s4 * c - l1 * p2 * g * (m1 + m2) * d1 - l2 * (p1**2 + s1**2) * g * m2 * c12
        - 6 * arm * p2 * s2 * d - 6 * arm * p3 * s1 * d - 2 * arm * s3 * p1 * d
        - 4 * arm * s3 * s1 * d - 6 * arm * p2 * s1**2 * c - 6 * arm * s2 * s1**2 * c
        + 2 * arm * p1 * s1**3 * d - 2 * l2 * p1 * s1 * g * m2 * c12
        - 6 * arm * s2 * p1 * s1 * c,
        -l2 * m2 * (
            p1**2 * g * c12 - l2 * (s4 + p4) + s1**2 * g * c12 - 2 * l1 * p2**2 * d
            + (p2 + s2) * g * d12 - l1 * p4 * c + l1 * p1**2 * s1**2 * d + 2 * p1 * s1 * g * c12
            + l1 * p2 * s2 * d - 2 * l1 * p3 * p1 * d + 2 * l1 * p3 * s1 * d
            + l1 * p2 * s1**2 * c - l1 * s2 * p1**2 * c - 4 * l1 * p2 * p1 * s1 * c
        ),
    ]  # fmt: skip
    return sp.Matrix([tau, tau_dot, tau_ddot])


def of_theory() -> sp.Matrix:
    """Return the six expressions of the body-fixed recursion on SymPy symbols, (3, 2)."""
    efforts = body_fixed.inverse_dynamics(model(), np.array(Q.tolist(), dtype=object))
    expressions = sp.Matrix(efforts.tolist())
    return expressions.xreplace({x: sp.Rational(x) for x in expressions.atoms(sp.Float)})


def motion(times: Array) -> Array:
    """Return sines of both joints with their derivatives, (T, 5, 2)."""
    rates, sizes = np.array([2.0, 3.0]), np.array([1.2, 0.8])
    phases = np.multiply.outer(times, rates)
    rows = [sizes * rates**d * np.sin(phases + 0.5 * np.pi * d) for d in range(5)]
    return np.stack(rows, axis=1)


def efforts(times: Array) -> tuple[Array, Array]:
    """Return the printed efforts and those of the kernel along the motion, each (T, 3, 2)."""
    jets = motion(times)
    function = sp.lambdify(list(Q), printed(), 'numpy')
    rows = [function(*jet.ravel()) for jet in jets]
    return np.array(rows), sd.inverse_dynamics(model(), jets)


def figure() -> Figure:
    """Return the figure."""
    times = np.linspace(0.0, 2.0 * np.pi, 361)
    paper, kernel = efforts(times)
    result = Figure(figsize=(8.0, 6.4), dpi=110, layout='constrained')
    for d, axis in enumerate(result.subplots(3, 1, sharex=True)):
        for joint in range(2):
            axis.plot(times, paper[:, d, joint], color=COLOURS[joint], lw=5, alpha=0.35,
                      label=f'joint {joint + 1}, printed')  # fmt: skip
            axis.plot(times, kernel[:, d, joint], color=BLACK, lw=1, ls=('-', '--')[joint],
                      label=f'joint {joint + 1}, kernel')  # fmt: skip
        error = np.abs(kernel[:, d] - paper[:, d]).max() / np.abs(paper[:, d]).max()
        axis.set_ylabel(LABELS[d])
        axis.set_title(
            f'largest difference {error:.0e} of the largest value', fontsize=9, loc='right'
        )
    lines = result.axes[0].get_lines()
    result.legend(handles=lines, loc='outside lower left', ncols=4, frameon=False)
    result.axes[-1].set_xlabel('time [s]')
    result.suptitle('Planar 2R arm: the six printed expressions and the kernel', x=0.01, ha='left')
    return result
