# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kind, pitch and axis of unit screws, and that all tables of a model agree on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import screw_dynamics as sd
from screw_dynamics.kernels.taylor.layout import HEADER, PITCH
from screw_dynamics.kernels.tree.layout import TRANSLATION
from screw_dynamics.lie import (
    pose_on_axis,
    quaternion_rotation,
    rotation_and_translation_rate,
    screw_pitch,
    screw_type,
)

E = np.array([2.0, 3.0, 6.0]) / 7.0
POINT = np.array([0.3, -0.7, 1.9])
NOISE = 1e-17  # a pitch that rounding leaves


def screw(pitch: float) -> np.ndarray:
    return np.concatenate([E, np.cross(POINT, E) + pitch * E])


@pytest.mark.parametrize(
    ('value', 'kind', 'pitch'),
    [
        (screw(0.0), 'revolute', 0.0),
        (np.array([0.0, 0.0, 1.0, 2.0, 0.0, NOISE]), 'revolute', 0.0),
        (np.array([0.0, 0.0, 1.0, 1e6, 0.0, 1e-9]), 'revolute', 0.0),
        (screw(-0.25), 'helical', -0.25),
        (np.concatenate([np.zeros(3), E]), 'prismatic', np.inf),
    ],
)
def test_kind_and_pitch(value, kind, pitch):
    assert screw_type(value) == kind
    assert screw_pitch(value) == pytest.approx(pitch, abs=1e-15)
    expected = (0.0, 1.0) if kind == 'prismatic' else (1.0, pitch)
    assert rotation_and_translation_rate(value) == pytest.approx(expected, abs=1e-15)
    if pitch == 0.0:
        assert screw_pitch(value) == 0.0


@pytest.mark.parametrize('pitch', [0.0, 0.1])
def test_the_frame_lies_on_the_axis(pitch):
    frame = pose_on_axis(screw(pitch))
    np.testing.assert_allclose(frame[:3, 2], E, atol=1e-15)
    # nearest to the origin, and on the line through the point
    assert frame[:3, 3] @ E == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(np.cross(POINT - frame[:3, 3], E), 0.0, atol=1e-15)


def test_rounding_is_a_pitch_in_no_table_of_a_model():
    noisy = [0.0, 0.0, 1.0, 2.0, 0.0, NOISE]
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [noisy], [np.eye(6)])
    assert model.joint_types == ('revolute',)
    assert model.joint_frames.bodies[0, TRANSLATION] == 0.0
    assert model.kernel_tables.parameters[HEADER + PITCH] == 0.0


def test_rotations_of_quaternions(rng):
    for size in (1.0, 1e-300, 1e300, 7.0):
        q = rng.normal(size=4)
        expected = Rotation.from_quat(q).as_matrix()
        np.testing.assert_allclose(quaternion_rotation(size * q), expected, atol=1e-15)
    # quarter turns are exact, whatever digits the document has
    np.testing.assert_array_equal(
        quaternion_rotation(np.array([0.0, 0.707, 0.0, 0.707])), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    )
