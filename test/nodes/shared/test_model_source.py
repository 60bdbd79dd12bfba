# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions and parameters that change while a model is being built."""

from __future__ import annotations

import re
import threading
from dataclasses import replace

import pytest

from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.file_url import resolve_file_url
from screw_dynamics.nodes.shared.model_source import ModelSource

MARS, MOON = (0.0, 0.0, -3.72), (0.0, 0.0, -1.62)
BROKEN = '<robot name="broken"><link/></robot>'


class Source:
    """A ModelSource whose models are not ready before `allow` is set."""

    def __init__(self, ros, node):
        self.ros, self.allow = ros, threading.Event()
        self.topic = node.resolve_topic_name('robot_description')
        self.models = []
        self.values = FeedforwardParameters()
        self.source = ModelSource(node, self, self.prepare, self.models.append)

    def add_check(self, check):
        """Values are valid."""

    def on_change(self, listener):
        self.listener = listener

    def prepare(self, _):
        assert self.allow.wait(60.0)

    def set_gravity(self, gravity):
        self.set(gravity=gravity)

    def set(self, **values):
        before, self.values = self.values, replace(self.values, **values)
        self.listener(before, self.values)

    def describe(self, text):
        self.allow.clear()
        self.ros.describe(text, self.topic)
        self.ros.wait_for('the description', lambda: self.source.busy)

    def finish(self):
        self.allow.set()
        self.source.finish()
        return self.models[-1].robot.model


@pytest.mark.parametrize(
    'path', ['~no_such_user_here/x.urdf', 'n' * 300, 'a\0b.urdf', 'package://n\0/x', '', '/']
)
def test_paths_that_lead_to_no_file(path):
    with pytest.raises(InputError, match="^parameter 'urdf_path': ") as raised:
        resolve_file_url(path, "parameter 'urdf_path'")
    assert len(str(raised.value)) < 400


@pytest.fixture
def node(ros, request):
    node = ros.add_node(f'n{abs(hash(request.node.name))}')
    yield node
    ros.remove_node(node)


@pytest.fixture
def empty(ros, node):
    return Source(ros, node)


@pytest.fixture
def source(empty, planar):
    empty.describe(planar.read_text())
    return empty


def test_settings_wait_for_the_first_model(source):
    source.set_gravity(MARS)
    assert tuple(source.finish().gravity) == MARS
    assert len(source.models) == 1  # nobody has seen the gravity of before


def test_settings_do_not_replace_a_description_that_is_being_read(source, gripper):
    planar_joints = source.finish().joint_names
    source.describe(gripper.read_text())
    source.set_gravity(MARS)
    source.set_gravity(MOON)
    model = source.finish()
    assert model.joint_names != planar_joints
    assert tuple(model.gravity) == MOON


def test_a_description_is_not_blamed_for_settings_of_the_past(source, gripper):
    source.finish()
    source.set(payload_frame='link_2', payload_mass=1.0)
    source.finish()
    source.describe(gripper.read_text())  # has no link_2
    source.set(payload_mass=0.0)
    assert 'lift_joint' in source.finish().joint_names
    assert source.source.problem == ''


def test_the_log_names_the_payload(source, capfd):
    source.finish()
    source.set(payload_frame='link_2', payload_mass=1.25)
    source.finish()
    source.set(payload_mass=0.0)
    source.finish()
    without, loaded, again = re.findall(r'Robot model .*', capfd.readouterr().err)
    assert loaded == without.replace(': joint', ' with a payload of 1.25 kg on link_2: joint')
    assert again == without


def test_a_rejected_description_stays_a_problem_when_settings_change(source):
    source.finish()
    source.describe(BROKEN)
    assert tuple(source.finish().gravity) == source.values.gravity
    assert source.source.problem.startswith('New robot description refused: link')
    source.set_gravity(MOON)
    assert tuple(source.finish().gravity) == MOON
    assert source.source.problem.startswith('New robot description refused: link')


def test_settings_that_fit_make_a_rejected_first_description_usable(empty, planar):
    empty.values = replace(empty.values, payload_frame='link_9', payload_mass=1.0)
    empty.describe(planar.read_text())
    empty.source.finish()
    assert "unknown frame 'link_9'" in empty.source.problem
    empty.allow.set()
    empty.set(payload_frame='link_2')
    assert empty.finish().joint_names == ('joint_1', 'joint_2')
    assert empty.source.problem == ''


def test_settings_that_do_not_fit_a_description_that_came_at_the_same_time(source, gripper):
    source.finish()
    source.describe(gripper.read_text())
    source.set(payload_frame='link_2', payload_mass=1.0)  # fits the model in use
    source.finish()
    assert 'Failed to set gravity and payload' in source.source.problem
    assert "unknown frame 'link_2'" in source.source.problem
    source.set(payload_mass=0.0)
    source.source.finish()
    assert source.source.problem == ''


def test_an_unexpected_error_is_a_reason_too(source, monkeypatch):
    source.finish()
    monkeypatch.setattr(source, 'allow', None)  # prepare() raises an AttributeError
    source.set_gravity(MARS)
    source.source.finish()
    assert 'Failed to set gravity and payload: AttributeError' in source.source.problem
    assert source.source.loaded is source.models[-1]
