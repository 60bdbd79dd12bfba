# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from urdf_texts import joint, link, robot

from screw_dynamics.errors import InertiaWarning
from screw_dynamics.parsers import read_urdf


def fan(*children: str) -> str:
    """Link 'base' with a revolute joint to each of the links."""
    names = [child.split('"')[1] for child in children]
    joints = [joint(f'to_{name}', 'base', name) for name in names]
    return robot(link('base', 1, '-1 0 0 -1 0 -1'), *children, *joints)


def test_one_warning_names_all_links():
    urdf = fan(
        link('fine', 1, '1 0 0 1 0 1.5'),
        link('empty'),
        link('zero', 0, '0 0 0 0 0 0'),
        link('zero_mass', 0, '1 0 0 1 0 1'),
        link('indefinite', 1, '1 2 0 1 0 1'),
        link('triangle', 1, '1 0 0 1 0 2.1'),
        link('barely', 1, '1 0 0 1 0 2.00001'),
    )
    with pytest.warns(InertiaWarning) as warned:
        model = read_urdf(urdf)
    assert len(warned) == 1
    assert str(warned[0].message) == (
        'non-physical links, used unchanged ('
        'moving links without mass: empty, zero, zero_mass; '
        'mass 0 stated: zero, zero_mass; '
        'inertia not positive semidefinite, or triangle rule broken: '
        'indefinite, triangle, barely)'
    )
    # the numbers are kept
    assert model.inertias[model.body_names.index('triangle'), 2, 2] == 2.1
    np.testing.assert_array_equal(model.inertias[model.body_names.index('zero_mass'), 3:], 0)


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize(
    'child',
    [
        link('point', 1, '0 0 0 0 0 0'),
        link('rod', 1, '1 0 0 1 0 0'),
        link('plate', 1, '1 0 0 1 0 2'),
        link('rounded', 1, '0.1 0 0 0.2 0 0.30000001'),
    ],
)
def test_limits_of_the_possible_are_possible(child):
    assert read_urdf(fan(child)).n == 1


@pytest.mark.filterwarnings('error')
def test_links_that_stand_still_do_not_matter():
    urdf = fan(link('odd', 1, '1 0 0 1 0 9'), link('fine', 1))
    assert read_urdf(urdf, locked={'to_odd': 0.0}).n == 1


@pytest.mark.filterwarnings('error')
def test_a_massless_joint_link_may_carry_mass_behind_a_fixed_joint():
    urdf = robot(
        *map(link, ('base', 'flange')),
        link('hand', 1),
        joint('j', 'base', 'flange'),
        joint('f', 'flange', 'hand', 'fixed'),
    )
    assert read_urdf(urdf).n == 1
