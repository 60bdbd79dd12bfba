# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams and the trajectories that they replace, and gaps between samples."""

import numpy as np
import pytest
from helpers.streams import JET, StreamedCommands

from screw_dynamics.errors import InputError
from screw_dynamics.series.jets import taylor_shifted
from screw_dynamics.trajectory import waypoints_from_points
from screw_dynamics.trajectory.reference.reference import Source
from screw_dynamics.trajectory.reference.reference_filter import ReferenceFilter
from screw_dynamics.trajectory.reference.streamed_reference import (
    Stream,
    StreamSettings,
)

SECOND = 10**9
MS = 10**6
NOW = 1_700_000_000 * SECOND
NAMES = ('joint_1', 'joint_2')


class Commands(StreamedCommands):
    """The trajectories, the streams and a clock."""

    def __init__(self):
        super().__init__(StreamSettings(0.1, 8, 5.0), NOW)

    def follow(self, *points):
        """Follow points one second apart, from now on."""
        waypoints = waypoints_from_points(NAMES, list(enumerate(points)), NAMES)
        self.reference.add(waypoints, self.now, self.now)


@pytest.fixture
def commands():
    return Commands()


class TestSamples:
    """~/joint_reference."""

    def test_a_sample_is_handed_out_once_under_its_own_instant(self, commands):
        assert commands.add_sample(instant=NOW - 3 * MS)
        jet = np.empty((5, 2))
        commands.now += MS
        sample = commands.streamed.sample(commands.now, commands.now, jet)
        assert sample == (NOW - 3 * MS, 5, 4)
        np.testing.assert_array_equal(jet, JET)
        assert commands.streamed.sample(commands.now, commands.now, jet) is None

    @pytest.mark.parametrize('rows', [3, 4])
    def test_what_is_not_known_is_said(self, commands, rows):
        commands.add_sample(rows=rows)
        sample = commands.streamed.sample(NOW, NOW, np.empty((5, 2)))
        assert (sample.rows, sample.continuity) == (rows, rows - 1)

    def test_a_sample_that_waited_too_long_is_not_handed_out(self, commands):
        commands.add_sample(instant=NOW - 90 * MS)
        commands.now += 20 * MS
        assert not commands.streamed.stale(commands.now)
        assert commands.sample()[0] is None

    def test_stamps_must_increase(self, commands):
        commands.add_sample(instant=NOW - 2 * MS)
        commands.now += MS
        with pytest.raises(InputError, match='header.stamp: expected later than that of the samp'):
            commands.add_sample(JET + 1.0, instant=NOW - 2 * MS)
        np.testing.assert_array_equal(commands.sample()[1], JET)
        # without stamps the latest of the same instant counts
        commands.add_sample(JET + 1.0)
        commands.add_sample(JET + 2.0)
        np.testing.assert_array_equal(commands.sample()[1], JET + 2.0)

    def test_refused_samples_do_not_keep_a_stream_alive(self, commands):
        commands.add_sample(instant=NOW)
        commands.now += 60 * MS
        with pytest.raises(InputError):
            commands.add_sample(instant=NOW - MS)
        commands.now += 60 * MS
        assert commands.streamed.stale(commands.now)

    def test_between_samples_the_state_is_that_of_the_taylor_polynomial(self, commands):
        commands.add_sample()
        state = commands.streamed.state(NOW, NOW + 50 * MS)
        np.testing.assert_allclose(state, taylor_shifted(JET, 0.05))
        polynomial = np.polynomial.Polynomial(JET[:, 0] / [1, 1, 2, 6, 24])
        for d in range(5):
            assert state[d, 0] == pytest.approx(
                polynomial.deriv(d)(0.05) if d else polynomial(0.05)
            )


class TestPositions:
    """~/joint_state_reference."""

    def test_begins_at_rest_at_the_first_sample(self, commands):
        commands.add_positions(1.0, -2.0)
        source, jet = commands.sample()
        assert source is Source.STREAM
        np.testing.assert_array_equal(jet, [[1.0, -2.0], *np.zeros((4, 2))])

    def test_follows_as_the_filter_does_at_any_tick(self, commands):
        expected = ReferenceFilter(2)
        expected.start([0.0, 0.0])
        commands.add_positions(0.0, 0.0)
        rng = np.random.default_rng(0)
        for i in range(200):
            step = int(rng.integers(MS, 30 * MS))
            commands.now += step
            expected.advance(step / SECOND)
            if i % 3 == 0:
                positions = rng.uniform(-1.0, 1.0, size=2)
                commands.add_positions(*positions)
                expected.follow(positions)
            source, jet = commands.sample()
            assert source is Source.STREAM
            scale = expected.pole ** np.arange(5)[:, None]
            wanted = expected.sample(0.0, np.empty((5, 2)))
            np.testing.assert_allclose(jet / scale, wanted / scale, rtol=0, atol=1e-12)

    def test_a_tick_may_be_ahead_of_the_clock(self, commands):
        expected, jet = ReferenceFilter(2), np.empty((5, 2))
        expected.start([0.0, 0.0])
        expected.follow([1.0, -1.0])
        commands.add_positions(0.0, 0.0)
        commands.add_positions(1.0, -1.0)
        commands.streamed.sample(NOW, NOW + 50 * MS, jet)
        np.testing.assert_array_equal(jet, expected.sample(0.05, np.empty((5, 2))))

    def test_continuous_joints_take_the_nearest_turn(self, commands):
        commands.add_positions(3.0, 0.0)
        commands.now += 10 * MS
        commands.add_positions(-3.0, 0.5)
        commands.streamed.sample(commands.now, commands.now, np.empty((5, 2)))
        state = commands.streamed.state(commands.now, commands.now + 10 * SECOND)
        np.testing.assert_allclose(state[0], [2.0 * np.pi - 3.0, 0.5])

    def test_takes_over_a_trajectory_with_all_derivatives(self, commands):
        commands.follow([0.0, 0.0], [1.0, -1.0])
        commands.now += 300 * MS
        before = commands.sample()[1]
        assert np.abs(before[1:]).min() > 0.1
        commands.add_positions(0.5, 0.5)
        source, after = commands.sample()
        assert source is Source.STREAM
        assert commands.reference.empty
        scale = ReferenceFilter(2).pole ** np.arange(5)[:, None]
        np.testing.assert_allclose(after / scale, before / scale, rtol=0, atol=1e-13)

    def test_takes_over_a_slower_trajectory_as_it_moves(self, commands):
        commands.follow([0.0, 0.0], [1.0, -1.0])
        commands.reference.set_speed(0.5, NOW)
        commands.now += 600 * MS
        before = commands.sample()[1]
        commands.add_positions(0.5, 0.5)
        np.testing.assert_allclose(commands.sample()[1], before, rtol=1e-6, atol=1e-6)

    def test_takes_over_the_stream_of_samples(self, commands):
        jet = JET * ReferenceFilter(2).pole ** np.arange(5)[:, None]
        commands.add_sample(jet)
        commands.add_positions(0.0, 0.0)
        assert commands.streamed.followed is Stream.POSITIONS
        np.testing.assert_allclose(commands.sample()[1], jet, rtol=1e-12, atol=1e-6)

    @pytest.mark.parametrize('order, bandwidth', [(5, 10.0), (8, 2.0), (12, 40.0)])
    def test_another_filter_goes_on_where_the_old_one_is(self, commands, order, bandwidth):
        commands.add_positions(0.0, 0.0)
        commands.add_positions(1.0, -1.0)
        commands.now += 25 * MS
        before = commands.sample()[1]
        commands.streamed.apply(StreamSettings(0.1, order, bandwidth), commands.now)
        np.testing.assert_allclose(commands.sample()[1], before, rtol=1e-9)
        state = commands.streamed.state(commands.now, commands.now + 10 * SECOND)
        np.testing.assert_allclose(state[0], [1.0, -1.0], rtol=0, atol=1e-12)


class TestTheNewestCommandIsFollowed:
    """A stream is one command, from its first sample to a gap."""

    @pytest.mark.parametrize('stream', Stream)
    def test_a_gap_stops_the_output(self, commands, stream):
        self.add(commands, stream)
        commands.now += 100 * MS
        assert not commands.streamed.stale(commands.now)
        commands.now += 1
        assert commands.streamed.stale(commands.now)
        assert commands.sample()[0] is None
        assert commands.streamed.state(commands.now, commands.now) is None
        assert commands.streamed.age(commands.now) == pytest.approx(0.1)
        self.add(commands, stream)
        assert commands.sample()[0] is Source.STREAM

    def test_the_stream_that_began_last_wins(self, commands):
        for step in range(5):
            commands.now += 10 * MS
            assert self.add(commands, Stream.SAMPLES) == (step < 2)
            if step > 0:
                assert self.add(commands, Stream.POSITIONS)
            self.assert_one_is_followed(commands, step)

    @staticmethod
    def assert_one_is_followed(commands, step):
        expected = Stream.SAMPLES if step == 0 else Stream.POSITIONS
        assert commands.streamed.followed is expected

    def test_dropping_it_ends_it(self, commands):
        self.add(commands, Stream.POSITIONS)
        commands.streamed.supersede()
        commands.now += 50 * MS
        assert not self.add(commands, Stream.POSITIONS)
        commands.streamed.reset()
        assert self.add(commands, Stream.POSITIONS)

    @staticmethod
    def add(commands, stream):
        if stream is Stream.SAMPLES:
            return commands.add_sample()
        return commands.add_positions(0.1, 0.2)
