# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random documents: the model against an assembly that knows neither screws nor bodies."""

import numpy as np
from frame_poses import body_poses, frame_poses
from hypothesis import given
from hypothesis import strategies as st
from random_urdf import document, link_poses, link_specs, moments

from screw_dynamics.lie import transform_inertia, vee
from screw_dynamics.model.urdf import read_urdf

# Lengths reach 25 m and moments 2e4 kg m^2 over seven links: a few hundred roundings of each.
POSE_TOLERANCE = 1e-12
MOMENT_TOLERANCE = 1e-9


@given(specs=link_specs(), data=st.data())
def test_random_documents(specs, data):
    count = len(specs)
    order = data.draw(st.permutations(range(2 * count + 1)))
    urdf = document(specs, order, quaternions=data.draw(st.booleans()))
    movable = [i for i in range(1, count + 1) if specs[i - 1].kind != 'fixed']
    positions = np.array(data.draw(st.lists(st.floats(-3, 3), min_size=count, max_size=count)))
    chosen = data.draw(st.lists(st.sampled_from(movable), unique=True)) if movable else []
    locked = {f'j{i}': positions[i - 1] for i in movable if i not in chosen}

    model = read_urdf(urdf, joints=[f'j{i}' for i in chosen], locked=locked)

    q = positions[[i - 1 for i in chosen]]
    expected = link_poses(specs, positions)
    poses = frame_poses(model, q)
    assert set(poses) == {f'l{i}' for i in range(count + 1)}
    for i, pose in enumerate(expected):
        np.testing.assert_allclose(poses[f'l{i}'], pose, atol=POSE_TOLERANCE)

    bodies = body_poses(model, q)
    for b, name in enumerate(model.body_names):
        members = [i for i in range(1, count + 1) if carrier(specs, i, chosen) == int(name[1:])]
        world = transform_inertia(model.inertias[b], bodies[b])
        # the lower left block is -m c~
        actual = np.concatenate([[world[3, 3]], vee(world[:3, 3:]), world[:3, :3].ravel()])
        np.testing.assert_allclose(
            actual, moments(specs, expected, members), atol=MOMENT_TOLERANCE
        )


def carrier(specs, i, chosen):
    """Return the moving link that carries link i, 0 for the base."""
    while i and i not in chosen:
        i = specs[i - 1].parent
    return i
