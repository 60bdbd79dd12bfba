# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A tick compiles nothing and leaves nothing behind, not even for the garbage collector."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from helpers.memory import bytes_kept
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from sensor_msgs.msg import JointState

from screw_dynamics import (
    ElasticJoint,
    ElasticJoints,
    LinearSpring,
    Motor,
    jit,
    read_urdf,
    share_path,
)
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
PERIOD = 10**6
TICKS = 5000
SPRUNG = ElasticJoints(
    {
        'joint_1': ElasticJoint(LinearSpring(8000.0), Motor(rotor_inertia=0.4)),
        'joint_2': ElasticJoint(LinearSpring(9000.0, damping=20.0), Motor(rotor_inertia=0.4)),
    }
)


MIT = {
    'command_fields': ('position', 'velocity', 'kp', 'kd', 'effort'),
    'command_topics': 'apart',
    'mit_kp': (20.0,) * 7,
    'mit_kd': (1.0,) * 7,
}
SERVOS = {
    'command_fields': ('position', 'velocity'),
    'servo_stiffness': (500.0,) * 7,
    'servo_damping': (5.0,) * 7,
    'servo_offset_limit': 1.0,
}


@pytest.fixture(params=[{}, MIT, SERVOS], ids=['efforts', 'mit', 'servos'])
def tick(ros, request):
    """Return a function that runs a number of ticks of a stream that follows a trajectory."""
    model = read_urdf(share_path('urdf/iiwa14.urdf'))
    robot = Robot(model)
    compile_tick(robot)
    stream = FeedforwardPipeline(
        ros.node,
        robot,
        FeedforwardParameters(publish_joint_state=True, publish_commands=True, **request.param),
    )
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (9, model.n))
    waypoints = waypoints_from_points(
        model.joint_names, [(2.0 * i, point) for i, point in enumerate(points)], model.joint_names
    )
    stream.reference.add(waypoints, START, START)
    state = JointState(name=model.joint_names, position=points[0].tolist())
    stream.measured.update(state, START)
    now = START

    def run(count):
        nonlocal now
        for _ in range(count):
            stream.publish(now)
            now += PERIOD

    run(100)
    assert stream.commands.driven
    yield run
    assert stream.commands.driven
    stream.destroy()


def test_no_object_is_left_to_the_collector(tick):
    gc.collect()
    gc.disable()
    try:
        before = gc.get_count()[0]
        tick(TICKS)
        left = gc.get_count()[0] - before
    finally:
        gc.enable()
    assert left < 50  # one per hundred ticks


def test_no_memory_is_kept(tick):
    assert bytes_kept(tick, TICKS) < 8 * TICKS  # half of the smallest object per tick


@pytest.mark.skipif(not jit.jit_enabled(), reason='needs numba')
@pytest.mark.parametrize('elastic', [None, SPRUNG], ids=['rigid', 'elastic'])
def test_a_tick_and_a_trajectory_compile_nothing(ros, monkeypatch, elastic):
    model = read_urdf(share_path('urdf/iiwa14.urdf'))
    for kernel in [thing for thing in gc.get_objects() if type(thing) is jit.Kernel]:
        monkeypatch.setattr(kernel, '_compiled', None)
    robot = Robot(model, elastic)
    compile_tick(robot)

    def refuse(kernel):
        raise AssertionError(f'{kernel._function.__qualname__} is compiled while the node runs')

    monkeypatch.setattr(jit.Kernel, '_made', refuse)
    for order in (0, 1, 2):
        stream = FeedforwardPipeline(
            ros.node, robot, FeedforwardParameters(derivative_order=order)
        )
        points = [(0.0, np.zeros(model.n)), (1.0, np.ones(model.n))]
        waypoints = waypoints_from_points(model.joint_names, points, model.joint_names)
        stream.reference.add(waypoints, START, START)
        for now in (START, START + PERIOD, START + 2 * 10**9):
            stream.publish(now)
        stream.limits.report()
        stream.destroy()
