# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A robot with soft segments in the nodes: messages and services against the library."""

import numpy as np
import pytest
from helpers.node_processes import keep_all, trajectory
from helpers.services import asker
from helpers.stream_client import efforts_of, jet_of

import screw_dynamics as sd
from screw_dynamics.soft.paper.recursion import chain_efforts
from screw_dynamics_interfaces.msg import FeedforwardTorque

FINGER = sd.share_path('config/soft_finger.yaml')
TOPIC = '/feedforward/joint_trajectory'


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Return the parameters of a node: six joints of an arm, and a finger on the last."""
    segments = tmp_path_factory.mktemp('hybrid') / 'finger.yaml'
    segments.write_text(FINGER.read_text().replace('tip_link: tool', 'tip_link: link_6'))
    arm = sd.share_path('urdf/iiwa14.urdf')
    return {'urdf_path': arm, 'tip_link': 'link_6', 'soft_segments': segments}


@pytest.fixture(scope='module')
def hybrid(files):
    arm = sd.read_urdf(files['urdf_path'], tip_link='link_6')
    return sd.soft.append_segments(arm, files['soft_segments'])


@pytest.fixture(scope='module')
def process(ros, files):
    kept = keep_all('/feedforward', 'feedforward')
    process = ros.start('feedforward', **files, publish_rate=250.0, **kept)
    ros.wait_until_active(process)
    return process


@pytest.fixture(scope='module')
def heard(ros, process, hybrid):
    """Return the efforts along a motion of all coordinates."""
    messages = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    ros.wait_until_heard()
    ros.publish(
        trajectory(
            list(hybrid.joint_names),
            [0.1, 0.0, 0.2, -0.4, 0.3, -0.1, 0.2, -0.4],
            [0.6, -0.8, 0.5, 0.3, -0.2, 0.4, 0.5, 0.3],
            [-0.2, 0.4, -0.3, 0.4, 0.2, 0.1, -0.3, 0.4],
            times=[0.0, 2.5, 5.0],
        ),
        TOPIC,
    )  # fmt: skip

    def ended():
        return messages and messages[-1].source == FeedforwardTorque.SOURCE_HOLD

    ros.wait_for('the end of the motion', ended, process)
    return list(messages)


@pytest.mark.long
def test_efforts_of_all_coordinates_with_two_derivatives(hybrid, heard):
    moving = [sample for sample in heard if sample.source == sample.SOURCE_TRAJECTORY]
    assert len(moving) > 20
    for sample in moving:
        assert tuple(sample.joint_names) == hybrid.joint_names
        expected = sd.inverse_dynamics(hybrid, jet_of(sample))
        bound = 1e-11 * np.abs(expected).max()
        np.testing.assert_allclose(efforts_of(sample), expected, rtol=0, atol=bound)
    # the readable recursion of the paper, by series arithmetic; the node runs the kernel
    for sample in moving[:: len(moving) // 20]:
        expected = chain_efforts(hybrid, jet_of(sample))
        bound = 1e-11 * np.abs(expected).max()
        np.testing.assert_allclose(efforts_of(sample), expected, rtol=0, atol=bound)


@pytest.mark.long
def test_a_trajectory_of_the_joints_alone_is_refused_by_name(ros, process):
    ros.publish(trajectory(['joint_1', 'joint_2'], [0.0, 0.0], [0.1, 0.1]), TOPIC)
    ros.wait_for('the name', lambda: 'finger/curve_x' in _refusals(process), process)


def _refusals(process):
    lines = process.log.splitlines()
    return '\n'.join(line for line in lines if 'refused' in line or 'ejected' in line)


@pytest.fixture(scope='module')
def ask(hybrid):
    return asker(sd.Robot(hybrid))


def test_services_of_dynamics(ask, hybrid, rng):
    jet = rng.normal(size=(5, hybrid.n))
    position, velocity, acceleration = jet[:3].tolist()
    state = {'position': position, 'velocity': velocity}
    names = ['jerk', 'snap']
    higher = dict(zip(names, jet[3:].tolist(), strict=True))
    answer = ask(
        'get_inverse_dynamics', **state, acceleration=acceleration, derivative_order=2, **higher
    )
    efforts = chain_efforts(hybrid, jet)
    bound = 1e-11 * np.abs(efforts).max()
    assert answer.success, answer.message
    assert tuple(answer.joint_names) == hybrid.joint_names
    np.testing.assert_allclose(answer.effort_jet, efforts.ravel(), rtol=0, atol=bound)
    back = ask('get_forward_dynamics', **state, effort=efforts[0].tolist())
    assert back.success, back.message
    np.testing.assert_allclose(back.acceleration, acceleration, rtol=1e-7, atol=1e-7)
    terms = ask('get_dynamic_terms', **state)
    assert terms.success, terms.message
    mass = np.reshape(terms.mass_matrix, (8, 8))
    still = ask('get_inverse_dynamics', position=position)
    moved = [
        ask('get_inverse_dynamics', position=position, acceleration=row.tolist()).effort
        for row in np.eye(8)
    ]
    np.testing.assert_allclose(mass.T, np.array(moved) - still.effort, rtol=0, atol=bound)


@pytest.mark.parametrize('representation', ['body', 'hybrid'])
def test_motion_of_the_tip(ask, hybrid, rng, representation):
    q, rates = 0.3 * rng.normal(size=(2, hybrid.n))
    answer = ask(
        'get_frame_motion',
        position=q.tolist(),
        velocity=rates.tolist(),
        frame='finger',
        representation=representation,
    )
    assert answer.success, answer.message
    place = answer.pose.position
    pose = sd.frame_pose(hybrid, q, 'finger')
    np.testing.assert_allclose([place.x, place.y, place.z], pose[:3, 3], atol=1e-14)
    step = 1e-6
    ahead, back = (sd.frame_pose(hybrid, q + s * rates, 'finger') for s in (step, -step))
    velocity = (ahead[:3, 3] - back[:3, 3]) / (2.0 * step)
    spin = (ahead[:3, :3] - back[:3, :3]) / (2.0 * step) @ pose[:3, :3].T
    angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    turn = pose[:3, :3].T if representation == 'body' else np.eye(3)
    expected = np.concatenate([turn @ angular, turn @ velocity])
    # central differences: rounding over the step
    np.testing.assert_allclose(answer.twist_jet, expected, rtol=0, atol=1e-8)
    jacobian = np.reshape(answer.jacobian_jet, (6, hybrid.n))
    np.testing.assert_allclose(jacobian @ rates, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ('service', 'fields'),
    [
        ('get_frame_motion', {'frame': 'finger', 'derivative_order': 1}),
        ('get_dynamic_terms', {'coriolis_matrix': True}),
        ('get_forward_dynamics', {'derivative_order': 1}),
    ],
)
def test_services_without_an_answer_for_soft_segments(ask, service, fields):
    answer = ask(service, position=[0.0] * 8, **fields)
    assert not answer.success
    assert 'expected a rigid robot, got one with soft_segments' in answer.message


def test_the_motion_of_soft_segments_is_not_retimed(ask, hybrid):
    names = list(hybrid.joint_names)
    answer = ask('retime_trajectory', trajectory=trajectory(names, [0.0] * 8, [0.1] * 8))
    assert not answer.success
    assert (
        'retime_trajectory: expected a rigid robot, got one with soft_segments' in answer.message
    )


@pytest.mark.long
def test_a_wrong_entry_ends_the_node_with_its_name(ros, planar, tmp_path):
    file = tmp_path / 'wrong.yaml'
    file.write_text(FINGER.read_text().replace('length: 0.12', 'length: -0.12'))
    process = ros.start('feedforward', urdf_path=planar, soft_segments=file)
    ros.wait_for('the end', lambda: not process.running)
    text = 'wrong.yaml: segments[0].length: expected a finite number above 0, got -0.12'
    assert f"parameter 'soft_segments': {file.parent}/{text}" in process.log
