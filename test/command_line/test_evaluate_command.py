# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics evaluate`: a trajectory to numbers and files; errors of `retime`, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip('rosbags', reason='bags need the package rosbags')

import screw_dynamics as sd  # noqa: E402
from screw_dynamics import trajectory  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.results.results_csv import read_csv  # noqa: E402
from screw_dynamics.recordings.results.results_from_bag import read_bag  # noqa: E402

POINTS = [(0.0, [0.0, 0.0]), (0.6, [0.4, -0.6]), (1.2, [0.0, 0.5])]


@pytest.fixture
def model(folder):
    return sd.read_urdf(folder / 'my_robot.urdf')


def expected(model, rate=250.0, curve=trajectory.smooth_trajectory, **options):
    waypoints = trajectory.waypoints_from_points(model.joint_names, POINTS, model.joint_names)
    jets = curve(waypoints, **options).jets(np.arange(round(1.2 * rate) + 1) / rate)
    return jets, sd.inverse_dynamics(model, jets)


@pytest.mark.parametrize('source', ['my_trajectory.yaml', 'my_trajectory.csv'])
def test_csv_holds_what_the_library_computes(run, model, source):
    code, out, err = run('evaluate', 'my_robot.urdf', source, '--csv', 'efforts.csv')
    assert code == 0, err
    assert out.startswith('301 samples over 1.2 s')
    jets, efforts = expected(model)
    results = read_csv(Path('efforts.csv'))
    # command and test may round differently, fused or not, which the fit makes 3e-13 of
    for found, jet in ((results.joint_jet, jets), (results.effort_jet, efforts)):
        for d in range(jet.shape[1]):
            atol = 1e-12 * max(1.0, np.abs(jet[:, d]).max())
            np.testing.assert_allclose(found[:, d], jet[:, d], rtol=1e-13, atol=atol)


def test_the_table_shows_the_largest_values(run, model):
    _, out, _ = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--rate', 1000)
    _, efforts = expected(model, 1000.0)
    for j, joint in enumerate(model.joint_names):
        line = next(line for line in out.splitlines() if line.startswith(joint))
        largest = np.abs(efforts[:, :, j]).max(axis=0)
        np.testing.assert_allclose([float(x) for x in line.split()[1:]], largest, rtol=1e-4)


def test_options_reach_the_computation(run, model):
    frame = list(model.frames)[-1]
    code, _, err = run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--csv', 'jtc.csv',
        '--interpolation', 'jtc', '--order', 0, '--rate', 100,
        '--gravity', 0, 0, 0, '--payload', f'{frame}=1.5,0,0,0.1',
    )  # fmt: skip
    assert code == 0, err
    loaded = sd.read_urdf('my_robot.urdf', gravity=(0, 0, 0)).with_payload(frame, 1.5, (0, 0, 0.1))
    jets, efforts = expected(loaded, 100.0, trajectory.jtc_trajectory)
    table = read_csv(Path('jtc.csv'))
    assert table.effort_jet.shape[1] == 1
    np.testing.assert_allclose(table.effort_jet[:, 0], efforts[:, 0], rtol=1e-12, atol=1e-12)


def test_bags_hold_feedforward_messages(run, model):
    code, _, err = run(
        'evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--bag', 'new', '--drives',
        'my_springs.yaml',
    )  # fmt: skip
    assert code == 0, err
    jets, efforts = expected(model)
    robot = sd.Robot(model, sd.Drives.from_yaml('my_springs.yaml'))
    motors = sd.elastic_feedforward(robot, jets)
    with Bag('new') as bag:
        torque = bag.arrays('/feedforward/feedforward')
        (found,) = bag.messages(['/robot_description'])
    assert found.message.data == Path('my_robot.urdf').read_text()
    np.testing.assert_allclose(torque['header.stamp'], np.arange(301) * 4_000_000)
    np.testing.assert_array_equal(torque['reference.time_from_start'], torque['header.stamp'])
    assert set(torque['reference_continuity']) == {4} and set(torque['source']) == {1}
    results = read_bag(Path('new'), None)
    assert results.joint_names == model.joint_names
    np.testing.assert_allclose(results.effort_jet, efforts, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(results.joint_jet, jets, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(
        results.motors.values[:, 3], motors.motor_effort, rtol=1e-12, atol=1e-9
    )


def test_gains_are_parameters_of_controller_and_drives(run, folder, model):
    elastic = sd.JointDrive(sd.LinearSpring(400.0), sd.Motor(0.3))
    drives = sd.Drives({'joint_1': elastic, 'joint_2': sd.JointDrive(motor=sd.Motor(0.2))})
    drives.to_yaml('one_spring.yaml')
    arguments = ['evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--gains', 'gains.yaml']
    code, _, err = run(*arguments)
    assert code == 1 and '--gains: expected --drives beside it' in err
    loop = ['--frequency', '4', '--delay', '0.002']
    code, out, err = run(*arguments, '--drives', 'one_spring.yaml', *loop)
    assert code == 0 and 'written: gains.yaml' in out, err
    written = yaml.safe_load(Path('gains.yaml').read_text())
    feedback = written['feedforward_controller']['ros__parameters']['feedback']
    poses = np.reshape(feedback['poses'], (-1, 2))
    gains = np.reshape(feedback['gains'], (len(poses), 2, 8))
    robot = sd.Robot(model, drives)
    for q, own, integral in zip(
        poses, gains, np.reshape(feedback['integral_gains'], (-1, 2, 2)), strict=True
    ):
        expected = sd.simulation.state_feedback(robot, q, 4.0, delay=2e-3)
        assert not own[:, [5, 7]].any()  # the motor of joint_2 is its link
        np.testing.assert_allclose(own[:, [0, 1, 2, 3, 4, 6]], expected.gains, rtol=1e-5)
        np.testing.assert_allclose(integral, expected.integral_gains, rtol=1e-5, atol=1e-3)
    sent = written['drive_commands']['ros__parameters']
    pd = sd.simulation.motor_gains(robot, poses[len(poses) // 2], 4.0, delay=2e-3).gains
    np.testing.assert_allclose([sent['kp'][0], sent['kd'][0]], pd[0, [4, 5]], rtol=1e-6)
    np.testing.assert_allclose([sent['kp'][1], sent['kd'][1]], pd[1, [1, 3]], rtol=1e-6)


def test_trajectories_come_from_bags(run, trajectory_bag, model):
    one = 'evaluate', 'my_robot.urdf', trajectory_bag, '--message'
    code, out, err = run(*one, 0, '--csv', 'a.csv')
    assert code == 0 and out.startswith('301 samples'), err
    np.testing.assert_allclose(
        read_csv(Path('a.csv')).effort_jet, expected(model)[1], rtol=1e-12, atol=1e-9
    )
    code, out, _ = run(*one, 1)
    assert code == 0 and out.startswith('176 samples over 0.7 s')
    code, _, err = run(*one, 2)
    assert code == 1 and 'expected one of its 2 messages, counted from 0' in err


def test_yaml_models_are_read(run, model):
    assert run('model', 'my_robot.urdf', '--yaml', 'robot.yaml')[0] == 0
    assert sd.ScrewModel.from_yaml(Path('robot.yaml')) == model
    _, first, _ = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml')
    _, second, _ = run('evaluate', 'robot.yaml', 'my_trajectory.yaml')
    assert first == second
    code, _, err = run('evaluate', 'robot.yaml', 'my_trajectory.yaml', '--tip-link', 'x')
    assert code == 1 and 'give the URDF, not the model' in err


def test_a_motion_shorter_than_a_sample_has_a_start_and_an_end(run):
    code, out, _ = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', '--rate', '1e-9')
    assert code == 0 and out.startswith('2 samples over 1.2 s\n')


@pytest.mark.parametrize('command', ['evaluate', 'retime'])
@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['none.urdf', 'my_trajectory.yaml'], 'none.urdf'),
        (['my_robot.urdf', 'none.yaml'], 'none.yaml'),
        (['my_robot.urdf', 'my_robot.urdf'], 'my_robot.urdf'),
        (['my_trajectory.yaml', 'my_trajectory.yaml'], 'my_trajectory.yaml'),
        (
            ['my_robot.urdf', 'my_trajectory.yaml', '--joints', 'joint_1'],
            'choose those of the robot by --joints, --tip-link or --locked',
        ),
        (['my_robot.urdf', 'my_trajectory.yaml', '--payload', 'hand=1'], "unknown frame 'hand'"),
        (['my_robot.urdf', 'my_trajectory.yaml', '--message', '1'], 'choose from a bag'),
        (['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_robot.urdf'], 'my_robot.urdf'),
        (
            ['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'others.yaml'],
            "others.yaml: unknown joint 'elbow': expected one of joint_1, joint_2",
        ),
        (
            ['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'my_trajectory.yaml'],
            'my_trajectory.yaml: document: expected',
        ),
        (['my_robot.urdf', 'deep.yaml'], 'deep.yaml: line 1'),
        (['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'deep.yaml'], 'deep.yaml: line 1'),
        (
            ['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'bomb.yaml'],
            'bomb.yaml: line 8, drives.a6[0]: expected aliases of at most',
        ),
        (
            ['my_robot.urdf', 'my_trajectory.yaml', '--drives', 'ratio.yaml'],
            'drives.joint_1.motor.gear_ratio: expected a decimal number, or text between',
        ),
    ],
)
def test_errors_are_one_line(run, command, arguments, text):
    Path('others.yaml').write_text(Path('my_springs.yaml').read_text().replace('joint_1', 'elbow'))
    Path('ratio.yaml').write_text(Path('my_springs.yaml').read_text().replace('100.0', '50:1'))
    Path('deep.yaml').write_text('[' * 50_000)
    repeated = (f'  a{i}: &a{i} [{f"*a{i - 1}, " * 8}]\n' for i in range(1, 12))
    Path('bomb.yaml').write_text('drives:\n  a0: &a0 [1]\n' + ''.join(repeated))
    code, _, err = run(command, *arguments)
    assert code == 1 and err.count('\n') == 1 and len(err) < 400, err
    assert err.startswith(f'screw_dynamics {command}: ') and text in err, err
    assert 'Traceback' not in err


def write_turn(angle: float) -> None:
    Path('turn.csv').write_text(f'time,joint_1,joint_2\n0,0,0\n9,{angle},0.5\n')


@pytest.mark.parametrize(
    'command, angle',
    [('evaluate', 90), ('evaluate', -170), ('evaluate', 20), ('retime', 90)],
)
def test_positions_that_look_like_degrees_are_asked_about(run, command, angle):
    write_turn(angle)
    code, out, err = run(command, 'my_robot.urdf', 'turn.csv')
    assert code == 1 and not out and err.count('\n') == 1
    assert err.startswith(
        f"screw_dynamics {command}: turn.csv: joint 'joint_1': expected positions in rad near the "
        'limits -3.142 to 3.142 of the robot, got '
    )
    assert err.endswith(': are they in degrees?\n')


# beyond the limits, but by less than their range; too far for degrees; turns without limits
@pytest.mark.parametrize(('angle', 'kind'), [(9, ''), (400, ''), (90, 'continuous')])
def test_positions_beyond_limits_that_may_be_meant(run, angle, kind):
    write_turn(angle)
    if kind:
        urdf = Path('my_robot.urdf').read_text()
        Path('my_robot.urdf').write_text(urdf.replace('type="revolute"', f'type="{kind}"'))
    assert run('evaluate', 'my_robot.urdf', 'turn.csv', '--rate', 50)[0] == 0


def test_a_trajectory_in_place_of_the_robot_is_named(run):
    Path('my_poses.yaml').write_text(
        'frame: tool\nposes:\n  - {time_from_start: 0, position: [0, 0, 0]}\n'
    )
    for name in ('my_trajectory.yaml', 'my_trajectory.csv', 'my_poses.yaml'):
        code, _, err = run('evaluate', name, 'my_robot.urdf')
        assert code == 1 and err == (
            f'screw_dynamics evaluate: {name}: expected a robot, got a trajectory: URDF stands '
            'before TRAJECTORY\n'
        )
    code, _, err = run('model', 'my_trajectory.yaml')
    assert code == 1 and err.endswith('expected a robot, got a trajectory\n')


@pytest.mark.parametrize(
    ('option', 'text'),
    [
        (['--rate', '0'], 'argument --rate: expected a number above 0, got'),
        (['--order', '3'], 'argument --order: invalid choice: 3'),
        (['--locked', 'a'], 'argument --locked: expected NAME=VALUE, with a number as VALUE, got'),
        (
            ['--locked', 'a=90deg'],
            "with a number as VALUE, got 'a=90deg': 90 degrees are 1.5708 rad",
        ),
        (['--locked', 'a=1', 'b=2', 'a=3'], "expected every joint once, got 'a' twice"),
        (['--locked', 'a=1', '--locked', 'a=1'], "expected every joint once, got 'a' twice"),
        (['--joints', 'a', '--joints', 'a'], "expected every joint once, got 'a' twice"),
        (['--gravity', '0', '0', 'nan'], 'argument --gravity: expected a finite number, got'),
        (['--gravity', '0', '0', '-inf'], "expected a finite number, got '-inf'"),
        (['--payload', 'tool=1,2'], 'expected LINK=MASS or LINK=MASS,X,Y,Z, got'),
        (['--nonsense'], 'unrecognized arguments: --nonsense'),
    ],
)
def test_wrong_arguments_end_with_2(run, option, text):
    code, _, err = run('evaluate', 'my_robot.urdf', 'my_trajectory.yaml', *option)
    assert code == 2 and text in err


@pytest.mark.parametrize(
    'option', [['--terms', 'mass_matrix', 'mass_matrix'], ['--names', 'm_1=x', 'm_1=y']]
)
def test_lists_of_other_things_than_joints_name_them(run, option):
    code, _, err = run('symbolic', 'my_robot.urdf', *option)
    assert code == 2 and f'argument {option[0]}: expected every name once, got' in err
