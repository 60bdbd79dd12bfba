# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Running nodes under random messages, bytes, requests, parameters, robots and transitions."""

from __future__ import annotations

import pytest
from helpers.bombardment import DESCRIPTION, Bombardment
from helpers.fuzz_strategies import items
from helpers.node_processes import RosFixture
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ITEMS = 10  # per example


def bombard(count, derandomize):
    """Throw `count` things and return what was thrown."""
    with RosFixture() as ros:
        target = Bombardment(ros)

        # running nodes have a past: an example alone proves nothing, so none is shrunk
        @settings(
            max_examples=count // ITEMS,
            derandomize=derandomize,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.lists(items, min_size=ITEMS, max_size=ITEMS))
        def throw(chosen):
            for item in chosen:
                target.throw(item)

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
