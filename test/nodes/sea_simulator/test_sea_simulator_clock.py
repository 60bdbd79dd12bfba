# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""sea_simulator: motor efforts of another clock, and of a time before the clock was set back."""

from __future__ import annotations

import pytest
from helpers.planar_sea import NAMES, write_joints
from helpers.simulated_clock import STEP, SimulatedClock
from sensor_msgs.msg import JointState

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.nodes.sea_simulator.motor_drives import command_age, command_of_feedforward
from screw_dynamics_interfaces.msg import MotorFeedforward

TOPIC = '/sea_simulator/motor_feedforward'


def command(instant=0):
    message = MotorFeedforward(
        motor_names=NAMES,
        motor_position=[0.0, 0.0],
        motor_velocity=[0.0, 0.0],
        motor_effort=[5.0, -3.0],
    )
    set_stamp(message.header.stamp, instant)
    return message


@pytest.mark.parametrize('ahead', [-60.0, -0.5, 0.0, 1.0, 2.0])
def test_age(ahead):
    now = 1_700_000_000 * SECOND
    given = command_of_feedforward(command(now + round(ahead * SECOND)), NAMES)
    assert command_age(given, now) == -ahead
    assert command_age(command_of_feedforward(command(), NAMES), now) == 0.0


@pytest.mark.parametrize('now, instant', [(3.0, 1.7e9), (1.7e9, 3.0), (3.0, 5.5), (70.0, 9.5)])
def test_another_clock(now, instant):
    given = command_of_feedforward(command(round(instant * SECOND)), NAMES)
    with pytest.raises(InputError, match=rf'it is {now:.3f} s, got {instant:.3f} s: is use_sim_'):
        command_age(given, round(now * SECOND))


def test_a_motor_that_is_named_twice():
    message = command()
    message.motor_names = [*NAMES, 'joint_1']
    with pytest.raises(InputError, match="motor_names: 'joint_1' is named twice"):
        command_of_feedforward(message, NAMES)


def test_no_effort_outlives_its_time(ros, planar, tmp_path):
    process = ros.start(
        'sea_simulator',
        urdf_path=planar,
        elastic_joints_path=write_joints(tmp_path),
        input='motor_feedforward',
        use_sim_time=True,
    )
    motors = ros.listen(JointState, '/motor_states')
    clock = SimulatedClock(ros, 50 * SECOND)

    def driven(instant):
        clock.step()
        ros.publish(command(instant), TOPIC)
        ros.spin(0.005)
        return motors and any(motors[-1].effort)

    ros.wait_for('states', lambda: clock.step() and motors, process)
    ros.wait_for(
        'the rejection',
        lambda: driven(1_700_000_000 * SECOND) or 'got 1700000000.000 s' in process.log,
        process,
    )
    assert not any(motors[-1].effort)
    ros.wait_for('efforts', lambda: driven(clock.now), process)
    clock.now = SECOND
    del motors[:]

    def standing_still():
        clock.step()
        ros.spin(0.005)
        return motors and motors[-1].header.stamp.sec == 1 and not any(motors[-1].effort)

    ros.wait_for('the brakes', standing_still, process)
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


def test_time_that_was_left_out_does_not_age_efforts(ros, planar, tmp_path):
    """The efforts of that time may still be in the queue of the node."""
    process = ros.start(
        'sea_simulator',
        namespace='/late',
        urdf_path=planar,
        elastic_joints_path=write_joints(tmp_path),
        input='motor_feedforward',
        effort_timeout=2.0,
        use_sim_time=True,
    )
    motors = ros.listen(JointState, '/late/motor_states')
    clock = SimulatedClock(ros, 50 * SECOND)

    def driven():
        clock.step()
        ros.publish(command(), f'/late{TOPIC}')
        ros.spin(0.005)
        return motors and any(motors[-1].effort)

    ros.wait_for('efforts', driven, process)
    clock.now += 20 * SECOND

    def arrived():
        clock.tell()
        return nanoseconds(motors[-1].header.stamp) >= clock.now - STEP

    ros.wait_for('the time', arrived, process)
    assert motors[-1].effort.tolist() == [5.0, -3.0]

    def braked():
        clock.step(step=10 * STEP)
        ros.spin(0.005)
        return not any(motors[-1].effort)

    ros.wait_for('the brakes', braked, process)
    assert process.interrupt() == 0, process.log
    assert 'No motor efforts for 2 s: the brakes are on' in process.log
    assert 'Traceback' not in process.log
