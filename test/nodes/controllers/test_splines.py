# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/spline``: a controller samples what the node follows, whatever changes the motion."""

import shutil
import time
from itertools import pairwise

import numpy as np
import pytest
from helpers.spline_follower import build_follower, follow

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.report import WARN
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.spline_output import SplineOutput
from screw_dynamics.trajectory import waypoints_from_points
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS
from screw_dynamics.trajectory.reference.reference import Reference, Source
from screw_dynamics.trajectory.reference.timeline import Timeline
from screw_dynamics_interfaces.msg import JointSpline

pytestmark = pytest.mark.skipif(shutil.which('g++') is None, reason='not installed: g++')

MS = SECOND // 1000
START = 1_700_000_000 * SECOND + 123_456_789
LEAD = 20 * MS
# relative to the largest value of a derivative: node and controller do the same operations, but
# count the trajectory time from instants of their own
BOUND = 1e-12


@pytest.fixture(scope='session')
def program(tmp_path_factory):
    """Return the program that samples splines."""
    return build_follower(tmp_path_factory.mktemp('follower'))


class Run:
    """A node that ticks every millisecond, and a controller that gets its messages later."""

    def __init__(self, ros, program, n=3, interpolation='smooth', **parameters):
        values = FeedforwardParameters(
            outputs=('spline',), lead_time=LEAD / SECOND, interpolation=interpolation, **parameters
        )
        values.check()
        self.n, self.program = n, program
        self.names = tuple(f'joint_{i}' for i in range(n))
        self.reference = Reference(n, INTERPOLATIONS[interpolation])
        self.output = SplineOutput(ros.node, self.reference, self.names, values)
        self.values, self.now = values, START
        self.expected = {}  # by instant: flags and joint jet of the node
        self.messages = []  # with the instant of their reception
        self.jet = np.empty((5, n))

    @property
    def earliest(self):
        return self.now + LEAD

    def tick(self, count=1):
        """Sample the reference as the node does, `lead_time` ahead."""
        for _ in range(count):
            source = self.reference.sample(self.earliest, self.jet)
            idle = source is Source.HOLD and self.values.hold_time == 0.0
            if source is not None and not idle:
                flags = source is Source.HOLD, self.reference.continues, self.reference.first
                self.expected[self.earliest] = (True, *flags), self.jet.copy()
            self.now += MS

    def follow(self, positions, times, delay=0, start=None, **more):
        waypoints = waypoints_from_points(
            self.names, list(zip(times, positions, strict=True)), self.names
        )
        begin = self.earliest + delay
        self.reference.add(waypoints, start or begin, begin, **more)
        self.send()

    def speed(self, speed):
        self.reference.set_speed(speed, self.earliest)
        self.send()

    def send(self, transport=5 * MS):
        self.messages.append((self.now + transport, self.output.message(self.now)))

    def compare(self):
        """Compare node and controller; return the flags (T, 4) of the controller."""
        instants = np.arange(START + LEAD, self.now, MS)
        received = [at for at, _ in self.messages]
        assert received == sorted(received)
        bounds = [instants.searchsorted(at) for at in [*received, self.now]]
        parts = [
            (message, instants[low:high])
            for (_, message), (low, high) in zip(self.messages, pairwise(bounds), strict=True)
        ]
        got = follow(self.program, self.n, parts, START)
        instants = instants[bounds[0] :]
        nothing = (False,) * 4, np.full((5, self.n), np.nan)
        known = [self.expected.get(int(i), nothing) for i in instants]
        flags = np.array([one for one, _ in known])
        jets = np.array([jet for _, jet in known])
        np.testing.assert_array_equal(got.flags[:, 0], flags[:, 0])
        applies = flags[:, 0]
        # the controller has not seen the samples before its first message
        np.testing.assert_array_equal(got.flags[applies][1:], flags[applies][1:])
        scale = np.abs(jets[applies]).max(axis=(0, 2))[:, None]
        assert (np.abs(got.jets - jets)[applies] <= BOUND * scale).all()
        return got.flags


@pytest.fixture
def run(ros, program):
    made = []

    def run(**more):
        made.append(Run(ros, program, **more))
        return made[-1]

    yield run
    for one in made:
        one.output.destroy(0.0)


@pytest.mark.parametrize('seed', range(2))
def test_random_motions_replacements_and_speeds(run, seed):
    rng = np.random.default_rng(seed)
    one = run(n=int(rng.integers(1, 8)))
    one.follow(rng.uniform(-1.0, 1.0, (3, one.n)), [0.0, 0.6, 1.3])
    changes = 0
    for _ in range(40):
        one.tick(int(rng.integers(1, 120)))
        choice = rng.random()
        if choice < 0.5:
            count = int(rng.integers(1, 6))
            times = 0.2 + np.cumsum(rng.uniform(0.1, 0.5, count))
            delay = int(rng.integers(0, 2)) * int(rng.integers(0, 80 * MS))
            one.follow(rng.uniform(-1.0, 1.0, (count, one.n)), times, delay)
        else:
            one.speed(float(rng.choice([0.0, 0.3, 0.5, 1.0, 1.7])))
        changes += 1
    one.speed(1.0)
    one.tick(3000)
    flags = one.compare()
    assert flags[:, 0].all() and flags[-1, 1]  # the last motion has ended
    assert changes == 40 and flags[:, 3].sum() >= 5  # motions took over


def test_motions_that_begin_later_wait_in_their_order(run):
    one = run()
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 1.0])
    one.tick(100)
    one.follow([[0.5] * 3], [0.5], delay=400 * MS)
    one.follow([[0.0] * 3], [0.5], delay=2000 * MS)
    assert [len(message.pieces) for _, message in one.messages] == [1, 2, 3]
    one.speed(0.5)  # the later ones keep their begin
    one.tick(4000)
    one.compare()


def test_a_message_has_only_the_segments_that_are_left(run):
    one = run()
    times = np.linspace(0.0, 10.0, 101)
    one.follow(np.sin(times)[:, None].repeat(3, axis=1), times)
    one.tick(5000)
    one.follow([[0.0] * 3], [2.0], delay=30 * MS)
    running, new = one.messages[-1][1].pieces
    # 0.1 s that have passed, and 50 ms until the new one begins
    assert len(running.breaks) - 1 <= 3 and len(new.breaks) == 2
    one.tick(2500)
    one.compare()


def test_a_controller_that_starts_late_follows_what_the_others_do(run):
    one = run()
    one.follow([[0.0] * 3, [1.0] * 3, [0.0] * 3], [0.0, 0.4, 2.0])
    one.tick(300)
    one.speed(0.7)
    one.tick(300)
    one.follow([[0.5] * 3], [0.5])
    one.tick(200)
    one.messages = [(one.now, one.messages[-1][1])]  # that which is latched
    one.tick(1500)
    one.compare()


def test_after_clear_nothing_is_followed(run):
    one = run()
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 1.0])
    one.tick(300)
    one.reference.clear()
    one.send(transport=0)
    assert not one.messages[-1][1].pieces
    for instant in [instant for instant in one.expected if instant >= one.now]:
        del one.expected[instant]
    one.tick(300)
    one.follow([[0.2] * 3], [0.5], start_jet=np.zeros((5, 3)))
    one.tick(1000)
    flags = one.compare()
    assert not flags[300:550, 0].any() and flags[-400:, 0].all()


@pytest.mark.parametrize('speed', [1.0, 0.5])
def test_ends_are_not_held_without_a_hold_time(run, speed):
    one = run(hold_time=0.0)
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 0.5])
    one.tick(100)
    one.speed(speed)
    one.tick(1500)
    flags = one.compare()
    assert flags[300, 0] and not flags[-200:, 0].any()
    one.follow([[0.0] * 3], [0.5])  # from the end
    one.tick(1500)
    one.compare()


def test_ends_are_held_for_a_time_after_they_were_reached(run):
    one = run(hold_time=0.5)
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 0.4])
    begin = one.earliest
    (piece,) = one.messages[-1][1].pieces
    assert nanoseconds(piece.release) == begin + 900 * MS
    one.tick(600)
    one.speed(0.5)  # does not hold it longer
    assert nanoseconds(one.messages[-1][1].pieces[-1].release) == begin + 900 * MS
    one.speed(0.0)
    assert nanoseconds(one.messages[-1][1].pieces[-1].release) == begin + 900 * MS


def test_a_stopped_motion_and_what_continues_it_are_left_out(run):
    one = run()
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 1.0])
    one.tick(200)
    one.follow([[0.5] * 3], [0.5], delay=300 * MS)
    assert len(one.messages[-1][1].pieces) == 2
    one.output.watch(one.reference.sampled)
    one.reference.driven = False
    one.send()
    assert not one.messages[-1][1].pieces
    # the next one begins where the robot is measured, and is sent before it begins
    one.follow([[0.3] * 3], [0.5], start_jet=np.zeros((5, 3)))
    (piece,) = one.messages[-1][1].pieces
    assert not piece.continues and nanoseconds(piece.begin) == one.earliest


def test_splines_of_a_controller_keep_their_jumps(run):
    rng = np.random.default_rng(2)
    one = run(interpolation='jtc')
    one.follow([[0.0] * 3, [1.0] * 3], [0.0, 1.0])
    for _ in range(4):
        one.tick(150)
        one.follow(rng.uniform(-1.0, 1.0, (2, 3)), [0.3, 0.6], received=one.earliest)
    one.tick(1000)
    one.compare()


def test_numbers_of_motions_are_not_those_of_an_earlier_process():
    reference = Reference(1, INTERPOLATIONS['smooth'])
    waypoints = waypoints_from_points(['a'], [(0.0, [0.0]), (1.0, [1.0])], ('a',))
    numbers = set()
    for _ in range(3):
        timeline = Timeline(reference)
        reference.clear()
        reference.add(waypoints, START, START)
        timeline.update(START)
        numbers |= {piece.number for piece in timeline.pieces(START)}
    assert len(numbers) == 3


@pytest.mark.parametrize(
    ('parameters', 'text'),
    [
        ({'lead_time': 0.0}, "'lead_time': expected at least 0.005 s with .* has a spline, got 0"),
        ({'follow_joint_trajectory': '/a'}, "'outputs': expected no spline with follow_joint"),
    ],
)
def test_what_has_no_spline_is_refused(parameters, text):
    values = FeedforwardParameters(**{'outputs': ('spline',), 'lead_time': 0.02, **parameters})
    with pytest.raises(InputError, match=text):
        values.check()


def test_messages_leave_time_to_the_ticks(ros, run):
    """Changes that follow each other while a long message rests are sent in one."""
    received = ros.listen(JointSpline, '/client/spline')
    one = run()
    one.output._free = free = time.monotonic() + 0.2
    for end in (0.5, 1.0):
        waypoints = waypoints_from_points(
            one.names, [(0.0, [0.0] * 3), (1.0, [end] * 3)], one.names
        )
        one.reference.add(waypoints, START, START)
    ros.wait_for('a message', lambda: received)
    assert time.monotonic() >= free
    (piece,) = received[0].pieces
    np.testing.assert_array_equal(piece.end, [1.0] * 3)
    level, text, values = one.output.report()
    assert values['messages'] == 1
    # these motions began years ago
    assert (level, values['late messages']) == (WARN, 1) and 'lead_time' in text
