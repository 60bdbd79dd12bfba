# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The feedforward process over DDS with streams: samples, positions, gaps."""

from __future__ import annotations

import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.stream_client import efforts_of, jet_of, status, stream_until, wait
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from screw_dynamics import read_urdf, recursive_body_fixed
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.reference.reference_filter import ReferenceFilter
from screw_dynamics_interfaces.msg import FeedforwardTorque, JointReference

NAMES = ['joint_1', 'joint_2']
SAMPLES, POSITIONS = '/feedforward/joint_reference', '/feedforward/joint_state_reference'
MAX_AGE = 0.3  # the machine that tests may be busy
BANDWIDTH = 6.0


@pytest.fixture(scope='module')
def model(planar):
    return read_urdf(planar)


@pytest.fixture(scope='module')
def process(ros, planar):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100.0,
        max_reference_age=MAX_AGE,
        filter__bandwidth=BANDWIDTH,
        diagnostic_updater__period=0.2,
    )
    ros.wait_until_active(process)
    return process


@pytest.fixture(scope='module')
def reports(ros):
    return ros.listen(DiagnosticArray, '/diagnostics')


@pytest.fixture
def samples(ros, process):
    """Return the torque messages from now on; whatever was followed is over."""
    samples = ros.listen(FeedforwardTorque, '/feedforward/feedforward')
    assert ros.call(Trigger, '/feedforward/clear', Trigger.Request()).success
    wait(ros, process, 1.5 * MAX_AGE)
    samples.clear()
    return samples


def now():
    return time.time_ns()


def jet_at(t):
    """Return a motion with all derivatives: q = (sin t, cos 2 t)."""
    quarter = 0.5 * np.pi
    return np.array(
        [[np.sin(t + d * quarter), 2.0**d * np.cos(2.0 * t + d * quarter)] for d in range(5)]
    )


def reference(jet, stamp=0, rows=5):
    """Return a sample, its joints in another order than the model's."""
    message = JointReference(joint_names=NAMES[::-1])
    set_stamp(message.header.stamp, stamp)
    fields = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')
    for field, row in zip(fields[:rows], jet, strict=False):
        setattr(message, field, row[::-1].tolist())
    return message


def positions(*values):
    return JointState(name=NAMES, position=[float(x) for x in values])


def test_every_sample_is_answered_once_under_its_own_stamp(ros, process, samples, model):
    sent = {}

    def message():
        stamp = now()
        sent[stamp] = jet_at(1e-9 * (stamp % 10**10))
        return reference(sent[stamp], stamp)

    stream_until(ros, process, SAMPLES, message, lambda: len(samples) > 20)
    stamps = [nanoseconds(sample.header.stamp) for sample in samples]
    assert len(set(stamps)) == len(stamps)
    for sample, stamp in zip(samples, stamps, strict=True):
        np.testing.assert_array_equal(jet_of(sample), sent[stamp])
        expected = recursive_body_fixed(model, sent[stamp])
        scale = np.abs(expected).max()
        np.testing.assert_allclose(efforts_of(sample), expected, rtol=0, atol=1e-11 * scale)
        assert (sample.source, sample.reference_continuity) == (sample.SOURCE_STREAM, 4)
        assert sample.joint_names == NAMES
        assert nanoseconds(sample.reference.time_from_start) == 0


@pytest.mark.parametrize('topic', [SAMPLES, POSITIONS])
def test_a_stale_stream_stops_the_output_and_says_so(ros, process, samples, reports, topic):
    def message():
        return reference(jet_at(0.3)) if topic == SAMPLES else positions(0.1, 0.2)

    stream_until(ros, process, topic, message, lambda: len(samples) > 3)

    def stale():
        found, values = status(ros, reports, topic.removeprefix('/feedforward/'))
        # reports are stamped before the age in them is taken
        return found.message.startswith('stale: no sample for ') and (found, values, now())

    found, values, _ = ros.wait_for('the report', stale, process)
    assert found.level == found.WARN
    assert 'the output has stopped (max_reference_age 0.3 s)' in found.message
    assert int(values['accepted']) > 0
    assert float(values['age [s]']) >= MAX_AGE  # rounded to milliseconds
    wait(ros, process, MAX_AGE)
    # a node that was held up takes the last samples after that report, and goes on with them
    _, values, instant = ros.wait_for('the report after all samples', stale, process)
    last = instant - 1e9 * float(values['age [s]'])  # when the last sample was received
    assert nanoseconds(samples[-1].header.stamp) <= last + 1e9 * (MAX_AGE + 0.1)


@pytest.mark.parametrize('rows', [3, 4])
def test_missing_derivatives_leave_arrays_empty_and_warn_once(ros, process, samples, model, rows):
    jet = jet_at(0.5)
    stream_until(
        ros, process, SAMPLES, lambda: reference(jet, rows=rows), lambda: len(samples) > 5
    )
    sample = samples[-1]
    sizes = [len(getattr(sample, name)) for name in ('reference_jerk', 'effort_dot')]
    assert sizes == ([2, 2] if rows == 4 else [0, 0])
    assert (len(sample.reference_snap), len(sample.effort_ddot)) == (0, 0)
    assert sample.reference_continuity == rows - 1
    expected = recursive_body_fixed(model, jet[:rows])
    np.testing.assert_allclose(sample.effort, expected[0], rtol=1e-11)
    text = {
        3: 'carries no jerks: effort_dot and effort_ddot are left empty',
        4: 'carries no snaps: effort_ddot is left empty',
    }
    assert process.log.count(text[rows]) == 1


def test_bad_samples_are_counted_and_the_stream_goes_on(ros, process, samples, reports):
    good = jet_at(0.2)
    bad = good.copy()
    bad[3, 1] = np.nan
    _, before = status(ros, reports, 'joint_reference')
    turn = iter(range(10**6))

    def message():
        return reference(good if next(turn) % 2 else bad)

    text = 'last rejection: jerks of joint joint_2: expected a finite number, got nan'

    def told():
        return any(
            int(value.value) > int(before['rejected']) + 5
            for report in reports
            for found in report.status
            if found.name == 'feedforward: joint_reference' and found.message == text
            for value in found.values
            if value.key == 'rejected'
        )

    # a stream that ends would be reported as stale
    stream_until(ros, process, SAMPLES, message, lambda: len(samples) > 10 and told())
    for sample in samples:
        np.testing.assert_array_equal(jet_of(sample), good)
    assert '~/joint_reference rejected: jerks of joint joint_2' in process.log
    ros.publish(reference(good, stamp=now() - 10**10), SAMPLES, qos_profile_sensor_data)
    ros.wait_for(
        'the refusal of an old stamp',
        lambda: (
            'header.stamp: expected an instant within 0.3 s of now' in process.log
            or ros.publish(reference(good, stamp=now() - 10**10), SAMPLES, qos_profile_sensor_data)
        ),
        process,
    )


def test_positions_go_through_the_filter(ros, process, samples, model):
    """A ramp: followed with the delay of the filter, at every tick, smoothly."""
    begun = now()
    speed = np.array([0.5, -0.25])
    filter_delay = ReferenceFilter(2, bandwidth=BANDWIDTH).delay
    pole = ReferenceFilter(2, bandwidth=BANDWIDTH).pole

    def message():
        return positions(*(speed * 1e-9 * (now() - begun)))

    def follows_the_ramp():
        """Whether the last ticks do: a busy machine that sends late leads them away for a time."""
        if len(samples) < 50 or nanoseconds(samples[-1].header.stamp) < begun + 2 * 10**9:
            return False  # it is still on its way there, and passes other delays
        stamps = np.array([nanoseconds(sample.header.stamp) for sample in samples[-50:]])
        jets = np.array([jet_of(sample) for sample in samples[-50:]])
        late = 1e-9 * (stamps - begun)[:, None] - jets[:, 0] / speed
        # the stream's own steps and the transport come on top
        on_time = filter_delay < late.mean() < filter_delay + 0.05
        return on_time and np.allclose(jets[:, 1].mean(axis=0), speed, rtol=0.1)

    stream_until(ros, process, POSITIONS, message, follows_the_ramp)
    assert {sample.source for sample in samples} == {FeedforwardTorque.SOURCE_STREAM}
    assert (np.diff([nanoseconds(sample.header.stamp) for sample in samples]) > 0).all()
    del samples[:-50]
    stamps = np.array([nanoseconds(sample.header.stamp) for sample in samples])
    jets = np.array([jet_of(sample) for sample in samples])
    # each row is the derivative of the row before
    steps = 1e-9 * np.diff(stamps)[:, None]
    for d in range(4):
        expected = jets[:-1, d] + 0.5 * steps * (jets[:-1, d + 1] + jets[1:, d + 1])
        bound = pole ** (d + 2) * steps**2 * np.abs(speed).max() / pole
        assert (np.abs(jets[1:, d] - expected) <= bound).all(), d
    for sample, jet in zip(samples[::20], jets[::20], strict=True):
        expected = recursive_body_fixed(model, jet)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(efforts_of(sample), expected, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize('topic', [SAMPLES, POSITIONS])
def test_positions_beyond_their_limits(ros, process, samples, topic):
    """Followed with a warning, or rejected, depending on check_limits."""
    jet = np.zeros((5, 2))
    jet[0, 0] = 4.0

    def message():
        return reference(jet) if topic == SAMPLES else positions(*jet[0])

    text = f'{topic.replace("/feedforward", "~")}{{}}: position of joint joint_1: expected within'
    stream_until(ros, process, topic, message, lambda: text.format('') in process.log and samples)
    assert ros.set_parameter('/feedforward', 'check_limits', 'reject')[0]
    rejected = text.format(' rejected')
    stream_until(ros, process, topic, message, lambda: rejected in process.log)
    end = now() + 1e9 * MAX_AGE
    wait(ros, process, 1.5 * MAX_AGE)
    stream_until(ros, process, topic, message, lambda: process.log.count(rejected) > 1)
    assert nanoseconds(samples[-1].header.stamp) <= end
    assert ros.set_parameter('/feedforward', 'check_limits', 'warn')[0]


def test_a_stream_beyond_the_limits_is_reported(ros, process, samples, reports, model):
    """Its positions are within them; what it takes to follow is known tick by tick alone."""
    limit = model.limits.velocity[1]
    slow = np.zeros((5, 2))
    fast = slow.copy()
    fast[1, 1] = 2.0 * limit

    def report_on(jet, message):
        """Return the values of a report that begins so, while a sample is streamed."""
        told = []

        def reported():
            found, values = status(ros, reports, 'limits')
            if found.message.startswith(message):
                told.append(values)
            return told

        stream_until(ros, process, SAMPLES, lambda: reference(jet), reported)
        return told[0]

    values = report_on(fast, 'limit exceeded: joint_')
    assert values['joint_2: velocity'] == f'{2.0 * limit:g} rad/s, limit {limit:g} rad/s'
    assert report_on(slow, 'kept') == {}
    assert ros.set_parameter('/feedforward', 'check_limits', 'off')[0]
    ros.wait_for(
        'the report', lambda: status(ros, reports, 'limits')[0].message == 'not checked', process
    )
    assert ros.set_parameter('/feedforward', 'check_limits', 'warn')[0]


@pytest.mark.parametrize(
    'name, value, reason',
    [
        ('filter.order', 4, 'filter.order'),
        ('filter.bandwidth', 0.0, 'filter.bandwidth'),
        ('max_reference_age', 11, "'max_reference_age': expected a number from 0.001 to 10"),
    ],
)
def test_parameters_out_of_range(ros, process, name, value, reason):
    taken, why = ros.set_parameter('/feedforward', name, value)
    assert not taken
    assert reason in why


def test_another_filter_while_it_runs(ros, process, samples, reports):
    stream_until(ros, process, POSITIONS, lambda: positions(0.3, 0.4), lambda: len(samples) > 5)
    assert ros.set_parameter('/feedforward', 'filter.order', 5)[0]
    delay = ReferenceFilter(2, order=5, bandwidth=BANDWIDTH).delay

    def reported():
        _, values = status(ros, reports, 'joint_state_reference')
        return float(values['delay of the filter [s]']) == pytest.approx(delay, abs=1e-4)

    ros.wait_for('the report', reported, process)
    assert ros.set_parameter('/feedforward', 'filter.order', 8)[0]
