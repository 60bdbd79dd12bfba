# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of the viewer in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('viser', reason='the viewer needs viser')

from helpers.browser_page import Page, opened  # noqa: E402
from oracles.random_models import BodyRecipe, random_model  # noqa: E402
from PIL import Image  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.command_line.main import main  # noqa: E402
from screw_dynamics.errors import InputError  # noqa: E402
from screw_dynamics.viewer import browser, view  # noqa: E402

try:
    browser.find_browser()
except InputError as missing:
    pytest.skip(str(missing), allow_module_level=True)

pytestmark = [pytest.mark.processes, pytest.mark.long]

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


# the number of the given joint and quantity on a saved page
NUMBER = """(() => {{
  const joint = [...document.querySelectorAll('select')].at(-1);
  joint.selectedIndex = {0};
  joint.onchange();
  const rows = [...document.querySelectorAll('.numbers tr')].map(row => [...row.cells]);
  return rows.find(row => row[0].innerText === '{1}')[1].innerText;
}})()"""
# moves the slider of a name
SLIDE = """(() => {{
  const slider = document.querySelector('#controls [title="{0}"] + input');
  slider.value = {1};
  slider.oninput();
}})()"""


def test_a_saved_page_plays_without_a_server(tmp_path):
    drives = sd.Drives({'joint_2': sd.JointDrive(sd.LinearSpring(3000.0))})
    jets = sd.trajectory.through(IIWA, TIMES, TURNS).jets(TIMES)
    push = np.where(TIMES < 0.9, 0.0, 5.0)[:, np.newaxis] * np.ones(6)
    with view(sd.Robot(IIWA, drives), TIMES, jets, wrenches={'link_7': push}) as viewer:
        viewer.save_html(tmp_path / 'page.html')
        motion = viewer.motion
    with opened((tmp_path / 'page.html').as_uri()) as page:
        page.wait_for('!!window.page')
        assert page.value('document.title') == IIWA.name
        load = 'window.__viserMutable.nodeRefFromName["/robot/7/link_7/load"].visible'
        page.wait_for(f'{load} === false')
        page.value(SLIDE.format('Time [s]', 1.0))
        wait_for_motion(page, 1.0)
        page.wait_for(f'{load} === true')
        middle = page.value(
            '(([line, chart]) => (line.left - chart.left) / chart.width)(["#curves .cursor", '
            '"#curves svg"].map(name => document.querySelector(name).getBoundingClientRect()))'
        )
        assert abs(middle - 0.5) < 0.01
        chosen = motion.sample(motion.index(1.0))
        for name, value in (
            ('position', chosen.position[1]),
            ('effort', chosen.efforts[0, 1]),
            ('effort second rate', chosen.efforts[2, 1]),
            ('motor effort', chosen.motor_efforts[1]),
            ('deflection', chosen.motor_positions[1] - chosen.position[1]),
        ):
            np.testing.assert_allclose(float(page.value(NUMBER.format(1, name))), value, rtol=1e-3)
        # the pointer of the motor, 10 times as far from the link
        turn = f'({POSE.format("/robot/2/~joint_2/motor_1")}).slice(0, 3)'
        link = f'({POSE.format("/robot/2/~joint_2/link")}).slice(0, 3)'
        deflection = float(page.value(NUMBER.format(1, 'deflection')))
        page.wait_for(
            f'Math.abs({turn}.reduce((sum, x, i) => sum + x * {link}[i], 0) - '
            f'{np.cos(10.0 * deflection)}) < {CLOSE}'
        )
        # the time is where the curves are pressed
        page.value(
            '(chart => { const box = chart.getBoundingClientRect(); chart.dispatchEvent('
            'new PointerEvent("pointerdown", { bubbles: true, buttons: 1, '
            'clientX: box.left + 0.25 * box.width })) })(document.querySelector("#curves svg"))'
        )
        wait_for_motion(page, 0.5)
        # a layer, and a curve that is switched off
        seen = 'window.__viserMutable.nodeRefFromName["/robot/1/~joint_1/ring"].visible'
        page.wait_for(f'{seen} === true')
        page.value("document.querySelector('#controls [title=efforts] + input').click()")
        page.wait_for(f'{seen} === false')
        page.value('document.querySelector("[data-curve=\'2\']").click()')
        hidden = "getComputedStyle(document.querySelector('polyline.curve2')).display"
        assert page.value(hidden) == 'none'
        resources = 'performance.getEntriesByType("resource").map(entry => entry.name)'
        assert [name for name in page.value(resources) if not name.startswith('data:')] == []


HELICAL = [BodyRecipe('helical'), BodyRecipe(), BodyRecipe('helical', mimics=0)]


@pytest.mark.parametrize('robot', ['panda', 'branched_gripper', 'helical'])
def test_sliders_of_a_saved_page_move_the_links_and_show_gravity(tmp_path, robot):
    if robot == 'helical':
        model = random_model(np.random.default_rng(5), HELICAL)
    else:
        model = sd.read_urdf(sd.share_path(f'urdf/{robot}.urdf'))
    with view(model) as viewer:
        viewer.save_html(tmp_path / 'page.html')
        low, high = viewer.scene.low, viewer.scene.high
        links = viewer.scene.outline.links
    q = low + (high - low) * np.linspace(0.3, 0.6, model.n)
    with opened((tmp_path / 'page.html').as_uri()) as page:
        page.wait_for('!!window.page')
        for name, value in zip(model.joint_names, q, strict=True):
            page.value(SLIDE.format(name, value))
        for name in model.body_names:
            wait_for_pose(page, f'/robot/{links[name][0]}', sd.frame_pose(model, q, name))
        efforts = [float(page.value(NUMBER.format(j, 'effort'))) for j in range(model.n)]
    # the page shows four digits
    np.testing.assert_allclose(efforts, sd.gravity_forces(model, q), rtol=6e-4, atol=1e-6)


def test_a_saved_page_of_a_soft_robot_bends_it(tmp_path):
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    soft = sd.soft.append_segments(arm, sd.share_path('config/soft_finger.yaml'))
    motion = np.linspace(0.0, 0.6, 41)[:, np.newaxis] * np.ones(soft.n)
    with view(soft, TIMES, motion) as viewer:
        viewer.save_html(tmp_path / 'page.html')
        viewer.show_time(2.0)
        expected = viewer.stage.shown.surfaces[0]
    corners = 'window.__viserSceneTree.getState()["/soft/0"].message.props.vertices'
    with opened((tmp_path / 'page.html').as_uri()) as page:
        page.wait_for('!!window.page')
        page.value(SLIDE.format('Time [s]', 2.0))
        page.wait_for(f'Math.abs({corners}.at(-3) - {expected[-1, 0]}) < {CLOSE}')
        np.testing.assert_allclose(page.value(f'[...{corners}]'), expected.ravel(), atol=CLOSE)


def test_controls_of_a_phone_leave_the_robot_free():
    with view(IIWA, TIMES, TURNS) as viewer, opened(viewer.address, (390, 844)) as page:
        page.wait_for('document.title === "iiwa14"')
        top = page.wait_for(
            'Math.min(...[...document.querySelectorAll("button")].filter(b => '
            'b.innerText === "Play").map(b => b.getBoundingClientRect().top))'
        )
        assert top > 0.4 * page.value('innerHeight')


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
