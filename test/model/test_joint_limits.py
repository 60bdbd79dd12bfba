# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of files of MoveIt in place of those of a URDF."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import screw_dynamics as sd
from screw_dynamics.errors import ModelError

ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
OWN = replace(ARM, limits=replace(ARM.limits, acceleration=np.array([9.0, np.inf])))
QUANTITIES = ('velocity', 'acceleration', 'jerk', 'effort')
# whether there is a limit, as the file says it, and its value
entries = st.tuples(st.sampled_from([None, True, False]), st.none() | st.floats(0.1, 1e3))


@settings(max_examples=50)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(QUANTITIES, entries)), min_size=2, max_size=2))
def test_values_replace_those_of_the_robot(drawn):
    joints = {'gripper': {'has_velocity_limits': True, 'max_velocity': 0.1}}
    expected = {name: getattr(OWN.limits, name).copy() for name in QUANTITIES}
    for j, given_limits in enumerate(drawn):
        joint = joints[f'joint_{j + 1}'] = {'has_position_limits': True}
        for name, (has, value) in given_limits.items():
            if has is False or (has and np.isfinite([value or expected[name][j]]).all()):
                joint[f'has_{name}_limits'] = has
            if value is not None:
                joint[f'max_{name}'] = value
            if has is False:
                expected[name][j] = np.inf
            elif value is not None:
                expected[name][j] = value
    found = sd.read_joint_limits(yaml.safe_dump({'joint_limits': joints}) + '\n', OWN)
    assert found == replace(OWN.limits, **expected)


@pytest.mark.parametrize(
    ('entry', 'acceleration'),
    [
        ('max_deceleration: -7.0', 7.0),
        ('max_deceleration: 12.0', 9.0),
        ('max_deceleration: 7.0, has_deceleration_limits: false', 9.0),
        ('max_deceleration: -7.0, max_acceleration: 5.0', 5.0),
        ('max_deceleration: -7.0, has_acceleration_limits: false, max_acceleration: 0', 7.0),
    ],
)
def test_a_deceleration_narrows_the_acceleration(entry, acceleration):
    found = sd.read_joint_limits(f'joint_limits:\n  joint_1: {{{entry}}}', OWN)
    assert found.acceleration.tolist() == [acceleration, np.inf]


def test_scaled_limits_of_a_parameter_file(tmp_path):
    path = tmp_path / 'limits.yaml'
    inner = {
        'default_velocity_scaling_factor': 0.5,
        'default_acceleration_scaling_factor': 0.1,
        'joint_limits': {
            'joint_2': {'min_position': -1, 'max_position': 2, 'max_acceleration': 4}
        },
    }
    parameters = {'/**': {'ros__parameters': {'robot_description_planning': inner}}}
    path.write_text(yaml.safe_dump(parameters))
    plain, scaled = (sd.read_joint_limits(path, OWN, scaled=scaled) for scaled in (False, True))
    assert (plain.lower[1], plain.upper[1], plain.acceleration.tolist()) == (-1, 2, [9.0, 4.0])
    np.testing.assert_array_equal(scaled.velocity, 0.5 * OWN.limits.velocity)
    np.testing.assert_allclose(scaled.acceleration, [0.9, 0.4])
    assert replace(scaled, velocity=plain.velocity, acceleration=plain.acceleration) == plain


@pytest.mark.parametrize(
    ('text', 'error'),
    [
        ('limits: {}\n', "joint limits: expected an entry 'joint_limits', got none"),
        (
            'joint_limits: {hand: {}}\n',
            'joint_limits: expected some of joint_1, joint_2, got none',
        ),
        (
            'joint_limits:\n  joint_1: {max_speed: 1}',
            r'joint_1: expected entries .*got .max_speed',
        ),
        ('joint_limits:\n  joint_1: {max_jerk: -1}', 'joint_1.max_jerk: expected a number of 0'),
        ('joint_limits:\n  joint_1: {has_jerk_limits: 1}', 'has_jerk_limits: expected true or'),
        (
            'joint_limits:\n  joint_1: {has_jerk_limits: true}',
            'joint_1.has_jerk_limits: expected max_jerk beside it, got none',
        ),
        (
            'joint_limits:\n  joint_1: {min_position: 1, max_position: -1}',
            'joint_1.min_position: expected at most max_position, -1, got 1',
        ),
    ],
)
def test_what_is_no_such_file_is_named(tmp_path, text, error):
    (tmp_path / 'limits.yaml').write_text(text)
    for source in (f'{text}\n', tmp_path / 'limits.yaml'):
        with pytest.raises(ModelError, match=error) as caught:
            sd.read_joint_limits(source, ARM)
    assert str(caught.value).startswith(f'{tmp_path / "limits.yaml"}: joint limits')
