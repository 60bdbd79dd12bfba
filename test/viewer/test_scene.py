# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a robot and its motion, and the view of it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.curves import colours, curves, ticks
from screw_dynamics.viewer.motion import Motion, Sample, at_rest, motion_of_jets
from screw_dynamics.viewer.outline import outline, places
from screw_dynamics.viewer.scene import Scene, share_colours
from screw_dynamics.viewer.signals import numbers, signals
from screw_dynamics.viewer.stage import FIELD, look_at

IIWA = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
FINGER = sd.soft.append_segments(PLANAR, sd.share_path('config/soft_finger.yaml'))
RECIPES = [
    BodyRecipe(),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe(parent_back=2),
    BodyRecipe('helical', mimics=0),
]
RED, GREY = (214, 25, 38), (150, 150, 150)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_places_are_the_poses_of_the_frames(rng):
    chain = random_model(rng, 3)  # axes beside the origins of the bodies
    chain = replace(chain, frames={**chain.frames, 'tool': chain.frames['tool_3']})
    hybrid = sd.soft.append_segments(chain, sd.share_path('config/soft_finger.yaml'))
    for model in (random_model(rng, RECIPES), IIWA, FINGER, hybrid):
        q = rng.uniform(-1.0, 1.0, model.n)
        poses = places(model, q)
        for name, (place, own) in outline(model).links.items():
            # FINGER: products of poses in another order
            if name in getattr(model, 'frames', ()):
                expected = sd.frame_pose(model, q, name)
                np.testing.assert_allclose(poses[place] @ own, expected, atol=1e-14)


def test_a_joint_leaves_its_axis_where_it_is(rng):
    for model in (random_model(rng, RECIPES), FINGER):
        q = rng.uniform(-1.0, 1.0, model.n)
        for mark in outline(model).marks:
            if mark.coordinate < 0:
                continue
            moved = q.copy()
            moved[mark.coordinate] += 0.3
            before, after = (places(model, at)[mark.place] @ mark.pose for at in (q, moved))
            travel = 0.3 if mark.kind == 'prismatic' else 0.3 * mark.pitch
            np.testing.assert_allclose(after[:3, 2], before[:3, 2], atol=1e-14)
            np.testing.assert_allclose(
                after[:3, 3], before[:3, 3] + travel * before[:3, 2], atol=1e-14
            )


def test_the_colour_of_a_ring_is_the_share_of_the_limit():
    scene = Scene(sd.Robot(IIWA))
    limits = IIWA.limits.effort
    efforts = np.stack([limits * [1.0, -1.0, 0.5, 0.0, 2.0, -0.5, 0.1], 3.0 * limits])
    scene.prepare(efforts, {})
    now = scene.at(Sample(np.zeros(7), efforts))
    np.testing.assert_allclose(now.shares, [1.0, -1.0, 0.5, 0.0, 2.0, -0.5, 0.1])
    colours = now.colours()
    assert tuple(colours[0]) == tuple(colours[1]) == tuple(colours[4]) == RED
    np.testing.assert_array_equal(colours[2], colours[5])
    scene.order = 1  # without a limit: the share of the largest value
    np.testing.assert_allclose(scene.at(Sample(np.zeros(7), efforts)).shares, 1.0)
    scene.order = 2
    assert np.isnan(scene.at(Sample(np.zeros(7), efforts)).shares).all()
    assert tuple(share_colours(np.array([np.nan]))[0]) == GREY


def test_a_limit_of_the_rate_is_that_of_the_drive():
    drives = sd.Drives({'joint_1': sd.JointDrive(max_effort_rate=50.0)})
    scene = Scene(sd.Robot(PLANAR, drives))
    efforts = np.array([[1.0, 1.0], [25.0, 25.0]])
    scene.prepare(efforts, {})
    scene.order = 1
    np.testing.assert_allclose(scene.at(Sample(np.zeros(2), efforts)).shares, [0.5, 1.0])


def test_only_the_joint_of_the_coordinate_has_its_effort():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    scene = Scene(sd.Robot(model))
    efforts = np.ones((1, model.n))
    scene.prepare(efforts, {})
    known = np.isfinite(scene.at(Sample(np.zeros(model.n), efforts)).shares)
    assert known.sum() == model.n < len(known)


def test_motors_are_apart_by_the_enlarged_deflections():
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    scene = Scene(sd.Robot(PLANAR, sd.Drives(springs)))
    scene.enlargement = 10.0
    q = np.array([0.3, -0.2])
    now = scene.at(Sample(q, motor_positions=q + [0.01, -0.02]))
    np.testing.assert_allclose(now.deflections, [0.1, -0.2], atol=1e-12)
    for line, deflection in zip(now.springs, (0.1, -0.2), strict=True):
        for angle, end in ((0.0, line[0]), (deflection, line[-1])):  # between the two pointers
            inside = sd.lie.exp_so3(np.array([0.0, 0.0, angle])).T @ end
            np.testing.assert_allclose(inside[1:], 0.0, atol=1e-12)
            assert inside[0] > scene.ring


def test_motor_positions_of_a_motion_are_those_of_the_feedforward(rng):
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(200.0))})
    jets = rng.uniform(-0.5, 0.5, (4, 5, 2))
    robot = sd.Robot(PLANAR, drives)
    motion = motion_of_jets(robot, np.arange(4.0), jets)
    expected = sd.elastic_feedforward(robot, jets)
    np.testing.assert_array_equal(motion.motor_positions, expected.motor_position)
    np.testing.assert_array_equal(motion.efforts, sd.inverse_dynamics(PLANAR, jets))


def test_tubes_and_threads_follow_the_soft_body(rng):
    scene = Scene(sd.Robot(FINGER))
    q = np.array([0.2, -0.4, 0.5, -0.3])
    now = scene.at(Sample(q))
    (surface,) = now.surfaces
    rings = surface.reshape(-1, 24, 3)
    tip, tool = (sd.frame_pose(FINGER, q, name)[:3, 3] for name in ('tip', 'tool'))
    np.testing.assert_allclose(rings[0].mean(axis=0), tool, atol=1e-14)
    np.testing.assert_allclose(rings[-1].mean(axis=0), tip, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(rings[-1] - tip, axis=1), 0.01, atol=1e-14)
    for spec, points in zip(FINGER.appended.threads, now.threads, strict=True):
        length = sd.soft.Thread(FINGER, spec.offsets).length(q)
        drawn = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        # chords of arcs of at most 0.08 rad: shorter by (0.08^2 / 24) at most
        assert length * (1.0 - 3e-4) < drawn <= length


@pytest.mark.parametrize('offset', [(0.008, 0.002), ((0.008, 0.0), (0.0, 0.004))])
@pytest.mark.parametrize(
    'body',
    [
        sd.soft.ConstantStrain(0.2, 0.01, 0.3, strains=['bend_x', 'bend_y', 'twist']),
        sd.soft.PlanarConstantCurvature(0.2, 0.01, 0.3),
        sd.soft.VolumePreserving(0.2, 0.01, 0.3),
    ],
    ids=lambda body: type(body).__name__,
)
def test_threads_of_all_bodies_have_the_length_that_acts(body, offset):
    robot = sd.soft.SoftRobot([body])
    q = np.linspace(0.3, 0.1, robot.n)
    thread = sd.soft.Thread(robot, {robot.module_names[0]: offset})
    (points,) = Scene(sd.Robot(robot), threads=[thread]).at(Sample(q)).threads
    length = thread.length(q)
    drawn = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    np.testing.assert_allclose(drawn, length, rtol=1e-3)  # of chords, as above


@pytest.mark.parametrize('robot', [IIWA, FINGER], ids=['rigid', 'soft'])
def test_gravity_acts_at_the_centre_of_mass(robot, rng):
    scene = Scene(sd.Robot(robot))
    q, step = rng.uniform(-0.5, 0.5, robot.n), 1e-6
    mass = sum(m.mass for m in scene.outline.masses)
    mass += sum(module.masses.sum() for module in getattr(robot, 'modules', ()) if module.n > 1)
    slopes = []
    for j in range(robot.n):
        ends = [scene.at(Sample(q + s * np.eye(robot.n)[j])).mass_centre for s in (step, -step)]
        slopes.append(-mass * robot.gravity @ (ends[0] - ends[1]) / (2.0 * step))
    # differences of centres rounded to 1e-16 m over 2e-6
    np.testing.assert_allclose(slopes, sd.gravity_forces(robot, q), atol=1e-6)


def test_boxes_have_the_masses_and_inertias_of_the_bodies(rng):
    turn = sd.lie.exp_so3(rng.normal(size=3))
    inertia = turn @ np.diag([2.0, 3.0, 4.0]) @ turn.T
    (a, b, c), axes = shapes.inertia_box(5.0, inertia)
    moments = 5.0 / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, inertia, rtol=1e-13, atol=1e-13)
    assert np.linalg.det(axes) > 0.0


def test_arrows_of_wrenches_are_in_axes_of_their_frames(rng):
    scene = Scene(sd.Robot(IIWA))
    q, wrench = rng.uniform(-1.0, 1.0, 7), np.array([0.0, 2.0, 0.0, 0.0, 0.0, -30.0])
    motion = Motion(np.zeros(1), q[np.newaxis], wrenches={'link_7': wrench[np.newaxis]})
    scene.prepare_for(motion)
    force, torque = scene.at(motion.sample(0)).loads['link_7']
    np.testing.assert_allclose(force, [0.0, 0.0, -0.35 * scene.reach], atol=1e-15)
    np.testing.assert_allclose(torque, [0.0, 0.35 * scene.reach, 0.0], atol=1e-15)


def test_forms_are_closed_and_seen_from_outside():
    for mesh in (
        shapes.box(np.ones(3)),
        shapes.cylinder(0.5, 2.0),
        shapes.ball(0.5),
        shapes.capsule(np.zeros(3), np.ones(3), 0.2),
        shapes.arrow(),
        *(shapes.joint_symbol(kind, 0.1, 1.0) for kind in ('revolute', 'prismatic', 'helical')),
    ):
        a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
        assert np.sum(a * np.cross(b, c)) > 0.0  # six times the volume


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'times': [[0.0]]}, 'times: expected shape (T,), with T > 0, got (1, 1)'),
        ({'times': [0.0, 0.0]}, 'times: expected increasing ones'),
        ({'joint_jet': np.zeros((3, 2))}, 'joint_jet: expected shape (2, 1, 2), got (3, 1, 2)'),
        ({'joint_jet': np.zeros(2)}, 'joint_jet: expected shape (T, r, n) or (T, n), got (2,)'),
        ({'efforts': np.zeros((2, 3))}, 'efforts: expected shape (2, 1, 2), got (2, 1, 3)'),
        ({'wrenches': {'tool': [0.0]}}, "wrenches['tool']: expected shape (2, 6), got (1,)"),
        ({'motor_positions': [0.0]}, 'motor_positions: expected shape (2, 2), got (1,)'),
    ],
)
def test_wrong_motions_are_refused(arguments, text):
    given = {'times': [0.0, 1.0], 'joint_jet': np.zeros((2, 2))} | arguments
    with pytest.raises(sd.ScrewDynamicsError) as caught:
        motion_of_jets(sd.Robot(PLANAR), **given)
    assert str(caught.value) == text


def test_wrenches_at_unknown_frames_are_refused():
    motion = Motion(np.zeros(1), np.zeros((1, 2)), wrenches={'hand': np.zeros((1, 6))})
    with pytest.raises(sd.ScrewDynamicsError, match="wrenches: unknown frame 'hand'"):
        Scene(sd.Robot(PLANAR)).prepare_for(motion)


def test_a_robot_without_mass_has_no_centre():
    inertias = np.zeros_like(PLANAR.inertias)
    scene = Scene(sd.Robot(replace(PLANAR, inertias=inertias)))
    assert np.isnan(scene.at(Sample(np.zeros(2))).mass_centre).all()


def test_threads_of_another_robot_are_refused():
    other = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.1, 0.01, 0.1)])
    thread = sd.soft.Thread(other, {'body_1': (0.005, 0.0)})
    with pytest.raises(sd.ScrewDynamicsError, match='threads: expected threads of this robot'):
        Scene(sd.Robot(FINGER), threads=[thread])


TIMES = np.linspace(0.0, 1.0, 11)
VIEWED = np.zeros((11, 3, 2))
VIEWED[:, 0] = TIMES[:, np.newaxis]


def test_times_without_motion_are_refused():
    with pytest.raises(sd.ScrewDynamicsError, match='times, joint_jet: expected both or none'):
        sd.view(PLANAR, TIMES)


def test_the_time_chooses_the_sample():
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        assert repr(viewer) == f"Viewer('planar_2r', '{viewer.address}')"
        for seconds, expected in ((0.5, 0.5), (0.57, 0.5), (7.0, 1.0), (-1.0, 0.0)):
            viewer.show_time(seconds)
            pose = viewer.stage.shown.places[2]
            pose_then = sd.frame_pose(PLANAR, np.full(2, expected), 'link_2')
            np.testing.assert_allclose(pose, pose_then, atol=1e-15)


@pytest.mark.parametrize('size', [(400, 300), (300, 400), (1280, 800)])
def test_a_picture_has_the_whole_robot_in_it_and_little_else(size):
    pytest.importorskip('viser', reason='the viewer needs viser')
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
    pytest.importorskip('viser', reason='the viewer needs viser')
    with sd.view(PLANAR, TIMES, VIEWED) as viewer:
        viewer.show_time(0.3)
        shown = viewer._repr_html_()
        assert shown.startswith('<iframe srcdoc="') and shown.endswith('</iframe>')
        assert 'joint_2<\\/label>' in html.unescape(shown)
        # the page of the server shows again what it did before
        expected = sd.frame_pose(PLANAR, np.full(2, TIMES[3]), 'link_2')
        np.testing.assert_allclose(viewer.stage.shown.places[2], expected, atol=1e-15)


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


FLOATING = """<robot name="cart">
  <link name="ground"/><link name="cart"><inertial><mass value="10"/>
    <inertia ixx="0.3" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="3"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="drive" type="TYPE">
    <parent link="ground"/><child link="cart"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="continuous">
    <parent link="cart"/><child link="arm"/><origin xyz="0.1 0 0.3"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_joints_of_several_degrees_of_freedom_are_drawn(kind, rng):
    model = sd.read_urdf(FLOATING.replace('TYPE', kind))
    scene, q = Scene(sd.Robot(model)), rng.uniform(-1.0, 1.0, model.n)
    now = scene.at(Sample(q))
    for link in ('cart', 'arm'):
        place, own = scene.outline.links[link]
        expected = sd.frame_pose(model, q, link)
        np.testing.assert_allclose(now.places[place] @ own, expected, atol=1e-14)
    assert [mark.name for mark in scene.marks] == list(model.joint_names)


def elastic(stiffness: float) -> sd.Robot:
    """Return the planar arm with equal springs, one of which stops at 0.1 rad."""
    drives = {
        'joint_1': sd.JointDrive(sd.LinearSpring(stiffness), max_deflection=0.1),
        'joint_2': sd.JointDrive(sd.LinearSpring(stiffness)),
    }
    return sd.Robot(PLANAR, sd.Drives(drives))


def test_at_rest_the_springs_carry_gravity(rng):
    q = rng.uniform(-1.0, 1.0, 2)
    held, gravity = at_rest(elastic(400.0), q), sd.gravity_forces(PLANAR, q)
    np.testing.assert_allclose(held.efforts, [gravity], atol=1e-12)
    np.testing.assert_allclose(held.motor_efforts, gravity, atol=1e-12)
    np.testing.assert_allclose(held.motor_positions - q, gravity / 400.0, atol=1e-14)


def test_numbers_of_a_joint_are_values_limits_and_shares():
    robot = elastic(400.0)
    sample = Sample(
        np.array([0.25, 0.0]),
        np.array([[-20.0, 1.0], [3.0, 4.0]]),
        np.array([0.2, 0.0]),
        np.array([12.5, 0.0]),
    )
    known = signals(robot, sample)
    limit = PLANAR.limits.effort[0]
    low, high = PLANAR.limits.lower[0], PLANAR.limits.upper[0]
    assert low == -high  # so that zero is in the middle
    rows = re.findall(r'<tr>(<td>.*?)</tr>', numbers(known, 'joint_1'))
    assert [re.findall(r'<td>(.*?)</td>', row) for row in rows] == [
        ['position', '0.25', 'rad', f'± {high:.3g}', f'{0.25 / high:.0%}'],
        ['effort', '-20', 'N m', f'± {limit:.3g}', f'{20.0 / limit:.0%}'],
        ['effort rate', '3', 'N m/s', '', ''],
        ['motor effort', '12.5', 'N m', '', ''],
        ['deflection', '-0.05', 'rad', '± 0.1', '50%'],
    ]


def test_signals_have_the_units_of_their_joints():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    position, effort = signals(sd.Robot(model), at_rest(sd.Robot(model), np.zeros(model.n)))
    slides = [kind == 'prismatic' for kind in model.coordinate_types]
    assert any(slides)
    assert position.units == ['m' if s else 'rad' for s in slides]
    assert effort.units == ['N' if s else 'N m' for s in slides]
    drawn = curves(TIMES, effort._replace(values=np.tile(effort.values, (11, 1))))
    assert drawn.count('<svg') == 2 and 'effort [N]' in drawn and 'effort [N m]' in drawn


def test_thirty_two_curves_have_distinct_colours():
    rgb = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours(32)]) / 255.0
    gaps = np.linalg.norm(rgb[:, np.newaxis] - rgb, axis=2)
    # of 32 points spread evenly in the cube of colours the gap is about 1/3
    assert gaps[np.triu_indices(32, 1)].min() > 0.15


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 9))
def test_ticks_are_round_numbers_within(low, span, most):
    found = np.array(ticks(low, low + span, most))
    assert len(found) <= most + 1
    assert (found >= low - 1e-6 * span).all() and (found <= low + span * (1.0 + 1e-6)).all()
    if len(found) > 1:
        step = found[1] - found[0]
        power = 10.0 ** np.floor(np.log10(step) + 1e-6)
        # of numbers up to 1e6 the difference is rounded to 1e-10
        assert np.abs(np.array([1.0, 2.0, 2.5, 5.0, 10.0]) * power - step).min() < 1e-3 * step


@pytest.mark.parametrize('size', [(1400, 900), (390, 844)])
def test_the_page_shows_all_that_the_robot_reaches(size, rng):
    pytest.importorskip('viser', reason='the viewer needs viser')
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


def test_sliders_show_the_efforts_of_gravity():
    pytest.importorskip('viser', reason='the viewer needs viser')
    panda = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    with sd.view(panda) as viewer:
        gravity = sd.gravity_forces(panda, viewer.shown.position)
        np.testing.assert_allclose(viewer.shown.efforts, [gravity], atol=1e-12)
        shares = viewer.stage.shown.shares
        np.testing.assert_allclose(shares[:7], (gravity / panda.limits.effort)[:7], atol=1e-12)


@pytest.mark.processes
def test_a_notebook_shows_the_page_and_nothing_else():
    for name in ('viser', 'nbclient', 'ipykernel'):
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
