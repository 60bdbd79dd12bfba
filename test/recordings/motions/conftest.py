# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An arm with and without springs, and the efforts of bags that are written for a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from helpers.bag_messages import write_bag, write_measured  # noqa: E402

import screw_dynamics as sd  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.motions import BagEfforts, bag_efforts  # noqa: E402


@pytest.fixture(scope='session')
def arm() -> sd.ScrewModel:
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.fixture
def elastic(arm: sd.ScrewModel) -> Callable[..., sd.Robot]:
    """Return a function that puts springs, by default of 400 and 200 N m/rad, on the arm."""

    def make(*springs: object, **options: Any) -> sd.Robot:
        springs = springs or (sd.LinearSpring(400.0), sd.LinearSpring(200.0))
        joints = [sd.JointDrive(spring, sd.Motor(1e-5, 100.0)) for spring in springs]
        drives = sd.Drives(dict(zip(arm.joint_names, joints, strict=True)), **options)
        return sd.Robot(arm, drives)

    return make


@pytest.fixture(scope='session')
def measured_bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag with 2 s of noisy joint states at 500 Hz, odd ones among them."""
    return write_measured(tmp_path_factory.mktemp('bags') / 'measured_bag')


@pytest.fixture
def efforts_of(arm: sd.ScrewModel, tmp_path: Path) -> Callable[..., BagEfforts]:
    """Return a function that computes the efforts of a bag, or of rows of messages."""

    def compute(given: Path | Sequence[tuple], robot: Any = None, **options: Any) -> BagEfforts:
        path = given if isinstance(given, Path) else write_bag(tmp_path / 'a_bag', given)
        with Bag(path) as bag:
            return bag_efforts(bag, arm if robot is None else robot, **options)

    return compute
