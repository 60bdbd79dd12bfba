# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: poses of a frame to joint motions and efforts."""

import re
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.recordings.results.results_csv import read_csv
from screw_dynamics.trajectory.cartesian import PoseCurve, read_poses

POSES = """frame: link_2
start: {joint_1: 0.3, joint_2: 0.9}
poses:
  - {time_from_start: 0.5, position: [0.1, 0.2, 0.0]}
  - {time_from_start: 1.2, position: [0.2, 0.3, 0.0]}
"""


@pytest.fixture
def robot(folder):
    return sd.read_urdf(folder / 'my_robot.urdf')


@pytest.fixture
def reachable(folder, robot):
    """Write files of positions that the tip of the robot can reach."""
    frame = list(robot.frames)[-1]
    q = np.array([[0.5, 0.7], [0.2, 1.2]])
    positions = sd.frame_pose(robot, q, frame)[:, :3, 3].tolist()
    times = (0.5, 1.2)
    (folder / 'poses.yaml').write_text(
        f'frame: {frame}\nstart: {{joint_1: 0.3, joint_2: 0.9}}\nposes:\n'
        + ''.join(
            f'  - {{time_from_start: {time}, position: {position}}}\n'
            for time, position in zip(times, positions, strict=True)
        )
    )
    (folder / 'poses.csv').write_text(
        'time,x,y,z\n'
        + ''.join(
            f'{time},{",".join(map(repr, position))}\n'
            for time, position in zip(times, positions, strict=True)
        )
    )
    return frame


@pytest.mark.parametrize('kind', ['yaml', 'csv'])
def test_the_csv_holds_a_motion_that_leads_the_frame_through_the_poses(
    run, robot, reachable, kind
):
    more = ['--frame', reachable, '--begin', 'joint_1=0.3', 'joint_2=0.9'] if kind == 'csv' else []
    code, out, err = run(
        'evaluate', 'my_robot.urdf', f'poses.{kind}', '--csv', 'motion.csv', *more
    )
    assert code == 0, err
    assert re.match(
        rf'{reachable} through 2 poses: at most \S+ m off the path, \d+ knots\n301 samples', out
    )
    results = read_csv(Path('motion.csv'))
    q = results.joint_jet[:, 0]
    assert np.allclose(q[0], [0.3, 0.9], rtol=0.0, atol=1e-12)
    poses = sd.frame_pose(robot, q, reachable)
    waypoints = read_poses(f'poses.{kind}', reachable).waypoints
    expected, _ = PoseCurve(waypoints, poses[0]).sample(results.times)
    assert np.abs(poses[:, :3, 3] - expected[:, :3, 3]).max() <= 1e-9
    efforts = sd.inverse_dynamics(robot, results.joint_jet)
    assert np.allclose(results.effort_jet, efforts, rtol=1e-9, atol=1e-9)


def test_limits_along_poses_are_checked(run, reachable):
    code, out, _ = run('evaluate', '--limits', 'my_robot.urdf', 'poses.yaml')
    assert code in (0, 3)
    assert f'{reachable} through 2 poses' in out


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        (['poses.yaml', '--begin', 'nose=1'], "--begin: unknown joint 'nose'"),
        (['poses.yaml', '--frame', 'nose'], "unknown frame 'nose': expected one of"),
        (['poses.yaml', '--interpolation', 'jtc'], '--interpolation: expected smooth for poses'),
        (
            ['my_trajectory.yaml', '--frame', 'link_2'],
            '--frame: expected a file of poses, got my_trajectory.yaml',
        ),
        (
            ['my_trajectory.csv', '--begin', 'joint_1=0'],
            '--begin: expected a file of poses, got my_trajectory.csv',
        ),
        (['poses.csv'], 'if these are poses, choose the link that follows them by --frame'),
        (['far.yaml'], 'far.yaml: frame link_2 cannot follow the path from the start to pose #0'),
    ],
)
def test_what_is_wrong_is_named(run, folder, reachable, arguments, reason):
    (folder / 'far.yaml').write_text(POSES.replace('0.1, 0.2, 0.0', '9.1, 0.2, 0.0'))
    code, _, err = run('evaluate', 'my_robot.urdf', *arguments)
    assert code == 1
    assert reason in err
