# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`model --axes`: what is drawn where, and files without a display."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.patience import patience

import screw_dynamics as sd
from screw_dynamics.lie import inertia_matrix, pose, skew

pytest.importorskip('matplotlib')
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.art3d import Line3D, Line3DCollection

from screw_dynamics.command_line.axes_figure import draw_axes, place_labels, save_axes
from screw_dynamics.command_line.axes_scene import scene_of

LINK = inertia_matrix(2.0, np.array([0.1, 0.0, 0.0]), 0.01 * np.eye(3))
MAGIC = {'png': b'\x89PNG', 'pdf': b'%PDF', 'svg': b'<?xml'}


def placed(*xyz):
    return pose(np.eye(3), np.array(xyz, dtype=float))


@pytest.fixture
def mixed_chain():
    """A revolute, two coaxial helical and revolute, and a prismatic joint."""
    homes = [placed(0.0, 0.0, 0.2), placed(0.3, 0.0, 0.1), placed(0.0, 0.0, 0.0)]
    homes.append(placed(0.2, 0.0, 0.0))
    screws = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0.02], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0]]
    return sd.ScrewModel.from_screws([-1, 0, 1, 2], homes, screws, [LINK] * 4)


def test_axes_are_the_spatial_screws(mixed_chain, rng):
    q = rng.normal(size=4)
    scene = scene_of(mixed_chain, q)
    jacobian = sd.frame_jacobian(mixed_chain, q, mixed_chain.body_names[-1], 'spatial')
    assert [axis.kind for axis in scene.axes] == ['revolute', 'helical', 'revolute', 'prismatic']
    for axis, screw in zip(scene.axes, jacobian.T, strict=True):
        e, r = axis.pose[:3, 2], axis.pose[:3, 3]
        if axis.kind == 'prismatic':
            expected = [0.0, 0.0, 0.0, *e]
        else:
            pitch = axis.pitch if axis.kind == 'helical' else 0.0
            expected = [*e, *(skew(r) @ e + pitch * e)]
        np.testing.assert_allclose(screw, expected, rtol=0.0, atol=1e-14)
    assert scene.axes[1].pitch == pytest.approx(0.02)
    assert all(math.isnan(scene.axes[i].pitch) for i in (0, 2, 3))


def test_links_connect_joints_and_tips(mixed_chain):
    q = np.array([0.4, -0.3, 0.2, 0.1])
    scene = scene_of(mixed_chain, q)
    names = mixed_chain.body_names
    for (begin, end), parent, name in zip(scene.links, ['base', *names[:-1]], names, strict=False):
        for point, frame in ((begin, parent), (end, name)):
            expected = sd.frame_pose(mixed_chain, q, frame)[:3, 3]
            np.testing.assert_allclose(point, expected, rtol=0.0, atol=1e-15)
    assert list(scene.frames) == ['base', names[-1]]


def test_arrows_on_one_axis_do_not_overlap(mixed_chain):
    helical, revolute = scene_of(mixed_chain, np.zeros(4)).axes[1:3]
    assert revolute.slide == 0.0
    # half an arrow each to either side of the middle
    assert abs(helical.slide) > 1.0


def test_joints_that_follow_others_are_known():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    for axis in scene_of(model, np.zeros(model.n)).axes:
        assert axis.mimics == (axis.name not in model.joint_names)
    assert any(axis.mimics for axis in scene_of(model, np.zeros(model.n)).axes)


def test_labels_point_at_the_arrows_and_do_not_overlap(mixed_chain, tmp_path, monkeypatch):
    drawn = []

    def placing(figure, axes, labels):
        found = place_labels(figure, axes, labels)
        drawn.append((figure, axes, labels, found))
        return found

    monkeypatch.setattr('screw_dynamics.command_line.axes_figure.place_labels', placing)
    save_axes(mixed_chain, np.zeros(4), tmp_path / 'axes.png')
    figure, axes, labels, found = drawn[-1]
    by_name = {text.get_text(): text for text in found}
    assert {'joint_1', 'joint_2, h = 0.02 m/rad', 'joint_3', 'joint_4'} < {*by_name}
    for label in labels:
        text = by_name[label.text]
        x, y, _ = proj3d.proj_transform(*label.point, axes.get_proj())
        seen = figure.transFigure.inverted().transform(axes.transData.transform((x, y)))
        # as it was saved: within a thousandth of the figure
        np.testing.assert_allclose(text.xy, seen, rtol=0.0, atol=1e-3)
        assert 0.0 < seen.min() and seen.max() < 1.0
    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [Text.get_window_extent(text, renderer) for text in found]
    for i, box in enumerate(boxes):
        assert box.width > 0.0 and not any(box.overlaps(other) for other in boxes[:i])


def hand() -> sd.ScrewModel:
    """Return two fingers whose joints have long names."""
    homes = [
        placed(0.4, 0.0, 0.0),
        placed(0.3, 0.1, 0.0),
        placed(0.3, -0.2, 0.0),
        placed(0.3, 0.0, 0.1),
    ]
    names = [f'left_hand_finger_{i}_with_a_long_name_joint' for i in range(4)]
    turns = [[0, 0, 1, 0, 0, 0]] * 4
    return sd.ScrewModel.from_screws([-1, 0, -1, 2], homes, turns, [LINK] * 4, joint_names=names)


@pytest.mark.parametrize(
    'robot', ['planar_2r', 'iiwa14', 'panda', 'branched_gripper', 'wide', 'hand']
)
@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.InertiaWarning')
def test_all_is_drawn_within_the_figure(robot, mixed_chain):
    """Each shape alone leaves ink at all its points, and no text leaves the figure."""
    if robot in ('wide', 'hand'):
        model = mixed_chain if robot == 'wide' else hand()
    else:
        model = sd.read_urdf(sd.share_path(f'urdf/{robot}.urdf'))
    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    draw_axes(figure, model, np.zeros(model.n))
    canvas.draw()
    (axes,) = figure.axes
    letters = [text for text in axes.texts if not isinstance(text, Annotation)]
    for text in {*figure.findobj(Text)} - {*axes.findobj(Text)} | {*axes.texts} - {*letters}:
        box = Text.get_window_extent(text)
        assert box.x0 >= 0.0 and box.y0 >= 0.0, text
        assert box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height, text
    shapes = [*axes.lines, *axes.collections, *letters]
    for other in (*shapes, *figure.findobj(Text), *figure.legends):
        other.set_visible(False)
    for shape in shapes:
        if isinstance(shape, Line3D):
            points = np.transpose(shape.get_data_3d())
            if (points == points[0]).all():  # a link whose joints are in one place
                continue
        elif isinstance(shape, Line3DCollection):
            points = np.concatenate(shape._segments3d)
        elif isinstance(shape, Text):
            points = np.array([shape.get_position_3d()])
        else:
            points = np.transpose(shape._offsets3d)
        x, y, _ = proj3d.proj_transform(*points.T, axes.get_proj())
        places = axes.transData.transform(np.column_stack([x, y]))
        shape.set_visible(True)
        canvas.draw()
        shape.set_visible(False)
        ink = np.asarray(canvas.buffer_rgba())[::-1, :, :3].min(axis=2) < 250
        assert not (ink[[0, -1]].any() or ink[:, [0, -1]].any()), shape  # nothing is cut off
        inked = np.argwhere(ink)[:, ::-1]
        # pixels from a point: half the width of a line, which ends there with a butt; a letter
        near = 8.0 if isinstance(shape, Text) else 2.0
        for place in places:
            distance = np.abs(inked - place).max(axis=1).min(initial=np.inf)
            assert distance <= near, (shape, place)


@pytest.mark.parametrize('ending', MAGIC)
def test_formats_by_the_ending_of_the_file(run, ending):
    code, out, err = run('model', 'my_robot.urdf', '--axes', f'axes.{ending}')
    assert code == 0 and not err
    assert out.endswith(f'written: axes.{ending}\n')
    assert Path(f'axes.{ending}').read_bytes().startswith(MAGIC[ending])


def test_a_file_needs_no_display(folder):
    environment = {key: value for key, value in os.environ.items() if 'DISPLAY' not in key}
    command = [sys.executable, '-W', 'error', '-m', 'screw_dynamics.command_line.main']
    done = subprocess.run(
        [*command, 'model', 'my_robot.urdf', '--axes', 'axes.png', '--position', '0.3', '1'],
        env={**environment, 'MPLBACKEND': 'TkAgg'},
        capture_output=True,
        text=True,
        timeout=patience(),
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert Path('axes.png').exists()


def test_a_window_without_a_display_is_an_error_of_one_line(run, monkeypatch):
    monkeypatch.setenv('MPLBACKEND', 'agg')
    code, _, err = run('model', 'my_robot.urdf', '--axes')
    assert code == 1 and err.count('\n') == 1
    assert '--axes: there is no display for a window' in err


@pytest.mark.parametrize(
    'given, text',
    [
        (('--axes', 'axes.txt'), 'expected the name of a figure file, ending in one of'),
        (('--axes', 'my_robot.urdf'), 'expected the name of a figure file'),
        (('--axes', 'none/axes.png'), 'the folder'),
        (('--axes', '-'), 'expected the name of a file'),
        (('--axes', 'a.png', '--position', '1'), '--position: expected 2 numbers'),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else '',
)
def test_bad_files_and_positions(run, given, text):
    code, out, err = run('model', 'my_robot.urdf', *given)
    assert code == 1 and err.count('\n') == 1 and text in err, err
    assert not Path('a.png').exists()


def test_a_robot_without_moving_joints(run):
    code, out, err = run(
        'model', 'my_robot.urdf', '--locked', 'joint_1=1', 'joint_2=2', '--axes', 'axes.png'
    )
    assert code == 0, err
    assert Path('axes.png').exists()
