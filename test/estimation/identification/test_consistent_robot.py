# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that masses and friction can have, as a robot and in its URDF."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from helpers.recordings import COM, drawn, random_motion, recording

import screw_dynamics as sd
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.estimation.identification import identify
from screw_dynamics.estimation.identification.consistency import Cones, consistent
from screw_dynamics.estimation.identification.pseudo_inertia import pseudo_inertias


def possible(model):
    for inertia in model.inertias:
        mass, first, rotational = sd.lie.inertia_parameters(inertia)
        assert mass > 0.0
        moment = 0.5 * np.trace(rotational) * np.eye(3) - rotational
        both = np.block([[moment, first[:, None]], [first[None], mass]])
        assert np.linalg.eigvalsh(both).min() > 0.0


@pytest.mark.parametrize('values', [(3.0, 0.0, 1.0), (0.0, 3.0, 1.0)])
def test_it_does_not_matter_which_of_two_alike_is_undetermined(values):
    cones = Cones(np.array(values), np.full(3, True), np.empty((0, 10)))
    matrix = 100.0 * np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = consistent(cones, matrix, matrix @ values)
    np.testing.assert_allclose(found[:2].sum(), 3.0, rtol=1e-3)
    assert found[:2].min() > 0.5


@pytest.mark.parametrize('seed', range(2))
def test_links_of_the_iiwa(iiwa, seed):
    """Two links of the description are not possible; efforts are explained all the same."""
    measured, _ = drawn(iiwa, 20 + seed)
    found = identify(iiwa, measured.between(0.0, 15.0), links=True)
    rest = measured.between(15.0, 20.0)
    np.testing.assert_allclose(
        found.validate(rest, consistent=True), found.validate(rest), rtol=0.03
    )
    robot = found.robot()
    possible(robot.model)
    with warnings.catch_warnings():
        warnings.simplefilter('error')  # a description that is not possible warns
        again = sd.read_urdf(found.to_urdf(sd.share_path('urdf/iiwa14.urdf')))
    np.testing.assert_allclose(again.inertias, robot.model.inertias, atol=1e-14)
    np.testing.assert_array_equal(again.friction, [j.friction.coulomb for j in robot.joint_drives])
    np.testing.assert_array_equal(again.damping, [j.friction.viscous for j in robot.joint_drives])
    assert again.limits == iiwa.limits


def test_a_load_is_added_to_its_link(planar, tmp_path):
    source = sd.share_path('urdf/planar_2r.urdf')
    measured, drives = drawn(planar, 5, ('tool', 0.5, COM, np.zeros((3, 3))), 15.0)
    found = identify(planar, measured, payload='tool')
    robot = found.robot()
    text = found.to_urdf(source, tmp_path / 'loaded.urdf')
    assert (tmp_path / 'loaded.urdf').read_text(encoding='utf-8') == text
    again = sd.read_urdf(tmp_path / 'loaded.urdf')
    np.testing.assert_allclose(again.inertias, robot.model.inertias, atol=1e-14)
    added = again.inertias[1][3, 3] - planar.inertias[1][3, 3]
    assert added == pytest.approx(0.5, abs=0.01)
    assert text.count('<visual>') == source.read_text(encoding='utf-8').count('<visual>')
    rotors = [joint.motor.rotor_inertia for joint in robot.joint_drives]
    np.testing.assert_allclose(rotors, drives.rotors, atol=0.05)
    assert sd.Drives.from_yaml(robot.drives.to_yaml()) == robot.drives


def test_friction_is_never_below_zero(planar):
    """Without friction, noise makes about half of its estimates negative."""
    rng = np.random.default_rng(6)
    times, jets = random_motion(planar, rng, 15.0)
    efforts = sd.inverse_dynamics(planar, jets)[:, 0]
    found = identify(planar, recording(planar, rng, times, jets, efforts))
    assert (found.values < 0.0).any()
    assert (found.consistent_values > 0.0).all()
    away = np.abs(found.consistent_values - found.values) / found.standard_deviations
    assert away.max() < 5.0
    for joint in found.robot().joints:
        assert joint.motor.rotor_inertia > 0.0 and joint.friction.coulomb > 0.0


def test_numbers_that_no_robot_has():
    """Negative friction and masses, impossible inertias: something possible comes out."""
    rng = np.random.default_rng(0)
    bodies = rng.normal(size=(3, 10))
    cones = Cones(np.array([-1.0, 2.0]), np.array([True, False]), bodies)
    matrix = rng.normal(size=(40, 32))
    y = consistent(cones, matrix, matrix @ np.concatenate((cones.numbers, bodies.ravel())))
    numbers, matrices = cones.split(y)
    assert numbers > 0.0
    assert np.linalg.eigvalsh(matrices).min() > 0.0
    np.testing.assert_array_equal(matrices, pseudo_inertias(y[2:].reshape(3, 10)))


def test_a_urdf_without_the_joints(planar):
    found = identify(planar, drawn(planar, 8, seconds=15.0)[0])
    other = '<robot name="r"><link name="a"/></robot>'
    with pytest.raises(UnknownNameError, match="URDF: unknown joint 'joint_1'"):
        found.to_urdf(other)
