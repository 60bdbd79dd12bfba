# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics view`, without a browser: what the page would show."""

from importlib.util import find_spec

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.command_line.commands import view as command

pytestmark = pytest.mark.skipif(find_spec('viser') is None, reason='the viewer needs viser')


@pytest.fixture
def shown(monkeypatch):
    """Return the viewers that the command makes; it does not wait."""
    viewers = []

    class Remembered(command.Viewer):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            viewers.append(self)

        def wait(self):
            pass

    monkeypatch.setattr(command, 'Viewer', Remembered)
    return viewers


def test_a_trajectory_with_springs(run, shown):
    arguments = 'my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_springs.yaml'
    code, out, err = run('view', *arguments, '--rate', '20', '--time', '0.6')
    assert (code, out, err) == (0, f'{shown[0].address} (Ctrl-C ends)\n', '')
    motion = shown[0].motion
    np.testing.assert_allclose(motion.positions[motion.index(0.6)], [0.4, -0.6], atol=1e-12)
    run('evaluate', *arguments, '--rate', '20', '--csv', 'efforts.csv')
    code, *_ = run('view', 'my_robot.urdf', 'efforts.csv', '--drives', 'my_springs.yaml')
    assert code == 0
    for name in ('times', 'positions', 'efforts', 'motor_positions'):
        np.testing.assert_array_equal(getattr(shown[1].motion, name), getattr(motion, name))


def test_bags_with_efforts_and_with_trajectories(run, shown, trajectory_bag):
    run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--bag', 'efforts')
    for bag in ('efforts', 'my_bag'):
        assert run('view', 'my_robot.urdf', bag, '--rate', '250')[0] == 0
    first, second = (viewer.motion for viewer in shown)
    # stamps in a bag are whole nanoseconds
    np.testing.assert_allclose(first.times, second.times, atol=1e-9)
    np.testing.assert_allclose(first.efforts, second.efforts, atol=1e-12)


def test_measured_efforts_and_wrenches(run, shown, folder, recordings):
    types, wrench = recordings.TYPES, 'geometry_msgs/msg/WrenchStamped'

    def loaded(stamp, force):
        vector = types['geometry_msgs/msg/Vector3']
        header = types['std_msgs/msg/Header'](stamp=recordings.time(stamp), frame_id='tool')
        body = types['geometry_msgs/msg/Wrench'](
            force=vector(x=force, y=0.0, z=0.0), torque=vector(x=0.0, y=0.0, z=1.0)
        )
        return types[wrench](header=header, wrench=body)

    rows = []
    for i in range(5):
        stamp = recordings.START + i * 10**8
        message = recordings.joint_state(('joint_2', 'joint_1'), [0.1 * i, 0.0], stamp)
        message.effort = np.array([float(i), 2.0])
        rows.append(('/joint_states', i * 10**8, message))
        if i in (1, 3):
            rows.append(('/wrench', i * 10**8 + 1, loaded(stamp, 5.0 * i)))
    recordings.write_bag(folder / 'loaded_bag', rows)
    assert run('view', 'my_robot.urdf', 'loaded_bag')[0] == 0
    motion = shown[0].motion
    np.testing.assert_allclose(motion.times, [0.0, 0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(motion.positions[:, 1], [0.0, 0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(motion.efforts[:, 0, 1], range(5))
    np.testing.assert_array_equal(motion.wrenches['tool'][:, 3], [0.0, 5.0, 5.0, 15.0, 15.0])
    np.testing.assert_array_equal(motion.wrenches['tool'][:, 2], [0.0, 1.0, 1.0, 1.0, 1.0])


def test_soft_segments_and_no_motion(run, shown):
    segments = sd.share_path('config/soft_finger.yaml')
    assert run('view', 'my_robot.urdf', '--soft-segments', segments)[0] == 0
    assert len(shown[0].stage.shown.threads) == 4


def test_more_is_drawn_on_request(run, shown):
    assert run('view', 'my_robot.urdf', '--show', 'axes', 'centre of mass')[0] == 0
    ((stage, names),) = [(viewer.stage, viewer.stage.names(300, 200, 1.0)) for viewer in shown]
    visible = {name for name, nodes in stage.layers.items() if nodes and nodes[0].visible}
    assert visible == {'links', 'efforts', 'axes', 'centre of mass'} and not names
    code, _, err = run('view', 'my_robot.urdf', '--show', 'axis')
    assert code == 2 and err.endswith('did you mean axes?\n')


def test_names_are_beside_their_joints(run, shown):
    assert run('view', 'my_robot.urdf', '--show', 'names')[0] == 0
    stage = shown[0].stage
    assert sorted(name for name, *_ in stage.names(300, 200, 1.0)) == ['joint_1', 'joint_2']
    for size in ((300, 200), (200, 300)):
        marks = [stage.shown.places[mark.place] @ mark.pose for mark in shown[0].scene.marks]
        origins = np.array(marks)[:, :, 3] @ sd.lie.inverse_pose(stage.camera(*size)).T
        focus = 0.5 * size[1] / np.tan(np.radians(22.5))
        places = np.array([place for _, *place in sorted(stage.names(*size, 1.0))])
        middle = 0.5 * np.array(size) + focus * origins[:, :2] / origins[:, 2:3]
        near = focus * 2.0 * shown[0].scene.ring / origins[:, 2]
        assert (np.linalg.norm(places - middle, axis=1) < 1.2 * near).all()


def test_meshes_that_are_missing_are_one_warning(run, shown, folder, monkeypatch):
    text = (folder / 'my_robot.urdf').read_text()
    for link, name in (('link_1', 'a'), ('link_2', 'b')):
        visual = (
            f'<visual><geometry><mesh filename="package://none/{name}.stl"/></geometry></visual>'
        )
        text = text.replace(f'<link name="{link}">', f'<link name="{link}">{visual}')
        assert visual in text
    (folder / 'seen.urdf').write_text(text)
    for name in ('AMENT_PREFIX_PATH', 'ROS_PACKAGE_PATH'):
        monkeypatch.delenv(name, raising=False)
    code, _, err = run('view', 'seen.urdf')
    line = (
        "warning: 2 mesh files of package 'none' not found (looked in and above "
        f'{folder.resolve()}, in AMENT_PREFIX_PATH, which is not set, in ROS_PACKAGE_PATH, which '
        'is not set): --package-path DIR names the folder with the package\n'
    )
    assert (code, err) == (0, line)
    code, _, err = run('view', 'seen.urdf', '--package-path', 'there', '--verbose')
    links = ''.join(
        f"warning: link 'link_{k}' is drawn as a rod: package://none/{name}.stl: there is no such "
        'file\n'
        for k, name in ((1, 'a'), (2, 'b'))
    )
    assert (code, err) == (0, line.replace('(looked', '(looked in there,') + links)


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        (['--time', '1'], '--time: expected a motion, too'),
        (['my_robot.urdf'], 'my_robot.urdf: expected'),
        (['--html', 'my_robot.urdf'], 'my_robot.urdf: it is an input'),
        (['my_trajectory.yaml', '--screenshot', 'none/a.png'], 'none does not exist'),
    ],
)
def test_wrong_arguments_are_named(run, shown, options, text):
    code, out, err = run('view', 'my_robot.urdf', *options)
    assert (code, out) == (1, '')
    assert text in err
    assert not shown


def test_without_a_browser_a_picture_is_refused(run, shown, monkeypatch):
    monkeypatch.setenv('PATH', '')
    code, out, err = run('view', 'my_robot.urdf', '--screenshot', 'a.png')
    assert (code, out) == (1, '')
    assert 'screenshot: expected Chromium or Chrome, which draws it, on PATH' in err
