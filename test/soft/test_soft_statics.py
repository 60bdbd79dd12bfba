# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equilibria against potentials, closed forms and scipy's root search."""

import numpy as np
import pytest
from oracles.differences import slope
from scipy import optimize, special

import screw_dynamics as sd
from screw_dynamics.soft.statics import stiffness_matrix

SOFT = sd.soft


def heavy_arm(gravity=(0.0, 0.0, -9.81)):
    """Return two bodies in space behind a horizontal base: gravity bends them far."""
    side = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    return SOFT.SoftRobot(
        [SOFT.RigidBody(0.1, (0, 0, 0), 1e-4 * np.eye(3), side), rod, rod], gravity
    )


def potential(robot, q):
    """Return elastic energy and potential energy of the material points."""
    total, pose = 0.0, np.eye(4)
    for module, own in zip(robot.modules, robot.slices, strict=True):
        points = module.positions(q[own]) @ pose[:3, :3].T + pose[:3, 3]
        if len(points):
            total -= module.masses @ points @ robot.gravity
        total += module.energy(q[own])
        rotation, translation = module.tip_pose(q[own])
        pose[:3, 3] += pose[:3, :3] @ translation
        pose[:3, :3] = pose[:3, :3] @ rotation
    return total


def gradient(robot, q, step=1e-4):
    """Return the gradient by central differences of fourth order."""
    return np.array(
        [slope(lambda h, e=e: potential(robot, q + h * e), step) for e in np.eye(robot.n)]
    )


def efforts_at_rest(robot, q):
    return sd.inverse_dynamics(robot, np.stack([q, 0 * q, 0 * q]))[0]


def test_the_potential_has_no_gradient_where_a_heavy_arm_hangs():
    arm = heavy_arm()
    q = SOFT.equilibrium(arm, np.zeros(arm.n))
    assert abs(q).max() > 0.5
    # truncation and rounding of the differences, stiffness 2100 N/m
    assert abs(gradient(arm, q)).max() < 1e-8
    assert abs(efforts_at_rest(arm, q)).max() < 1e-10


def test_the_stiffness_matrix_is_the_slope_of_the_efforts():
    arm = heavy_arm()
    q = np.array([0.7, -0.4, 0.01, 0.2, 0.9, -0.02])
    stiffness = stiffness_matrix(arm, q)
    for j, e in enumerate(np.eye(arm.n)):
        expected = slope(lambda h, e=e: efforts_at_rest(arm, q + h * e), 1e-5)
        np.testing.assert_allclose(stiffness[:, j], expected, atol=1e-6)
    # a Hessian
    np.testing.assert_allclose(stiffness, stiffness.T, atol=1e-10)


def test_a_pendulum_hangs_from_any_start():
    pendulum = SOFT.SoftRobot(
        [SOFT.Joint('revolute', (0, 1, 0)), SOFT.RigidBody(1.0, (0, 0, 0.5), 0.1 * np.eye(3))]
    )
    for start in (0.0, 3.0):  # at 0 it is balanced
        angle = SOFT.equilibrium(pendulum, [0.0], [start])
        assert abs(np.cos(angle[0]) + 1.0) < 1e-12
        assert SOFT.is_stable(pendulum, angle)
    assert not SOFT.is_stable(pendulum, [0.0])
    held = SOFT.equilibrium(pendulum, [-0.5 * 9.81 * np.sin(0.3)])
    # not at 0.3, where it would fall
    assert abs(np.exp(1j * held[0]) + np.exp(-0.3j)) < 1e-12


def test_an_effort_that_nothing_balances_is_an_error_with_the_coordinate():
    pendulum = SOFT.SoftRobot(
        [
            SOFT.Joint('revolute', (0, 1, 0), name='hinge'),
            SOFT.RigidBody(1.0, (0, 0, 0.5), np.eye(3)),
        ]
    )
    with pytest.raises(sd.errors.SimulationError, match="'hinge'.*expected the effort 6,"):
        SOFT.equilibrium(pendulum, [6.0], [0.1])
    turntable = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 0, 1)), *heavy_arm().modules])
    with pytest.raises(sd.errors.SimulationError, match="'joint_1'"):
        SOFT.equilibrium(turntable, np.eye(turntable.n)[0])
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.0, 1.0, 100.0)  # would be compressed by 0.33 m
    with pytest.raises(sd.errors.SimulationError, match="'body_1_stretch': no equilibrium"):
        SOFT.equilibrium(SOFT.SoftRobot([rod]), [0.0, 0.0, -110.0])


def test_a_robot_without_coordinates_rests():
    stone = SOFT.SoftRobot([SOFT.Joint('fixed')])
    assert SOFT.equilibrium(stone, []).shape == (0,)
    assert SOFT.is_stable(stone, [])


def test_a_free_coordinate_keeps_its_value():
    turntable = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 0, 1)), *heavy_arm().modules])
    start = 0.7 * np.eye(turntable.n)[0]
    q = SOFT.equilibrium(turntable, np.zeros(turntable.n), start)
    assert abs(q[0] - 0.7) < 1e-9
    np.testing.assert_allclose(q[1:], SOFT.equilibrium(heavy_arm(), np.zeros(6)), atol=1e-9)
    assert not SOFT.is_stable(turntable, q)  # neutral
    assert SOFT.is_stable(heavy_arm(), q[1:])


def test_arguments_are_checked():
    arm = heavy_arm()
    with pytest.raises(sd.errors.ShapeError, match='efforts'):
        SOFT.equilibrium(arm, [0.0])
    with pytest.raises(sd.errors.InputError, match='body_2: elongation'):
        SOFT.equilibrium(arm, np.zeros(6), [0, 0, -0.4, 0, 0, 0])
    with pytest.raises(sd.errors.InputError, match='SoftRobot'):
        SOFT.equilibrium(None, [0.0])
    with pytest.raises(sd.errors.InputError, match='elongation'):
        SOFT.is_stable(arm, [0, 0, -0.4, 0, 0, 0])
    with pytest.raises(sd.errors.ShapeError, match='q'):
        SOFT.is_stable(arm, [0.0])
    thread = SOFT.Thread(arm, {'body_2': (0.01, 0.0)})
    with pytest.raises(sd.errors.ShapeError, match='inputs'):
        SOFT.equilibrium(arm, np.zeros(6), actuators=[thread])
    with pytest.raises(sd.errors.InputError, match='actuators: expected those of the robot'):
        SOFT.equilibrium(heavy_arm(), np.zeros(6), actuators=[thread], inputs=[1.0])


RIGIDITY, LENGTH = 0.05, 0.4


def column(load, turn):
    """Return a bending rod on a base with a point mass at its end, load in units of EI / L^2."""
    basis = SOFT.strain_basis(LENGTH, 'legendre', {'bend_y': 8})
    rod = SOFT.VariableStrain(
        LENGTH, 0.005, 0.0, basis, stiffness=(RIGIDITY, RIGIDITY, 1, 1, 1, 1), nodes=32
    )
    tip = SOFT.RigidBody(load * RIGIDITY / LENGTH**2 / 9.81, np.zeros(3), np.zeros((3, 3)))
    pose = np.eye(4)
    pose[:3, :3] = turn
    return SOFT.SoftRobot([SOFT.Joint('fixed', (0, 0, 1), pose), rod, tip])


def test_a_rod_without_mass_bends_as_the_elastica():
    load = 10.0

    def angle(modulus):
        """Return the amplitude at the clamped end."""
        return np.arcsin(np.sqrt(0.5 / modulus))

    def excess(modulus):
        return special.ellipk(modulus) - special.ellipkinc(angle(modulus), modulus) - np.sqrt(load)

    modulus = optimize.brentq(excess, 0.5 + 1e-12, 1.0 - 1e-12, xtol=1e-15)
    arc = special.ellipe(modulus) - special.ellipeinc(angle(modulus), modulus)
    along = np.sqrt(2.0 * (2.0 * modulus - 1.0) / load)
    drop = 1.0 - 2.0 / np.sqrt(load) * arc
    side = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    rod = column(load, side)
    tip = sd.frame_pose(rod, SOFT.equilibrium(rod, np.zeros(rod.n)), 'tip')[:3, 3] / LENGTH
    # eight functions of a curvature that is analytic, steps of fourth order between 32 nodes
    np.testing.assert_allclose(tip, [along, 0.0, -drop], atol=3e-7)


def test_a_column_is_stable_up_to_the_load_of_euler():
    critical = 0.25 * np.pi**2
    # 32 nodes: 1e-7 of the stiffness
    for load, stable in ((critical * (1.0 - 1e-5), True), (critical * (1.0 + 1e-5), False)):
        rod = column(load, np.eye(3))
        assert SOFT.is_stable(rod, np.zeros(rod.n)) is stable


def test_an_upright_arm_that_buckles_is_found_bent():
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    arm = SOFT.SoftRobot([rod, rod])
    straight = np.zeros(arm.n)
    straight[[2, 5]] = SOFT.equilibrium(arm, np.zeros(arm.n))[[2, 5]]
    q = SOFT.equilibrium(arm, np.zeros(arm.n))
    assert np.hypot(*q[:2]) > 1.0
    assert potential(arm, q) < potential(arm, straight) - 0.1
    # truncation and rounding of the differences, stiffness 2100 N/m
    assert abs(gradient(arm, q)).max() < 1e-8
    assert not SOFT.is_stable(arm, straight) and not SOFT.is_stable(arm, q)
    # free to turn about the vertical, and stable in the directions across
    step = 1e-4 * np.eye(arm.n)
    hessian = np.array([(gradient(arm, q + e) - gradient(arm, q - e)) / 2e-4 for e in step])
    values = np.linalg.eigvalsh(0.5 * (hessian + hessian.T))
    assert abs(values[0]) < 1e-5 < 1e-3 < values[1]
    planar = SOFT.SoftRobot([SOFT.PlanarConstantCurvature(0.3, 0.02, 0.4, 0.06)] * 2)
    bent = SOFT.equilibrium(planar, np.zeros(2))
    assert abs(bent[0]) > 1.0 and SOFT.is_stable(planar, bent)
    assert not SOFT.is_stable(planar, np.zeros(2))


def test_threads_under_constant_tension_hold_as_their_potential_does():
    arm = heavy_arm()
    threads = [SOFT.Thread(arm, {'body_2': (0.015, 0.0), 'body_3': (0.01, 0.01)})]
    gains = dict(actuators=threads, inputs=[4.0])
    q = SOFT.equilibrium(arm, np.zeros(arm.n), **gains)
    residual = gradient(arm, q) - 4.0 * threads[0].effort_jet(q[np.newaxis])[0]
    assert abs(residual).max() < 1e-8
    assert SOFT.is_stable(arm, q, **gains)


@pytest.mark.parametrize('ratio', [0.99, 1.01, 2.0])
def test_a_twisted_rod_leaves_its_axis_where_a_pushing_thread_exceeds_its_stiffness(ratio):
    """Potential GJ L k^2 / 2 - P L sqrt(1 + k^2 d^2): a pitchfork at P d^2 = GJ."""
    length, stiffness, d = 0.3, 0.02, 0.015
    rod = SOFT.ConstantStrain(
        length, 0.02, 0.4, strains=['twist'], stiffness=(1, 1, stiffness, 1, 1, 1)
    )
    arm = SOFT.SoftRobot([rod])
    pushed = dict(
        actuators=[SOFT.Thread(arm, {'body_1': (d, 0.0)})], inputs=[-ratio * stiffness / d**2]
    )
    assert SOFT.is_stable(arm, [0.0], **pushed) is (ratio < 1.0)
    q = SOFT.equilibrium(arm, [0.0], **pushed)
    expected = length * np.sqrt(max(ratio, 1.0) ** 2 - 1.0) / d
    np.testing.assert_allclose(abs(q), expected, rtol=1e-9)
    assert SOFT.is_stable(arm, q, **pushed)
