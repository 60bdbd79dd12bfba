# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions and parameters that change while a model is being built."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from screw_dynamics.nodes.model_source import ModelSource
from screw_dynamics.nodes.parameter_records import FeedforwardParameters

MARS, MOON = (0.0, 0.0, -3.72), (0.0, 0.0, -1.62)


class Source:
    """A ModelSource whose models are not ready before `allow` is set."""

    def __init__(self, ros):
        self.ros, self.allow = ros, threading.Event()
        self.models = []
        self.values = FeedforwardParameters()
        self.source = ModelSource(
            ros.node, lambda: self.values, lambda _: self.allow.wait(10.0), self.models.append
        )

    def set_gravity(self, gravity):
        self.values = replace(self.values, gravity=gravity)
        self.source.apply_settings(self.values)

    def finish(self):
        self.allow.set()
        self.source.finish()
        return self.models[-1].model


@pytest.fixture
def source(ros, planar):
    source = Source(ros)
    ros.describe(planar.read_text())
    ros.wait_for('the first description', lambda: source.source.busy)
    return source


def test_settings_wait_for_the_first_model(source):
    source.set_gravity(MARS)
    assert tuple(source.finish().gravity) == MARS


def test_settings_do_not_replace_a_description_that_is_being_read(source, gripper):
    planar_joints = source.finish().joint_names
    source.allow.clear()
    source.ros.describe(gripper.read_text())
    source.ros.wait_for('the second description', lambda: source.source.busy)
    source.set_gravity(MARS)
    source.set_gravity(MOON)
    model = source.finish()
    assert model.joint_names != planar_joints
    assert tuple(model.gravity) == MOON
