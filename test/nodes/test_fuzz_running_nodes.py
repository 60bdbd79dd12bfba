# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Running nodes under random messages, bytes, requests, parameters, robots and transitions."""

from contextlib import suppress

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from helpers.node_processes import LATCHED, trajectory
from helpers.services import SERVICES
from lifecycle_msgs.msg import Transition
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics_interfaces.msg import FeedforwardTorque, JointReference

NAMES = ['joint_1', 'joint_2']
OWN = '/feedforward'
TOPICS = {
    f'{OWN}/joint_trajectory': JointTrajectory,
    '/joint_states': JointState,
    f'{OWN}/joint_reference': JointReference,
    f'{OWN}/joint_state_reference': JointState,
    f'{OWN}/external_wrench': WrenchStamped,
    f'{OWN}/speed_scaling': Float64,
    '/robot_description': String,
}
PARAMETERS = {
    'publish_rate': (100.0, -1.0, 'x'),
    'payload.mass': (0.0, 1.0, float('nan')),
    'payload.frame': ('', 'link_2', 'nose'),
    'gravity': ([0.0, 0.0, -9.81], [1e300], []),
    'start_state': ('first_point', 'reference', 'nose'),
    'hold_time': (-1.0, 0.1, 'x'),
}
TURNS = 250


def drawn(rng, kind, *, depth=2):
    """Return a message of a kind with anything in its fields."""
    message = kind()
    for field, name in message.get_fields_and_field_types().items():
        if name == 'sequence<string>':
            value = [NAMES, NAMES[::-1], ['joint_1'], [*NAMES, 'nose'], []][rng.integers(5)]
        elif name.startswith('sequence<double'):
            value = rng.choice([0.1, -2.0, 1e308, np.nan, np.inf], rng.choice([2, 2, 0, 3]))
            value = value.tolist()
        elif name in ('double', 'float'):
            value = float(rng.choice([0.0, 1.0, -1.0, 1e308, np.nan]))
        elif name == 'string':
            value = str(rng.choice(['', 'link_2', 'hybrid', '<robot name="r"/>', '<robot']))
        elif name == 'boolean':
            value = bool(rng.integers(2))
        elif name == 'sequence<trajectory_msgs/JointTrajectoryPoint>':
            value = trajectory(NAMES, *rng.normal(size=(rng.integers(4), 2))).points
        elif name == 'trajectory_msgs/JointTrajectory':
            value = drawn(rng, JointTrajectory)
        elif '/' in name and not name.startswith('sequence') and depth:
            value = drawn(rng, type(getattr(message, field)), depth=depth - 1)
        else:
            continue
        setattr(message, field, value)
    return message


def mutated(rng, message):
    """Return the bytes of a message with some of them replaced or cut off."""
    data = bytearray(serialize_message(message))
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data) + 1))
        data[place : place + 4] = [b'\xff' * 4, bytes(4), b'\1', b''][rng.integers(4)]
    return bytes(data)


def test_both_nodes_work_afterwards(ros, planar):
    rng = np.random.default_rng(5)
    nodes = [ros.start(name, urdf_path=planar) for name in ('feedforward', 'dynamics_server')]
    feedforward, server = nodes
    ros.wait_until_active(feedforward)
    publishers = {
        topic: ros.node.create_publisher(kind, topic, LATCHED if kind in (Float64, String) else 10)
        for topic, kind in TOPICS.items()
    }
    for turn in range(TURNS):
        for topic, kind in TOPICS.items():
            message = drawn(rng, kind)
            with suppress(RuntimeError):  # the sender's own DDS rejects some bytes
                publishers[topic].publish(mutated(rng, message) if turn % 3 == 0 else message)
        name = str(rng.choice(list(PARAMETERS)))
        value = PARAMETERS[name][rng.integers(3)]
        taken, why = ros.set_parameter(OWN, name, value)
        assert taken or why
        service = str(rng.choice([one for one in SERVICES if one != 'retime_trajectory']))
        request = drawn(rng, SERVICES[service].Request)
        response = ros.call(SERVICES[service], f'/dynamics_server/{service}', request)
        assert response.success == (response.error_code == response.OK)
        assert response.success or response.message
        if turn % 50 == 0:
            ros.change_state(OWN, int(rng.choice([Transition.TRANSITION_DEACTIVATE, 255])))
            ros.change_state(OWN, Transition.TRANSITION_ACTIVATE)
    for name, values in PARAMETERS.items():
        taken, why = ros.set_parameter(OWN, name, values[0])
        assert taken, (name, why)
    for publisher in publishers.values():
        ros.node.destroy_publisher(publisher)
    for transition in (Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_ACTIVATE):
        ros.change_state(OWN, transition)  # from whatever was followed last
    ros.publish(Float64(data=1.0), f'{OWN}/speed_scaling', LATCHED)
    samples = ros.listen(FeedforwardTorque, f'{OWN}/feedforward')
    verdicts = ros.listen(DiagnosticStatus, f'{OWN}/trajectory_status')
    ros.wait_until_heard()
    message = trajectory(NAMES, [0.0, 0.0], [0.1, 0.1], times=[0.0, 60.0])
    message.header.frame_id = 'the last one'
    ros.publish(message, f'{OWN}/joint_trajectory')

    def followed():
        return (
            samples
            and samples[-1].source == FeedforwardTorque.SOURCE_TRAJECTORY
            and abs(samples[-1].reference.positions[0]) < 0.01
        )

    ros.wait_for('samples', followed, feedforward)
    assert any(verdict.message == 'accepted' for verdict in verdicts)
    assert np.isfinite(samples[-1].effort_ddot).all()
    kind = SERVICES['get_mass_matrix']
    request = kind.Request(position=[0.0, 0.0])
    assert ros.call(kind, '/dynamics_server/get_mass_matrix', request).success
    for process in nodes:
        assert process.interrupt() == 0, process.log[-3000:]
        assert 'Traceback' not in process.log
