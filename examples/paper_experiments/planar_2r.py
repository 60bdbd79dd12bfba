# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The planar 2R robot of MK2021 section 6.1: printed efforts, theory, and kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import screw_dynamics as sd
from paper_experiments.arms import FORMS
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie.scalars import ScalarArray


class Parameters(NamedTuple):
    """Lengths [m], masses [kg], gravity [m/s^2]."""

    L1: Any = 0.5
    L2: Any = 0.4
    m1: Any = 2.0
    m2: Any = 1.0
    g: Any = 9.81


def model(parameters: Parameters) -> sd.ScrewModel:
    """Return the robot: point masses at the ends of the links, gravity along -y."""
    L1, L2, m1, m2, g = parameters
    second = np.eye(4)
    second[0, 3] = L1
    point = np.zeros((3, 3))
    inertias = [
        sd.lie.inertia_matrix(mass, np.array([length, 0.0, 0.0]), point)
        for mass, length in ((m1, L1), (m2, L2))
    ]
    screw = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return sd.ScrewModel.from_screws(
        [-1, 0], [np.eye(4), second], [screw, screw], inertias, gravity=(0.0, -g, 0.0)
    )


def printed(parameters: Parameters, jet: ScalarArray, functions: Any = np) -> ScalarArray:
    """
    Return tau, tau', tau'' (3, 2) by the six expressions of MK2021 section 6.1, term by term.

    `functions` has sin and cos: NumPy for numbers, SymPy for symbols.
    """
    L1, L2, m1, m2, g = parameters
    (q1, q2), (d1, d2), (a1, a2), (j1, j2), (s1, s2) = jet
    sin1, cos1 = functions.sin(q1), functions.cos(q1)
    sin2, cos2 = functions.sin(q2), functions.cos(q2)
    sin12, cos12 = functions.sin(q1 + q2), functions.cos(q1 + q2)
    tau1 = (
        L1**2 * a1 * m1 + L1**2 * a1 * m2 + L2**2 * a1 * m2 + L2**2 * a2 * m2
        + L2 * g * m2 * cos12 + L1 * g * m1 * cos1 + L1 * g * m2 * cos1
        - L1 * L2 * d2**2 * m2 * sin2 + 2 * L1 * L2 * a1 * m2 * cos2
        + L1 * L2 * a2 * m2 * cos2 - 2 * L1 * L2 * d1 * d2 * m2 * sin2
    )  # fmt: skip
    tau2 = L2 * m2 * (L1 * sin2 * d1**2 + L2 * a1 + L2 * a2 + g * cos12 + L1 * a1 * cos2)
    rate1 = (
        L1**2 * j1 * m1 + L1**2 * j1 * m2 + L2**2 * j1 * m2 + L2**2 * j2 * m2
        - L2 * d1 * g * m2 * sin12 - L2 * d2 * g * m2 * sin12
        + 2 * L1 * L2 * j1 * m2 * cos2 + L1 * L2 * j2 * m2 * cos2
        - L1 * d1 * g * m1 * sin1 - L1 * d1 * g * m2 * sin1 - L1 * L2 * d2**3 * m2 * cos2
        - 4 * L1 * L2 * a1 * d2 * m2 * sin2 - 2 * L1 * L2 * a2 * d1 * m2 * sin2
        - 3 * L1 * L2 * a2 * d2 * m2 * sin2 - 2 * L1 * L2 * d1 * d2**2 * m2 * cos2
    )  # fmt: skip
    rate2 = L2 * m2 * (
        L2 * j1 + L2 * j2 - d1 * g * sin12 - d2 * g * sin12 + L1 * j1 * cos2
        + 2 * L1 * a1 * d1 * sin2 - L1 * a1 * d2 * sin2 + L1 * d1**2 * d2 * cos2
    )  # fmt: skip
    second1 = (
        L1**2 * s1 * m1 + L1**2 * s1 * m2 + L2**2 * s1 * m2 + L2**2 * s2 * m2
        - 3 * L1 * L2 * a2**2 * m2 * sin2 + L1 * L2 * d2**4 * m2 * sin2
        - L1 * d1**2 * g * m1 * cos1 - L1 * d1**2 * g * m2 * cos1
        - L2 * a1 * g * m2 * sin12 - L2 * a2 * g * m2 * sin12
        + 2 * L1 * L2 * s1 * m2 * cos2 + L1 * L2 * s2 * m2 * cos2
        - L1 * a1 * g * m1 * sin1 - L1 * a1 * g * m2 * sin1
        - L2 * d1**2 * g * m2 * cos12 - L2 * d2**2 * g * m2 * cos12
        - 6 * L1 * L2 * a1 * a2 * m2 * sin2 - 6 * L1 * L2 * j1 * d2 * m2 * sin2
        - 2 * L1 * L2 * j2 * d1 * m2 * sin2 - 4 * L1 * L2 * j2 * d2 * m2 * sin2
        - 6 * L1 * L2 * a1 * d2**2 * m2 * cos2 - 6 * L1 * L2 * a2 * d2**2 * m2 * cos2
        + 2 * L1 * L2 * d1 * d2**3 * m2 * sin2 - 2 * L2 * d1 * d2 * g * m2 * cos12
        - 6 * L1 * L2 * a2 * d1 * d2 * m2 * cos2
    )  # fmt: skip
    second2 = -L2 * m2 * (
        d1**2 * g * cos12 - L2 * s2 - L2 * s1 + d2**2 * g * cos12 - 2 * L1 * a1**2 * sin2
        + a1 * g * sin12 + a2 * g * sin12 - L1 * s1 * cos2 + L1 * d1**2 * d2**2 * sin2
        + 2 * d1 * d2 * g * cos12 + L1 * a1 * a2 * sin2 - 2 * L1 * j1 * d1 * sin2
        + 2 * L1 * j1 * d2 * sin2 + L1 * a1 * d2**2 * cos2 - L1 * a2 * d1**2 * cos2
        - 4 * L1 * a1 * d1 * d2 * cos2
    )  # fmt: skip
    return np.array([[tau1, tau2], [rate1, rate2], [second1, second2]])


def motion(times: Array) -> Array:
    """Return joint jets (T, 5, 2): two cosines of 0.4 and 0.7 Hz."""
    rates, amplitudes = 2.0 * np.pi * np.array([0.4, 0.7]), np.array([0.9, -1.1])
    phases = rates * times[:, np.newaxis]
    rows = [amplitudes * rates**d * np.cos(phases + 0.5 * np.pi * d) for d in range(5)]
    return np.ascontiguousarray(np.stack(rows, axis=1))


def symbolic_difference(inverse_dynamics: Any, parameters: Parameters) -> list[Any]:
    """
    Return theory minus print of all six expressions as SymPy polynomials: 0 where identical.

    Joint jets are symbols. Parameters that are sums of few powers of two keep arithmetic exact.
    Every function of an angle becomes a polynomial in sine and cosine of its half.
    """
    import sympy

    rates = sympy.symbols('d1 d2 a1 a2 j1 j2 s1 s2', real=True)
    halves, sines, cosines = (sympy.symbols(f'{x}1 {x}2', real=True) for x in ('h', 'S', 'C'))
    jet = np.array([*(2 * h for h in halves), *rates], object).reshape(5, 2)
    exact = Parameters(*(sympy.Rational(value) for value in parameters))
    found = inverse_dynamics(model(parameters), jet) - printed(exact, jet, sympy)
    names = {sympy.sin(h): S for h, S in zip(halves, sines, strict=True)}
    names |= {sympy.cos(h): C for h, C in zip(halves, cosines, strict=True)}
    circles = [S**2 + C**2 - 1 for S, C in zip(sines, cosines, strict=True)]
    differences = []
    for entry in found.ravel():
        floats = {value: sympy.Rational(value) for value in entry.atoms(sympy.Float)}
        polynomial = sympy.expand_trig(entry.xreplace(floats)).xreplace(names)
        _, rest = sympy.reduced(polynomial, circles, *cosines, *sines, *rates)
        differences.append(rest)
    return differences


def differences(parameters: Parameters, jets: Array) -> dict[str, Array]:
    """Return max |form - print| / max |print| of each row (3,), by form and of the kernel."""
    robot = model(parameters)
    expected = np.array([printed(parameters, jet) for jet in jets])
    size = np.abs(expected).max(axis=(0, 2))
    found = {name: np.array([form(robot, jet) for jet in jets]) for name, form in FORMS.items()}
    found['kernel'] = sd.inverse_dynamics(robot, jets)
    return {name: np.abs(x - expected).max(axis=(0, 2)) / size for name, x in found.items()}
