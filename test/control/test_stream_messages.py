# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of streams: joint order by name, and every reason to reject one, with its text."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='messages need ROS 2')

from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState

import screw_dynamics as sd
from screw_dynamics.common.times import instant_of, set_stamp
from screw_dynamics.control.limit_checks import LimitError, check_positions
from screw_dynamics.control.measurements import ExternalWrenches
from screw_dynamics.control.streams import StreamReader
from screw_dynamics.errors import InputError
from screw_dynamics.model.urdf import read_description
from screw_dynamics.nodes.shared.loaded_robot import uncontrolled_joints
from screw_dynamics_interfaces.msg import JointReference

NOW = 1_700_000_000 * 10**9
NAN, INF = float('nan'), float('inf')
FIELDS = ('positions', 'velocities', 'accelerations', 'jerks', 'snaps')


@pytest.fixture
def reader(gripper, model):
    return StreamReader(model, uncontrolled_joints(read_description(gripper), model))


def sample(names, jet, **changes):
    message = JointReference(joint_names=list(names))
    for field, row in zip(FIELDS, np.asarray(jet).tolist(), strict=True):
        setattr(message, field, row)
    for field, value in changes.items():
        setattr(message, field, value)
    return message


def joint_state(names, positions, **changes):
    return JointState(name=list(names), position=[float(x) for x in positions], **changes)


class TestJointReference:
    """Positions to snaps."""

    def test_joints_are_found_by_name(self, reader, model):
        jet = np.random.default_rng(0).normal(size=(5, model.n))
        for order in (np.arange(model.n), np.roll(np.arange(model.n), 1), np.arange(model.n)):
            names = [model.joint_names[i] for i in order]
            got, rows = reader.jet(sample(names, jet[:, order]))
            np.testing.assert_array_equal(got, jet)
            assert rows == 5

    @pytest.mark.parametrize(
        'empty, rows', [(['snaps'], 4), (['jerks', 'snaps'], 3), (['jerks'], 3)]
    )
    def test_missing_derivatives(self, reader, model, empty, rows):
        jet = np.ones((5, model.n))
        message = sample(model.joint_names, jet, **{field: [] for field in empty})
        got, known = reader.jet(message)
        assert known == rows
        np.testing.assert_array_equal(got[:rows], 1.0)
        assert not got[rows:].any()

    @pytest.mark.parametrize(
        'field, value, text',
        [
            ('joint_names', [], 'Empty joint names'),
            ('joint_names', ['nose'], "Incoming joint nose doesn't match the joints"),
            ('positions', [], r'positions: expected \d values, one per joint name, got 0$'),
            ('positions', [0.0], r'positions: expected \d values, one per joint name, got 1$'),
            (
                'velocities',
                [],
                r'velocities: expected .* got 0 \(a stream of positions alone belongs on ~/joint_',
            ),
            ('accelerations', [], 'accelerations: expected .* got 0'),
            ('jerks', [0.0] * 20, 'jerks: expected .* got 20'),
            ('snaps', [0.0], 'snaps: expected .* got 1'),
        ],
    )
    def test_rejected(self, reader, model, field, value, text):
        message = sample(model.joint_names, np.zeros((5, model.n)), **{field: value})
        with pytest.raises(InputError, match=text):
            reader.jet(message)

    @pytest.mark.parametrize('field', FIELDS)
    @pytest.mark.parametrize('value', [NAN, -INF])
    def test_what_is_not_finite_is_named(self, reader, model, field, value):
        row = [0.0] * model.n
        row[1] = value
        message = sample(model.joint_names, np.zeros((5, model.n)), **{field: row})
        with pytest.raises(
            InputError, match=f'{field} of {model.joint_names[1]}: expected a finite number'
        ):
            reader.jet(message)

    @pytest.mark.parametrize('field', FIELDS)
    def test_what_nothing_can_be_computed_with_is_named(self, reader, model, field):
        row = [0.0] * (model.n - 1) + [-1.1e100]
        message = sample(model.joint_names, np.zeros((5, model.n)), **{field: row})
        with pytest.raises(InputError, match=r'expected at most 1e\+100 in size, got -1.1e\+100'):
            reader.jet(message)

    def test_names(self, reader, model):
        names = list(model.joint_names)
        zeros = np.zeros((5, model.n))
        with pytest.raises(InputError, match=f'missing: {names[-1]}'):
            reader.jet(sample(names[:-1], zeros))
        with pytest.raises(InputError, match='is named twice'):
            reader.jet(sample([*names[:-1], names[0]], zeros))
        with pytest.raises(InputError, match='a mimic joint'):
            reader.jet(sample([*names[:-1], mimic(reader)], zeros))
        # what was right before still is
        reader.jet(sample(names, zeros))


def mimic(reader):
    return next(name for name, what in reader._other_joints.items() if 'mimic' in what)


class TestJointState:
    """Positions alone."""

    def test_joints_are_found_by_name_among_others(self, reader, model):
        names = ['other', *model.joint_names[::-1]]
        positions = reader.positions(joint_state(names, range(model.n + 1)))
        np.testing.assert_array_equal(positions, np.arange(model.n, 0, -1.0))

    @pytest.mark.parametrize('velocity', [[], [NAN, 1.0]])
    def test_velocities_are_not_looked_at(self, reader, model, velocity):
        message = joint_state(model.joint_names, [0.5] * model.n, velocity=velocity)
        np.testing.assert_array_equal(reader.positions(message), 0.5)

    def test_rejected(self, reader, model):
        names = list(model.joint_names)
        zeros = [0.0] * model.n
        for message, text in (
            (joint_state(names, zeros[:-1]), 'position: expected . values, one per name, got '),
            (joint_state(names[1:], zeros[1:]), f'name: .* missing: {names[0]}'),
            (joint_state([*names, names[0]], [*zeros, 0.0]), f'twice: {names[0]}'),
            (joint_state(names, [NAN, *zeros[1:]]), f'position of {names[0]}: .* nan'),
        ):
            with pytest.raises(InputError, match=text):
                reader.positions(message)


def test_position_limits(model):
    j = int(np.argmax(np.isfinite(model.limits.upper)))
    positions = np.zeros(model.n)
    positions[j] = model.limits.upper[j] + 1.0
    text = f'position of joint {model.joint_names[j]}: expected within'
    for within in (model.limits.lower, model.limits.upper):
        assert check_positions(model, within, 'reject') == ''
    assert check_positions(model, positions, 'off') == ''
    assert check_positions(model, positions, 'warn').startswith(text)
    with pytest.raises(LimitError, match=text):
        check_positions(model, positions, 'reject')


def test_stamps():
    message = JointState()
    assert instant_of(message, NOW, 0.1) == NOW
    for offset in (-99_000_000, 99_000_000):
        set_stamp(message.header.stamp, NOW + offset)
        assert instant_of(message, NOW, 0.1) == NOW + offset
    for offset in (-101_000_000, 101_000_000, -NOW + 5):
        set_stamp(message.header.stamp, NOW + offset)
        with pytest.raises(InputError, match='header.stamp: expected an instant within 0.1 s of'):
            instant_of(message, NOW, 0.1)


class TestExternalWrench:
    """Wrenches on links."""

    @pytest.fixture
    def wrenches(self, model):
        return ExternalWrenches(model)

    @staticmethod
    def message(frame, *components, stamp=0):
        message = WrenchStamped()
        message.header.frame_id = frame
        set_stamp(message.header.stamp, stamp)
        torque, force = message.wrench.torque, message.wrench.force
        torque.x, torque.y, torque.z, force.x, force.y, force.z = (float(c) for c in components)
        return message

    def frames(self, model):
        return [name for name, frame in model.frames.items() if frame.body >= 0][-2:]

    @pytest.mark.parametrize('order', [0, 2])
    def test_every_fresh_wrench_counts(self, wrenches, model, order):
        (first, second), expired = self.frames(model), []
        values = {first: [1, 2, 3, 4, 5, 6], second: [-3, 1, 4, -1, 5, 9]}
        wrenches.add(*wrenches.read(self.message(first, *values[first]), NOW, 0.1))
        jet = np.random.default_rng(0).normal(size=(order + 3, model.n))
        out = np.empty((order + 1, model.n))
        for now, fresh in (
            (NOW, [first]),
            (NOW + 100_000_000, [first, second]),
            (NOW + 120_000_000, [second]),
            (NOW + 160_000_000, []),
        ):
            if now == NOW + 100_000_000:  # after efforts under the first alone
                message = self.message(second, *values[second], stamp=NOW + 50_000_000)
                wrenches.add(*wrenches.read(message, NOW, 0.1))
            expired += wrenches.inverse_dynamics(jet, out, now, 0.1)
            loads = {f: np.vstack([values[f], *[np.zeros(6)] * order]) for f in fresh}
            expected = sd.recursive_body_fixed(model, jet, loads)
            np.testing.assert_allclose(out, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
            assert wrenches.by_age(now, 0.1)[0] == fresh
        assert expired == [first, second]
        wrenches.add(*wrenches.read(self.message(first, *values[second]), NOW + 10**9, 0.1))
        wrenches.inverse_dynamics(jet, out, NOW + 10**9, 0.1)
        loads = {first: np.vstack([values[second], *[np.zeros(6)] * order])}
        expected = sd.recursive_body_fixed(model, jet, loads)
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
        wrenches.clear()
        wrenches.inverse_dynamics(jet, out, NOW + 10**9, 0.1)
        np.testing.assert_array_equal(out, sd.inverse_dynamics(model, jet))

    def test_ignored(self, wrenches, model):
        (frame, _) = self.frames(model)
        good = [1.0] * 6
        for message, text in (
            (self.message('nose', *good), "unknown frame 'nose': expected one of"),
            (self.message('', *good), "unknown frame ''"),
            (self.message(model.base_link, *good), 'header.frame_id: expected a moving link'),
            (self.message(frame, 0, 0, 0, 0, NAN, 0), 'wrench.force.y: expected a finite number'),
            (self.message(frame, 0, INF, 0, 0, 0, 0), 'wrench.torque.y: .* got inf'),
            (self.message(frame, *good, stamp=NOW - 10**9), 'header.stamp: expected an instant'),
        ):
            with pytest.raises(InputError, match=text):
                wrenches.add(*wrenches.read(message, NOW, 0.1))
        assert wrenches.by_age(NOW, 0.1) == ([], [])
