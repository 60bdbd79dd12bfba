# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of services: numbers against the library; failures have a code and a text."""

import re
from math import comb

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import trajectory
from helpers.services import SERVICES, asker, ros_duration

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.theory.kinematics import body_fixed, hybrid, mixed, spatial
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points


@pytest.fixture
def jet(model, rng):
    return rng.normal(size=(8, model.n))


@pytest.fixture
def order(model, rng):
    return rng.permutation(model.n)


def names_of(model, order):
    return [model.joint_names[i] for i in order]


def close(response_field, expected):
    expected = np.asarray(expected)
    got = np.reshape(response_field, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_mass_matrix_in_the_order_of_the_request(call, model, jet, order):
    names = names_of(model, order)
    response = call('get_mass_matrix', joint_names=names, position=jet[0, order].tolist())
    assert (response.success, response.error_code, response.message) == (True, 0, '')
    assert response.joint_names == names
    close(response.mass_matrix, sd.mass_matrix(model, jet[0])[np.ix_(order, order)])


def test_dynamic_terms_add_up(call, model, jet, order):
    fields = {
        'joint_names': names_of(model, order),
        'position': jet[0, order].tolist(),
        'velocity': jet[1, order].tolist(),
    }
    response = call('get_dynamic_terms', coriolis_matrix=True, **fields)
    close(response.gravity_vector, sd.gravity_forces(model, jet[0])[order])
    matrix = sd.coriolis_matrix(model, jet[0], jet[1])
    close(response.coriolis_matrix, matrix[np.ix_(order, order)])
    tau = sd.inverse_dynamics(model, jet[:3])[0, order]
    mass = np.reshape(response.mass_matrix, (model.n, model.n))
    summed = mass @ jet[2, order] + response.coriolis_vector + response.gravity_vector
    np.testing.assert_allclose(summed, tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    assert not len(call('get_dynamic_terms', **fields).coriolis_matrix)


def joint_fields(jet, order, count):
    """Return the fields of the first `count` derivatives of a joint jet."""
    fields = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
    found = dict(zip(fields[:count], jet[:count, order].tolist(), strict=False))
    if count > len(fields):
        found['higher_derivatives'] = jet[5:count, order].ravel().tolist()
    return found


@pytest.mark.parametrize('k', [0, 1, 3, 5])
@pytest.mark.parametrize('representation', ['', 'spatial', 'hybrid', 'mixed'])
def test_motion_of_a_frame(call, model, jet, order, k, representation):
    frame = model.body_names[-1]
    response = call(
        'get_frame_motion',
        joint_names=names_of(model, order),
        frame=frame,
        representation=representation,
        derivative_order=k,
        **joint_fields(jet, order, k + 2),
    )
    assert response.success, response.message
    assert response.joint_names == names_of(model, order)
    files = {'': body_fixed, 'spatial': spatial, 'hybrid': hybrid, 'mixed': mixed}
    close(response.twist_jet, files[representation].twists(model, jet[: k + 2])[-1])
    # the twist and its derivatives by Leibniz from the Jacobian and its derivatives
    jacobians = np.reshape(response.jacobian_jet, (k + 1, 6, model.n))
    for d, twist in enumerate(np.reshape(response.twist_jet, (k + 1, 6))):
        parts = [comb(d, s) * jacobians[s] @ jet[d - s + 1, order] for s in range(d + 1)]
        size = sum(np.abs(part).max() for part in parts)
        np.testing.assert_allclose(sum(parts), twist, rtol=0, atol=1e-12 * size)
    pose = sd.frame_pose(model, jet[0], frame)
    place, turn = response.pose.position, response.pose.orientation
    close([place.x, place.y, place.z], pose[:3, 3])
    close(sd.lie.quaternion_rotation(np.array([turn.x, turn.y, turn.z, turn.w])), pose[:3, :3])


@pytest.mark.parametrize('k', [0, 1, 2, 4])
def test_forward_dynamics_is_the_way_back(call, model, jet, order, k):
    wrench = WrenchStamped()
    wrench.header.frame_id = list(model.frames)[-1]
    wrench.wrench.force.y = 2.0
    names = names_of(model, order)
    wrench_jet = np.zeros((k + 1, 6))
    wrench_jet[0, 4] = 2.0
    efforts = sd.inverse_dynamics(model, jet[: k + 3], {wrench.header.frame_id: wrench_jet})
    rows = efforts[:, order].tolist()
    fields = dict(zip(('effort', 'effort_dot', 'effort_ddot'), rows, strict=False))
    response = call(
        'get_forward_dynamics',
        joint_names=names,
        derivative_order=k,
        higher_derivatives=np.ravel(rows[3:]).tolist(),
        wrenches=[wrench],
        **fields,
        **joint_fields(jet, order, 2),
    )
    assert response.success, response.message
    assert response.joint_names == names
    got = np.reshape(response.joint_jet, (k + 3, model.n))
    expected = jet[: k + 3, order]
    condition = np.linalg.cond(sd.mass_matrix(model, jet[0]))
    # errors of every order enter those above it
    bound = 1e-12 * condition * 30.0**k * np.abs(efforts).max()
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)
    for row, field in enumerate(('acceleration', 'jerk', 'snap')):
        known = got[row + 2].tolist() if k >= row else []
        assert list(getattr(response, field)) == known


@pytest.mark.parametrize('k', [0, 1, 2, 5])
def test_inverse_dynamics_of_any_order(call, model, jet, order, k):
    fields = joint_fields(jet, order, max(k + 3, 5))
    response = call(
        'get_inverse_dynamics', joint_names=names_of(model, order), derivative_order=k, **fields
    )
    assert response.success, response.message
    expected = sd.recursive_body_fixed(model, jet[: k + 3])[:, order]
    got = np.reshape(response.effort_jet, expected.shape)
    for d, row in enumerate(expected):
        np.testing.assert_allclose(got[d], row, rtol=0, atol=1e-10 * np.abs(expected[d]).max())
    assert list(response.effort) == got[0].tolist()
    assert list(response.effort_dot) == (got[1].tolist() if k >= 1 else [])
    assert list(response.effort_ddot) == (got[2].tolist() if k >= 2 else [])


def test_wrenches_on_one_link_are_added(call, model, jet):
    frame = list(model.frames)[-1]
    wrench = WrenchStamped()
    wrench.header.frame_id = frame
    wrench.wrench.force.x, wrench.wrench.torque.z = 3.0, -0.5
    response = call(
        'get_inverse_dynamics',
        position=jet[0].tolist(),
        velocity=jet[1].tolist(),
        derivative_order=1,
        wrenches=[wrench, wrench],
    )
    moved = np.zeros((4, model.n))
    moved[:2] = jet[:2]
    wrench_jet = np.zeros((2, 6))
    wrench_jet[0] = [0.0, 0.0, -1.0, 6.0, 0.0, 0.0]
    close(response.effort_jet, sd.inverse_dynamics(model, moved, {frame: wrench_jet}))


@pytest.mark.parametrize('period, count', [(0.0, 3), (0.25, 7), (0.4, 5)])
def test_trajectory_torques(call, model, period, count, order):
    names = names_of(model, order)
    points = [np.linspace(0.0, 0.1 * i, model.n) for i in (0, 2, 1)]
    times = [0.5, 1.0, 2.0]
    request = {'trajectory': trajectory(names, *[p[order] for p in points], times=times)}
    response = call(
        'compute_trajectory_torques',
        derivative_order=2,
        sample_period=ros_duration(period),
        **request,
    )
    assert response.success, response.message
    assert response.interpolation == 'smooth'
    assert response.trajectory.joint_names == names
    got = response.trajectory.points
    assert len(got) == count
    waypoints = waypoints_from_points(
        model.joint_names,
        [(t - 0.5, p) for t, p in zip(times, points, strict=True)],
        model.joint_names,
    )
    stamps = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec - 0.5 for p in got]
    assert stamps[-1] == pytest.approx(1.5)
    jets = smooth_trajectory(waypoints).jets(stamps)
    tau = sd.inverse_dynamics(model, jets)[:, :, order]
    for d, field in enumerate(
        ([p.effort for p in got], response.effort_dot, response.effort_ddot)
    ):
        values = np.reshape(np.concatenate(field) if d == 0 else field, tau[:, d].shape)
        np.testing.assert_allclose(values, tau[:, d], rtol=0, atol=1e-6 * np.abs(tau[:, d]).max())


BAD, JOINTS, ODD, BEYOND = 'INVALID_REQUEST', 'INVALID_JOINTS', 'NOT_FINITE', 'LIMIT_EXCEEDED'
FAILURES = [
    ('get_mass_matrix', {}, BAD, 'position: expected shape'),
    ('get_mass_matrix', {'position': [0.0]}, BAD, 'got (1,)'),
    (
        'get_dynamic_terms',
        {'joint_names': ['nose'], 'position': [0.0]},
        JOINTS,
        "joint_names[0]: unknown joint 'nose', expected one of",
    ),
    ('get_mass_matrix', {'position': '@nan'}, ODD, 'got nan'),
    ('get_dynamic_terms', {'position': '@zeros', 'velocity': '@inf'}, ODD, 'got inf'),
    ('get_inverse_dynamics', {'position': '@zeros', 'jerk': [1.0]}, BAD, 'jerk: expected shape'),
    (
        'get_inverse_dynamics',
        {'position': '@zeros', 'derivative_order': 4, 'higher_derivatives': [1.0]},
        BAD,
        'derivatives 5 to 6',
    ),
    (
        'get_dynamic_terms',
        {'position': '@zeros', 'coriolis_matrix': True, 'coriolis_form': 'cbar'},
        BAD,
        "coriolis_form: expected one of christoffel, got 'cbar'",
    ),
    ('get_frame_motion', {'position': '@zeros', 'frame': 'nose'}, BAD, "unknown frame 'nose'"),
    (
        'get_frame_motion',
        {'position': '@zeros', 'frame': 'base_link', 'representation': 'world'},
        BAD,
        'representation: expected one of body, spatial, hybrid, mixed, got',
    ),
    (
        'get_frame_motion',
        {'position': '@zeros', 'derivative_order': 3, 'higher_derivatives': [1.0]},
        BAD,
        'higher_derivatives: expected shape (0,) for order 3, got (1,)',
    ),
    (
        'get_frame_motion',
        {'position': '@zeros', 'velocity': '@nan', 'frame': 'base_link'},
        ODD,
        'velocity[0] (lift_joint)',
    ),
    (
        'get_frame_motion',
        {'position': '@zeros', 'frame': '@tip', 'velocity': '@ones', 'derivative_order': 255},
        ODD,
        'result',
    ),
    (
        'get_forward_dynamics',
        {'position': '@zeros', 'effort': [1.0]},
        BAD,
        'effort: expected shape',
    ),
    (
        'get_forward_dynamics',
        {'position': '@zeros', 'derivative_order': 21},
        BAD,
        'derivative_order: expected 0 to 20, got 21',
    ),
    (
        'get_forward_dynamics',
        {'position': '@zeros', 'derivative_order': 4, 'higher_derivatives': [1.0]},
        BAD,
        'derivatives 3 to 4',
    ),
    ('get_forward_dynamics', {'position': '@zeros', 'effort': '@inf'}, ODD, 'got inf'),
    (
        'get_inverse_dynamics',
        {'position': '@zeros', 'velocity': '@huge', 'derivative_order': 2},
        ODD,
        'result',
    ),
    (
        'get_inverse_dynamics',
        {'position': '@zeros', 'wrenches': [WrenchStamped()]},
        BAD,
        'wrenches[0].header.frame_id: expected a link, got an empty name',
    ),
    (
        'compute_trajectory_torques',
        {'trajectory': trajectory([])},
        BAD,
        'Empty joint names on incoming trajectory',
    ),
    (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'derivative_order': 3},
        BAD,
        'derivative_order: expected 0, 1 or 2, got 3',
    ),
    (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'sample_period': ros_duration(1e-06)},
        BEYOND,
        'expected at most 1000 samples',
    ),
    (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'sample_period': ros_duration(-1.0)},
        BAD,
        'sample_period: expected 0 s or more, got -1 s',
    ),
]


@pytest.mark.parametrize('name, fields, code, text', FAILURES)
def test_failures_have_a_code_a_text_and_no_numbers(call, model, name, fields, code, text):
    zeros = np.zeros(model.n)
    values = {
        '@zeros': zeros.tolist(),
        '@ones': (zeros + 1.0).tolist(),
        '@tip': list(model.frames)[-1],
        '@nan': (zeros + np.nan).tolist(),
        '@inf': (zeros + np.inf).tolist(),
        '@huge': (zeros + 1e200).tolist(),
        '@trajectory': trajectory(model.joint_names, zeros, zeros + 0.1),
    }
    response = call(
        name, **{k: values.get(v, v) if isinstance(v, str) else v for k, v in fields.items()}
    )
    assert not response.success
    assert response.error_code == getattr(SERVICES[name].Response, code)
    assert text in response.message
    for field, kind in response.get_fields_and_field_types().items():
        if kind.startswith('sequence'):
            assert not len(getattr(response, field)), field


def test_the_time_of_a_limit_in_a_long_trajectory(model):
    warns = asker(Robot(model), check_limits='warn')
    beyond = np.where(np.isfinite(model.limits.upper), model.limits.upper + 1.0, 0.0)
    points = np.zeros((2001, model.n))
    points[700] = beyond
    message = trajectory(model.joint_names, *points, times=np.linspace(0.0, 1e4, 2001))
    response = warns('compute_trajectory_torques', trajectory=message)
    assert response.success
    assert re.match(r'limit exceeded: \w+: position .* at t = 3[45]\d\d', response.message)
