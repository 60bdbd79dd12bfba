# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Random and mutated messages: accepted, or rejected with a reason; never anything else."""

import copy

import numpy as np
import pytest
from helpers.node_processes import trajectory
from helpers.receiving_node import NOW, Node
from hypothesis import given, settings
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from screw_dynamics import read_urdf, share_path
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.dynamics_server import services
from screw_dynamics.nodes.dynamics_server.requests import DynamicsServerParameters, JointRequest
from screw_dynamics.nodes.dynamics_server.trajectory_services import compute_trajectory_torques
from screw_dynamics.nodes.load_observer.observed_loads import MotorStateBuffer
from screw_dynamics_interfaces.srv import (
    ComputeTrajectoryTorques,
    GetDynamicTerms,
    GetForwardDynamics,
    GetFrameMotion,
    GetInverseDynamics,
    GetMassMatrix,
)

pytestmark = pytest.mark.long

PLANAR = share_path('urdf/planar_2r.urdf')
MODEL = read_urdf(PLANAR)
NAMES = list(MODEL.joint_names)
SECOND = 10**9

numbers = st.floats(width=64) | st.floats(-4.0, 4.0) | st.sampled_from([0.0, 1e308, 5e-324])
rows = st.lists(numbers, max_size=3) | st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=2)
names = st.permutations(NAMES) | st.lists(st.sampled_from([*NAMES, '', 'nose']), max_size=3)
words = st.sampled_from(['', *MODEL.frames, 'body', 'hybrid', 'C', 'Cbar', 'nose'])
times = st.tuples(st.integers(-2, 3) | st.just(2**31 - 1), st.integers(0, 999_999_999))


@st.composite
def trajectories(draw):
    """Return a good trajectory with some fields replaced by anything that fits their types."""
    count = draw(st.integers(0, 4))
    message = trajectory(NAMES, *([0.1 * i, 0.2] for i in range(count)))
    if draw(st.booleans()):
        message.joint_names = draw(names)
    if draw(st.integers(0, 3)) == 0:
        message.header.stamp.sec, message.header.stamp.nanosec = draw(times)
    for point in message.points:
        field = draw(st.sampled_from(['', '', 'positions', 'velocities', 'accelerations', 'time']))
        if field == 'time':
            point.time_from_start.sec, point.time_from_start.nanosec = draw(times)
        elif field:
            setattr(point, field, draw(rows))
    return message


@settings(max_examples=400)
@given(
    messages=st.lists(trajectories(), min_size=1, max_size=3),
    state=st.sampled_from(['reference', 'joint_states', 'first_point']),
    partial=st.booleans(),
    moving=st.booleans(),
    lead_time=st.sampled_from([0.0, 0.05]),
    interpolation=st.sampled_from(['smooth', 'jtc']),
)
def test_trajectories(messages, state, partial, moving, lead_time, interpolation):
    node = Node(
        PLANAR,
        limits='reject',
        interpolation=interpolation,
        start_state=state,
        allow_partial_joints=partial,
        allow_nonzero_velocity_at_end=moving,
        lead_time=lead_time,
    )
    for message in messages:
        node.measured.update(JointState(name=NAMES, position=[0.1, 0.2]), node.now)
        before = node.reference.state(node.now + SECOND // 20)
        try:
            node.accept(message)
        except ScrewDynamicsError as error:
            assert str(error)
            after = node.reference.state(node.now + SECOND // 20)
            assert (before is None) == (after is None)
            if before is not None:
                np.testing.assert_array_equal(before, after)
        for step in range(3):
            node.jet(node.now + step * SECOND // 2 + round(lead_time * SECOND))
        node.now += SECOND


@given(given_names=names, fields=st.lists(rows, min_size=3, max_size=3), stamp=times)
def test_motor_states(given_names, fields, stamp):
    states = MotorStateBuffer(NAMES)
    message = JointState(name=list(given_names))
    message.position, message.velocity, message.effort = fields
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    try:
        states.update(message, NOW, 0.1)
    except InputError as error:
        assert str(error)
        assert states.instant is None
        return
    assert sorted(given_names) == NAMES or set(NAMES) < set(given_names)
    assert np.isfinite(states.values).all()
    for row, field in zip(states.values, ('position', 'velocity'), strict=True):
        expected = dict(zip(given_names, getattr(message, field), strict=True))
        assert row.tolist() == [expected[name] for name in NAMES]


ANSWERS = {
    GetMassMatrix: services.get_mass_matrix,
    GetDynamicTerms: services.get_dynamic_terms,
    GetFrameMotion: services.get_frame_motion,
    GetForwardDynamics: services.get_forward_dynamics,
    GetInverseDynamics: services.get_inverse_dynamics,
}


@pytest.mark.parametrize('kind', ANSWERS, ids=lambda kind: kind.__name__)
@settings(max_examples=200)
@given(data=st.data())
def test_requests(kind, data):
    request = kind.Request()
    for field, type_name in request.get_fields_and_field_types().items():
        if field == 'joint_names':
            request.joint_names = data.draw(names | st.just([]))
        elif type_name == 'sequence<double>':
            setattr(request, field, data.draw(rows))
        elif type_name == 'uint8':
            setattr(request, field, data.draw(st.integers(0, 6) | st.just(255)))
        elif type_name == 'string':
            setattr(request, field, data.draw(words))
        elif type_name == 'boolean':
            setattr(request, field, data.draw(st.booleans()))
    response = kind.Response()
    untouched = copy.deepcopy(response)
    with np.errstate(all='ignore'):
        try:
            read = JointRequest.read(Robot(MODEL), DynamicsServerParameters(), request)
            ANSWERS[kind](read, response)
        except ScrewDynamicsError as error:
            assert str(error)
            assert response == untouched
            return
    for field, type_name in response.get_fields_and_field_types().items():
        if type_name == 'sequence<double>':
            assert np.isfinite(getattr(response, field)).all(), field


@settings(max_examples=200)
@given(message=trajectories(), order=st.integers(0, 3), period=times)
def test_trajectory_requests(message, order, period):
    request = ComputeTrajectoryTorques.Request(trajectory=message, derivative_order=order)
    request.sample_period.sec, request.sample_period.nanosec = period
    response = ComputeTrajectoryTorques.Response()
    parameters = DynamicsServerParameters(max_samples=1000)
    try:
        compute_trajectory_torques(Robot(MODEL), parameters, request, response)
    except ScrewDynamicsError as error:
        assert str(error)
        return
    assert len(response.trajectory.points) <= 1000
    assert np.isfinite(response.effort_dot).all()
