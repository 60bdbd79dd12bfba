# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`~/speed_scaling`: units, ranges, types, and publishers of either durability."""

from __future__ import annotations

import math

import pytest
from control_msgs.msg import SpeedScalingFactor
from helpers.node_processes import LATCHED, altered_command, trajectory
from std_msgs.msg import Float64

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import nanoseconds
from screw_dynamics.nodes.feedforward.inputs.trajectory_inputs import speed_factor
from screw_dynamics.nodes.feedforward.parameters import (
    SPEED_FACTOR_TYPE,
    FeedforwardParameters,
)
from screw_dynamics_interfaces.msg import FeedforwardTorque

TOPIC = '/feedforward/speed_scaling'
NAMES = ['joint_1', 'joint_2']


class TestUnit:
    """The factor for a value."""

    @pytest.mark.parametrize(
        ('value', 'unit', 'factor'),
        [
            (0.0, 'factor', 0.0),
            (2.0, 'factor', 2.0),
            (1.0, 'percent', 0.01),
            (100.0, 'percent', 1.0),
            (200.0, 'percent', 2.0),
        ],
    )
    def test_within(self, value, unit, factor):
        assert speed_factor(value, unit) == factor

    @pytest.mark.parametrize(
        ('value', 'unit', 'text'),
        [
            (100.0, 'factor', "0 to 2 in the unit 'factor' .*'speed_scaling_unit'.*, got 100"),
            (200.1, 'percent', "0 to 200 in the unit 'percent' .*, got 200.1"),
            (-0.1, 'factor', 'got -0.1'),
            (math.nan, 'percent', 'got nan'),
            (math.inf, 'factor', 'got inf'),
        ],
    )
    def test_beyond(self, value, unit, text):
        with pytest.raises(InputError, match=text):
            speed_factor(value, unit)

    def test_a_message_that_is_a_factor_has_no_other_unit(self):
        parameters = FeedforwardParameters(
            speed_scaling_type=SPEED_FACTOR_TYPE, speed_scaling_unit='percent'
        )
        with pytest.raises(InputError, match="'speed_scaling_unit': expected factor with control"):
            parameters.check()


@pytest.fixture
def moving(ros, planar):
    """Return a function that starts a node with a long motion and returns it and its samples."""
    processes = []

    def start(**parameters):
        process = ros.start('feedforward', urdf_path=planar, publish_rate=100.0, **parameters)
        processes.append(process)
        ros.wait_until_active(process)
        samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
        message = trajectory(NAMES, [0.0, 0.0], [1.0, 1.0], times=[0.0, 600.0])
        ros.publish(message, '/feedforward/joint_trajectory')
        ros.wait_for('the motion', lambda: samples, process)
        return process, samples

    yield start
    for process in processes:
        assert process.interrupt() == 0, process.log


def wait_for_speed(ros, process, samples, speed):
    """Wait until the last samples are that far apart in trajectory time."""
    samples.clear()

    def reached():
        if len(samples) < 5:
            return False
        first, *_, last = samples[-5:]
        elapsed = nanoseconds(last.header.stamp) - nanoseconds(first.header.stamp)
        followed = nanoseconds(last.reference.time_from_start) - nanoseconds(
            first.reference.time_from_start
        )
        return followed == pytest.approx(speed * elapsed, abs=10)

    ros.wait_for(f'the speed {speed}', reached, process)


@pytest.fixture
def publisher(ros):
    """Return a function that makes publishers of a durability."""
    made = []

    def make(kind, qos):
        made.append(ros.node.create_publisher(kind, TOPIC, qos))
        return made[-1]

    yield make
    for one in made:
        ros.node.destroy_publisher(one)


def test_percent_from_either_durability(ros, moving, publisher):
    latched, volatile = publisher(Float64, LATCHED), publisher(Float64, 1)
    latched.publish(Float64(data=25.0))  # before the node is there
    process, samples = moving(speed_scaling_unit='percent')
    wait_for_speed(ros, process, samples, 0.25)
    for one, subscriptions, value in ((volatile, 1, 50.0), (latched, 2, 100.0), (volatile, 1, 30)):
        ros.wait_for(
            'the node', lambda one=one, n=subscriptions: one.get_subscription_count() == n, process
        )
        one.publish(Float64(data=float(value)))
        wait_for_speed(ros, process, samples, value / 100.0)


def test_percent_where_a_factor_is_expected(ros, moving, publisher):
    process, samples = moving()
    volatile = publisher(Float64, 1)
    ros.wait_for('the node', volatile.get_subscription_count, process)
    volatile.publish(Float64(data=0.5))
    wait_for_speed(ros, process, samples, 0.5)
    warning = (
        '~/speed_scaling ignored, the speed is unchanged: expected from 0 to 2 in the unit '
        "'factor' (parameter 'speed_scaling_unit'), got "
    )
    volatile.publish(Float64(data=100.0))
    ros.wait_for('the warning', lambda: f'{warning}100' in process.log, process)
    for value in (99.0, math.nan, -1.0):
        volatile.publish(Float64(data=value))
    wait_for_speed(ros, process, samples, 0.5)
    volatile.publish(Float64(data=1.0))
    wait_for_speed(ros, process, samples, 1.0)
    assert process.log.count('speed_scaling ignored') == 1
    volatile.publish(Float64(data=-2.0))
    ros.wait_for('another warning', lambda: f'{warning}-2' in process.log, process)
    # the unit can change while the node runs
    assert ros.set_parameter('/feedforward', 'speed_scaling_unit', 'percent') == (True, '')
    volatile.publish(Float64(data=10.0))
    wait_for_speed(ros, process, samples, 0.1)
    assert 'incompatible' not in process.log


@pytest.mark.parametrize('latched', [False, True])
def test_speed_scaling_factor(ros, moving, publisher, latched):
    one = publisher(SpeedScalingFactor, LATCHED if latched else 1)
    process, samples = moving(speed_scaling_type=SPEED_FACTOR_TYPE)
    ros.wait_for(
        'the node', lambda: one.get_subscription_count() == (2 if latched else 1), process
    )
    one.publish(SpeedScalingFactor(factor=0.3))
    wait_for_speed(ros, process, samples, 0.3)


def test_without_control_msgs(ros, planar):
    command = altered_command('feedforward', before="sys.modules['control_msgs'] = None")
    process = ros.start_command(command, urdf_path=planar, speed_scaling_type=SPEED_FACTOR_TYPE)
    assert process.wait() == 1
    assert f"parameter 'speed_scaling_type': '{SPEED_FACTOR_TYPE}' needs the" in process.log
    assert 'Traceback' not in process.log
