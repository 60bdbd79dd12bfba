# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The group of rigid motions, its adjoints, and screws."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scalar_kinds import FLOAT, KINDS, as_mpf, as_series, derivatives, directions, twists
from scipy.spatial.transform import Rotation

import screw_dynamics as sd
from screw_dynamics.kernels.bodies.layout import HEADER, PITCH
from screw_dynamics.kernels.bodies.tables import TRANSLATION
from screw_dynamics.lie import (
    adjoint,
    adjoint_inverse,
    axis_angle_rotation,
    coadjoint,
    exp_se3,
    inertia_matrix,
    inertia_parameters,
    inverse_pose,
    is_pose,
    is_rotation,
    pose,
    pose_on_axis,
    quaternion_rotation,
    rotation_and_translation_rate,
    rotation_onto_z,
    rpy_rotation,
    screw_pitch,
    screw_type,
    second_moment,
    skew,
    transform_inertia,
    twist_cross,
    vee,
    wrench_cross,
)
from screw_dynamics.lie.scalars import solve

SEEDS = st.integers(0, 2**32 - 1)


def vectors(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


@KINDS
@settings(max_examples=8)
@given(a=twists(), b=twists(), c=twists())
def test_poses_are_a_group(kind, a, b, c):
    first, second, third = (exp_se3(kind.make(twist)) for twist in (a, b, c))
    kind.assert_close((first @ second) @ third, first @ (second @ third), 10.0)
    kind.assert_close(first @ inverse_pose(first), np.eye(4))
    kind.assert_close(
        inverse_pose(first @ second), inverse_pose(second) @ inverse_pose(first), 10.0
    )
    assert is_pose(exp_se3(a) @ exp_se3(b))


@KINDS
@settings(max_examples=8)
@given(a=twists(), b=twists())
def test_the_adjoint_is_a_homomorphism(kind, a, b):
    x, c = kind.make(a), exp_se3(kind.make(a))
    d = exp_se3(kind.make(b))
    kind.assert_close(adjoint(c @ d), adjoint(c) @ adjoint(d), 20.0)
    kind.assert_close(adjoint_inverse(c) @ adjoint(c), np.eye(6), 20.0)
    kind.assert_close(adjoint(inverse_pose(c)), adjoint_inverse(c), 20.0)
    kind.assert_close(adjoint(c) @ x, x, 20.0)  # a screw stays where it moves along itself
    # exp(Ad_D X) = D exp(X) D^-1
    kind.assert_close(exp_se3(adjoint(d) @ x), d @ c @ inverse_pose(d), 400.0)


@given(twist=twists(), seed=SEEDS)
def test_ad_is_the_derivative_of_the_adjoint(twist, seed):
    step = 1e-100
    rate = adjoint(exp_se3(1j * step * twist)).imag / step
    np.testing.assert_allclose(rate, twist_cross(twist), atol=1e-15)
    dual = coadjoint(exp_se3(1j * step * twist)).imag / step
    np.testing.assert_allclose(dual, wrench_cross(twist), atol=1e-15)


@KINDS
@settings(max_examples=8)
@given(a=twists(), b=twists(), seed=SEEDS)
def test_the_screw_product_is_a_lie_bracket(kind, a, b, seed):
    x, y = kind.make(a), kind.make(b)
    ad_x, ad_y = twist_cross(x), twist_cross(y)
    kind.assert_close(ad_x @ x, np.zeros(6))
    kind.assert_close(ad_x @ y, -ad_y @ x)
    # Jacobi identity
    kind.assert_close(twist_cross(ad_x @ y), ad_x @ ad_y - ad_y @ ad_x, 20.0)
    kind.assert_close(skew(x[:3]) @ y[:3], np.cross(x[:3], y[:3]))
    kind.assert_close(vee(skew(x[:3])), x[:3])


@KINDS
@settings(max_examples=8)
@given(a=twists(), b=twists(), seed=SEEDS)
def test_the_coadjoint_preserves_power(kind, a, b, seed):
    c, v = exp_se3(kind.make(a)), kind.make(b)
    w = kind.make(vectors(seed, 6))
    power = (coadjoint(c) @ w) @ (adjoint(c) @ v)
    kind.assert_close(power, w @ v, 100.0)
    d = exp_se3(v)
    kind.assert_close(coadjoint(c @ d), coadjoint(c) @ coadjoint(d), 20.0)
    x = kind.make(a)
    kind.assert_close((wrench_cross(x) @ w) @ v, -(w @ (twist_cross(x) @ v)), 100.0)


@KINDS
@settings(max_examples=8)
@given(a=twists(), b=twists(), seed=SEEDS)
def test_inertia_has_the_same_energy_in_every_frame(kind, a, b, seed):
    root = vectors(seed, 3, 3)
    mass, tensor = kind.make(np.abs(root[:1, 0]))[0], kind.make(root @ root.T)
    tensor = (tensor + tensor.T) / 2
    com = kind.make(root[1])
    inertia = inertia_matrix(mass, com, tensor)
    c, v = exp_se3(kind.make(a)), kind.make(b)
    moved = transform_inertia(inertia, c)
    in_new_frame = adjoint(c) @ v
    kind.assert_close(in_new_frame @ moved @ in_new_frame, v @ inertia @ v, 1e4)
    found, first, about_origin = inertia_parameters(moved)
    kind.assert_close(found, mass)
    kind.assert_close(first, mass * (c[:3, :3] @ com + c[:3, 3]), 100.0)
    xx, yy, zz, xy, xz, yz = second_moment(about_origin)
    moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    identity = np.eye(3, dtype=int)
    kind.assert_close(np.trace(moment) * identity - moment, about_origin, 100.0)


@KINDS
@settings(max_examples=8)
@given(seed=SEEDS)
def test_rotations_from_angles_and_quaternions(kind, seed):
    r, p, y = angles = kind.make(vectors(seed, 3))
    x_axis, y_axis, z_axis = np.eye(3)
    turns = [
        axis_angle_rotation(axis, angle) for axis, angle in ((z_axis, y), (y_axis, p), (x_axis, r))
    ]
    kind.assert_close(rpy_rotation(r, p, y), turns[0] @ turns[1] @ turns[2])
    rotation = rpy_rotation(*angles)
    kind.assert_close(rotation.T @ rotation, np.eye(3))
    quaternion = vectors(seed, 4)
    for scale in (1.0, 1e3):
        found = quaternion_rotation(scale * kind.make(quaternion))
        kind.assert_close(found.T @ found, np.eye(3), 100.0)


@given(seed=SEEDS)
def test_the_dtype_does_not_change_the_value(seed):
    """Other scalars with the value of a float yield the value that floats yield."""
    twist, quaternion = vectors(seed, 6), vectors(seed, 4)
    axis = twist[:3] / np.linalg.norm(twist[:3])
    screw = np.r_[axis, twist[3:]]
    rpy = [rpy_rotation(*angles) for angles in (twist[:3], as_mpf(twist[:3]))]
    pairs = [
        (function(argument), function(as_mpf(argument)), function(as_series(argument)))
        for function, argument in (
            (exp_se3, twist),
            (quaternion_rotation, quaternion),
            (rotation_onto_z, axis),
            (pose_on_axis, screw),
            (twist_cross, twist),
        )
    ]
    pairs.append((rpy[0], rpy[1], as_series(rpy[0])))
    for floats, digits, series in pairs:
        FLOAT.assert_close(digits.astype(float), floats)
        FLOAT.assert_close(derivatives(series)[0], floats)


@given(axis=directions(), pitch=st.sampled_from([0.0, 0.25, -2.0]), seed=SEEDS)
def test_screws_of_many_digits_have_the_same_type(axis, pitch, seed):
    point = vectors(seed, 3)
    screw = np.r_[axis, np.cross(point, axis) + pitch * axis]
    many = as_mpf(screw)
    assert screw_type(many) == screw_type(screw) == ('helical' if pitch else 'revolute')
    assert abs(screw_pitch(many) - screw_pitch(screw)) < 2e-14
    sliding = np.r_[np.zeros(3), axis]
    assert screw_type(as_mpf(sliding)) == screw_type(sliding) == 'prismatic'


def test_rotations_are_recognised_for_every_type_of_scalar():
    rotation = rpy_rotation(0.3, -0.4, 2.0)
    mirror = rotation * [1.0, 1.0, -1.0]
    for make in (np.asarray, as_mpf):
        assert is_rotation(make(rotation)) and is_pose(make(pose(rotation, np.ones(3))))
        assert not is_rotation(make(mirror))
        assert not is_rotation(make(rotation * 1.001))
    assert not is_rotation(np.full((3, 3), np.nan))
    assert not is_pose(pose(rotation, np.array([0.0, np.inf, 0.0])))


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


def test_equations_of_exact_scalars_are_solved_from_their_largest_pivots():
    # 1e-30 as the first pivot would leave one digit in thirty of x = 1
    with mpmath.workdps(30):
        matrix = np.array([[mpmath.mpf('1e-30'), mpmath.mpf(1)], [mpmath.mpf(1), mpmath.mpf(1)]])
        found = solve(matrix, matrix @ np.array([mpmath.mpf(1), mpmath.mpf(2)]))
        assert max(abs(found - [1, 2])) < mpmath.mpf('1e-28')
