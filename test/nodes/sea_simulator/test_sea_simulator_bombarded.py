# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A running sea_simulator under random messages, bytes, parameters: alive, always finite."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.node_processes import parameter
from helpers.planar_sea import NAMES, write_joints
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from screw_dynamics_interfaces.msg import MotorFeedforward

COUNTS = [600, pytest.param(5000, marks=pytest.mark.long)]
PARAMETERS = {
    'feedback.proportional': ([], [5.0], [1e9], [0.0, 1.0], [1.0] * 3, [-1.0], 'nose'),
    'feedback.derivative': ([], [1.0], [1e9, 0.0], [np.nan, 1.0]),
    'effort_timeout': (0.0, 0.01, -1.0, True),
    'idle_mode': ('brake', 'zero', 'fly'),
    'gravity': ([0.0, 0.0, -9.81], [1e6, 0.0, 0.0], [0.0]),
    'payload.mass': (0.0, 3.0, 1e6),
    'payload.frame': ('link_2', 'nose'),
    'real_time_factor': (0.0, 1.0, -1.0),
}


def values(rng):
    """Return a list of numbers, of the right length mostly, some of them beyond all use."""
    size = int(rng.choice([2, 2, 2, 2, 0, 1, 3]))
    scale = 10.0 ** rng.choice([0, 0, 1, 3, 150, 307])
    row = scale * rng.normal(size=size)
    if rng.random() < 0.1:
        row[rng.integers(size, size=min(size, 1))] = rng.choice([np.nan, np.inf])
    return row.tolist()


def command(rng, kind):
    if kind is Float64MultiArray:
        return Float64MultiArray(data=values(rng))
    names = [NAMES, NAMES[::-1], ['joint_1'], [*NAMES, 'nose'], []][rng.choice(5)]
    message = MotorFeedforward(motor_names=names)
    for field in ('motor_effort', 'motor_position', 'motor_velocity'):
        setattr(message, field, values(rng))
    message.header.stamp.sec = int(rng.choice([0, 1, 2**31 - 1, -(2**31)]))
    return message


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('publish_clock', [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize(
    'kind, topic', [(Float64MultiArray, 'commands'), (MotorFeedforward, 'motor_feedforward')]
)
def test_anything_at_all(ros, planar, tmp_path, rng, kind, topic, publish_clock, count):
    name = f'{topic}_{publish_clock}'.lower()
    process = ros.start(
        'sea_simulator',
        name=name,
        urdf_path=planar,
        elastic_joints_path=write_joints(tmp_path),
        input=topic,
        publish_clock=publish_clock,
        lock_step_timeout=0.02,
    )
    states = [ros.listen(JointState, topic) for topic in ('/joint_states', '/motor_states')]
    ros.wait_for('states', lambda: all(states), process)
    for i in range(count):
        ros.publish(command(rng, kind), f'/{name}/{topic}')
        if i % 20 == 0:
            item = str(rng.choice(list(PARAMETERS)))
            choices = PARAMETERS[item]
            changes = [parameter(item, choices[rng.integers(len(choices))])]
            request = SetParameters.Request(parameters=changes)
            response = ros.call(SetParameters, f'/{name}/set_parameters', request)
            assert all(result.successful or result.reason for result in response.results)
        if i % 100 == 0:
            ros.publish(bytes(rng.integers(0, 256, 40, dtype=np.uint8)), f'/{name}/{topic}')
            ros.call(Trigger, f'/{name}/reset', Trigger.Request())
        ros.spin(0.001)
    for messages in states:
        numbers = [[*m.position, *m.velocity, *m.effort] for m in messages]
        assert np.isfinite(numbers).all()
        messages.clear()
    assert ros.call(Trigger, f'/{name}/reset', Trigger.Request()).success
    ros.wait_for('states', lambda: all(states), process)
    assert process.interrupt() == 0, process.log[-3000:]
    assert 'Traceback' not in process.log, process.log[-3000:]
