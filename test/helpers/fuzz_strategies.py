# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random and mutated messages, bytes, requests and parameters for running nodes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from geometry_msgs.msg import WrenchStamped
from hypothesis import strategies as st
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from helpers.fuzz_robots import PLANAR
from helpers.node_processes import trajectory
from helpers.services import SERVICES
from screw_dynamics_interfaces.msg import JointReference

NAMES = ['joint_1', 'joint_2']
MESSAGES = {
    '/feedforward/joint_trajectory': trajectory(NAMES, [0.1, 0.2], [0.3, 0.4]),
    '/joint_states': JointState(name=NAMES, position=[0.1, 0.2], velocity=[0.0, 0.0]),
    '/feedforward/joint_reference': JointReference(
        joint_names=NAMES, positions=[0.1, 0.2], velocities=[0.0, 0.0]
    ),
    '/feedforward/joint_state_reference': JointState(name=NAMES, position=[0.1, 0.2]),
    '/feedforward/external_wrench': WrenchStamped(),
    '/feedforward/speed_scaling': Float64(data=1.0),
    '/robot_description': String(data=PLANAR),
}
TYPED = (
    '/feedforward/joint_trajectory',
    '/robot_description',
)  # that have strategies of their own
PARAMETERS = {
    'publish_rate': 100.0,
    'start_state': 'reference',
    'allow_partial_joints': False,
    'allow_nonzero_velocity_at_end': False,
    'hold_time': -1.0,
    'lead_time': 0.0,
    'input_timeout': 0.2,
    'payload.mass': 0.0,
    'payload.frame': '',
    'payload.com': [0.0] * 3,
    'payload.inertia': [0.0] * 6,
    'gravity': [0.0, 0.0, -9.81],
    'diagnostic_updater.period': 0.1,
}


class Item(NamedTuple):
    """One thing to throw: a message or bytes to a topic, a request to a service."""

    target: str
    payload: Any


numbers = st.floats(width=64) | st.floats(-4.0, 4.0) | st.sampled_from([0.0, 1e308, 5e-324])
rows = st.lists(numbers, max_size=3) | st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=2)
names = st.permutations(NAMES) | st.lists(st.sampled_from([*NAMES, '', 'nose', '\n']), max_size=3)
words = st.sampled_from(
    ['', 'base_link', 'link_1', 'link_2', 'body', 'hybrid', 'C', 'Cbar', 'nose']
)
seconds = st.integers(-2, 3) | st.sampled_from([-(2**31), 2**31 - 1])
nanoseconds = st.integers(0, 10**9 - 1) | st.just(2**32 - 1)


@st.composite
def trajectories(draw: st.DrawFn) -> Item:
    """A good trajectory with some fields replaced by anything that fits their types."""
    times = draw(st.sampled_from([[0.0, 1.0], [0.1, 0.2, 30.0], [0.0], []]))
    message = trajectory(NAMES, *([0.1 * i, 0.2] for i in range(len(times))), times=times)
    if draw(st.booleans()):
        message.joint_names = draw(names)
    if draw(st.integers(0, 3)) == 0:
        message.header.stamp.sec = draw(seconds)
        message.header.stamp.nanosec = draw(nanoseconds)
    for point in message.points:
        field = draw(st.sampled_from(['', '', 'positions', 'velocities', 'accelerations', 'time']))
        if field == 'time':
            point.time_from_start.sec = draw(seconds)
            point.time_from_start.nanosec = draw(nanoseconds)
        elif field:
            setattr(point, field, draw(rows))
    return Item('/feedforward/joint_trajectory', message)


@st.composite
def spoiled_trajectories(draw: st.DrawFn) -> Item:
    """A trajectory that breaks a rule whatever the parameters are."""
    item = draw(trajectories())
    spoil = draw(st.sampled_from(['name', 'number', 'length', 'twice']))
    message = item.payload
    if spoil == 'name' or not message.points:
        message.joint_names = [*message.joint_names, 'nose']
    elif spoil == 'number':
        message.points[0].positions = [draw(st.sampled_from([math.nan, math.inf])), 0.0]
    elif spoil == 'length':
        message.points[-1].positions = [0.0] * (len(message.joint_names) + 1)
    else:
        message.joint_names = ['joint_1', 'joint_1']
    return item


@st.composite
def other_messages(draw: st.DrawFn) -> Item:
    """A message of another input with some fields replaced."""
    target = draw(st.sampled_from(sorted(set(MESSAGES) - set(TYPED))))
    message = type(MESSAGES[target])()
    if isinstance(message, Float64):
        message.data = draw(numbers)
    elif isinstance(message, WrenchStamped):
        message.header.frame_id = draw(st.sampled_from(['', 'link_2', 'nose']))
        message.wrench.force.x = draw(numbers)
    else:
        for field, kind in message.get_fields_and_field_types().items():
            if kind == 'sequence<string>':
                setattr(message, field, draw(names))
            elif kind == 'sequence<double>':
                setattr(message, field, draw(rows))
    return Item(target, message)


@st.composite
def mutated_bytes(draw: st.DrawFn) -> Item:
    """A serialized message with bytes replaced, left out, or added; few of them are messages."""
    target = draw(st.sampled_from(sorted(MESSAGES)))
    data = bytearray(serialize_message(MESSAGES[target]))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(st.sampled_from(['replace', 'cut', 'insert', 'length']))
        if change == 'cut':
            del data[place:]
        elif change == 'insert':
            data[place:place] = draw(st.binary(max_size=9))
        elif change == 'replace':
            data[place : place + 1] = draw(st.binary(min_size=1, max_size=4))
        else:  # as if it were a length
            data[place // 4 * 4 : place // 4 * 4 + 4] = draw(
                st.sampled_from([b'\xff' * 4, bytes(4)])
            )
    return Item(target, bytes(data))


@st.composite
def parameter_requests(draw: st.DrawFn) -> Item:
    """One or two parameters set to anything."""
    values = [
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=draw(numbers)),
        ParameterValue(
            type=ParameterType.PARAMETER_INTEGER, integer_value=draw(st.integers(-3, 9))
        ),
        ParameterValue(
            type=ParameterType.PARAMETER_STRING,
            string_value=draw(st.sampled_from(['', 'off', 'reject', 'first_point', 'link_2'])),
        ),
        ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=draw(st.booleans())),
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=draw(rows)),
        ParameterValue(type=ParameterType.PARAMETER_NOT_SET),
    ]
    chosen = draw(
        st.lists(
            st.tuples(
                st.sampled_from([*PARAMETERS, 'autostart', 'urdf_path', 'nose', '']),
                st.sampled_from(values),
            ),
            min_size=1,
            max_size=2,
        )
    )
    return Item('parameters', [Parameter(name=name, value=value) for name, value in chosen])


@st.composite
def requests(draw: st.DrawFn) -> Item:
    """A request to dynamics_server."""
    name = draw(st.sampled_from(sorted(SERVICES)))
    request = SERVICES[name].Request()
    for field, kind in request.get_fields_and_field_types().items():
        if field == 'joint_names':
            request.joint_names = draw(names | st.just([]))
        elif field == 'trajectory':
            request.trajectory = draw(trajectories()).payload
        elif kind == 'sequence<double>':
            setattr(request, field, draw(rows))
        elif kind == 'uint8':
            setattr(request, field, draw(st.integers(0, 3) | st.just(255)))
        elif field in ('frame', 'representation', 'coriolis_form'):
            setattr(request, field, draw(words))
        elif kind == 'boolean':
            setattr(request, field, draw(st.booleans()))
        elif field == 'sample_period':
            request.sample_period.sec = draw(seconds)
            request.sample_period.nanosec = draw(nanoseconds)
    return Item(name, request)


messages = st.one_of(
    trajectories(),
    trajectories(),
    spoiled_trajectories(),
    other_messages(),
    mutated_bytes(),
    parameter_requests(),
    requests(),
)
