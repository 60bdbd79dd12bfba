# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The wrenches that are drawn for contacts in a recording."""

from dataclasses import replace

import numpy as np

import screw_dynamics as sd
from screw_dynamics.estimation.observers.recorded_loads import recorded_loads
from screw_dynamics.recordings.motions.joint_states import JointSamples
from screw_dynamics.viewer.recorded_motion import observed_motion


def test_drawn_wrenches_are_those_of_the_contacts():
    """Of an arm at rest, pushed at one link and then at the tool."""
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    times = 4e-3 * np.arange(750)
    positions, rest = np.tile([0.3, -0.4], (750, 1)), np.zeros((750, 2))
    efforts = sd.gravity_forces(arm, positions)
    for begin, link, force in ((1.0, 'link_1', [0, 8.0]), (2.0, 'tool', [0, 0, 0, 0, 0, -30.0])):
        jacobian = sd.frame_jacobian(arm, positions[0], link, 'hybrid')
        touched = (times >= begin) & (times < begin + 0.3)
        efforts[touched] -= jacobian[: len(force)].T @ force
    detector = sd.ContactDetector(sd.LoadObserver(arm, bandwidth=200.0), floor=1.0)
    loads = recorded_loads(detector, times, positions, rest, efforts)
    stamps = (times * 1e9).astype(np.int64)
    samples = JointSamples(times, positions, rest, efforts, stamps, 0, 0, False)
    motion = observed_motion(samples, loads, sd.Robot(arm))
    assert [contact.link for contact, _ in loads.contacts] == ['link_1', 'link_2']
    for contact, end in loads.contacts:
        body = arm.body_names.index(contact.link)
        mass, moment, _ = sd.lie.inertia_parameters(arm.inertias[body])
        centre = sd.Frame(body, sd.lie.pose(np.eye(3), moment / mass))
        marked = replace(arm, frames={**arm.frames, 'centre': centre})
        rows = motion.wrenches[contact.link]
        inside = (times >= contact.begin) & (times < end)
        assert inside.any() and not rows[~inside].any()
        # the same efforts, by the Jacobian of the centre in axes of the base
        expected = sd.frame_jacobian(marked, positions[0], 'centre', 'hybrid').T @ contact.wrench
        found = rows[inside] @ sd.frame_jacobian(arm, positions[0], contact.link)
        np.testing.assert_allclose(found, np.tile(expected, (len(found), 1)), atol=1e-12)
