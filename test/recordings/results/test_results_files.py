# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results in CSV and in bags: what comes back, and files that hold none."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

import screw_dynamics as sd
from screw_dynamics.errors import BagError, InputError
from screw_dynamics.recordings.bags import Bag, BagMessage, BagTopic
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.motions import BagEfforts
from screw_dynamics.recordings.results.evaluation import evaluate_samples
from screw_dynamics.recordings.results.results import MotorResults, Origin, Results
from screw_dynamics.recordings.results.results_bag import ResultsWriter, write_bag
from screw_dynamics.recordings.results.results_csv import has_results, read_csv, write_csv
from screw_dynamics.recordings.results.results_from_bag import read_bag

HEADER = 'a.position,a.velocity,a.acceleration,a.effort'


def one_sample(joint='a', motors=()):
    m = len(motors)
    return Results(
        (joint,), np.zeros(1), np.zeros((1, 3, 1)), np.ones((1, 1, 1)),
        motors=MotorResults(motors, np.ones(m), np.zeros((1, 5, m))) if m else None,
    )  # fmt: skip


def fields(results):
    """Return all numbers and names of results by field; ratios of gears are not in tables."""
    found = {**vars(results), **vars(results.motors)}
    return {
        name: value
        for name, value in found.items()
        if name not in ('motors', 'gear_ratios', 'transmitted', 'effort_rates')
    }


@pytest.mark.parametrize('kind', [Results, MotorResults, BagEfforts, BagMessage, BagTopic])
def test_results_are_frozen(kind):
    """Two of those with arrays are equal if they are one object."""
    about = kind.__dataclass_params__
    assert about.frozen and about.eq == kind.__module__.endswith('bags.records')


@pytest.mark.parametrize('slides', [None, (False, True)])
def test_every_number_comes_back(tmp_path, rng, slides):
    jets, efforts = rng.normal(size=(2, 7, 5, 2)), rng.normal(size=(2, 7, 3, 2))
    motors = MotorResults(('a', 'b'), np.full(2, 100.0), *rng.normal(size=(2, 7, 5, 2)))
    times = np.arange(7) * 0.25
    results = Results(('a', 'b'), times, jets[0], efforts[0], jets[1], efforts[1], motors, slides)
    write_csv(results, tmp_path / 'a.csv')
    header = (tmp_path / 'a.csv').read_text().partition('\n')[0]
    unit = '' if slides is None else ' [N/s^2]'
    assert f'b.effort_ddot{unit},' in header and has_results(tmp_path / 'a.csv')
    assert not has_results((tmp_path / 'a.csv').rename(tmp_path / 'a.txt'))
    (tmp_path / 'a.txt').rename(tmp_path / 'a.csv')
    with BagWriter(tmp_path / 'bag') as writer:
        origin = Origin((times * 1e9).astype(int), (times * 1e9).astype(int), 4, 1)
        ResultsWriter(writer).write(results, origin)
    shown = replace(read_bag(tmp_path / 'bag', None), slides=slides)  # as the robot tells
    for found in (read_csv(tmp_path / 'a.csv'), shown):
        for name, value in fields(results).items():
            np.testing.assert_array_equal(fields(found)[name], value, err_msg=name)
    assert shown.motors.gear_ratios.tolist() == [100.0, 100.0]


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('', 'expected rows of numbers below a header, got none'),
        (
            't,a.effort\n0,1\n',
            "a header that begins with 'time', as in 'time,joint_1.position,...', "
            "got 't,a.effort'",
        ),
        ('time;a.effort\n0;1,5\n', "got 'time;a.effort': separate columns by commas, and write"),
        ('time,a.effort\n', 'expected rows of numbers below a header, got none'),
        ('time,a\n0,1\n', "expected columns such as 'joint_1.effort', got a"),
        ('time,a.effort\n0,1,2\n', 'row 2: expected 2 cells, got 3'),
        ('time,a.effort\n0,x\n', 'expected numbers below the header'),
        (f'time,{HEADER},b.effort\n0,1,2,3,4,5\n', "column 'b.position' is missing"),
        ('time,a.effort\n0,1\n', "column 'a.position' is missing"),
        ('time,a.position,a.velocity,a.effort\n0,1,2,3\n', "column 'a.acceleration' is missing"),
        (f'time,{HEADER},a.snap\n0,1,2,3,4,5\n', "column 'a.jerk' is missing"),
        (f'time,{HEADER},a.position.sd\n0,1,2,3,4,5\n', "column 'a.velocity.sd' is missing"),
        (f'time,{HEADER},a.effort\n0,1,2,3,4,5\n', "every column once, got 'a.effort' twice"),
        (f'time,{HEADER},a.motor_position\n0,1,2,3,4,5\n', "'a.motor_velocity' is missing"),
    ],
)
def test_files_that_hold_no_results(tmp_path, text, message):
    (tmp_path / 'odd.csv').write_text(text)
    with pytest.raises(InputError) as caught:
        read_csv(tmp_path / 'odd.csv')
    assert str(caught.value).startswith(f'{tmp_path / "odd.csv"}: ') and message in str(
        caught.value
    )


@pytest.mark.parametrize(
    ('joint', 'motors', 'text'),
    [
        ('b', ('b',), "feedforward': expected the same joint_names in all"),
        ('a', ('a/1', 'a/2'), "motor_feedforward': expected the same motor_names"),
    ],
)
def test_a_robot_that_changed_while_it_was_recorded_is_told(tmp_path, joint, motors, text):
    with BagWriter(tmp_path / 'changed') as writer:
        output = ResultsWriter(writer)
        for i, results in enumerate([one_sample('a', ('a',)), one_sample(joint, motors)]):
            output.write(results, Origin(np.array([i]), np.array([i]), 4, 1))
    with pytest.raises(BagError, match=f'changed: topic .*{text}'):
        read_bag(tmp_path / 'changed', None)


def test_motors_of_other_instants_are_none(tmp_path):
    with BagWriter(tmp_path / 'apart') as writer:
        for name, instant in (('a', 0), ('b', 5)):
            output = ResultsWriter(writer, f'/{name}/torque', f'/{name}/motors')
            results = one_sample(name, () if name == 'a' else (name,))
            output.write(results, Origin(np.array([instant]), np.array([0]), 4, 1))
    assert read_bag(tmp_path / 'apart', '/a/torque').motors is None
    assert read_bag(tmp_path / 'apart', '/b/torque').motors.names == ('b',)


def test_messages_without_a_motion(tmp_path):
    results = replace(one_sample(), joint_jet=np.zeros((1, 1, 1)))
    with BagWriter(tmp_path / 'still') as writer:
        ResultsWriter(writer).write(results, Origin(np.array([0]), np.array([0]), 4, 1))
    with pytest.raises(BagError, match='reference.velocities: expected 1 values, one per name'):
        read_bag(tmp_path / 'still', None)


ARM = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
JETS = sd.trajectory.through(ARM, [0.0, 1.0], [[0.0, 0.0], [0.8, -0.5]]).jets(np.arange(6) / 5)


def evaluated(robot, order=2):
    return evaluate_samples(robot, np.arange(6) / 5, JETS, order, sd.EffortFormat())


def test_bags_show_the_robot_to_viewers(tmp_path):
    """Joint states and transforms of all links beside the robot description."""
    results = evaluated(sd.Robot(ARM))
    write_bag(results, tmp_path / 'bag', 4, 'text of the robot', ARM)
    layout = sd.share_path('config/foxglove_layout.json').read_text()
    with Bag(tmp_path / 'bag') as bag:
        (described,) = bag.messages(['/robot_description'])
        states = bag.arrays('/joint_states')
        for topic, field in re.findall(r'"(/[\w/]+)\.(\w+)\[\d\]"', layout):
            assert bag.arrays(topic)[field].shape == (6, ARM.n)
        moves = [found.message.transforms for found in bag.messages(['/tf'])]
    assert described.message.data == 'text of the robot'
    np.testing.assert_array_equal(states['header.stamp'], np.arange(6) * 200_000_000)
    for name, values in (
        ('position', results.joint_jet[:, 0]),
        ('velocity', results.joint_jet[:, 1]),
        ('effort', results.effort_jet[:, 0]),
    ):
        np.testing.assert_array_equal(states[name], values)
    for q, transforms in zip(results.joint_jet[:, 0], moves, strict=True):
        assert {move.child_frame_id for move in transforms} == {*ARM.frames} - {ARM.base_link}
        for move in transforms:
            assert move.header.frame_id == ARM.base_link
            place, turn = move.transform.translation, move.transform.rotation
            pose = sd.frame_pose(ARM, q, move.child_frame_id)
            np.testing.assert_allclose([place.x, place.y, place.z], pose[:3, 3], atol=1e-14)
            rotation = sd.lie.quaternion_rotation(np.array([turn.x, turn.y, turn.z, turn.w]))
            np.testing.assert_allclose(rotation, pose[:3, :3], atol=1e-14)


@pytest.mark.parametrize('order', [1, 2])
def test_bags_of_rigid_robots_have_the_rates_of_motor_efforts(tmp_path, order):
    """With joint friction the motors' message has the transmitted efforts, the other one not."""
    friction = sd.JointFriction(viscous=0.4, coulomb=0.5, coulomb_velocity=0.1)
    drive = sd.JointDrive(motor=sd.Motor(1e-5, 100.0, load_friction=0.1), friction=friction)
    robot = sd.Robot(ARM, sd.Drives({'joint_1': drive}))
    write_bag(evaluated(robot, order), tmp_path / 'bag', 4, '', ARM)
    efforts = sd.inverse_dynamics(ARM, JETS)
    motors = sd.actuator_efforts(robot, JETS)
    transmitted = sd.drives.transmitted_efforts(robot, JETS, efforts)
    with Bag(tmp_path / 'bag') as bag:
        torque = bag.arrays('/feedforward/feedforward')
        motor = bag.arrays('/feedforward/motor_feedforward')
    for d, ending in enumerate(('', '_dot', '_ddot')):
        known = motor[f'motor_effort{ending}'], motor[f'effort{ending}'], torque[f'effort{ending}']
        if d > order:
            assert [values.shape[1] for values in known] == [0, 0, 0]
            continue
        for values, expected in zip(known, (motors, transmitted, efforts), strict=True):
            np.testing.assert_allclose(values, expected[:, d], rtol=1e-12, atol=1e-9)
    assert np.abs(transmitted - efforts).max() > 0.1
