# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Responses to unusable requests: a code, a text and no numbers."""

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import trajectory
from helpers.services import SERVICES, ros_duration

pytestmark = pytest.mark.long

FAILURES = {
    'no position': ('get_mass_matrix', {}, 'INVALID_REQUEST', 'position: expected shape'),
    'short': ('get_mass_matrix', {'position': [0.0]}, 'INVALID_REQUEST', 'got (1,)'),
    'unknown joint': (
        'get_dynamic_terms',
        {'joint_names': ['nose'], 'position': [0.0]},
        'INVALID_JOINTS',
        "joint_names[0]: unknown joint 'nose', expected one of",
    ),
    'nan': ('get_mass_matrix', {'position': '@nan'}, 'NOT_FINITE', 'got nan'),
    'velocity inf': (
        'get_dynamic_terms',
        {'position': '@zeros', 'velocity': '@inf'},
        'NOT_FINITE',
        'got inf',
    ),
    'jerk short': (
        'get_inverse_dynamics',
        {'position': '@zeros', 'jerk': [1.0]},
        'INVALID_REQUEST',
        'jerk: expected shape',
    ),
    'higher derivatives': (
        'get_inverse_dynamics',
        {'position': '@zeros', 'derivative_order': 4, 'higher_derivatives': [1.0]},
        'INVALID_REQUEST',
        'derivatives 5 to 6',
    ),
    'form of the Coriolis matrix': (
        'get_dynamic_terms',
        {'position': '@zeros', 'coriolis_matrix': True, 'coriolis_form': 'cbar'},
        'INVALID_REQUEST',
        "coriolis_form: expected one of christoffel, got 'cbar'",
    ),
    'unknown frame': (
        'get_frame_motion',
        {'position': '@zeros', 'frame': 'nose'},
        'INVALID_REQUEST',
        "unknown frame 'nose'",
    ),
    'representation': (
        'get_frame_motion',
        {'position': '@zeros', 'frame': 'base_link', 'representation': 'world'},
        'INVALID_REQUEST',
        'representation: expected one of body, spatial, hybrid, mixed, got',
    ),
    'higher derivatives of a frame': (
        'get_frame_motion',
        {'position': '@zeros', 'derivative_order': 3, 'higher_derivatives': [1.0]},
        'INVALID_REQUEST',
        'higher_derivatives: expected shape (0,) for order 3, got (1,)',
    ),
    'velocity of a frame nan': (
        'get_frame_motion',
        {'position': '@zeros', 'velocity': '@nan', 'frame': 'base_link'},
        'NOT_FINITE',
        'velocity[0] (lift_joint)',
    ),
    'order beyond all factorials': (
        'get_frame_motion',
        {'position': '@zeros', 'frame': '@tip', 'velocity': '@ones', 'derivative_order': 255},
        'NOT_FINITE',
        'result',
    ),
    'effort short': (
        'get_forward_dynamics',
        {'position': '@zeros', 'effort': [1.0]},
        'INVALID_REQUEST',
        'effort: expected shape',
    ),
    'order of efforts': (
        'get_forward_dynamics',
        {'position': '@zeros', 'derivative_order': 21},
        'INVALID_REQUEST',
        'derivative_order: expected 0 to 20, got 21',
    ),
    'higher derivatives of efforts': (
        'get_forward_dynamics',
        {'position': '@zeros', 'derivative_order': 4, 'higher_derivatives': [1.0]},
        'INVALID_REQUEST',
        'derivatives 3 to 4',
    ),
    'effort inf': (
        'get_forward_dynamics',
        {'position': '@zeros', 'effort': '@inf'},
        'NOT_FINITE',
        'got inf',
    ),
    'overflow': (
        'get_inverse_dynamics',
        {'position': '@zeros', 'velocity': '@huge', 'derivative_order': 2},
        'NOT_FINITE',
        'result',
    ),
    'wrench without frame': (
        'get_inverse_dynamics',
        {'position': '@zeros', 'wrenches': [WrenchStamped()]},
        'INVALID_REQUEST',
        'wrenches[0].header.frame_id: expected a link, got an empty name',
    ),
    'empty trajectory': (
        'compute_trajectory_torques',
        {'trajectory': trajectory([])},
        'INVALID_REQUEST',
        'Empty joint names on incoming trajectory',
    ),
    'order of trajectory': (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'derivative_order': 3},
        'INVALID_REQUEST',
        'derivative_order: expected 0, 1 or 2, got 3',
    ),
    'too many samples': (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'sample_period': ros_duration(1e-6)},
        'LIMIT_EXCEEDED',
        'expected at most 1000 samples',
    ),
    'negative period': (
        'compute_trajectory_torques',
        {'trajectory': '@trajectory', 'sample_period': ros_duration(-1.0)},
        'INVALID_REQUEST',
        'sample_period: expected 0 s or more, got -1 s',
    ),
}


@pytest.mark.parametrize('case', FAILURES)
def test_failures_have_a_code_a_text_and_no_numbers(call, model, case):
    name, fields, code, text = FAILURES[case]
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
