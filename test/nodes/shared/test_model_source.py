# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions and what parameters make of them."""

import re
import threading
from dataclasses import replace

import numpy as np
import pytest
from helpers.planar_sea import TEXT, write_joints

import screw_dynamics as sd
from screw_dynamics import mass_matrix, read_urdf
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.load_observer.parameters import LoadObserverParameters
from screw_dynamics.nodes.shared.file_url import resolve_file_url
from screw_dynamics.nodes.shared.loaded_robot import (
    load_robot,
    read_drives,
    read_soft_segments,
    require_supported,
)
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


LINK = (
    '<link name="{0}"><inertial><mass value="{1}"/><origin xyz="0.3 0 0.1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
    '<axis xyz="0 1 0"/><origin xyz="0.5 0 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def cell(*arms):
    """Return a description with two-joint arms on a table."""
    parts = ['<link name="table"/>']
    for arm, mass in arms:
        parts += [LINK.format(f'{arm}upper', mass), LINK.format(f'{arm}lower', mass / 2)]
        parts += [
            JOINT.format(f'{arm}shoulder', 'table', f'{arm}upper'),
            JOINT.format(f'{arm}elbow', f'{arm}upper', f'{arm}lower'),
        ]
    return f'<robot name="cell">{"".join(parts)}</robot>'


CELL = cell(('left_', 2.0), ('right_', 5.0))


def test_the_joints_that_begin_with_it():
    model = load_robot(CELL, 'test', ModelParameters(joint_prefix='right_')).robot.model
    assert model.joint_names == ('right_shoulder', 'right_elbow')
    alone = read_urdf(cell(('right_', 5.0)))
    q = np.array([0.3, -0.4])
    np.testing.assert_allclose(mass_matrix(model, q), mass_matrix(alone, q), rtol=1e-12)


def test_before_the_names_in_joints():
    parameters = ModelParameters(joint_prefix='left_', joints=('elbow', 'shoulder'))
    assert load_robot(CELL, 'test', parameters).robot.model.joint_names == (
        'left_elbow',
        'left_shoulder',
    )


def test_no_joint_begins_with_it():
    with pytest.raises(InputError, match="'joint_prefix': .* left_elbow.*, got 'middle_'"):
        load_robot(CELL, 'test', ModelParameters(joint_prefix='middle_'))
    with pytest.raises(ScrewDynamicsError, match='middle_elbow'):
        load_robot(CELL, 'test', ModelParameters(joint_prefix='middle_', joints=('elbow',)))


def test_limits_of_a_file_are_those_of_the_robot(tmp_path):
    path = tmp_path / 'limits.yaml'
    path.write_text('joint_limits:\n  left_elbow: {max_jerk: 50.0}\n')
    loaded = load_robot(CELL, 'test', ModelParameters(joint_limits_path=str(path)))
    for model in (loaded.described, loaded.robot.model):
        assert model.limits.jerk[model.joint_names.index('left_elbow')] == 50.0
    path.write_text('joint_limits: 3\n')
    with pytest.raises(InputError, match=r"'joint_limits_path': .*: expected a mapping, got 3"):
        load_robot(CELL, 'test', ModelParameters(joint_limits_path=str(path)))


def test_limits_that_protect_nothing_are_doubted():
    with open(sd.share_path('urdf/planar_2r.urdf'), encoding='utf-8') as file:
        text = file.read()
    assert load_robot(text, 'test', ModelParameters()).warnings == ()
    text = text.replace('velocity="6.0"', 'velocity="0"').replace('upper="3.14159', 'upper="314.1')
    text = text.replace('effort="30.0"', 'effort="0"')
    assert load_robot(text, 'test', ModelParameters()).warnings == (
        'joint_1, joint_2: no velocity limit in the description, or 0: none is checked',
        'joint_2: no effort limit in the description, or 0: none is checked',
        'joint_1, joint_2: position limits of many turns: in degrees? They count as rad',
    )
    endless = text.replace('upper="314.1', 'upper="1e6')
    assert len(load_robot(endless, 'test', ModelParameters()).warnings) == 2


def parameter(path):
    return re.escape(f"parameter 'drives_path': {path}: ")


def test_entries_without_effect_are_a_line(tmp_path):
    path = write_joints(
        tmp_path, TEXT.replace('{type: linear, stiffness: 300.0}', '{type: rigid}')
    )
    lines = []
    assert read_drives(str(path), lines.append).joints['joint_2'].spring is None
    assert lines == []
    path = write_joints(tmp_path, TEXT + '    rotor: {axis: [0, 0, 1]}\n')
    read_drives(str(path), lines.append)
    [line] = lines
    assert re.match(parameter(path) + r'without effect: drives\.joint_2\.rotor', line)


@pytest.mark.parametrize(
    'text, reason',
    [
        (TEXT.replace('joint_2', 'elbow'), "unknown joint 'elbow': expected one of joint_1"),
        (
            TEXT + '    rotor: {carrier: nowhere}\nrotor_coupling: false\n',
            r"joint 'joint_2': rotor\.carrier: unknown link 'nowhere': expected one of ",
        ),
        (
            TEXT + '    rotor: {carrier: nowhere}\nrotor_coupling: true\n',
            r"joint 'joint_2': rotor\.carrier: unknown link 'nowhere': expected one of ",
        ),
    ],
)
def test_what_does_not_fit_names_parameter_file_and_entry(tmp_path, planar, text, reason):
    path = write_joints(tmp_path, text)
    elastic = read_drives(str(path), pytest.fail)
    with pytest.raises(InputError, match=f'^{parameter(path)}{reason}'):
        loaded = load_robot(planar.read_text(), 'a file', ModelParameters(), elastic)
        require_supported(loaded.robot, 5)


def test_what_is_no_number_names_parameter_file_and_entry(tmp_path):
    path = write_joints(tmp_path, TEXT.replace('300.0', 'soft'))
    with pytest.raises(InputError, match=f'^{parameter(path)}drives.joint_2.spring.stiff'):
        read_drives(str(path), pytest.fail)


FINGER = str(sd.share_path('config/soft_finger.yaml'))


@pytest.mark.parametrize(
    ('other', 'text'),
    [
        ({'drives_path': 'springs.yaml'}, "parameter 'soft_segments': expected no file"),
        (
            {'cartesian_frame': 'tool'},
            "parameter 'soft_segments': expected none with cartesian_frame",
        ),
    ],
)
def test_parameters_of_rigid_robots_are_refused(other, text):
    with pytest.raises(InputError, match=text):
        FeedforwardParameters(soft_segments=FINGER, **other).check()


def test_the_load_observer_refuses_them():
    with pytest.raises(InputError, match="parameter 'soft_segments': expected none"):
        LoadObserverParameters(soft_segments=FINGER).check()


def test_gravity_and_payload_are_those_of_the_whole_robot(planar, rng):
    parameters = ModelParameters(
        soft_segments=FINGER, gravity=(1.0, 2.0, 3.0), payload_frame='tool', payload_mass=0.5
    )
    segments = read_soft_segments(FINGER)
    model = load_robot(planar.read_text(), 'test', parameters, segments=segments).robot.model
    jet = rng.normal(size=(5, 4))
    arm = sd.read_urdf(planar, gravity=(1.0, 2.0, 3.0)).with_payload('tool', 0.5)
    expected = sd.inverse_dynamics(sd.soft.append_segments(arm, FINGER), jet)
    np.testing.assert_allclose(sd.inverse_dynamics(model, jet), expected, rtol=0, atol=1e-12)


def test_segments_that_do_not_fit_the_robot_name_the_parameter(gripper):
    parameters = ModelParameters(soft_segments=FINGER)
    with pytest.raises(InputError, match=r"parameter 'soft_segments': .*"):
        load_robot(gripper.read_text(), 'test', parameters, segments=read_soft_segments(FINGER))
    with pytest.raises(InputError, match="parameter 'soft_segments': expected a file, got 'no"):
        read_soft_segments('no.yaml')
