# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`sd.view`, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd

PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
TIMES = np.linspace(0.0, 1.0, 11)
JETS = np.zeros((11, 3, 2))
JETS[:, 0] = TIMES[:, np.newaxis]


def test_times_without_motion_are_refused():
    with pytest.raises(sd.ScrewDynamicsError, match='times, joint_jet: expected both or none'):
        sd.view(PLANAR, TIMES)


def test_the_time_chooses_the_sample():
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(PLANAR, TIMES, JETS) as viewer:
        assert repr(viewer) == f"Viewer('planar_2r', '{viewer.address}')"
        for seconds, expected in ((0.5, 0.5), (0.57, 0.5), (7.0, 1.0), (-1.0, 0.0)):
            viewer.show_time(seconds)
            pose = viewer.stage.shown.places[2]
            q = np.full(2, expected)
            np.testing.assert_array_equal(pose, sd.frame_pose(PLANAR, q, 'link_2'))


def test_notebooks_show_a_page_with_the_curves():
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(PLANAR, TIMES, JETS) as viewer:
        viewer.show_time(0.3)
        shown = viewer._repr_html_()
        assert shown.startswith('<iframe srcdoc="') and shown.endswith('</iframe>')
        assert 'joint_2&lt;/span&gt;' in shown
        # the page of the server shows again what it did before
        np.testing.assert_array_equal(
            viewer.stage.shown.places[2], sd.frame_pose(PLANAR, np.full(2, TIMES[3]), 'link_2')
        )


@pytest.mark.parametrize('robot', ['urdf/branched_gripper.urdf', 'urdf/panda.urdf'])
def test_without_a_motion_every_coordinate_has_a_slider_in_its_limits(robot):
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(str(sd.share_path(robot))) as viewer:
        model = viewer.scene.robot.model
        low, high = model.limits.lower, model.limits.upper
        start = np.clip(np.zeros(model.n), low, high)
        name = model.body_names[-1]
        place = viewer.scene.outline.links[name][0]
        np.testing.assert_allclose(
            viewer.stage.shown.places[place], sd.frame_pose(model, start, name), atol=1e-14
        )


def test_an_animation_needs_a_motion(tmp_path):
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(PLANAR) as viewer, pytest.raises(sd.ScrewDynamicsError, match='with a motion'):
        viewer.save_animation(tmp_path / 'robot.webp')
