# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts with spinning rotors on the links against 60-digit mechanics of rotors with mass."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.comparison import relative_errors
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model, random_wrench_jets
from oracles.rotor_robot import locked, random_rotor, spinning

from screw_dynamics.elastic.rotor import Rotor
from screw_dynamics.elastic.rotor_bodies import RotorBody, place_rotor
from screw_dynamics.elastic.rotor_coupling import rotor_coupling
from screw_dynamics.elastic.rotors_on_moving_links import coupled_efforts
from screw_dynamics.model import ScrewModel

CHAIN = [BodyRecipe()] * 4
PRISMATIC_CARRIER = [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe(), BodyRecipe('helical')]
TREE = [BodyRecipe(), BodyRecipe(), BodyRecipe(), BodyRecipe(parent_back=2), BodyRecipe()]
MIMIC = [BodyRecipe(), BodyRecipe(), BodyRecipe(mimics=1), BodyRecipe()]
PARALLEL = [BodyRecipe(coordinate_axis=True, parallel_home=True)] * 4
ROBOTS = {
    'chain': CHAIN,
    'prismatic carrier': PRISMATIC_CARRIER,
    'tree': TREE,
    'mimic': MIMIC,
    'coordinate axes': PARALLEL,
}
STIFFNESS = 300.0


def solid_rotors(rng, links):
    """Return one rotor per joint on the link before it, spinning about the joint axis."""
    return [random_rotor(rng, j, *place_rotor(links, j, Rotor())) for j in range(links.n)]


def rotor_bodies(rotors):
    return [
        RotorBody(
            f'm{r.coordinate}', r.coordinate, r.carrier, r.axis, r.spin_inertia, r.gear_ratio
        )
        for r in rotors
    ]


def linear_springs(elastic):
    return lambda j, effort: {f'm{j}': effort / STIFFNESS} if elastic[j] else {}


def check(links, rotors, elastic, rng, order=2, wrenches=None):
    """Compare the links' and motors' rows of every order with those of rotors with mass."""
    model = locked(links, rotors)
    coupling = rotor_coupling(model, rotor_bodies(rotors), elastic)
    rows = coupling.rows + order
    jet = rng.normal(size=(rows, model.n))
    wrenches = {name: rng.normal(size=(rows - 2, 6)) for name in wrenches or ()}
    efforts, reactions = coupled_efforts(coupling, jet[None], wrenches, linear_springs(elastic))
    assert efforts.shape == (1, order + 1 + coupling.lost_orders, model.n)

    theta = jet[: order + 3].copy()
    for j in np.flatnonzero(elastic):
        theta[:, j] += efforts[0, : order + 3, j] / STIFFNESS
    motors = np.zeros((order + 1, model.n))
    for a, rotor in enumerate(rotors):
        motors[:, a] = rotor.gear_ratio**2 * rotor.spin_inertia * theta[2:, a]
        motors[:, a] += reactions.get(f'm{a}', np.zeros((1, order + 1)))[0]
    reference = reference_efforts(
        spinning(links, rotors),
        np.hstack([jet[: order + 3], theta]),
        {name: wrench[: order + 1] for name, wrench in wrenches.items()},
    )
    both = np.hstack([efforts[0, : order + 1], motors])
    assert (relative_errors(both, reference) < 1e-12).all()
    # the motors' rows are far smaller than the links'
    error = np.abs(motors - reference.efforts[:, model.n :]).max(axis=1)
    assert (error < 1e-11 * np.abs(reference.efforts[:, model.n :]).max(axis=1)).all()
    return coupling


@pytest.mark.parametrize('robot', ROBOTS)
def test_both_sides_of_the_springs_obey_mechanics(robot, rng):
    links = random_model(rng, ROBOTS[robot])
    check(links, solid_rotors(rng, links), [True] * links.n, rng)


@pytest.mark.parametrize('robot', ROBOTS)
def test_rotors_may_sit_anywhere_before_their_joint(robot, rng):
    links = random_model(rng, ROBOTS[robot])
    rotors = []
    for j in range(links.n):
        before = [int(links.parents[np.flatnonzero(links.coordinates == j)[0]])]
        while before[-1] >= 0:
            before.append(int(links.parents[before[-1]]))
        rotors.append(random_rotor(rng, j, int(rng.choice(before))))
    check(links, rotors, [True] * links.n, rng, wrenches=random_wrench_jets(rng, links))


def test_rigid_joints_among_elastic_ones(rng):
    links = random_model(rng, TREE)
    for elastic in ([True, False, True, False, True], [False, True, False, True, False]):
        check(links, solid_rotors(rng, links), elastic, rng)


def test_rigid_robot_with_spinning_rotors_needs_no_more_rows_than_without(rng):
    links = random_model(rng, CHAIN)
    coupling = check(links, solid_rotors(rng, links), [False] * links.n, rng)
    assert coupling.rows == 3


def test_rigid_joint_may_move_the_rotor_of_its_own_motor(rng):
    links = random_model(rng, CHAIN)
    rotors = [random_rotor(rng, 1, 1)]
    model = locked(links, rotors)
    assert rotor_coupling(model, rotor_bodies(rotors), [True, False, True, True]).rows == 5
    with pytest.raises(ValueError, match="got 'joint_2' which moves the rotor of 'joint_2'"):
        rotor_coupling(model, rotor_bodies(rotors), [True] * 4)


def test_joints_that_move_each_others_rotors_are_refused(rng):
    links = random_model(rng, CHAIN)
    rotors = [random_rotor(rng, 0, 2), random_rotor(rng, 3, 2)]
    rotor_coupling(locked(links, rotors), rotor_bodies(rotors), [False, True, True, True])
    rotors = [random_rotor(rng, 3, 2), random_rotor(rng, 1, 3)]
    with pytest.raises(ValueError, match='rotor coupling: expected every elastic joint'):
        rotor_coupling(locked(links, rotors), rotor_bodies(rotors), [True] * 4)


def test_the_last_joint_needs_two_more_derivatives_per_rotor_before_it(rng):
    for n in range(1, 6):
        links = random_model(rng, n)
        coupling = rotor_coupling(links, rotor_bodies(solid_rotors(rng, links)), [True] * n)
        # q up to order 2 n + 2; the first rotor rests on the base
        assert coupling.rows == 2 * n + 3
        np.testing.assert_array_equal(coupling.orders, 2 * np.arange(1, n + 1))
        assert coupling.levels == tuple((j,) for j in reversed(range(n)))


def arm(axes):
    """Return a stretched arm of unit links that turn about the named axes."""
    screws = [[*np.eye(3)['xyz'.index(axis)], 0, 0, 0] for axis in axes]
    home = np.eye(4)
    home[0, 3] = 1.0
    return ScrewModel.from_screws(
        np.arange(len(axes)) - 1, [home] * len(axes), screws, [np.eye(6)] * len(axes)
    )


@pytest.mark.parametrize(
    ('axes', 'orders'),
    [
        ('zzz', [2, 4, 6]),  # planar: each rotor is felt by every joint before it
        ('zyy', [2, 2, 4]),  # elbow arm: rotors 2 and 3 are never about the first axis
        ('zyx', [2, 2, 4]),  # S_13 = -r J sin q2; joint 2 feels rotor 3 by its gyroscopic torque
        ('zyz', [2, 2, 4]),  # S_13 = r J cos q2
        ('zyyx', [2, 2, 4, 5]),
        ('xyx', [2, 2, 4]),
    ],
)
def test_only_felt_rotors_cost_derivatives(axes, orders):
    model = arm(axes)
    bodies = [
        RotorBody(f'm{j}', j, *place_rotor(model, j, Rotor()), 0.01, 10.0) for j in range(model.n)
    ]
    coupling = rotor_coupling(model, bodies, [True] * model.n)
    np.testing.assert_array_equal(coupling.orders, orders)
    assert coupling.rows == max(orders) + 3
