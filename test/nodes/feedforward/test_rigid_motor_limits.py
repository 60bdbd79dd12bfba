# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of motors without a spring, with friction and rotors, against the limits of joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.receiving_node import MS, Node

import screw_dynamics as sd
from screw_dynamics.control.guards import MotorGuard, guarded_jets
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

START = 1_700_000_000 * 10**9
PERIOD = 2 * MS
LIMIT = 30.0  # N m, of joint_2 in the URDF
ROTOR = 6.0  # kg m^2 behind the gear
RATE = 200.0  # N m/s


def drives(**limits):
    """Return rigid joints whose second motor has a heavy rotor behind a gear."""
    motor = sd.Motor(rotor_inertia=ROTOR / 100.0, gear_ratio=10.0)
    return sd.ElasticJoints({'joint_2': sd.ElasticJoint(motor=motor, **limits)})


def test_limits_of_motors_without_a_spring(planar):
    spring = sd.ElasticJoint(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1))
    strong = sd.ElasticJoint(motor=sd.Motor(max_effort=7.0), max_effort_rate=RATE)
    robot = Robot(sd.read_urdf(planar), sd.ElasticJoints({'joint_1': spring, 'joint_2': strong}))
    assert robot.motors.max_efforts.tolist() == [np.inf, 7.0]
    assert np.isinf(robot.motors.max_effort_rates).all()
    limited = replace(robot, limits_motors=True)
    assert limited.motors.max_efforts.tolist() == [np.inf, 7.0]
    assert limited.motors.max_effort_rates.tolist() == [np.inf, RATE]
    geared = replace(robot, drives=drives(), limits_motors=True)
    assert geared.motors.max_efforts.tolist() == [60.0, LIMIT]


class Output:
    """A pipeline that is driven tick by tick, and the motor efforts that it sends."""

    def __init__(self, node, urdf, joints, **parameters):
        robot = Robot(sd.read_urdf(urdf), joints)
        compile_tick(robot)
        self.pipeline = FeedforwardPipeline(
            node,
            robot,
            FeedforwardParameters(elastic_joints_path='joints.yaml', **parameters),
        )
        self.now, self.sent = START, []
        self.pipeline.motors._outputs.append(self)

    def publish(self, sample, rows):
        self.sent.append(self.pipeline.motors._motors[rows].motor_effort.copy())

    def destroy(self):
        pass

    def follow(self, points, times):
        names = self.pipeline.robot.joint_names
        waypoints = sd.trajectory.waypoints_from_points(
            names, list(zip(times, points, strict=True)), names
        )
        self.pipeline.reference.add(waypoints, self.now, self.now)

    def run(self, seconds):
        end = self.now + round(1e9 * seconds)
        while self.now < end:
            self.pipeline.publish(self.now)
            self.now += PERIOD


FAST = [[-np.pi / 2, 0.0], [-np.pi / 2, 1.0]], [0.0, 0.5]


@pytest.mark.parametrize('guard', ['off', 'stop'])
def test_the_output_stops_before_a_motor_effort_beyond_the_limit(ros, planar, guard):
    output = Output(ros.node, planar, drives(), output_guard=guard)
    output.follow(*FAST)
    output.run(1.0)
    sent = np.abs(np.array(output.sent)[:, 1])
    if guard == 'off':
        assert sent.max() > 1.5 * LIMIT
    else:
        assert 0.9 * LIMIT < sent.max() <= LIMIT
        assert 'joint_2: motor effort' in output.pipeline.motors.guard.reason
    # the efforts of the links are within their limit: what exceeds it is the rotor
    assert not output.pipeline.guard.reason
    output.pipeline.destroy()


def test_rates_of_motor_efforts(ros, planar):
    output = Output(ros.node, planar, drives(max_effort_rate=RATE), output_guard='stop')
    output.follow(*FAST)
    output.run(1.0)
    sent = np.array(output.sent)
    assert 'joint_2: motor effort rate' in output.pipeline.motors.guard.reason
    assert np.abs(np.diff(sent[:, 1])).max() <= RATE * 1e-9 * PERIOD
    output.pipeline.destroy()


def test_a_jump_of_the_motor_effort_is_a_rate(planar):
    """A change of the load is in no derivative."""
    robot = Robot(sd.read_urdf(planar), drives(max_effort_rate=RATE), limits_motors=True)
    lines = []
    guard = MotorGuard(robot, lines.append)
    motors = robot.drives.buffers(robot.model, 5)
    for jet in guarded_jets(motors):
        jet[:] = 0.0

    def passes(effort, at):
        guard.follow(Source.TRAJECTORY)
        motors.motor_effort_jet[0, 1] = effort
        return guard.passes(motors, START + at)

    assert passes(1.0, 0)
    assert passes(1.0 + RATE * 1e-9 * PERIOD, PERIOD)
    guard.shift(500 * MS)  # a change of lead_time
    assert not passes(1.0, 500 * MS + 2 * PERIOD - MS)
    assert 'joint_2: motor effort rate -400 N m/s, limit -200 N m/s' in lines[0]
    guard.forget()
    assert passes(20.0, 501 * MS)  # continues no other sample


@pytest.mark.parametrize('limits', [{}, {'max_effort_rate': RATE}])
def test_trajectories_are_slowed_for_motor_efforts(planar, limits):
    robot = Robot(sd.read_urdf(planar), drives(**limits), limits_motors=True)
    node = Node(planar, robot.drives, output_guard='slow')
    node.robot = replace(node.robot, robot=robot)
    points, times = FAST
    node.follow(*points, times=times)
    newest = node.reference.newest
    assert newest.waypoints.times[-1] > times[-1]
    jets = newest.curve.jets(np.linspace(0.0, newest.curve.breaks[-1], 2000), rows=5)
    motors = sd.elastic_feedforward(robot.model, robot.drives, jets)
    share = np.abs(motors.motor_effort_jet).max(axis=0)[:, 1] / [LIMIT, RATE, np.inf]
    used = max(share[: 1 + len(limits)])
    assert 0.98 < used <= 1.0


def test_trajectories_with_motor_efforts_beyond_the_limit_are_rejected(planar):
    robot = Robot(sd.read_urdf(planar), drives(), limits_motors=True)
    node = Node(planar, robot.drives, output_guard='stop')
    node.robot = replace(node.robot, robot=robot)
    points, times = FAST
    with pytest.raises(TrajectoryError, match=r'output_guard: stop\): joint_2: motor effort .*30'):
        node.follow(*points, times=times)


def test_a_position_to_hold_brings_efforts_back(ros, planar):
    """After a stop in motion the arm stands anywhere: one point, at time 0, holds it there."""
    output = Output(ros.node, planar, drives(), output_guard='stop')
    output.follow(*FAST)
    output.run(1.0)
    assert output.pipeline.motors.stopped
    count = len(output.sent)
    output.follow([[-1.2, 0.4]], [0.0])
    output.run(0.1)
    assert len(output.sent) == count + 50
    assert not output.pipeline.motors.stopped
    held = sd.gravity_forces(output.pipeline.model, [-1.2, 0.4])
    np.testing.assert_allclose(output.sent[-1], held, atol=1e-12)
    output.pipeline.destroy()


@pytest.mark.parametrize('content', ['link_efforts', 'motor_efforts'])
def test_a_new_payload_is_blended_in(ros, planar, content):
    output = Output(
        ros.node,
        planar,
        drives(),
        publish_commands=True,
        commands_content=content,
        ramp_time=0.1,
    )
    pipeline = output.pipeline
    output.follow([[0.3, 0.2]], [0.0])
    output.run(0.3)
    before = pipeline.commands.ramp.values.copy()
    np.testing.assert_allclose(before, sd.gravity_forces(pipeline.model, [0.3, 0.2]), atol=1e-12)
    assert pipeline.replace_model(pipeline.model.with_payload('link_2', 1.0))
    after = sd.gravity_forces(pipeline.model, [0.3, 0.2])
    values = [before]
    for _ in range(60):
        output.run(1e-9 * PERIOD)
        values.append(pipeline.commands.ramp.values.copy())
    np.testing.assert_allclose(values[-1], after, atol=1e-12)
    steps = np.abs(np.diff(values, axis=0))
    assert (steps <= 1.875 / 50 * np.abs(after - before) + 1e-12).all()
    assert pipeline.release(output.now)
    pipeline.destroy()


def test_a_payload_that_changes_at_the_end_does_not_keep_the_commands(ros, planar):
    output = Output(ros.node, planar, drives(), publish_commands=True, ramp_time=0.1)
    pipeline = output.pipeline
    output.follow([[0.3, 0.2]], [0.0])
    output.run(0.3)
    assert pipeline.replace_model(pipeline.model.with_payload('link_2', 1.0))
    pipeline.clear()
    output.run(0.2)
    np.testing.assert_array_equal(pipeline.commands.ramp.values, 0.0)
    pipeline.destroy()
