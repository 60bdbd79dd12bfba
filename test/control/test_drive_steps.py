# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands have no steps of their own where the reference has some."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.drive_rig import MIT, PERIOD, TICK, Move, Rig, rated, rest

import screw_dynamics as sd
from screw_dynamics.model import JointLimits

START = np.array([0.0, 0.0])


@pytest.fixture(scope='module')
def arm():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    limits = JointLimits(*(np.full(2, bound) for bound in (-9.0, 9.0, 50.0, 1e4)))
    return replace(model, limits=limits)


def moving(arm, seconds, **settings):
    """Return a rig in the middle of a motion, and where the reference is."""
    rig = Rig(arm, **{**MIT, **settings})
    rig.measured = START
    move = Move(START, [2.0, 1.0], 1.2)
    time = 0.0
    while time < seconds:
        jet = move(time)
        rig.measured = jet[0]
        rig.send(jet, time)
        time += TICK
    return rig, move, time


def test_a_pause_and_its_end_lead_positions_on_without_a_step(arm):
    rig, move, time = moving(arm, 0.6)
    speed = np.abs(move(time)[1]).max()
    held = move(time)[0]
    for _ in range(200):
        rig.send(rest(held))
    for k in range(100):
        rig.send(move(time + k * TICK))
    rows = np.array([rows for _, rows in rig.published])
    steps = np.diff(rows[-301:, 0], axis=0)
    # the blend leads velocities to 0 within 0.25 s: at most 6 ramps of this length per second
    assert np.abs(np.diff(steps, axis=0)).max() < 0.15 * speed * TICK


def test_a_begin_while_velocities_end_leaves_positions_at_rest(arm):
    rig, move, time = moving(arm, 0.6)
    rig.now += 250_000_000  # a gap
    rig.step()
    for _ in range(10):
        rig.now += 4_000_000
        rig.step()
    held = np.array(rig.published[-1][1][0])
    rig.motion += 1
    rig.measured = held
    count = len(rig.published)
    for _ in range(150):
        rig.send(rest(held))
    rows = np.array([rows for _, rows in rig.published[count:]])
    assert np.abs(rows[:, 0] - held).max() < 1e-9
    assert np.abs(np.diff(rows[:, 1], axis=0)).max() < 0.1 * np.abs(move(time)[1]).max()
    assert np.abs(rows[-1, 1]).max() < 1e-9


def test_rates_of_what_is_sent_keep_their_limit_where_samples_have_none(arm):
    limit = 20.0
    rig = Rig(arm, rated(limit), fields=('effort',), ramp_time=0.0)
    move = Move(START, [1.0, 0.5], 1.0)
    for k in range(300):
        rig.send(move(k * TICK), k * TICK, known=1)
    efforts = np.array([rows[0] for _, rows in rig.published])
    assert np.abs(np.diff(efforts, axis=0)).max() <= limit * TICK * (1.0 + 1e-5)


def test_an_effort_that_the_robot_adds_leaves_both_limits_kept(arm):
    """Its step takes the sum beyond the limit, faster than the rate of what is sent allows."""
    weak = replace(arm, limits=replace(arm.limits, effort=np.full(2, 22.0)))
    rig = Rig(weak, rated(900.0), fields=('effort',), effort_content='without_gravity')
    steady = rig.sample(rest(START))._replace(effort=np.full(2, 20.0), effort_dot=None)
    totals = []
    for gravity in [20.0] * 50 + [30.0] * 200:
        sample = steady._replace(instant=rig.now, gravity=np.full(2, gravity))
        totals.append(rig.step(sample)[0] + gravity)
        rig.now += PERIOD
    assert (np.array(totals) <= 22.0 * (1.0 + 1e-9)).all()
    assert (np.abs(np.diff(totals, axis=0)) <= 900.0 * TICK * (1.0 + 1e-5)).all()
    np.testing.assert_allclose(totals[-1], 20.0, rtol=0.0, atol=1e-9)
