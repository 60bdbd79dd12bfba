# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Running nodes under random messages, bytes, requests, parameters, robots and transitions."""

from __future__ import annotations

import itertools

import pytest
from helpers.bombardment import DESCRIPTION, Bombardment
from helpers.fuzz_robots import descriptions, transitions
from helpers.fuzz_strategies import Item, messages
from helpers.ros_fixture import RosFixture
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from std_msgs.msg import String

MESSAGES = 9  # per example


def bombard(count, derandomize):
    """Throw `count` things and return what was thrown."""
    with RosFixture() as ros:
        target = Bombardment(ros)
        turns = itertools.count()

        # running nodes have a past: an example alone proves nothing, so none is shrunk
        @settings(
            max_examples=count // MESSAGES,
            derandomize=derandomize,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(
            st.lists(messages, min_size=MESSAGES, max_size=MESSAGES), transitions, descriptions()
        )
        def throw(chosen, transition, description):
            for item in chosen:
                target.throw(item)
            # what takes longest is thrown least, but some of it for sure
            turn = next(turns) % 10
            if turn == 0:
                target.throw(Item('transition', transition))
            elif turn < 5:
                target.throw(Item(DESCRIPTION, String(data=description)))

        throw()
        target.settle()
        assert all(target.heard.streamed.values()), target.heard.streamed
        for process in (target.feedforward, target.server):
            assert process.interrupt() == 0, process.log[-3000:]
        print(
            f'\n{sum(target.thrown.values())} thrown: {dict(target.thrown.most_common())}; '
            f'{target.heard.samples} samples, {target.settled} portions'
        )
        return target.thrown


def test_a_portion():
    thrown = bombard(3000, derandomize=True)
    assert sum(thrown.values()) >= 2500
    assert {'bytes', 'parameters', 'get_mass_matrix', 'transition', DESCRIPTION} <= set(thrown)


@pytest.mark.long
def test_a_hundred_thousand():
    assert sum(bombard(102_000, derandomize=False).values()) >= 100_000
