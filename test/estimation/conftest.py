# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The robots of the recordings."""

import pytest

import screw_dynamics as sd


@pytest.fixture(scope='session')
def iiwa():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


@pytest.fixture(scope='session')
def arm(iiwa):
    return iiwa


@pytest.fixture(scope='session')
def planar():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
