# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A bag written from known numbers, and a DDS domain for the tests that record."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bag_sample import COUNT, NAMES, SAMPLE, SAMPLE_TYPE, START


@pytest.fixture(scope='session')
def efforts() -> np.ndarray:
    """Return (COUNT, 3) numbers with full mantissas."""
    return np.random.default_rng(7).normal(size=(COUNT, 3)) * np.pi


@pytest.fixture
def sample_bag(tmp_path: Path, efforts: np.ndarray) -> Path:
    """Return a bag with COUNT samples on /sample, 4 ms apart, and an empty topic."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    from screw_dynamics.recordings.bags.writer import BagWriter

    types = get_typestore(Stores.EMPTY)
    types.register(get_types_from_msg(SAMPLE, SAMPLE_TYPE))
    sample, time = types.types[SAMPLE_TYPE], types.types['builtin_interfaces/msg/Time']
    with BagWriter(tmp_path / 'bag') as bag:
        bag.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        bag.add_topic('/silent', SAMPLE_TYPE, SAMPLE)
        for i, effort in enumerate(efforts):
            message = sample(
                stamp=time(sec=12, nanosec=i),
                joint_names=NAMES,
                effort=effort,
                window=np.arange(float(i)),
                source=i % 3,
                note=f'sample {i}',
            )
            data = types.serialize_cdr(message, SAMPLE_TYPE)
            bag.write('/sample', START + i * 4_000_000, bytes(data))
    return tmp_path / 'bag'


@pytest.fixture(scope='session')
def ros_environment() -> Iterator[dict[str, str]]:
    """Return the environment of processes in a DDS domain of their own, on this host alone."""
    pytest.importorskip('rclpy', reason='recording needs ROS 2 (rclpy)')
    if not os.environ.get('AMENT_PREFIX_PATH'):
        pytest.skip('recording needs a sourced ROS 2 environment (AMENT_PREFIX_PATH)')
    from ros_demo.processes import release_domain, unused_domain

    domain = unused_domain()
    yield {
        **os.environ,
        'ROS_DOMAIN_ID': str(domain),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    release_domain(domain)


def wait_for_quiet(node: Any) -> None:
    """
    Return when the nodes that a node has discovered have not changed for a while.

    Destruction of a node while the discovery removes others can crash the middleware.
    """
    names, since = node.get_node_names(), time.monotonic()
    while time.monotonic() < since + 0.3:
        time.sleep(0.05)
        before, names = names, node.get_node_names()
        if names != before:
            since = time.monotonic()


@pytest.fixture
def node(ros_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a node in the test's domain."""
    import rclpy

    for name in ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE'):
        monkeypatch.setenv(name, ros_environment[name])
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('bag_test', context=context)
    yield node
    wait_for_quiet(node)
    node.destroy_node()
    rclpy.try_shutdown(context=context)


@pytest.fixture
def record(ros_environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a recorder; it is gone after the test."""
    processes = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            '-m',
            'screw_dynamics.recordings.bags.recorder',
            *map(str, arguments),
        ]
        process = subprocess.Popen(command, env=ros_environment, text=True, stderr=subprocess.PIPE)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()
