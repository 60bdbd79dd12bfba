# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_model

from screw_dynamics.errors import InertiaError, NotFiniteError, ShapeError, UnknownNameError
from screw_dynamics.model.urdf import read_urdf

ARM = """
<robot name="r">
  <link name="base"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <link name="arm"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="f" type="fixed"><parent link="arm"/><child link="tool"/>
    <origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/></joint>
  {tool}
</robot>
"""
TENSOR = np.array([[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]])


def test_a_payload_is_what_a_link_with_that_inertial_would_be():
    loaded = ARM.format(
        tool='<link name="tool"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1.5"/><inertia '
        'ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>'
    )
    bare = read_urdf(ARM.format(tool='<link name="tool"/>'))
    model = bare.with_payload('tool', 1.5, [0.1, 0.2, 0.3], TENSOR)
    np.testing.assert_allclose(model.inertias, read_urdf(loaded).inertias, atol=1e-15)
    assert bare.inertias[0, 3, 3] == 2.0


def test_payloads_add_up(rng):
    model = random_model(rng, 3)
    once = model.with_payload('tool_2', 2.0, (1, 0, 0), TENSOR)
    parts = model.with_payload('tool_2', 1.0, (1, 0, 0), TENSOR / 4)
    parts = parts.with_payload('tool_2', 1.0, (1, 0, 0), 3 * TENSOR / 4)
    np.testing.assert_allclose(parts.inertias, once.inertias, rtol=1e-14, atol=1e-14)


def test_a_payload_is_a_point_mass_in_the_origin_of_the_frame_by_default(rng):
    model = random_model(rng, 2)
    assert model.with_payload('tool_2', 2.0) == model.with_payload(
        'tool_2', 2.0, np.zeros(3), np.zeros((3, 3))
    )
    assert model.with_payload('body_2', 2.0).inertias[1, 3, 3] == model.inertias[1, 3, 3] + 2.0


def test_what_was_derived_before_is_derived_anew(rng):
    model = random_model(rng, 2)
    before = model.kernel_tables
    loaded = model.with_payload('body_2', 1.0, np.zeros(3), TENSOR)
    assert loaded.kernel_tables is not before
    assert model.kernel_tables is before


def test_a_load_on_the_base_changes_nothing(rng):
    model = random_model(rng, 2)
    loaded = model.with_payload('base', 5.0, np.zeros(3), TENSOR)
    assert loaded is not model
    assert loaded == model


@pytest.mark.parametrize(
    ('arguments', 'error', 'message'),
    [
        (('hand', 1, np.zeros(3), TENSOR), UnknownNameError, "unknown frame 'hand'"),
        (('body_1', -1, np.zeros(3), TENSOR), InertiaError, 'expected 0 or more, got -1'),
        (('body_1', np.nan, np.zeros(3), TENSOR), InertiaError, 'got nan kg'),
        (('body_1', [1], np.zeros(3), TENSOR), ShapeError, 'mass'),
        (('body_1', 1, np.zeros(2), TENSOR), ShapeError, 'com'),
        (
            ('body_1', 1e308, [0, 0, 1e3], TENSOR),
            InertiaError,
            r"^payload on 'body_1': expected a load with which the inertia of its body is finite, "
            r'got 1e\+308 kg at \[0.0, 0.0, 1000.0\]$',
        ),
        (('body_1', 1, [0, 0, np.inf], TENSOR), NotFiniteError, r'com\[2\]'),
        (('body_1', 1, np.zeros(3), np.ones(3)), ShapeError, 'inertia'),
        (('body_1', 1, np.zeros(3), np.triu(TENSOR)), InertiaError, 'symmetric'),
        (('body_1', 1, np.zeros(3), np.full((3, 3), np.nan)), InertiaError, 'finite'),
        (('body_1', 1, np.zeros(3), np.full((3, 3), np.inf)), InertiaError, 'finite'),
    ],
)
def test_arguments_are_checked(rng, arguments, error, message):
    with pytest.raises(error, match=message) as raised:
        random_model(rng, 1).with_payload(*arguments)
    assert len(str(raised.value)) < 200
