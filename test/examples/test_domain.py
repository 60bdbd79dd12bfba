# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo chooses a DDS domain in which nothing runs."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ros_demo import processes as domain
from ros_demo.processes import isolate_ros, release_domain, unused_domain
from screw_dynamics.errors import ScrewDynamicsError


@contextmanager
def own_reservations() -> Iterator[None]:
    """Leave out what this and other processes have reserved."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domain, 'RESERVATION', f'\0screw_dynamics.test_domain.{os.getpid()}.')
        patch.setattr(domain, '_reservations', {})
        yield


def choices() -> set[int]:
    """Return what 20 calls choose, each from all domains."""
    chosen = set()
    for _ in range(20):
        number = unused_domain()
        chosen.add(number)
        release_domain(number)
    return chosen


@own_reservations()
def test_a_released_domain_is_chosen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, 'DOMAINS', [1, 2])
    monkeypatch.setattr(domain, '_is_unused', lambda number: True)
    assert {unused_domain(), unused_domain()} == {1, 2}
    expected = 'expected an unused DDS domain among 1 to 2, all are in use'
    with pytest.raises(ScrewDynamicsError, match=expected):
        unused_domain()
    release_domain(2)
    assert unused_domain() == 2
    for number in (1, 2):
        release_domain(number)


@pytest.mark.parametrize('offset', [0, 10, 12, 40])
@own_reservations()
def test_a_used_domain_is_not_chosen(monkeypatch: pytest.MonkeyPatch, offset: int) -> None:
    monkeypatch.setattr(domain, 'DOMAINS', [1, 2])
    monkeypatch.setattr(domain, 'FIRST_PORT', 31_000)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 31_250 + offset))
        assert choices() == {2}


def test_a_chosen_domain_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', '17')
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE', raising=False)
    assert isolate_ros() == 17
    assert os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    monkeypatch.setenv('ROS_DOMAIN_ID', '')
    chosen = isolate_ros()
    assert 1 <= chosen <= 101
    release_domain(chosen)
