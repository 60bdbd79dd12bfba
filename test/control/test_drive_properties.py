# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What holds for every sequence of samples, losses, stalls, jumps and changes."""

from __future__ import annotations

import os

import numpy as np
from helpers.drive_rig import MIT, PERIOD, TICK, Move, Rig, rest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import screw_dynamics as sd
from screw_dynamics.control.drive_records import ClockJumped, State

MODEL = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
LIMITS = MODEL.limits
RATE = 300.0
RATED = sd.ElasticJoints(
    {name: sd.ElasticJoint(max_effort_rate=RATE) for name in MODEL.joint_names}
)
KINDS = {'effort': {}, 'mit': MIT, 'servo': {'fields': ('position', 'velocity')}}

angle = st.floats(-1.5, 1.5)
pose = st.tuples(angle, angle)
count = st.integers(1, 60)
events = st.one_of(
    st.tuples(st.just('move'), pose, st.floats(0.3, 2.0), st.integers(1, 200)),
    st.tuples(st.just('enter'), pose, st.floats(0.3, 2.0), st.floats(0.0, 1.0), count),
    st.tuples(st.just('hold'), count),
    st.tuples(st.just('silent'), st.integers(1, 120)),
    st.tuples(st.just('stall'), st.floats(0.0, 1.5)),
    st.tuples(st.just('step'), pose),
    st.tuples(st.just('load'), st.tuples(st.floats(-70, 70), st.floats(-40, 40))),
    st.tuples(st.just('odd'), st.integers(0, 2), st.sampled_from([np.nan, np.inf, 1e30, -9.0])),
    st.tuples(st.just('late'), st.floats(-1.0, 2.0)),
    st.tuples(st.just('measure'), st.one_of(st.none(), pose)),
    st.tuples(st.just('ramp'), st.sampled_from([0.0, 0.05, 0.25])),
    st.tuples(st.just('gains'), st.floats(0.0, 100.0)),
    st.tuples(st.just('jump'), st.floats(-5.0, 5.0)),
    st.tuples(st.just('lost'), st.integers(1, 20)),
)


class Watched:
    """A rig, the reference that it has seen, and the rules that hold for every command."""

    def __init__(self, kind, rated):
        self.rig = Rig(MODEL, RATED if rated else None, **KINDS[kind])
        self.kind, self.rated = kind, rated
        self.position = np.zeros(2)
        self.last = None  # time and rows of the command before
        self.stopped = None  # number of a motion
        self.compared = 0  # commands
        self.passed = self.instant = 0  # ns, between samples and of the newest one

    def tick(self, jet, since_start=np.inf):
        """Send a sample, and check what is published."""
        rig = self.rig
        if rig.measured is not None:
            rig.measure(rig.measured)
        sample = rig.sample(jet, since_start)
        self.check(sample)
        self.position = np.array(jet[0])

    def check(self, sample=None):
        """Step, and check what is published."""
        rig, core = self.rig, self.rig.core
        before, seen = core.state, core.report().values['motion']
        rig.step() if sample is None else rig.step(sample)
        driving = core.state in (State.RAMP_IN, State.ACTIVE)
        began = driving and before not in (State.RAMP_IN, State.ACTIVE)
        if core.state is State.STOPPED and before is not State.STOPPED:
            self.stopped = sample.motion
        if began:
            assert sample.motion != self.stopped
            # the first sample of a motion, or a reference at rest
            part = 0.02 if sample.motion != seen else 1e-3
            assert (np.abs(sample.jet[1]) <= part * LIMITS.velocity).all()
            self.stopped = None
        if sample is not None:
            self.passed, self.instant = sample.instant - self.instant, sample.instant
        for time, rows in rig.published[self.compared :]:
            self.compare(time, rows, began)
        self.compared = len(rig.published)
        rig.now += PERIOD

    def compare(self, now, rows, began):
        """Check a command on its own and against the one before."""
        assert np.isfinite(rows).all()
        named = dict(zip(self.rig.settings.fields, rows, strict=True))
        slack = 1.0 + 1e-5
        if 'effort' in named:
            assert (np.abs(named['effort']) <= slack * LIMITS.effort).all()
        if 'position' in named:
            assert (np.abs(named['velocity']) <= slack * LIMITS.velocity).all()
            assert (named['position'] <= LIMITS.upper + 1e-6).all()
            assert (named['position'] >= LIMITS.lower - 1e-6).all()
        if self.last is not None:
            time, before = self.last
            # of the samples, or that on the clock
            step = 1e-9 * max(now - time, self.passed)
            move = np.abs(rows - before)
            moves = dict(zip(self.rig.settings.fields, move, strict=True))
            if 'position' in moves and not began:
                assert (moves['position'] <= slack * LIMITS.velocity * step + 1e-8).all()
            if 'effort' in moves and 0.0 < step:
                if self.rated and not (began and self.rig.settings.ramp_time == 0.0):
                    assert (moves['effort'] <= slack * RATE * step + 1e-9).all()
        self.last = now, rows

    def play(self, event):
        """Let an event happen."""
        kind, *values = event
        rig = self.rig
        if kind in ('move', 'enter'):
            end, duration, *begin, ticks = values
            rig.motion += 1
            move = Move(self.position, end, duration)
            for i in range(ticks):
                t = TICK * i + (duration * begin[0] if begin else 0.0)
                self.tick(move(t), t if kind == 'move' else np.inf)
        elif kind == 'hold':
            for _ in range(values[0]):
                self.tick(rest(self.position))
        elif kind == 'silent':
            for _ in range(values[0]):
                self.check()
        elif kind in ('stall', 'lost'):
            rig.now += round(1e9 * values[0]) if kind == 'stall' else values[0] * PERIOD
        elif kind == 'step':
            self.position = np.array(values[0])
        elif kind == 'load':
            rig.load[:] = values[0]
        elif kind == 'odd':
            jet = rest(self.position)
            sample = rig.sample(jet)
            (sample.effort if values[0] == 2 else sample.jet[values[0]])[1] = values[1]
            self.check(sample)
        elif kind == 'late':
            self.check(rig.sample(rest(self.position), ahead=round(1e9 * values[0])))
        elif kind == 'measure':
            rig.measured = self.position if values[0] is None else np.array(values[0])
        elif kind == 'ramp':
            rig.change(ramp_time=values[0])
        elif kind == 'gains' and 'kp' in rig.settings.fields:
            rig.change(kp=(values[0], 1.0))
        elif kind == 'jump':
            rig.now += round(1e9 * values[0])
            rig.step(ClockJumped('jumped'))
            self.last, self.compared = None, len(rig.published)


@settings(
    max_examples=int(os.environ.get('DRIVE_EXAMPLES', '60')),
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(st.sampled_from(sorted(KINDS)), st.booleans(), st.lists(events, max_size=25))
def test_nothing_beyond_limits_nothing_begins_in_motion(kind, rated, sequence):
    watched = Watched(kind, rated)
    rig = watched.rig
    rig.measured = np.zeros(2)
    for event in [('hold', 80), *sequence, ('silent', 300)]:
        watched.play(event)
    # at the end nothing is left
    assert not rig.outputs.busy
    if 'effort' in rig.settings.fields and rig.published:
        assert not rig.published[-1][1][rig.settings.fields.index('effort')].any()
    twin = rig.replayed()
    assert twin.log == rig.log and len(twin.published) == len(rig.published)
    for (_, one), (_, other) in zip(rig.published, twin.published, strict=True):
        np.testing.assert_array_equal(one, other)
