# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A mechanism with a closed loop enters as a kind of robot, and all rooms take it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.dynamics import register_kind
from screw_dynamics.dynamics.outline import outline, places
from screw_dynamics.errors import InputError
from screw_dynamics.model import Frame, JointLimits
from screw_dynamics.series.jets import taylor_coefficients
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.viewer.motion import Sample
from screw_dynamics.viewer.scene import Scene

CRANK, ROD = 0.3, 0.8  # lengths [m]
MASSES = 1.5, 2.0, 3.0  # of crank, rod and slider [kg]


def slider_crank_tree():
    """Return crank and rod as a chain, and the slider beside them: the loop cut at its pin."""
    inertias = [
        sd.lie.inertia_matrix(mass, (0.5 * length, 0.0, 0.0), 0.01 * mass * np.eye(3))
        for mass, length in zip(MASSES, (CRANK, ROD, 0.0), strict=True)
    ]
    turn, slide = (0, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0)
    homes = [np.eye(4), sd.lie.pose(np.eye(3), np.array([CRANK, 0.0, 0.0])), np.eye(4)]
    tree = sd.ScrewModel.from_screws(
        [-1, 0, -1], homes, [turn, turn, slide], inertias, gravity=(0.0, -9.81, 0.0)
    )
    pin = Frame(1, sd.lie.pose(np.eye(3), np.array([ROD, 0.0, 0.0])))
    return replace(tree, frames={**tree.frames, 'pin': pin, 'slider': Frame(2, np.eye(4))})


# ---- the kind: a crank moves a slider by a rod; the coordinate is the angle of the crank ----


@dataclass(frozen=True)
class SliderCrank:
    tree: sd.ScrewModel
    limits: JointLimits = field(default_factory=lambda: JointLimits.none(1))
    name = base_link = 'slider_crank'
    n, joint_names, coordinate_types = 1, ('crank',), ('continuous',)

    @property
    def gravity(self):
        return self.tree.gravity

    def without_gravity(self):
        return replace(self, tree=self.tree.without_gravity())

    def closed(self, jet):
        """Return the jet (K + 1, 3) of the joints of the tree, and their slopes as a series."""
        q = SeriesArray.variables(jet)[0]
        sine = -CRANK / ROD * np.sin(q)  # of the angle of the rod
        cosine = np.sqrt(1.0 - sine * sine)
        place = CRANK * np.cos(q) + ROD * cosine
        one = 0.0 * sine.gradient()[0] + 1.0
        rod = sine.gradient()[0] / cosine.plain()
        slopes = np.stack([one, rod - 1.0, place.gradient()[0]])
        start = [jet[0, 0], np.arcsin(sine.value) - jet[0, 0], place.value]
        if len(jet) == 1:
            return np.array([start]), slopes
        return np.vstack([start, (slopes * q.plain().derivative()).jet()]), slopes


def of_each(rows):
    """Let a function of one sample, given as a jet of some rows, take batches of any shape."""

    def decorate(function):
        def call(robot, *inputs, out=None, threads=1):
            jets = np.asarray(inputs[0]) if rows is None else np.stack(inputs[:rows], axis=-2)
            found = [function(robot, jet, *inputs[rows or 1 :]) for jet in
                     jets.reshape(-1, *jets.shape[-2:])]  # fmt: skip
            found = np.reshape(found, (*jets.shape[:-2], *np.shape(found[0])))
            if out is None:
                return found
            out[...] = found
            return out

        return call

    return decorate


def one_inverse_dynamics(robot, jet, wrench_jets=None):
    full, slopes = robot.closed(jet)
    efforts = sd.inverse_dynamics(robot.tree, full, wrench_jets)
    series = SeriesArray(taylor_coefficients(efforts)[:, np.newaxis])
    return (slopes.truncated(len(jet) - 3) * series).sum().jet()[:, np.newaxis]


def one_mass_matrix(robot, jet):
    full, slopes = robot.closed(jet)
    return [[slopes.value @ sd.mass_matrix(robot.tree, full[0]) @ slopes.value]]


def one_bias(robot, jet):
    return one_inverse_dynamics(robot, np.vstack([jet, 0.0 * jet[:1]]))[0]


def forward_dynamics(robot, q, qd, tau, *, out=None, threads=1):
    net = np.asarray(tau) - sd.bias_forces(robot, q, qd)
    return net / sd.mass_matrix(robot, q)[..., 0]


register_kind(
    SliderCrank,
    inverse_dynamics=of_each(None)(one_inverse_dynamics),
    mass_matrix=of_each(1)(one_mass_matrix),
    bias_forces=of_each(2)(one_bias),
    forward_dynamics=forward_dynamics,
    frame_pose=of_each(1)(lambda robot, jet, frame: sd.frame_pose(
        robot.tree, robot.closed(jet)[0][0], frame)),
    places=lambda robot, q: places(robot.tree, robot.closed(q[np.newaxis])[0][0]),
    outline=lambda robot, threads=(): outline(robot.tree),
)  # fmt: skip
# ---- what other rooms make of it ----


@pytest.fixture
def robot():
    return SliderCrank(slider_crank_tree())


def energy(q, qd):
    """Return kinetic and potential energy [J], from the places of the centres by complex steps."""

    def points(angle):
        rod = np.arcsin(-CRANK / ROD * np.sin(angle))
        pin = CRANK * np.array([np.cos(angle), np.sin(angle)])
        along = ROD * np.array([np.cos(rod), np.sin(rod)])
        return np.array([0.5 * pin, pin + 0.5 * along, pin + along]), rod

    (moved, rod), step = points(q + 1e-30j), 1e-30
    speeds, turns = qd * moved.imag / step, qd * np.array([1.0, rod.imag / step])
    masses = np.array(MASSES)
    kinetic = masses @ np.sum(speeds**2, axis=1) + 0.01 * masses[:2] @ turns**2
    return 0.5 * kinetic + 9.81 * masses @ moved.real[:, 1]


def test_it_is_a_robot_whose_loop_is_closed(robot, rng):
    assert isinstance(robot, sd.RobotModel)
    q = rng.uniform(-3.0, 3.0, (4, 1))
    pins, sliders = (sd.frame_pose(robot, q, name)[:, :3, 3] for name in ('pin', 'slider'))
    np.testing.assert_allclose(pins, sliders, rtol=0.0, atol=1e-15)


def test_efforts_have_the_power_of_the_energy(robot, rng):
    coefficients, h = rng.normal(size=6), 1e-3

    def jet(t):
        return sd.jet(*(np.polynomial.Polynomial(coefficients).deriv(d)(t)[np.newaxis]
                        for d in range(5)))  # fmt: skip

    efforts = sd.inverse_dynamics(robot, np.array([jet(0.4 + k * h) for k in range(-2, 3)]))
    energies = [energy(*jet(0.4 + k * h)[:2, 0]) for k in range(-2, 3)]
    weights = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * h)  # error h^4 / 30 of a derivative
    np.testing.assert_allclose(efforts[2, 0, 0] * jet(0.4)[1, 0], weights @ energies, rtol=1e-7)
    for d in (0, 1):
        np.testing.assert_allclose(efforts[2, d + 1, 0], weights @ efforts[:, d, 0], rtol=1e-7)


def test_forward_dynamics_is_the_inverse(robot):
    q, qd = np.array([0.7]), np.array([-1.2])
    acceleration = sd.forward_dynamics(robot, q, qd, sd.bias_forces(robot, q, qd) + 2.0)
    tau = sd.inverse_dynamics(robot, sd.jet(q, qd, acceleration))[0]
    np.testing.assert_allclose(tau, sd.bias_forces(robot, q, qd) + 2.0, rtol=1e-13)


def test_a_simulated_motion_keeps_its_energy(robot):
    motion = sd.simulate(robot, np.linspace(0.0, 2.0, 21), [0.4], method='DOP853', rtol=1e-9)
    energies = [energy(*state) for state in zip(motion.position[:, 0], motion.velocity[:, 0],
                                                strict=True)]  # fmt: skip
    assert np.ptp(motion.position) > 1.0
    # steps of a relative tolerance of 1e-9, some hundreds of them
    np.testing.assert_allclose(energies, energies[0], rtol=0.0, atol=1e-6)


def test_options_of_trees_are_refused(robot):
    with pytest.raises(InputError, match='wrenches: expected none for a SliderCrank'):
        sd.simulate(robot, [0.0, 1.0], [0.4], wrenches=lambda t: {})


def test_the_viewer_draws_it_with_its_loop_closed(robot):
    scene = Scene(sd.Robot(robot))
    now = scene.at(Sample(np.array([0.9])))
    pin, slider = (
        (now.places[place] @ own)[:3, 3]
        for place, own in (scene.outline.links[name] for name in ('pin', 'slider'))
    )
    np.testing.assert_allclose(pin, slider, rtol=0.0, atol=1e-15)
    assert np.isfinite(now.mass_centre).all() and len(scene.marks) == 3


def test_curves_of_it_are_evaluated_and_checked(robot):
    curve = sd.trajectory.through(robot, [0.0, 1.0], [[0.0], [2.0]])
    found = sd.evaluate(robot, curve)
    expected = sd.inverse_dynamics(robot, curve.jets(found.times, 5))
    np.testing.assert_allclose(found.effort_jet, expected, rtol=1e-12, atol=1e-12)
    narrow = replace(robot.limits, lower=np.array([-1.0]), upper=np.array([1.0]))
    report = sd.check_feasibility(
        sd.Robot(replace(robot, limits=narrow)), curve.jets(found.times, 5), found.times
    )
    assert [violation.quantity for violation in report.violations] == ['position']
