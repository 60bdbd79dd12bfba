# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots whose motions are made fast."""

import pytest

import screw_dynamics as sd

SLIDER = """<robot name="slider"><link name="base"/>
<link name="cart"><inertial><mass value="2.0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" velocity="5" effort="20"/></joint></robot>"""


@pytest.fixture(scope='module')
def slider():
    return sd.read_urdf(SLIDER)


@pytest.fixture(scope='module')
def iiwa():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


@pytest.fixture(scope='module')
def planar():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
