# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""URDF documents with other inertias, damping and friction."""

import numpy as np
import pytest
from oracles.random_models import random_inertia

import screw_dynamics as sd
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.model.urdf.with_dynamics import with_dynamics

URDF = """<robot name="r"><!-- kept -->
  <link name="base"/>
  <link name="light"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="heavy">
    <inertial>
      <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
      <mass value="7"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="a" type="continuous"><parent link="base"/><child link="light"/></joint>
  <joint name="b" type="continuous">
    <parent link="light"/><child link="heavy"/><dynamics damping="3"/>
  </joint>
</robot>"""


def test_the_document_has_the_numbers_and_the_rest_of_it(rng):
    inertias = {'light': random_inertia(rng, mass=0.2), 'heavy': random_inertia(rng)}
    text = with_dynamics(URDF, inertias, {'a': (0.5, 0.25), 'b': (0.0, 2.0)})
    model = sd.read_urdf(text)
    for i, name in enumerate(model.body_names):
        np.testing.assert_allclose(model.inertias[i], inertias[name], rtol=1e-13, atol=1e-14)
    assert (model.damping.tolist(), model.friction.tolist()) == ([0.5, 0.0], [0.25, 2.0])
    assert '<!-- kept -->' in text and '<sphere radius="0.1" />' in text
    assert with_dynamics(text, inertias, {}) == text
    # a new element is in line with the others
    assert text.count('\n') == URDF.count('\n') + 2


@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.InertiaWarning')
def test_links_without_mass():
    moment = np.zeros((6, 6))
    moment[:3, :3] = np.diag([2.0, 3.0, 4.0])
    model = sd.read_urdf(with_dynamics(URDF, {'heavy': None, 'light': moment}, {}))
    np.testing.assert_array_equal(model.inertias, [moment, np.zeros((6, 6))])
    assert 'inertial' not in with_dynamics(URDF, {'heavy': None, 'base': None}, {})


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="URDF: unknown link 'haevy'"):
        with_dynamics(URDF, {'haevy': None}, {})
    with pytest.raises(UnknownNameError, match="URDF: unknown joint 'c'"):
        with_dynamics(URDF, {}, {'c': (1.0, 0.0)})
