# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""No motor command beyond a limit of the elastic joints, and when commands come back."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.control.guards import MotorGuard
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.feedforward.tick_cost import compile_tick
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import waypoints_from_points

START = 1_700_000_000 * 10**9
LIMITED = sd.ElasticJoints(
    {
        'joint_2': sd.ElasticJoint(
            sd.AntagonisticPair('exponential', stiffness=120.0, spring_stiffness=20.0, rate=8.0),
            sd.Motor(rotor_inertia=0.1, max_effort=2.0, max_velocity=40.0, gear_ratio=10.0),
            max_deflection=0.1,
            max_effort_rate=50.0,
        )
    }
)
HOLD, MOVE, STREAM = Source.HOLD, Source.TRAJECTORY, Source.STREAM


@pytest.fixture
def guarded(planar):
    """Return a function that hands a value of each sample to a guard, and the lines of that."""
    model = sd.read_urdf(planar)
    lines = []
    guard = MotorGuard(Robot(model, LIMITED), lines.append)
    motors = LIMITED.buffers(model)
    for jet in (
        motors.effort_jet,
        motors.deflection_jet,
        motors.motor_jet,
        motors.motor_effort_jet,
    ):
        jet[:] = 0.0

    def passes(source, value=0.0, row=None):
        guard.follow(source)
        (motors.motor_effort if row is None else row)[-1] = value
        return guard.passes(motors, START)

    passes.guard, passes.motors, passes.lines = guard, motors, lines
    return passes


@pytest.mark.parametrize(
    'row, value, name',
    [
        ('effort_jet', 51.0, 'joint_2: effort rate 51 N m/s, limit 50 N m/s'),
        ('deflection_jet', -0.11, 'joint_2/2: deflection -0.11 rad, limit -0.1 rad'),
        ('motor_jet', 4.5, 'joint_2/2: motor velocity 4.5 rad/s, limit 4 rad/s'),
        ('motor_effort_jet', -20.5, 'joint_2/2: motor effort -20.5 N m, limit -20 N m'),
    ],
)
def test_every_limit_of_the_file_stops(guarded, row, value, name):
    values = getattr(guarded.motors, row)[1 if row in ('effort_jet', 'motor_jet') else 0]
    limit = float(name.split('limit ')[1].split()[0])
    # planned to touch the limit: rounding does not exceed it
    assert guarded(MOVE, limit * (1.0 + 5e-10), values)
    assert guarded(MOVE, -limit, values)
    assert not guarded(MOVE, value, values)
    assert guarded.lines == [
        f'No motor commands are published: limit exceeded: {name}; they resume when the next '
        'motion begins from rest within the limits'
    ]
    assert guarded.guard.reason in guarded.lines[0]


def test_a_rate_that_is_not_known_has_no_limit(planar):
    model = sd.read_urdf(planar)
    rigid = sd.ElasticJoints(
        {
            'joint_2': sd.ElasticJoint(
                motor=sd.Motor(rotor_inertia=0.1, max_effort=20.0), max_effort_rate=1.0
            )
        }
    )
    lines = []
    guard = MotorGuard(Robot(model, rigid), lines.append)
    motors = sd.elastic_feedforward(model, rigid, np.zeros((3, 2)))
    guard.follow(MOVE)
    assert motors.effort_jet.shape == (1, 2)
    assert guard.passes(motors, START)
    motors = sd.elastic_feedforward(model, rigid, np.ones((3, 2)) * [[0.0], [0.0], [30.0]])
    guard.follow(MOVE)
    assert not guard.passes(motors, START)
    assert 'joint_2: motor effort' in lines[0]


def test_they_come_back_with_the_next_motion_from_rest(guarded):
    for samples, expected in (
        ([(HOLD, 1.0), (MOVE, 5.0), (MOVE, 21.0)], [True, True, False]),
        # within the limits again, at rest too
        ([(MOVE, 20.5), (MOVE, 5.0), (HOLD, 1.0), (HOLD, 1.0)], [False] * 4),
        ([(MOVE, 1.0), (MOVE, 5.0)], [True, True]),
        ([(HOLD, 25.0), (HOLD, 1.0)], [False, False]),
        # begins beyond, and goes on within
        ([(MOVE, 24.0), (MOVE, 1.0), (MOVE, 1.0)], [False] * 3),
        # replaced on the way, by a stream too: the reference is not at rest
        ([(STREAM, 1.0), (STREAM, 1.0), (MOVE, 1.0)], [False] * 3),
        ([(HOLD, 1.0), (STREAM, 1.0)], [False, True]),
    ):
        assert [guarded(*sample) for sample in samples] == expected
    values = [line.split('motor effort ')[1].split()[0] for line in guarded.lines]
    assert values == ['21', '25', '24']  # a line for each stop and for each refused start


def test_a_beginning_whose_commands_are_not_known_is_none(guarded):
    assert not guarded(MOVE, 21.0)
    guarded(HOLD, 1.0)
    guarded.guard.follow(MOVE)  # no motor command could be computed
    assert not guarded(MOVE, 1.0)


def test_where_nothing_is_followed_any_motion_begins(guarded):
    assert not guarded(STREAM, 21.0)
    assert not guarded(STREAM, 1.0)
    guarded.guard.forget()
    assert guarded.guard.reason == ''
    assert guarded(STREAM, 1.0)


class Published:
    """Takes the place of the publishers of motor commands: what goes out, by instant."""

    def __init__(self, stream):
        self._stream, self.by_instant = stream, {}
        stream.motors._outputs.append(self)

    def publish(self, sample, rows):
        motors = self._stream.motors._motors[rows]
        self.by_instant[sample.instant] = np.array([motors.motor_effort, motors.deflection])

    def destroy(self):
        pass


def test_what_is_published_is_what_it_would_be_without_limits(ros, planar):
    """A damped joint: its deflection goes on while nothing is published."""
    model = sd.read_urdf(planar)
    streams, published = [], []
    for limit in (np.inf, 0.02):
        joint = sd.ElasticJoint(sd.LinearSpring(100.0, damping=10.0), max_deflection=limit)
        elastic = sd.ElasticJoints({'joint_2': joint})
        robot = Robot(model, elastic)
        compile_tick(robot)
        parameters = FeedforwardParameters(check_limits='off')
        streams.append(FeedforwardPipeline(ros.node, robot, parameters))
        published.append(Published(streams[-1]))
    hanging, stretched = [-np.pi / 2, 0.0], [0.0, 0.0]
    starts = [START, START + 2 * 10**9, START + 4 * 10**9]
    for points, start in zip(
        ([hanging, stretched], [stretched, hanging], [hanging, [-1.5, 0.1]]), starts, strict=True
    ):
        waypoints = waypoints_from_points(
            model.joint_names, list(enumerate(points)), model.joint_names
        )
        for stream in streams:
            stream.reference.add(waypoints, start, start)
            for now in range(start, start + 2 * 10**9, 10**7):
                stream.publish(now)
    for stream in streams:
        stream.destroy()
    free, limited = (output.by_instant for output in published)
    assert len(free) == 600
    first = next(instant for instant, values in free.items() if abs(values[1, 1]) > 0.02)
    assert START < first < START + 10**9
    assert list(limited) == [t for t in free if not first <= t < starts[2]]
    for instant, values in limited.items():
        np.testing.assert_array_equal(values, free[instant])
