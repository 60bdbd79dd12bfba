# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Saved pages of the viewer: what the script in them is given, without a browser."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='the viewer needs viser')

from oracles.random_models import BodyRecipe, random_model  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.theory.lagrange.energies import potential_energy  # noqa: E402
from screw_dynamics.viewer.motion import Sample  # noqa: E402
from screw_dynamics.viewer.stage import FIELD  # noqa: E402

IIWA = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
TIMES = np.linspace(0.0, 1.0, 11)
VIEWED = np.zeros((11, 3, 2))
VIEWED[:, 0] = TIMES[:, np.newaxis]


def test_saved_pages_aim_at_the_farthest_points(rng):
    """Their hull is that of all that the robot reaches, but for a part of the margin."""
    with sd.view(IIWA) as viewer:
        seen, reached = viewer.stage.view(), viewer.scene.reached
    along = reached @ np.array(seen['axes'])
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    missing = (along @ ways.T).max(axis=0) - (np.array(seen['points']) @ ways.T).max(axis=0)
    assert np.abs(missing).max() < 0.03 * np.ptp(along, axis=0).max()
    assert seen['depth'] == pytest.approx(along[:, 2].mean())
    assert seen['tan'] == pytest.approx(np.tan(0.5 * FIELD))


def test_a_saved_page_has_the_name_of_the_robot(tmp_path):
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        viewer.save_html(tmp_path / 'page.html')
    assert '<title>planar_2r</title>' in (tmp_path / 'page.html').read_text()


def page_of(viewer):
    """Return the numbers with which a saved page moves the scene."""
    (line,) = re.findall(r'^  const page = (.*);$', viewer._page(), re.MULTILINE)
    return json.loads(line)


def test_saved_pages_know_the_kinematics_and_weights(rng):
    recipes = [BodyRecipe('helical'), BodyRecipe(), BodyRecipe('prismatic', mimics=1)]
    model = random_model(rng, [*recipes, BodyRecipe(parent_back=2)])
    with sd.view(model) as viewer:
        page, links = page_of(viewer), viewer.scene.outline.links
    q = rng.uniform(page['low'], page['high'])
    poses = [np.eye(4)]
    for joint in page['tree']:
        x = joint['factor'] * q[joint['coordinate']] + joint['offset']
        z = np.array([0.0, 0.0, x])
        moved = sd.lie.pose(sd.lie.exp_so3(joint['turn'] * z), joint['travel'] * z)
        before, after = (np.reshape(joint[key], (4, 4)) for key in ('to_axis', 'to_body'))
        poses.append(poses[joint['parent'] + 1] @ before @ moved @ after)
    for name in model.body_names:
        expected = sd.frame_pose(model, q, name)
        np.testing.assert_allclose(poses[links[name][0]], expected, atol=1e-12)
    weights = [m * poses[place] @ [*centre, 1.0] for place, m, centre in page['masses']]
    energy = -sum(weights)[:3] @ page['gravity']
    # numbers of six digits
    assert energy == pytest.approx(potential_energy(model, q), rel=1e-4)


def test_saved_pages_have_the_numbers_of_a_motion():
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    jets = np.concatenate([VIEWED, np.zeros((11, 2, 2))], axis=1)
    robot, loads = sd.Robot(PLANAR, sd.Drives(springs)), np.outer(TIMES, [0, 2.0, 0, 4.0, 0, 0])
    with sd.view(robot, TIMES, jets, wrenches={'tool': loads}) as viewer:
        viewer.show_time(0.5)
        viewer.show_layers('axes')
        page, stage = page_of(viewer), viewer.stage
    assert (page['begin'], page['quantity'], page['last']) == (0.5, 'effort', 2)
    np.testing.assert_allclose(page['times'], TIMES)
    values = {signal['name']: np.array(signal['values']) for signal in page['signals']}
    assert list(values) == list(page['curves'])
    efforts = sd.inverse_dynamics(PLANAR, jets)
    np.testing.assert_allclose(values['position'], jets[:, 0], atol=1e-5)
    np.testing.assert_allclose(values['effort rate'], efforts[:, 1], rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(values['deflection'], efforts[:, 0] / 200.0, rtol=1e-5)
    shown = {name for name, (visible, _) in page['layers'].items() if visible}
    assert shown == {'links', 'efforts', 'springs', 'axes'} and not page['hidden']
    for name, (_, nodes) in page['layers'].items():
        assert nodes == [node.name for node in stage.layers[name]]
    assert [name for name, _ in page['rings']] == page['layers']['efforts'][1]
    ((node, ends),) = page['loads']
    assert node == '/robot/2/tool/load'
    arrows = 0.35 * stage.scene.reach * TIMES[:, np.newaxis]  # of a force, and of a torque
    np.testing.assert_allclose(np.array(ends)[:, 0], arrows * [1, 0, 0], atol=1e-5)
    np.testing.assert_allclose(np.array(ends)[:, 1], arrows * [0, 1, 0], atol=1e-5)


def test_saved_pages_have_the_tracks_of_what_bends():
    finger = sd.soft.append_segments(PLANAR, sd.share_path('config/soft_finger.yaml'))
    motion = np.outer(TIMES, [0.2, -0.4, 0.5, -0.3])
    with sd.view(finger, TIMES, motion) as viewer:
        page, scene = page_of(viewer), viewer.scene
    tracks = {
        (node, what): np.frombuffer(base64.b64decode(numbers), '<f4').reshape(-1, size)
        for node, what, size, numbers in page['tracks']
    }
    for k, q in enumerate(motion):
        now = scene.at(Sample(q))
        row = {what: numbers[k] for what, numbers in tracks.items()}
        for place, pose in enumerate(now.places):
            turn = sd.lie.quaternion_rotation(np.roll(row[f'/robot/{place}', 'wxyz'], -1))
            np.testing.assert_allclose(turn, pose[:3, :3], atol=1e-6)
            at = row[f'/robot/{place}', 'position']
            np.testing.assert_allclose(at, pose[:3, 3], atol=1e-6)
        vertices = row['/soft/0', 'vertices']
        np.testing.assert_allclose(vertices, now.surfaces[0].ravel(), atol=1e-6)
        first = row['/threads', 'points'].reshape(4, -1, 2, 3)[0]
        np.testing.assert_allclose(first[:, 0], now.threads[0][:-1], atol=1e-6)
        centre = row['/centre_of_mass', 'position']
        np.testing.assert_allclose(centre, now.mass_centre, atol=1e-6)


def test_material_points_of_bodies_without_a_surface_move():
    points = np.array([[0.0, 0.0, 0.1], [0.01, 0.0, 0.2]])
    frame = np.array([[0.0, 0.0, 0.2], [0.1, 0.0, 0.2], [0.0, 0.1, 0.2]])
    body = sd.soft.Learned(lambda x, q: x * (1.0 + q[0]), 1, points, [1.0, 2.0], frame)
    with sd.view(sd.soft.SoftRobot([body]), TIMES, TIMES[:, np.newaxis]) as viewer:
        viewer.show_time(0.5)
        np.testing.assert_allclose(viewer.stage._points.points, 1.5 * points, rtol=1e-3)
        ((*_, numbers),) = (t for t in page_of(viewer)['tracks'] if t[0] == '/points')
    found = np.frombuffer(base64.b64decode(numbers), '<f4').reshape(-1, 2, 3)
    np.testing.assert_allclose(found, np.multiply.outer(1.0 + TIMES, points), atol=1e-6)
