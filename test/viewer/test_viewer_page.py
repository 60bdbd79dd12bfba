# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of the viewer in a real browser."""

from __future__ import annotations

import io

import numpy as np
import pytest

pytest.importorskip('viser', reason='the viewer needs viser')

from helpers.browser_page import Page, opened  # noqa: E402
from PIL import Image  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.command_line.main import main  # noqa: E402
from screw_dynamics.errors import InputError  # noqa: E402
from screw_dynamics.viewer import browser, view  # noqa: E402

try:
    browser.find_browser()
except InputError as missing:
    pytest.skip(str(missing), allow_module_level=True)

pytestmark = pytest.mark.long

IIWA = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
TIMES = np.linspace(0.0, 2.0, 41)
TURNS = 0.5 * np.sin(2.0 * TIMES)[:, np.newaxis] * np.arange(1.0, 8.0) / 4.0
# of a node below the root, whose axes are those of the page
POSE = """(() => {{
  const nodes = window.__viserMutable && window.__viserMutable.nodeRefFromName;
  if (!nodes || !nodes['{0}']) return null;
  const root = nodes[''], node = nodes['{0}'];
  root.updateWorldMatrix(true, true);
  return root.matrixWorld.clone().invert().multiply(node.matrixWorld).elements;
}})()"""
# viser leaves out changes below 1e-5 of a number; pages have floats of 32 bits
CLOSE = 3e-5


def wait_for_pose(page: Page, name: str, expected: np.ndarray) -> None:
    """Wait until a node is at a pose (4, 4)."""
    columns = np.array2string(
        expected.T.ravel(), separator=',', precision=17, max_line_width=10**6
    )
    page.wait_for(
        f'({POSE.format(name)} || []).length === 16 && {POSE.format(name)}'
        f'.every((x, i) => Math.abs(x - {columns}[i]) < {CLOSE})'
    )


def wait_for_motion(page: Page, seconds: float) -> None:
    q = np.array(TURNS[np.searchsorted(TIMES, seconds + 1e-9) - 1])
    for place, name in enumerate(IIWA.body_names, 1):
        wait_for_pose(page, f'/robot/{place}', sd.frame_pose(IIWA, q, name))


def test_the_slider_moves_the_links_to_their_poses():
    with view(IIWA, TIMES, TURNS) as viewer, opened(viewer.address) as page:
        wait_for_motion(page, 0.0)
        viewer.show_time(1.0)
        wait_for_motion(page, 1.0)
        # the thumb of the slider of time, moved by the keyboard
        value = '+document.querySelector("[role=slider]").getAttribute("aria-valuenow")'
        page.wait_for(f'{value} === 1')
        page.value('document.querySelector("[role=slider]").focus()')
        for kind in ('keyDown', 'keyUp'):
            page.ask('Input.dispatchKeyEvent', type=kind, key='End', code='End',
                     windowsVirtualKeyCode=35)  # fmt: skip
        page.wait_for(f'{value} === 2')
        wait_for_motion(page, 2.0)


def test_play_moves_the_slider():
    with view(IIWA, TIMES, TURNS) as viewer, opened(viewer.address) as page:
        button = '[...document.querySelectorAll("button")].find(b => b.innerText === "Play")'
        page.wait_for(f'!!{button}')
        page.value(f'{button}.click()')
        page.wait_for('+document.querySelector("[role=slider]").getAttribute("aria-valuenow") > 0')


def test_a_saved_page_plays_without_a_server(tmp_path):
    with view(IIWA, TIMES, TURNS) as viewer:
        viewer.save_html(tmp_path / 'page.html')
    with opened((tmp_path / 'page.html').as_uri()) as page:
        page.wait_for('!!document.querySelector("[role=slider]")')
        # in the box for the time of the player
        page.value(
            'const box = document.querySelector("input");'
            'Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")'
            '.set.call(box, "1.0"); box.dispatchEvent(new Event("input", {bubbles: true}))'
        )
        wait_for_motion(page, 1.0)
        left = page.wait_for('document.querySelector(".cursor").style.left.match(/0.5/)')
        assert left  # the cursor in the curves is in the middle
        resources = 'performance.getEntriesByType("resource").map(entry => entry.name)'
        assert [name for name in page.value(resources) if not name.startswith('data:')] == []


def test_a_picture_shows_the_robot_on_white(tmp_path):
    limits = np.tile(IIWA.limits.effort, (len(TIMES), 1))
    with view(IIWA, TIMES, TURNS, efforts=limits) as viewer:
        viewer.save_screenshot(tmp_path / 'robot.png', (400, 300))
    with Image.open(tmp_path / 'robot.png') as image:
        picture = np.asarray(image).astype(int)
    assert picture.shape == (300, 400, 3)
    assert (picture[:20, :60] > 250).all()  # the sky
    red = (picture[..., 0] > 150) & (picture[..., 1:].max(axis=2) < 110)
    assert red.sum() > 100  # rings at their limits


def test_soft_bodies_springs_and_loads_are_on_the_page():
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    soft = sd.soft.append_segments(arm, sd.share_path('config/soft_finger.yaml'))
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(200.0))})
    jets = np.zeros((2, 5, 4))
    jets[1, 0] = 0.3
    wrenches = {'tool': np.ones((2, 6))}
    for robot, motion, names in (
        (soft, jets, ('/soft/0', '/threads')),
        (sd.Robot(arm, drives), jets[..., :2], ('/springs/motors', '/springs/lines', '/loads')),
    ):
        loads = {} if robot is soft else wrenches
        with view(robot, [0.0, 1.0], motion, wrenches=loads) as viewer:
            viewer.show_time(1.0)
            with opened(viewer.address) as page:
                for name in (*names, '/centre_of_mass'):
                    page.wait_for(f'!!{POSE.format(name)}')
                errors = page.value('document.body.innerText.includes("rror")')
                assert not errors
                picture = np.asarray(Image.open(io.BytesIO(page.picture())))
                assert len(np.unique(picture)) > 50


def test_the_command_writes_a_page_and_a_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    urdf, trajectory = sd.share_path('urdf/iiwa14.urdf'), 'config/sea_arm_trajectory.yaml'
    code = main(['view', str(urdf), str(sd.share_path(trajectory)), '--rate', '20', '--time', '1',
                 '--html', 'a.html', '--screenshot', 'a.png'])  # fmt: skip
    assert code == 0
    assert capsys.readouterr().out == 'written: a.html\nwritten: a.png\n'
    assert 'effort' in (tmp_path / 'a.html').read_text()
    with Image.open('a.png') as picture:
        assert picture.size == (1280, 800)
