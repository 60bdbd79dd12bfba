# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands tick by tick: layout, laws, topics, receivers of the last ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.command_node import HANGING, MIT, command_nodes
from helpers.planar_sea import NAMES
from helpers.published import commands_of
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.nodes.shared import endpoints


@pytest.fixture
def node(ros, planar):
    with command_nodes(ros, planar) as make:
        yield make


def test_efforts_alone_are_one_row_and_need_no_measurement(node):
    efforts = node(ramp_time=0.0)
    efforts.follow(HANGING, [0.0, 0.5], times=[0.0, 1.0])
    for _ in range(10):
        jet = np.zeros((5, 2))
        efforts.pipeline.reference.sample(efforts.now, jet)
        [row] = efforts.tick()
        np.testing.assert_array_equal(row, sd.inverse_dynamics(efforts.model, jet[:3])[0])
    assert efforts.dims == [('joints', 2, 2)]


def test_receivers_of_the_last_messages_are_waited_for_once(node, monkeypatch):
    """However many topics: a launch file kills what takes longer."""
    spline = {'publish_spline': True, 'lead_time': 0.1}
    apart, waits = node(**MIT, **spline, command_topics='apart'), []

    def unheard(publisher, timeout):
        waits.append(1e-9 * timeout.nanoseconds)
        return False

    monkeypatch.setattr(Publisher, 'wait_for_all_acked', unheard)
    monkeypatch.setattr(endpoints, 'time', SimpleNamespace(monotonic=lambda: 10.0 + sum(waits)))
    apart.follow([0.3, 0.2], times=[0.0], measured=False)
    apart.pipeline.destroy()
    apart.pipeline = SimpleNamespace(destroy=lambda: None)
    assert len(waits) == 6
    assert waits[0] == 0.5 and not any(waits[1:])


@pytest.mark.parametrize('rate', [250.0, 4.0])
def test_a_stall_after_clear_does_not_take_the_effort_at_once(node, rate):
    efforts = node(command_fields=('effort', 'velocity'), command_start_tolerance=10.0)
    efforts.follow([0.3, 0.2], times=[0.0], measured=False)
    for _ in range(100):
        held, _ = efforts.tick()
    efforts.pipeline.apply(replace(efforts.pipeline._parameters, publish_rate=rate))
    efforts.pipeline.clear()
    np.testing.assert_array_equal(efforts.tick()[0], held)
    efforts.now += 10**9
    share = efforts.tick()[0] / held
    # a ramp of one tick is the whole one
    assert ((share > 0.99) if rate == 250.0 else (share == 0.0)).all()
    for _ in range(70):
        efforts.tick()
    assert efforts.tick() is None and not efforts.pipeline.commands.ramp.values.any()


def test_topics_apart_carry_the_rows_of_one_array(node):
    one = node(**MIT)
    apart = node(**MIT, command_topics='apart')
    for each in (one, apart):
        each.measure(HANGING)
        each.follow([0.0, 0.5], times=[1.0])
    for _ in range(100):
        rows = one.tick()
        apart.tick()
        outputs = apart.pipeline.commands._outputs
        np.testing.assert_array_equal(rows, [list(commands_of(output).data) for output in outputs])
    assert (rows != 0.0).all()
    topics = [output._publisher.topic_name.split('/')[-1] for output in outputs]
    names = ['position', 'velocity', 'kp', 'kd']
    assert topics == [*(f'{name}_commands' for name in names), 'commands']


def test_servo_commands_are_those_of_the_law(node):
    stiffness, damping = np.array([300.0, 200.0]), np.array([3.0, 1.0])
    servos = node(
        command_fields=('velocity', 'position'),
        servo_stiffness=tuple(stiffness),
        servo_damping=tuple(damping),
        ramp_time=0.0,
        derivative_order=0,
    )
    servos.measure(HANGING)
    servos.follow([-1.0, 0.5], times=[1.0])
    jet = np.zeros((5, 2))
    for _ in range(300):
        servos.pipeline.reference.sample(servos.now, jet)
        efforts = sd.inverse_dynamics(servos.model, jet[:4])
        expected = jet[:2] + (efforts + damping * jet[1:3]) / stiffness
        np.testing.assert_allclose(servos.tick(), expected[::-1], rtol=0.0, atol=1e-13)


def test_velocities_of_servos_need_jerks(node):
    servos = node(command_fields=('position', 'velocity'), servo_stiffness=(200.0, 100.0))
    servos.measure(HANGING)
    jet = np.zeros((5, 2))
    jet[0] = HANGING
    servos.pipeline.streamed.add_sample(jet, 3, servos.now, servos.now)
    assert servos.tick() is None
    level, text = servos.pipeline.commands.report()[:2]
    assert level == b'\x01'
    assert 'expected references with derivatives up to order 3 for the velocities' in text


def test_a_measured_robot_is_damped_where_it_is(node):
    hand = node(
        **{**MIT, 'mit_kp': (0.0, 0.0)},
        mode='compensate',
        compensate_coriolis=True,
        ramp_time=0.0,
    )
    state = JointState(name=NAMES, position=[0.3, -0.2], velocity=[2.0, 1.0])
    hand.pipeline.measured.update(state, hand.now)
    hand.pipeline.compensate(hand.now)
    command = np.array(commands_of(hand._output).data).reshape(5, 2)
    np.testing.assert_array_equal(command[0], state.position)
    np.testing.assert_array_equal(command[1], 0.0)
    expected = sd.bias_forces(hand.model, state.position, state.velocity)
    np.testing.assert_allclose(command[4], expected, rtol=1e-12)
