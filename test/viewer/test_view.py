# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The viewer without a browser: sliders, cameras, notebooks."""

from __future__ import annotations

import html
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='the viewer needs viser')

import rich  # noqa: E402
from oracles.random_models import BodyRecipe, random_model  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.dynamics.outline import places  # noqa: E402
from screw_dynamics.viewer import Viewer  # noqa: E402
from screw_dynamics.viewer.motion import Sample  # noqa: E402
from screw_dynamics.viewer.stage import FIELD, look_at  # noqa: E402

IIWA = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
TIMES = np.linspace(0.0, 1.0, 11)
VIEWED = np.zeros((11, 3, 2))
VIEWED[:, 0] = TIMES[:, np.newaxis]


def test_times_without_motion_are_refused():
    with pytest.raises(sd.ScrewDynamicsError, match='times, joint_jet: expected both or none'):
        sd.view(PLANAR, TIMES)


def test_the_time_chooses_the_sample():
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        assert repr(viewer) == f"Viewer('planar_2r', '{viewer.address}')"
        for seconds, expected in ((0.5, 0.5), (0.57, 0.5), (7.0, 1.0), (-1.0, 0.0)):
            viewer.show_time(seconds)
            pose = viewer.stage.shown.places[2]
            pose_then = sd.frame_pose(PLANAR, np.full(2, expected), 'link_2')
            np.testing.assert_allclose(pose, pose_then, atol=1e-15)


@pytest.mark.parametrize('size', [(400, 300), (300, 400), (1280, 800)])
def test_a_picture_has_the_whole_robot_in_it_and_little_else(size):
    motion = np.zeros((11, 7))
    motion[:, 0], motion[:, 1] = 6.0 * TIMES, 1.5  # around, stretched
    with sd.view(IIWA, TIMES, motion) as viewer:
        own = sd.lie.inverse_pose(viewer.stage.camera(*size))
        poses = [places(IIWA, q) for q in motion]
    ends = np.concatenate([p[:, :3, 3] for p in poses]) @ own[:3, :3].T + own[:3, 3]
    wide = np.tan(0.5 * FIELD) * np.array([size[0] / size[1], 1.0])
    seen = ends[:, :2] / ends[:, 2:] / wide  # -1 to 1 in the picture
    assert np.abs(seen).max() < 1.0
    assert np.ptp(seen, axis=0).max() > 1.25  # of 2, of the frames alone


def test_notebooks_show_a_page_with_the_curves():
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        viewer.show_time(0.3)
        shown = viewer._repr_html_()
        assert shown.startswith('<iframe srcdoc="') and shown.endswith('</iframe>')
        assert 'joint_2\\u003c/label>' in html.unescape(shown)
        # the page of the server shows again what it did before
        expected = sd.frame_pose(PLANAR, np.full(2, TIMES[3]), 'link_2')
        np.testing.assert_allclose(viewer.stage.shown.places[2], expected, atol=1e-15)


@pytest.mark.parametrize('robot', ['urdf/branched_gripper.urdf', 'urdf/panda.urdf'])
def test_without_a_motion_every_coordinate_has_a_slider_in_its_limits(robot):
    with sd.view(str(sd.share_path(robot))) as viewer:
        model = viewer.scene.robot.model
        low, high = model.limits.lower, model.limits.upper
        start = np.clip(np.zeros(model.n), low, high)
        name = model.body_names[-1]
        place = viewer.scene.outline.links[name][0]
        np.testing.assert_allclose(
            viewer.stage.shown.places[place], sd.frame_pose(model, start, name), atol=1e-14
        )
        gravity = sd.gravity_forces(model, start)
        np.testing.assert_allclose(viewer.shown.efforts, [gravity], atol=1e-12)


@pytest.mark.parametrize('size', [(1400, 900), (390, 844)])
def test_the_page_shows_all_that_the_robot_reaches(size, rng):
    with sd.view(IIWA) as viewer:
        camera = SimpleNamespace()
        viewer.stage.aim(camera, *size)
        poses = rng.uniform(viewer.scene.low, viewer.scene.high, (50, 7))
        points = viewer.scene.space_of(*poses)
    own = sd.lie.inverse_pose(look_at(camera.position, camera.look_at))
    ends = points @ own[:3, :3].T + own[:3, 3]
    wide = np.tan(0.5 * FIELD) * np.array([size[0] / size[1], 1.0])
    seen = ends[:, :2] / ends[:, 2:] / wide  # -1 to 1 in the picture
    assert np.abs(seen).max() < 1.0
    if size[0] < size[1]:
        assert seen[:, 1].max() < 0.0  # the controls are in the lower half of a phone


def test_springs_loads_and_soft_bodies_follow_the_time():
    """The nodes of the page have what the scene computes for an instant."""
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    motion = np.concatenate([VIEWED, np.zeros((11, 2, 2))], axis=1)
    robot, wrenches = sd.Robot(PLANAR, sd.Drives(springs)), np.zeros((11, 6))
    wrenches[5:, 3] = 4.0
    with sd.view(robot, TIMES, motion, wrenches={'tool': wrenches}) as viewer:
        lines, motors = viewer.stage.layers['springs'][2::3], viewer.stage.layers['springs'][1::3]
        for seconds in (0.1, 0.9):
            viewer.show_time(seconds)
            now = viewer.stage.shown
            assert np.abs(now.deflections).min() > 0.0
            for line, points in zip(lines, now.springs, strict=True):
                np.testing.assert_allclose(line.points[0, 0], points[0], atol=1e-6)
                np.testing.assert_allclose(line.points[-1, 1], points[-1], atol=1e-6)
            half = 0.5 * now.deflections
            found = [motor.wxyz for motor in motors]
            expected = np.stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)], axis=1)
            np.testing.assert_allclose(found, expected, atol=1e-12)
    finger = sd.soft.append_segments(PLANAR, sd.share_path('config/soft_finger.yaml'))
    motion = np.outer(TIMES, [0.2, -0.4, 0.5, -0.3])
    with sd.view(finger, TIMES, motion) as viewer:
        viewer.show_time(1.0)
        (tube,) = (node for node in viewer.stage.layers['links'] if node.name.startswith('/soft/'))
        np.testing.assert_allclose(tube.vertices, viewer.stage.shown.surfaces[0], atol=1e-6)


def test_layers_are_shown_on_demand():
    with sd.view(IIWA) as viewer:
        layers, outline = viewer.stage.layers, viewer.scene.outline
        for name, count in (
            *((layer, 7) for layer in ('efforts', 'axes', 'names')),
            ('links', len(viewer.scene.parts)),
            ('frames', len(outline.links)),
            ('inertias', len(outline.masses)),
            ('centre of mass', 1),
        ):
            first = name in ('links', 'efforts')
            assert [node.visible for node in layers[name]] == [first] * count
            if not first:
                viewer.show_layers(name)
                assert all(node.visible for node in layers[name])
        with pytest.raises(sd.ScrewDynamicsError, match='names: expected one of links'):
            viewer.show_layers('motors')


def test_what_is_drawn_at_joints_is_nested():
    """From inside: drums, symbols with their colour, and pointers that springs join."""
    arm = random_model(np.random.default_rng(2), [BodyRecipe(), BodyRecipe('prismatic')])
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in arm.joint_names}
    motion, motors = np.full((2, 2), 0.1), np.array([[0.2, 0.3], [0.25, 0.35]])
    robot = sd.Robot(arm, sd.Drives(springs))
    with sd.view(robot, [0.0, 1.0], motion, motor_positions=motors) as viewer:
        stage, scene = viewer.stage, viewer.scene
    drums = [part.mesh for part in scene.parts if part.name.endswith('/drum')]
    hands = stage.layers['springs'][0].vertices
    assert scene.ring < hands[:, 0].min() and np.abs(hands[:, 1:]).max() < 0.1 * scene.ring
    along = stage.layers['axes'][0].vertices[:, 2]
    assert along.max() == pytest.approx(-along.min()) and along.max() > 2.0 * scene.ring
    for mark, drum, symbol, line in zip(
        scene.marks, drums, stage.layers['efforts'], stage.shown.springs, strict=True
    ):
        own = sd.lie.inverse_pose(mark.pose)
        inside = drum.vertices @ own[:3, :3].T + own[:3, 3]
        around = np.linalg.norm(symbol.vertices[:, :2], axis=1)
        assert np.linalg.norm(inside[:, :2], axis=1).max() < around.min() < scene.ring
        assert scene.thickness < np.abs(inside[:, 2]).max() < scene.ring
        ends = np.linalg.norm(line[[0, -1], :2], axis=1)
        assert (hands[:, 0].min() < ends).all() and (ends < hands[:, 0].max()).all()


def test_the_quantity_and_the_joint_choose_curves_rings_and_numbers():
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    jets = np.concatenate([VIEWED, np.zeros((11, 2, 2))], axis=1)
    with sd.view(sd.Robot(PLANAR, sd.Drives(springs)), TIMES, jets) as viewer:
        stage = viewer.stage
        for name, order in (('effort rate', 1), ('deflection', 0), ('effort', 0)):
            viewer._quantity.value = name
            viewer.show_time(0.4)
            assert viewer.scene.order == order
            assert f'<b>{name} [' in viewer._curves.content
            assert '* 0.40000)' in viewer._cursor.content
            for ring, colour in zip(stage.layers['efforts'], stage.shown.colours(), strict=True):
                np.testing.assert_array_equal(ring.color, colour)
        torque = sd.inverse_dynamics(PLANAR, jets[4])[0]
        for joint, value in zip(PLANAR.joint_names, torque, strict=True):
            viewer._joint.value = joint
            assert f'<td>effort</td><td>{value:.4g}</td>' in viewer._numbers.content
        np.testing.assert_allclose(
            stage._places[2].position, sd.frame_pose(PLANAR, [0.4, 0.4], 'link_2')[:3, 3]
        )
        viewer.set_status('late')
        assert (viewer._status.content, viewer._status.visible) == ('late', True)
        viewer.set_status('')
        assert not viewer._status.visible


def test_sliders_move_coordinates_and_enlarge_deflections(monkeypatch):
    sliders, add = {}, viser.GuiApi.add_slider

    def remembered(gui, label, *numbers):
        sliders[label] = add(gui, label, *numbers)
        return sliders[label]

    monkeypatch.setattr(viser.GuiApi, 'add_slider', remembered)
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    with sd.view(sd.Robot(PLANAR, sd.Drives(springs))) as viewer:
        sliders['joint_2'].value = 0.5
        np.testing.assert_array_equal(viewer.shown.position, [0.0, 0.5])
        assert viewer._joint.value == 'joint_2'
        gravity = sd.gravity_forces(PLANAR, [0.0, 0.5])
        np.testing.assert_allclose(viewer.stage.shown.deflections, 10.0 * gravity / 200.0)
        sliders['Deflections x'].value = 40.0
        np.testing.assert_allclose(viewer.stage.shown.deflections, 40.0 * gravity / 200.0)
    assert not rich.get_console().quiet


def test_play_moves_the_time_until_it_pauses_and_begins_again():
    button = SimpleNamespace(label='Play')
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        viewer._speed.value = '4'
        viewer.show_time(0.9)
        viewer._toggle(button)
        assert button.label == 'Pause'
        seen = [0.9]
        while len(seen) < 4 or min(seen) == 0.9:
            value = viewer._slider.value
            seen += [value] * (value != seen[-1])
        viewer._toggle(button)
        assert button.label == 'Play'
    assert 0.0 in seen and max(seen) <= 1.0


def test_names_in_a_picture_stand_beside_their_rings_and_apart():
    with sd.view(IIWA) as viewer:
        stage, size, line = viewer.stage, (400, 300), 20.0
        assert not stage.names(*size, line)
        viewer.show_layers('names')
        found = stage.names(*size, line)
        seen = sd.lie.inverse_pose(stage.camera(*size)) @ stage.shown.places
        marks, ring = {mark.name: mark for mark in viewer.scene.marks}, viewer.scene.ring
    assert sorted(name for name, *_ in found) == sorted(IIWA.joint_names)
    for name, x, y in found:
        mark = marks[name]
        right, down, ahead, _ = seen[mark.place] @ mark.pose @ [1.9 * ring, 0.0, 0.0, 1.0]
        half = ahead * np.tan(0.5 * FIELD)  # of the height that is seen there
        assert x == pytest.approx(200.0 + 150.0 * right / half)
        assert y >= 150.0 + 150.0 * down / half - 1e-9
    for (name, x, y), (other, beside, below) in itertools.combinations(found, 2):
        longest = 0.6 * line * max(len(name), len(other))
        assert abs(below - y) > line - 1e-9 or abs(beside - x) >= longest


def test_a_measured_robot_is_shown_as_it_comes():
    efforts = np.array([[3.0, -2.0], [50.0, 20.0]])
    with Viewer(sd.Robot(PLANAR), live=True) as viewer:
        viewer.scene.prepare(efforts, {})
        viewer.show(Sample(np.array([0.3, 0.1]), efforts))
        effort = viewer.stage.shown.shares
        viewer._quantity.value = 'effort rate'
        np.testing.assert_allclose(viewer.stage.shown.shares, 1.0)
        np.testing.assert_allclose(effort, efforts[0] / PLANAR.limits.effort)
        client = SimpleNamespace(camera=SimpleNamespace(image_width=800, image_height=600))
        expected = SimpleNamespace()
        viewer._fit(client)
        viewer.stage.aim(expected, 800, 600)
        np.testing.assert_array_equal(client.camera.position, expected.position)


@pytest.mark.processes
def test_a_notebook_shows_the_page_and_nothing_else():
    for name in ('nbclient', 'ipykernel'):
        pytest.importorskip(
            name, reason='a notebook with the viewer needs viser, nbclient, ipykernel'
        )
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    code = (
        'import screw_dynamics as sd\n'
        "viewer = sd.view(sd.share_path('urdf/planar_2r.urdf'))\n"
        'viewer'
    )
    notebook = new_notebook(cells=[new_code_cell(code), new_code_cell('viewer.stop()')])
    NotebookClient(notebook, timeout=600).execute()
    (page,) = notebook.cells[0].outputs
    assert page.data['text/plain'].startswith("Viewer('planar_2r'")
    assert page.data['text/html'].startswith('<iframe srcdoc="')
    assert not notebook.cells[1].outputs
