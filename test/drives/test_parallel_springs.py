# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parallel springs with their time derivatives, against energies in 50 digits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from oracles.actuators import over, spring_effort
from oracles.elastic_laws import DIGITS, jet_of, polynomial
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import ModelError, SpringRangeError, UnknownNameError
from screw_dynamics.lie import inverse_pose

ROWS = 4  # efforts to order 3
SLIDE = sd.ScrewModel.from_screws(
    [-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.diag([0, 0, 0, 1.0, 1.0, 1.0])], np.zeros(3)
)
KINDS = ('revolute', 'prismatic', 'helical')
COORDINATES = st.floats(-1.0, 1.0)
POINTS = st.tuples(COORDINATES, COORDINATES, COORDINATES)


def spring_of(kind, stiffness, start, end):
    if kind == 'torsion':
        return sd.TorsionSpring(stiffness, rest_position=0.3)
    if kind == 'gas':
        return sd.GasSpring(stiffness, 9.0, 8.9, start, end, progression=1.4)
    return sd.BalancingSpring(stiffness, start, end, 0.0 if kind == 'ideal' else 0.7)


def spring_part(model, drives, jet):
    """Return minus what the spring adds to the transmitted efforts."""
    nothing = np.zeros((len(jet) - 2, model.n))
    return -sd.drives.transmitted_efforts(sd.Robot(model, drives), jet, nothing)


@settings(max_examples=12)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(['torsion', 'ideal', 'free length', 'gas']),
    st.floats(10.0, 900.0),
    POINTS,
    POINTS,
    st.lists(st.floats(-2.0, 2.0), min_size=ROWS + 2, max_size=ROWS + 2),
    st.integers(0, 99),
)
def test_efforts_are_those_of_the_energy(kind, law, stiffness, start, end, motion, seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, [BodyRecipe(), BodyRecipe(joint_type=kind)])
    jet = np.zeros((ROWS + 2, 2))
    jet[:, 1] = motion
    spring = spring_of(law, stiffness, start, end)
    drives = sd.Drives({model.joint_names[1]: sd.JointDrive(parallel_spring=spring)})
    fixed = (inverse_pose(model.home_poses[1]) @ np.append(start, 1.0))[:3]
    with mp.workdps(DIGITS):
        law_of = over(
            lambda q: spring_effort(spring, model.screws[1], fixed, end, q), polynomial(jet[:, 1])
        )
        expected = jet_of(law_of, ROWS)
    # the length is a difference of distances to the axis, of which it keeps the rounding
    row = sd.Robot(model, drives).motors.parallel_springs[1]
    size = 1.0 + np.abs(row[4:]).max() / max(np.linalg.norm(np.subtract(fixed, end)) ** 2, 1e-2)
    np.testing.assert_array_equal(spring_part(model, drives, jet)[:, 0], 0.0)
    actual = spring_part(model, drives, jet)[:, 1]
    scale = max(np.abs(expected).max(), stiffness * 1e-3)
    assert (np.abs(actual - expected) <= 1e-11 * size * scale).all(), (actual, expected)


def test_a_gas_spring_pushes_with_its_forces():
    """Along a slide, from 200 N at its full length to 260 N; beyond its stroke is an error."""
    spring = sd.GasSpring(200.0, 0.5, 0.2, (0, 0, 0), (0, 0, 0.3), progression=1.3)
    drives = sd.Drives({'joint_1': sd.JointDrive(parallel_spring=spring)})
    jets = np.zeros((3, 3, 1))
    jets[:, 0, 0] = 1e-12, 0.1, 0.2 - 1e-12
    efforts = sd.actuator_efforts(sd.Robot(SLIDE, drives), jets)[:, 0, 0]
    np.testing.assert_allclose(efforts, [-260.0, -230.0, -200.0], rtol=1e-10)
    jets[1, 0, 0] = 0.25
    expected = r"joint 'joint_1' at sample 1: parallel spring: expected a length of 0.3 to 0.5 m"
    with pytest.raises(SpringRangeError, match=f'{expected}, got 0.55'):
        sd.actuator_efforts(sd.Robot(SLIDE, drives), jets)
    with pytest.raises(SpringRangeError, match="joint 'joint_1': parallel spring.*0.55") as caught:
        sd.elastic_feedforward(sd.Robot(SLIDE, drives), jets[1])
    assert caught.value.values == pytest.approx((0.55, 0.3, 0.5))


def test_points_that_coincide_have_no_direction():
    spring = sd.BalancingSpring(50.0, (0, 0, 0.2), (0, 0, 0.2), free_length=0.1)
    drives = sd.Drives({'joint_1': sd.JointDrive(parallel_spring=spring)})
    with pytest.raises(SpringRangeError, match='a length of above 0 m, got 0'):
        spring_part(SLIDE, drives, np.zeros((4, 1)))
    ideal = replace(spring, free_length=0.0)
    drives = sd.Drives({'joint_1': sd.JointDrive(parallel_spring=ideal)})
    np.testing.assert_array_equal(spring_part(SLIDE, drives, np.zeros((4, 1))), 0.0)


@pytest.mark.parametrize('kind', KINDS)
def test_coordinates_with_gear_and_offset(rng, kind):
    """A joint that moves by 0.7 q - 0.4 has the spring of that position, times 0.7."""
    model = random_model(rng, [BodyRecipe(joint_type=kind)])
    geared = replace(model, multipliers=np.array([0.7]), offsets=np.array([-0.4]))
    spring = sd.BalancingSpring(90.0, (0.4, 0.1, 0.2), (-0.3, 0.5, 0.1), free_length=0.3)
    drives = sd.Drives({model.joint_names[0]: sd.JointDrive(parallel_spring=spring)})
    jet = np.array([[0.9], [1.1], [-0.5], [0.3], [0.0]])
    own = 0.7 * jet - [[0.4], [0], [0], [0], [0]]
    np.testing.assert_allclose(
        spring_part(geared, drives, jet), 0.7 * spring_part(model, drives, own), rtol=1e-12
    )


def test_frames_of_other_links():
    """Points in frames of links that fixed joints attach; no others."""
    arm = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    tool = next(
        name for name, frame in arm.frames.items() if frame.body == 6 and name != arm.body_names[6]
    )
    pose = arm.frames[tool].pose
    at_tool = (0.1, 0.0, 0.2)
    at_link = tuple((pose @ [*at_tool, 1.0])[:3])
    jet = np.full((5, 7), 0.3)
    parts = [
        spring_part(
            arm, sd.Drives({arm.joint_names[6]: sd.JointDrive(parallel_spring=spring)}), jet
        )
        for spring in (
            sd.BalancingSpring(90.0, (0.2, 0.1, 0), at_tool, 0.05, link=tool),
            sd.BalancingSpring(90.0, (0.2, 0.1, 0), at_link, 0.05, parent=arm.body_names[5]),
        )
    ]
    assert np.abs(parts[0]).max() > 0.1
    np.testing.assert_allclose(parts[0], parts[1], rtol=1e-12, atol=1e-12)
    for entry, name, error in (
        ('parent', arm.body_names[1], ModelError),
        ('link', 'nowhere', UnknownNameError),
    ):
        spring = sd.BalancingSpring(90.0, (0, 0, 0), (0, 0, 1), **{entry: name})
        drives = sd.Drives({'joint_5': sd.JointDrive(parallel_spring=spring)})
        with pytest.raises(error, match=rf"joint 'joint_5': parallel_spring.{entry}: .*{name}"):
            _ = sd.Robot(arm, drives).motors


@pytest.mark.parametrize(
    'build, message',
    [
        (lambda: sd.TorsionSpring(0.0), 'stiffness: expected a finite number above 0'),
        (lambda: sd.TorsionSpring(1.0, np.nan), 'rest_position: expected a finite number'),
        (lambda: sd.BalancingSpring(1.0, (0, 0), (0, 0, 1)), 'on_parent: expected three finite'),
        (lambda: sd.BalancingSpring(1.0, (0, 0, 0), (0, 0, np.inf)), 'on_link: expected three'),
        (lambda: sd.BalancingSpring(1.0, (0, 0, 0), (0, 0, 1), -1.0), 'free_length: .* 0 or more'),
        (lambda: sd.BalancingSpring(1.0, (0, 0, 0), (0, 0, 1), link=3), 'link: expected the name'),
        (lambda: sd.GasSpring(9, 0.5, 0.6, (0, 0, 0), (0, 0, 1)), 'more than stroke = 0.6, got'),
        (lambda: sd.GasSpring(9, 0.5, 0.2, (0, 0, 0), (0, 0, 1), 0.9), 'progression: expected 1'),
        (lambda: sd.GasSpring(-9, 0.5, 0.2, (0, 0, 0), (0, 0, 1)), 'force: .* above 0, got -9'),
        (lambda: sd.JointDrive(parallel_spring=sd.LinearSpring(1.0)), 'a ParallelSpring, got'),
    ],
)
def test_values_out_of_range(build, message):
    with pytest.raises(ModelError, match=message):
        build()
