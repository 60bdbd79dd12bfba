# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawn sequences of inputs: nothing beyond a limit, nothing that resumes in motion."""

from __future__ import annotations

import numpy as np
from helpers.rig import Rig
from helpers.streams import limited, stream, wave
from hypothesis import given, settings
from hypothesis import strategies as st

import screw_dynamics as sd
from screw_dynamics.control.inputs import Speed
from screw_dynamics.messages.times import SECOND
from screw_dynamics.reference.reference import Source

ACTIONS = st.one_of(
    st.tuples(st.just('run'), st.floats(0.0, 0.6)),
    st.tuples(st.just('send'), st.floats(-1.5, 1.5), st.floats(0.2, 1.5)),
    st.tuples(st.just('stream'), st.floats(0.05, 0.5), st.floats(0.0, 1.5), st.floats(0.5, 8.0)),
    st.tuples(st.just('positions'), st.floats(-4.0, 4.0)),
    st.tuples(st.just('speed'), st.sampled_from([0.0, 0.3, 1.0, 2.0])),
    st.tuples(st.just('wrench'), st.floats(-40.0, 40.0)),
    st.tuples(st.just('state'), st.floats(-1.0, 1.0), st.floats(-0.5, 0.5)),
    st.tuples(st.just('payload'), st.floats(0.0, 4.0)),
    st.tuples(st.just('clear')),
)


def play(rig, model, actions):
    for kind, *values in actions:
        if kind == 'run':
            rig.run(values[0], jitter=2e-3)
        elif kind == 'send':
            rig.send((values[1], [values[0], -0.5 * values[0]]))
        elif kind == 'stream':
            length, amplitude, rate = values
            rig.run(length, every=stream(rig, lambda t, a=amplitude, r=rate: wave(t, a, r)))
        elif kind == 'positions':
            rig.positions([values[0], 0.0])
        elif kind == 'speed':
            rig.step(Speed(values[0]))
        elif kind == 'wrench':
            rig.wrench('tool', [0.0] * 3, [values[0], 0.0, values[0]])
        elif kind == 'state':
            rig.joint_states([values[0], 0.0], stamp=rig.now + round(values[1] * SECOND))
        elif kind == 'payload':
            loaded = model.with_payload('tool', values[0]) if values[0] else model
            rig.step(rig.fit_robot(loaded))
        else:
            rig.clear_motion()


@settings(max_examples=30, deadline=None)
@given(actions=st.lists(ACTIONS, min_size=1, max_size=12), fit_time=st.floats(0.0, 0.2))
def test_nothing_beyond_a_limit_is_published_and_nothing_resumes_in_motion(actions, fit_time):
    model = limited(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), 2.5, 60.0)
    rig = Rig(model, fit_time=fit_time)
    play(rig, model, actions)
    sent = sum(kind == 'send' for kind, *_ in actions)
    rig.run(6.0)  # all trajectories have been fitted, one after the other
    assert len(rig.verdicts) == sent
    if not len(rig.published):
        return
    assert np.abs(rig.published.tau[:, 0]).max() <= 60.0 * (1.0 + 1e-9)
    streams = [s.source is Source.STREAM for s in rig.published.samples]
    assert np.abs(rig.published.jet[streams][:, 1]).max(initial=0.0) <= 2.5 * (1.0 + 1e-9)
    stops = [line for line in rig.lines if 'No efforts are published' in line]
    assert len(rig.resumptions) <= len(stops)
    assert all(speed <= 0.02 for speed in rig.resumptions)
    again = Rig(model, fit_time=fit_time)
    play(again, model, actions)
    again.run(6.0)
    assert again.published.tau.tobytes() == rig.published.tau.tobytes()
    assert again.lines == rig.lines
