# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo chooses a DDS domain in which nothing runs."""

from __future__ import annotations

import os
import socket

import pytest

from ros_demo import processes as domain
from ros_demo.processes import isolate_ros, release_domain, unused_domain
from screw_dynamics.errors import ScrewDynamicsError


@pytest.fixture
def unreserved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every call choose anew."""
    monkeypatch.setattr(domain, '_reserve', lambda number: True)


def test_a_chosen_domain_is_reserved() -> None:
    chosen = [unused_domain() for _ in range(10)]
    assert len(set(chosen)) == 10
    for number in chosen:
        release_domain(number)


def test_a_released_domain_is_chosen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = unused_domain(), unused_domain()
    monkeypatch.setattr(domain, 'DOMAINS', [first, second])
    expected = f'expected an unused DDS domain among {first} to {second}, all are in use'
    with pytest.raises(ScrewDynamicsError, match=expected):
        unused_domain()
    release_domain(second)
    assert unused_domain() == second
    for number in (first, second):
        release_domain(number)


@pytest.mark.parametrize('offset', [0, 10, 12, 40])
@pytest.mark.usefixtures('unreserved')
def test_a_used_domain_is_not_chosen(monkeypatch: pytest.MonkeyPatch, offset: int) -> None:
    monkeypatch.setattr(domain, 'DOMAINS', [1, 2])
    monkeypatch.setattr(domain, 'FIRST_PORT', 31_000)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 31_250 + offset))
        assert {unused_domain() for _ in range(20)} == {2}


@pytest.mark.parametrize('reach', ['LOCALHOST', 'SUBNET'])
@pytest.mark.parametrize('others', [0, 2])
def test_the_domain_of_a_node_is_not_chosen(
    monkeypatch: pytest.MonkeyPatch, reach: str, others: int
) -> None:
    rclpy = pytest.importorskip('rclpy', reason='needs a ROS 2 node')
    used, unused, *elsewhere = [unused_domain() for _ in range(2 + others)]
    monkeypatch.setattr(domain, '_reserve', lambda number: True)
    monkeypatch.setattr(domain, 'DOMAINS', [used, unused])
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', reach)
    # participants of one process are numbered over all domains, and so are their ports
    contexts = [rclpy.Context() for _ in range(1 + others)]
    nodes = []
    try:
        for context, number in zip(contexts, [*elsewhere, used], strict=True):
            rclpy.init(context=context, domain_id=number)
            nodes.append(rclpy.create_node(f'in_domain_{number}', context=context))
        assert {unused_domain() for _ in range(20)} == {unused}
    finally:
        for node in nodes:
            node.destroy_node()
        for context in contexts:
            rclpy.try_shutdown(context=context)
        for number in (used, unused, *elsewhere):
            release_domain(number)


def test_a_chosen_domain_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', '17')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    assert isolate_ros() == 17
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    monkeypatch.setenv('ROS_DOMAIN_ID', '')
    assert 1 <= isolate_ros() <= 101
