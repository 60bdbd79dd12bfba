# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The arms of MK2021 section 6.2 (KUKA iiwa) and KM2021 section IV (Franka Panda).

Robots are those of urdf/. The files iiwa.csv and panda.csv hold points of the authors' figures,
read from the vector graphics that they published with their programs (github.com/shivesh1210:
2nd_order_closed_form_time_derivatives_eom, nth_order_eom_time_derivatives).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix, inertia_parameters, skew, vee
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.inverse_dynamics import body_fixed, hybrid, spatial

DURATION = 5.0  # s
GRAVITY = 9.80665  # m/s^2

# q_j = -(v / w) cos(w t): Gaz and others, RA-L 4(4), 2019, equation (31) and table I
SPEEDS = np.array([2.21, -2.21, 1.2, -2.1, -2.3, 2.1, -2.5])  # rad/s
RATES = np.array([  # rad/s
    1.7073873117335832, 3.079992797637052, 2.1084514453622774, 3.5903916041026207,
    1.4183262544423447, 2.285625793808507, 5.927533308659986,
])  # fmt: skip

# [C. Gaz and others] link 7 without the hand, which the URDF has
PANDA_FLANGE = inertia_matrix(
    0.735522,
    np.array([0.010517, -0.004252, 0.061597]),
    np.array([
        [0.012516, -0.000428, -0.001196],
        [-0.000428, 0.010027, -0.000741],
        [-0.001196, -0.000741, 0.004815],
    ]),
)  # fmt: skip

# [MK2021] table 1: links 4 and 7, which break the triangle rule; the URDF has possible ones
PRINTED_LINKS = {
    3: [
        [0.03844, 0.00088, -0.00112],
        [0.00088, 0.01144, -0.00111],
        [-0.00112, -0.00111, 0.04988],
    ],
    6: [
        [0.00795, 0.00022, -0.00029],
        [0.00022, 0.01089, -0.00029],
        [-0.00029, -0.00029, 0.00294],
    ],
}

FORMS: dict[str, Callable[..., Array]] = {
    'body-fixed': body_fixed.inverse_dynamics,
    'spatial': spatial.inverse_dynamics,
    'hybrid': hybrid.inverse_dynamics,
    'closed form': nth_derivatives.inverse_dynamics,
}


@dataclass(frozen=True)
class Experiment:
    """A robot, the order of its efforts, its load as a function of time, and published points."""

    model: sd.ScrewModel
    order: int
    published: dict[int, Array]  # by order: (26, 8), time and efforts of the joints
    resolution: dict[int, float]  # by order: what a thousandth of a pixel is worth
    wrenches: Callable[[Array], Mapping[str, ArrayLike] | None] = field(default=lambda times: None)

    def efforts(self, times: Array) -> Array:
        """Return the efforts (T, k + 1, n) of the kernel."""
        return sd.inverse_dynamics(
            self.model, motion(times, self.order), wrench_jets=self.wrenches(times)
        )

    def differences(self, times: Array) -> dict[str, Array]:
        """Return max |form - kernel| / max |kernel| of each order, (k + 1,), by form."""
        kernel, jets = self.efforts(times), motion(times, self.order)
        size = np.abs(kernel).max(axis=(0, 2))
        result = {}
        for name, form in FORMS.items():
            found = np.empty_like(kernel)
            for t, jet in enumerate(jets):
                wrenches = self.wrenches(times[t : t + 1]) or {}
                one = {frame: np.asarray(jets)[0] for frame, jets in wrenches.items()}
                found[t] = form(self.model, jet, one or None)
            result[name] = np.abs(found - kernel).max(axis=(0, 2)) / size
        return result


def motion(times: Array, order: int) -> Array:
    """Return the joint jets (T, order + 3, 7) of both papers: one cosine per joint."""
    phases = RATES * times[:, np.newaxis]
    rows = [
        SPEEDS * RATES ** (d - 1) * np.sin(phases + 0.5 * np.pi * (d - 1))
        for d in range(order + 3)
    ]
    return np.ascontiguousarray(np.stack(rows, axis=1))


def iiwa(*, as_printed: bool = False) -> Experiment:
    """
    Return the experiment of MK2021: second order, with a load BY the robot at body 7.

    The authors' program uses the inertias of table 1 as if about the origins of the body frames;
    `as_printed` takes them about the centres of mass, as the text of the paper says.
    """
    robot = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'), base_link='link_0')
    inertias = list(robot.inertias)
    for body, tensor in PRINTED_LINKS.items():
        mass, first_moment, _ = inertia_parameters(inertias[body])
        inertias[body] = inertia_matrix(mass, first_moment / mass, np.array(tensor))
    if not as_printed:
        inertias = [about_origin(one) for one in inertias]

    def wrenches(times: Array) -> dict[str, ArrayLike]:
        rows = [-10.0 * np.pi**d * np.sin(np.pi * times + 0.5 * np.pi * d) for d in range(3)]
        return {'body_7': np.stack(rows, axis=1)[:, :, np.newaxis] * np.ones(6)}

    model = chain(robot, inertias, GRAVITY)
    return Experiment(model, 2, *published('iiwa'), wrenches)


def panda() -> Experiment:
    """Return the experiment of KM2021: third order, seven joints, no gravity, no load."""
    robot = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    inertias = [about_origin(one) for one in (*robot.inertias[:6], PANDA_FLANGE)]
    return Experiment(chain(robot, inertias, 0.0), 3, *published('panda'))


def chain(robot: sd.ScrewModel, inertias: ArrayLike, gravity: float) -> sd.ScrewModel:
    """Return the seven joints of an arm with other inertias and gravity."""
    parts = (robot.parents[:7], robot.home_poses[:7], robot.screws[:7])
    return sd.ScrewModel.from_screws(*parts, inertias, gravity=(0.0, 0.0, -gravity))


def about_origin(inertia: Array) -> Array:
    """Return the inertia with the tensor about the centre of mass taken as about the origin."""
    mass = inertia[5, 5]
    arm = skew(vee(inertia[:3, 3:]) / mass)
    result: Array = inertia.copy()
    result[:3, :3] += mass * arm @ arm
    return result


def published(robot: str) -> tuple[dict[int, Array], dict[int, float]]:
    """Return the points of the figures of an arm by order, and the resolution of these points."""
    table = np.loadtxt(Path(__file__).with_name(f'{robot}.csv'), delimiter=',', skiprows=1)
    orders = np.unique(table[:, 0]).astype(int)
    rows = {int(d): table[table[:, 0] == d] for d in orders}
    return {d: x[:, 2:] for d, x in rows.items()}, {d: float(x[0, 1]) for d, x in rows.items()}
