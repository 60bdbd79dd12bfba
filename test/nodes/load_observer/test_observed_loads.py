# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads that the node observes of messages, and the samples that it keeps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.estimation.observers.carried_payload import CarriedPayload
from screw_dynamics.nodes.load_observer.observed_loads import (
    JointStateHistory,
    ObservedLoads,
    payload_text,
)
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters

MS = 10**6
NOW = 1_700_000_000 * SECOND
REST = np.zeros(7)


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def observed(arm, **parameters):
    return ObservedLoads(Robot(arm, None), LoadObserverParameters(**parameters))


def joint_states(names, q, qd, effort, instant):
    message = JointState(
        name=list(names), position=list(q), velocity=list(qd), effort=list(effort)
    )
    set_stamp(message.header.stamp, instant)
    return message


def test_efforts_are_those_of_the_observer_in_model_order(arm):
    rng = np.random.default_rng(4)
    loads, observer = observed(arm), sd.LoadObserver(arm, bandwidth=50.0)
    order = rng.permutation(7)
    names = [arm.joint_names[i] for i in order]
    for i in range(50):
        q, qd, effort = 0.1 * rng.normal(size=(3, 7))
        message = joint_states(names, q[order], qd[order], effort[order], NOW + 5 * MS * i)
        assert loads.receive(message, 0)
        expected = observer.update(0.005 * i, q, qd, effort)
    np.testing.assert_allclose(loads.effort, expected, rtol=0, atol=1e-9)
    assert loads.instant == NOW + 49 * 5 * MS


def test_a_load_that_is_picked_up_is_offered_with_what_is_carried_already(arm):
    parameters = {'payload_frame': 'link_7', 'payload_mass': 1.0, 'payload_com': (0, 0, 0.1)}
    loads = observed(arm, **parameters)
    loaded = arm.with_payload('link_7', 2.0, [0.0, 0.0, 0.4], np.zeros((3, 3)))
    for i in range(600):
        angle = 0.01 * i + np.arange(7.0)
        jet = 0.5 * np.array([np.sin(angle), np.cos(angle), -np.sin(angle)])
        effort = sd.inverse_dynamics(loaded if i > 50 else arm, jet)[0]
        message = joint_states(arm.joint_names, jet[0], jet[1], effort, NOW + 10 * MS * i)
        loads.receive(message, NOW + 10 * MS * i)
    text = payload_text(loads.payload, LoadObserverParameters(**parameters))
    assert text.startswith('looks like a payload of 2 kg (+- ')
    assert 'set payload.frame: link_7, payload.mass: 3' in text
    assert 'payload.com: [0.00' in text and '0.30' in text.split('payload.com')[1]
    other = CarriedPayload('link_6', 2.0, np.zeros(3), 0.1, np.zeros(3))
    assert 'payload.mass: 2,' in payload_text(other, LoadObserverParameters(**parameters))


def test_a_message_without_a_stamp_has_that_of_its_reception(arm):
    loads = observed(arm)
    loads.receive(joint_states(arm.joint_names, REST, REST, REST, 0), NOW)
    assert loads.instant == NOW


numbers = st.floats(width=64) | st.floats(-10.0, 10.0)
fields = st.lists(st.lists(numbers, max_size=8), min_size=3, max_size=3)


@settings(max_examples=50)
@given(messages=st.lists(st.tuples(fields, st.integers(0, 8), st.integers(-400, 400)), max_size=5))
def test_random_messages_are_observed_or_rejected_with_a_reason(arm, messages):
    loads, now = observed(arm), NOW
    for values, count, step in messages:
        now += step * MS
        message = JointState(name=[*arm.joint_names, 'gripper'][:count])
        message.position, message.velocity, message.effort = values
        set_stamp(message.header.stamp, now)
        before = loads.effort.copy(), loads.instant
        try:
            observed_now = loads.receive(message, NOW)
        except ScrewDynamicsError as error:
            assert str(error)
            observed_now = False
        if not observed_now:
            assert (loads.effort == before[0]).all() and loads.instant == before[1]
        assert np.isfinite(loads.effort).all() and np.isfinite(loads.detector.threshold).all()


def test_other_joints_and_repeated_stamps_are_left_out(arm):
    loads = observed(arm)
    first = joint_states(arm.joint_names, REST, REST, REST, NOW)
    assert loads.receive(first, NOW)
    assert not loads.receive(first, NOW)
    assert not loads.receive(joint_states(arm.joint_names, REST, REST, REST, NOW - 5 * MS), NOW)
    assert not loads.receive(joint_states(['gripper'], [0], [0], [0], NOW + 5 * MS), NOW)
    assert loads.instant == NOW


@pytest.mark.parametrize('jump', [300 * MS, -300 * MS])
def test_a_gap_and_a_clock_that_is_set_back_begin_anew(arm, jump):
    loads = observed(arm, timeout=0.2)
    for i in range(60):
        loads.receive(joint_states(arm.joint_names, REST, REST, REST + 200, NOW + 5 * MS * i), 0)
    assert loads.detector.contact is not None
    assert abs(loads.effort).max() > 1.0
    loads.receive(joint_states(arm.joint_names, REST, REST, REST + 200, loads.instant + jump), 0)
    assert loads.detector.contact is None
    assert (loads.effort == 0.0).all()


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'effort': []}, 'joint_states: effort of joint_1: expected a finite number, got none'),
        (
            {'velocity': []},
            'joint_states: velocity of joint_1: expected a finite number, got none',
        ),
        ({'position': [0.0] * 3}, "joint_states: expected 7 values in 'position'"),
        ({'effort': [0.0] * 6 + [np.inf]}, 'effort of joint_7: expected a finite number, got inf'),
        ({'position': [np.nan] + [0.0] * 6}, 'position of joint_1: expected a finite number'),
        (
            {'velocity': [1e200] * 7},
            r'velocity of joint_1: expected at most 1e.100 in size, got 1e.200',
        ),
    ],
)
def test_bad_messages_are_named_and_leave_the_observer_as_it_was(arm, change, text):
    loads = observed(arm)
    for i in range(20):
        loads.receive(joint_states(arm.joint_names, REST, REST, REST + 5, NOW + 5 * MS * i), 0)
    before, instant = loads.effort.copy(), loads.instant
    message = joint_states(arm.joint_names, REST, REST, REST, NOW + 100 * MS)
    for field, values in change.items():
        setattr(message, field, values)
    with pytest.raises(InputError, match=text):
        loads.receive(message, 0)
    assert (loads.effort == before).all() and loads.instant == instant


def test_a_push_at_the_flange_is_its_wrench_and_a_contact(arm):
    q = np.array([0.3, 0.9, -0.5, 1.2, 0.4, -0.6, 0.2])
    wrench = np.array([0.5, -1.0, 0.3, 20.0, -30.0, 15.0])
    load = sd.frame_jacobian(arm, q, 'flange').T @ wrench
    loads = observed(arm, wrench_frame='flange', model_error=0.0)
    for i in range(200):
        effort = sd.gravity_forces(arm, q) - load
        loads.receive(joint_states(arm.joint_names, q, REST, effort, NOW + 5 * MS * i), 0)
    np.testing.assert_allclose(loads.wrench(), wrench, atol=1e-6)
    assert loads.detector.contact is not None
    assert abs(loads.detector.contact.effort / loads.detector.threshold).max() > 1.0


def test_no_wrench_without_a_frame_or_if_a_component_moves_no_joint(arm):
    assert observed(arm).wrench() is None
    assert observed(arm, wrench_frame='link_2').wrench() is None


def test_warming_up_leaves_no_samples(arm):
    loads = observed(arm, wrench_frame='flange')
    loads.warm_up()
    assert loads.detector.contact is None and (loads.effort == 0.0).all()
    assert loads.receive(joint_states(arm.joint_names, REST, REST, REST, NOW), 0)
    assert (loads.effort == 0.0).all()


@pytest.mark.parametrize(
    ('parameters', 'text'),
    [
        ({'wrench_frame': 'nose'}, "parameter 'wrench.frame': unknown"),
        ({'floor': (1.0, 2.0)}, r"parameter 'contact.floor': expected no value, one, or 7 \("),
        ({'bandwidth': (1.0,) * 6}, r"parameter 'bandwidth': expected no value, one, or 7 \("),
    ],
)
def test_parameters_that_do_not_fit_the_robot_are_named(arm, parameters, text):
    with pytest.raises(InputError, match=text):
        observed(arm, **parameters)


@pytest.mark.parametrize('name', ['bandwidth', 'floor'])
def test_no_value_is_rejected(name):
    with pytest.raises(InputError, match=f'{name}.: expected one value or one per joint'):
        LoadObserverParameters(**{name: ()}).check()


def sprung(arm, **parameters):
    joint = sd.JointDrive(sd.LinearSpring(4000.0), sd.Motor(rotor_inertia=1e-5))
    drives = sd.Drives({name: joint for name in arm.joint_names})
    given = LoadObserverParameters(
        drives_path='springs.yaml', effort_source='motor_states', **parameters
    )
    return ObservedLoads(Robot(arm, drives), given)


def test_efforts_of_springs_come_from_their_deflections(arm):
    q, load = np.full(7, 0.4), np.arange(7.0)
    loads = sprung(arm, bandwidth=(100.0,))
    deflection = (sd.gravity_forces(arm, q) - load) / 4000.0
    rate = np.full(7, 0.3)
    for i in range(200):
        instant = NOW + 5 * MS * i
        # 2 ms older, on the way at their velocity
        motors = joint_states(
            arm.joint_names[::-1],
            (q + deflection - 0.002 * rate)[::-1],
            rate,
            [],
            instant - 2 * MS,
        )
        loads.receive_motors(motors, instant)
        assert loads.receive(joint_states(arm.joint_names, q, REST, [], instant), instant)
    np.testing.assert_allclose(loads.effort, load, atol=1e-6)


def test_joint_states_without_motor_states_are_rejected(arm):
    loads = sprung(arm)
    message = joint_states(arm.joint_names, REST, REST, [], NOW)
    with pytest.raises(InputError, match='motor_states: expected some within 0.2 s'):
        loads.receive(message, NOW)
    loads.receive_motors(joint_states(arm.joint_names, REST, REST, [], NOW), NOW)
    assert loads.receive(message, NOW)
    late = joint_states(arm.joint_names, REST, REST, [], NOW + 300 * MS)
    with pytest.raises(InputError, match='motor_states: expected some within 0.2 s'):
        loads.receive(late, NOW + 300 * MS)
    with pytest.raises(InputError, match='velocity: expected 7 values, one per name, got 0'):
        loads.receive_motors(joint_states(arm.joint_names, REST, [], [], NOW), NOW)


def test_deflections_need_springs():
    with pytest.raises(InputError, match="'effort_source': expected joint_states without"):
        LoadObserverParameters(effort_source='motor_states').check()


def test_other_parameters_begin_anew(arm):
    loads = observed(arm)
    for i in range(60):
        loads.receive(joint_states(arm.joint_names, REST, REST, REST + 200, NOW + 5 * MS * i), 0)
    assert loads.detector.contact is not None
    loads.apply(LoadObserverParameters(floor=(1e6,)))
    assert loads.detector.contact is None and (loads.effort == 0.0).all()
    for i in range(60):
        loads.receive(joint_states(arm.joint_names, REST, REST, REST + 200, NOW + 5 * MS * i), 0)
    assert loads.detector.contact is None and abs(loads.effort).max() > 100.0
    with pytest.raises(InputError, match='contact.floor'):
        loads.apply(LoadObserverParameters(floor=(1.0, 2.0)))
    assert loads.detector.threshold.min() >= 1e6


def test_samples_are_kept_since_the_last_gap():
    """A jump of the stamps back and another setting of the observer begin anew, too."""
    arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    loads = observed(arm, kept_samples=100)

    def hear(*instants):
        for instant in instants:
            q = [1e-9 * (instant - NOW), 0.0]
            message = joint_states(arm.joint_names, q, [0.0, 0.0], [1.0, 2.0], instant)
            loads.receive(message, instant)
        return loads.kept.latest(math.inf)

    times, positions, efforts = hear(*(NOW + 10 * MS * i for i in range(20)))
    np.testing.assert_allclose(times, np.arange(20) * 0.01, atol=1e-12)
    np.testing.assert_allclose(positions[:, 0], np.arange(20) * 0.01, atol=1e-12)
    np.testing.assert_array_equal(efforts, np.tile([1.0, 2.0], (20, 1)))
    assert len(hear(NOW + 190 * MS)[0]) == 20  # there already
    assert hear(NOW + 1000 * MS)[0].tolist() == [0.0]
    assert len(hear(NOW + 1010 * MS)[0]) == 2
    assert hear(NOW)[0].tolist() == [0.0]
    loads.apply(LoadObserverParameters(bandwidth=(20.0,)))
    assert len(loads.kept.latest(math.inf)[0]) == 0


def test_efforts_without_gravity_need_a_setting_and_are_kept_as_reported(arm):
    """They are refused by name after three poses at rest; an arm in motion is not judged."""
    rng = np.random.default_rng(8)
    silent, told = observed(arm), observed(arm, effort_content='without_gravity')
    for k in range(3):
        q = rng.uniform(-1.0, 1.0, 7)
        message = joint_states(arm.joint_names, q, REST, 0.01 * rng.normal(size=7), NOW + k * MS)
        told.receive(message, 0)
        np.testing.assert_allclose(told.effort, 0.0, atol=0.1)
        if k < 2:
            silent.receive(message, 0)
            doubt = silent.detector.observer.doubt
            assert "effort_content 'without_gravity' would explain" in doubt
            continue
        with pytest.raises(InputError, match='at rest in 3 poses'):
            silent.receive(message, 0)
    assert not told.detector.observer.doubt
    assert told.measured == sd.EffortFormat('without_gravity')
    np.testing.assert_allclose(told.kept.latest(math.inf)[2], 0.0, atol=0.1)


def test_a_scale_for_each_joint(arm):
    with pytest.raises(InputError, match="parameter 'effort_scale': expected 7 values"):
        observed(arm, effort_scale=(1.0, 2.0))


@pytest.mark.parametrize('count', [0, 1, 4, 5, 6, 9, 10, 11, 23])
def test_the_newest_are_kept_in_order(count):
    states = JointStateHistory(2, 5)
    for i in range(count):
        states.add(float(i), np.array([i, -i]), np.array([10.0 * i, 0.5]))
    times, positions, efforts = states.latest(math.inf)
    expected = np.arange(max(0, count - 5), count, dtype=float)
    np.testing.assert_array_equal(times, expected)
    np.testing.assert_array_equal(positions, np.column_stack((expected, -expected)))
    np.testing.assert_array_equal(efforts[:, 0], 10.0 * expected)
    assert efforts.shape == (len(expected), 2)


def test_a_part_is_counted_from_the_newest():
    states = JointStateHistory(1, 100)
    for i in range(50):
        states.add(0.1 * i, np.zeros(1), np.zeros(1))
    times, _, _ = states.latest(1.0)
    np.testing.assert_allclose(times[[0, -1]], [3.9, 4.9])


def test_what_is_returned_stays_as_it_is():
    states = JointStateHistory(1, 3)
    states.add(0.0, np.ones(1), np.ones(1))
    _, positions, _ = states.latest(1.0)
    states.add(1.0, np.full(1, 2.0), np.ones(1))
    states.clear()
    states.add(0.0, np.full(1, 3.0), np.ones(1))
    assert positions.tolist() == [[1.0]]
