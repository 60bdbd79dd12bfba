# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Finite arguments with results beyond the range of doubles, and arguments that are not models."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError


def _jet(q, qd):
    return np.stack([q, qd], axis=-2)


def resting(q):
    """Return the jets of robots at rest."""
    q = np.asarray(q)
    return np.stack([q, 0.0 * q, 0.0 * q], axis=-2)


FUNCTIONS = {
    'mass_matrix': lambda model, q, qd: sd.mass_matrix(model, q),
    'coriolis_matrix': sd.coriolis_matrix,
    'gravity_forces': lambda model, q, qd: sd.gravity_forces(model, q),
    'bias_forces': sd.bias_forces,
    'effort_partials': lambda model, q, qd: sd.effort_partials(model, resting(q)),
    'effort_partials of order 1': lambda model, q, qd: sd.effort_partials(
        model, np.concatenate([resting(q), resting(q)[..., -1:, :]], axis=-2)
    ),
    'regressor': lambda model, q, qd: sd.regressor(model, resting(q)),
    'centre_of_mass': lambda model, q, qd: sd.centre_of_mass(model, q),
    'centre_of_mass_jacobian': lambda model, q, qd: sd.centre_of_mass_jacobian(model, q),
    'kinetic_energy': sd.kinetic_energy,
    'potential_energy': lambda model, q, qd: sd.potential_energy(model, q),
    'forward_dynamics': lambda model, q, qd: sd.forward_dynamics(model, q, qd, qd),
    'frame_pose': lambda model, q, qd: sd.frame_pose(model, q, 'body_3'),
    'frame_jacobian': lambda model, q, qd: sd.frame_jacobian(model, q, 'body_3'),
    'frame_twist': lambda model, q, qd: sd.frame_twist(model, _jet(q, qd), 'body_3'),
    'frame_jacobian_jet': lambda model, q, qd: sd.frame_jacobian_jet(model, _jet(q, qd), 'body_3'),
    'task_to_joint_jet': lambda model, q, qd: sd.task_to_joint_jet(
        model, q, np.array(qd)[..., None, :], 'body_3', components='linear', damping=1.0
    ),
}
FAR, NEAR = [0.7, 1.7e308, 1.7e308], [0.7, 0.1, 0.2]
SLOW, FAST = [1.0, 1.0, 1.0], [1e200, 1e200, 1e200]


@pytest.fixture
def model() -> sd.ScrewModel:
    """A turning joint that carries two slides along one direction."""
    link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0.0, 0.0]), 0.1 * np.eye(3))
    slide = [0, 0, 0, 1, 0, 0]
    return sd.ScrewModel.from_screws(
        [-1, 0, 1], [np.eye(4)] * 3, [[0, 1, 0, 0, 0, 0], slide, slide], [link] * 3
    )


@pytest.mark.parametrize('name', FUNCTIONS)
def test_coordinates_that_overflow_are_named(model, name):
    expected = r'^result(\[.*\])? \(overflow\): expected a finite'
    with pytest.raises(NotFiniteError, match=expected):
        FUNCTIONS[name](model, FAR, SLOW)


@pytest.mark.parametrize('name', ['bias_forces', 'forward_dynamics', 'kinetic_energy'])
def test_rates_that_overflow_are_named(model, name):
    with pytest.raises(
        NotFiniteError, match=r'^result\[0(, 0)?\] \(overflow\): expected a finite'
    ):
        FUNCTIONS[name](model, [NEAR], [FAST])


@pytest.mark.parametrize('name', FUNCTIONS)
def test_the_sample_of_a_batch_is_named(model, name):
    with pytest.raises(NotFiniteError, match=r'^result\[2[],].*overflow') as caught:
        FUNCTIONS[name](model, [NEAR, NEAR, FAR, FAR], [SLOW] * 4)
    assert caught.value.index[0] == 2


def test_efforts_that_overflow_only_in_the_solution_are_named(model):
    with pytest.raises(NotFiniteError, match=r'^result\[.*overflow'):
        sd.forward_dynamics(model, NEAR, SLOW, [1.7e308, -1.7e308, 1.7e308])


def test_an_argument_that_is_not_finite_is_named_before_the_result(model):
    with pytest.raises(NotFiniteError, match=r'^qd\[1\]: expected a finite number, got nan'):
        sd.bias_forces(model, FAR, [0.0, np.nan, 0.0])


def test_large_numbers_whose_result_a_double_holds_are_legal(model):
    pose = sd.frame_pose(model, [0.0, 1e200, 1e200], 'body_3')
    np.testing.assert_array_equal(pose[:3, 3], [2e200, 0.0, 0.0])


@pytest.mark.parametrize('name', FUNCTIONS)
@pytest.mark.parametrize('value', ['robot.urdf', None])
def test_what_is_no_model_is_named(name, value):
    expected = f'^model: expected a ScrewModel, got {type(value).__name__}$'
    with pytest.raises(InputError, match=expected):
        FUNCTIONS[name](value, [0.0], [0.0])
