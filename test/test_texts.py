# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts of errors and of records."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import InputError, UnknownNameError, listed, shown
from screw_dynamics.simulation import ElasticRobot, SimulationResult


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize('value', [1, 'a', [1, 'b', None], {'b': 1}, (1.5,)])
def test_short_values_are_shown_whole(value):
    assert shown(value) == repr(value)


def test_scalars_of_numpy_look_like_those_of_python():
    assert shown(np.str_('a')) == "'a'" and shown(np.float64(2)) == '2.0'
    assert shown([np.int64(3), {'b': np.bool_(True)}]) == "[3, {'b': True}]"
    unknown = UnknownNameError('joint', np.str_('elbow'), np.array(['joint_1', 'joint_2']))
    assert str(unknown) == "unknown joint 'elbow': expected one of joint_1, joint_2"
    with pytest.raises(InputError, match=r"locked\['joint_1'\]: expected a number, got 'x'"):
        sd.read_urdf(
            sd.share_path('urdf/planar_2r.urdf'), locked={np.str_('joint_1'): np.str_('x')}
        )


@pytest.mark.parametrize(
    'value',
    [
        'x' * 10**6,
        10**5000,
        list(range(10**6)),
        {str(i): i for i in range(10**5)},
        np.zeros((100, 100)),
        Broken(),
        'a\nb' * 100,
    ],
    ids=['text', 'integer', 'list', 'mapping', 'array', 'broken', 'lines'],
)
def test_long_values_are_cut(value):
    text = shown(value)
    assert 0 < len(text) <= 80 and len(text.splitlines()) == 1


def test_nested_values_are_cut_without_work():
    value: object = [1]
    for _ in range(50):
        value = [value] * 8
    assert len(shown(value)) <= 80


def test_lists_of_names():
    assert listed([]) == '(none)'
    assert listed('abc') == 'a, b, c'
    many = listed(f'joint_{i}' for i in range(20_000))
    assert many.startswith('joint_0, joint_1, ') and many.endswith(', ... (20000 in all)')
    assert len(many) < 900
    assert len(listed(['x' * 1000] * 3)) < 300


def test_errors_of_any_length_are_cut():
    error = InputError('a' * 10**6 + 'end')
    assert len(str(error)) == 2000 and str(error).endswith('end')
    unknown = UnknownNameError('joint', 'x' * 10**6, [f'joint_{i}' for i in range(20_000)])
    assert len(str(unknown)) < 1100


def test_many_roots_are_counted():
    links = ''.join(f'<link name="link_{i}"/>' for i in range(20_000))
    with pytest.raises(sd.errors.TopologyError, match=r'got 20000: link_0, .* \(20000 in all\)$'):
        sd.read_urdf(f'<robot name="r">{links}</robot>')


ARM = "ScrewModel('planar_2r', n=2, bodies=2)"


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.fixture(scope='module')
def drives(arm):
    joint = sd.JointDrive(sd.LinearSpring(500.0), sd.Motor(rotor_inertia=0.1))
    return sd.Drives(dict.fromkeys(arm.joint_names, joint))


def test_motor_feedforward(arm, drives):
    text = ': efforts to derivative 2, motor positions to 2, motor efforts to 0)'
    for shape, samples in (((5, 2), 'one sample'), ((300, 5, 2), '300 samples')):
        motors = sd.elastic_feedforward(sd.Robot(arm, drives), np.zeros(shape))
        expected = f'MotorFeedforward(motors=joint_1, joint_2; {samples} of 2 joints'
        assert repr(motors) == expected + text


def test_elastic_robot_and_simulation_result(arm, drives):
    robot = ElasticRobot(sd.Robot(arm, drives))
    assert repr(robot) == f'ElasticRobot({ARM}, motors=joint_1, joint_2; state of 8)'
    positions = np.zeros((7, 2))
    result = SimulationResult(np.linspace(0.0, 1.5, 7), *[positions] * 4, 42)
    expected = 'SimulationResult(7 states, 0 to 1.5 s; 2 joints, 2 motors, 42 evaluations)'
    assert repr(result) == expected
    assert 'motor position' not in str(result)  # a rigid robot's, which are those of its joints
    moved = SimulationResult(result.times, *[positions] * 2, *[positions + 0.1] * 2, 42)
    assert 'motor position' in str(moved)


def test_rounding_beside_larger_values_is_not_shown(arm):
    positions = np.array([[-2e-17, 0.0], [0.3, -1e-17]])
    results = SimulationResult(np.array([0.0, 1.0]), *[positions] * 4, 0, arm.joint_names)
    assert str(results).splitlines()[2:] == ['joint_1  0 to 0.3', 'joint_2  -1e-17 to 0']


def test_drives_show_what_differs_from_the_defaults(drives):
    assert repr(drives.joints['joint_1']) == (
        'JointDrive(spring=LinearSpring(stiffness=500.0, damping=0.0), '
        'motor=Motor(rotor_inertia=0.1))'
    )
    assert repr(sd.JointDrive()) == 'JointDrive()'
    friction = sd.JointFriction(coulomb=2.0)
    assert repr(friction) == 'JointFriction(coulomb=2.0)' and eval(f'sd.{friction!r}') == friction


def test_load_observer(arm):
    observer = sd.LoadObserver(arm, bandwidth=[10.0, 25.0])
    assert repr(observer) == f'LoadObserver({ARM}, bandwidth=10 to 25 1/s, last sample=none)'
    observer.update(0.25, *np.zeros((3, 2)))
    assert repr(observer).endswith('last sample=0.25 s)')
    assert 'bandwidth=30 1/s' in repr(sd.LoadObserver(arm))


def test_recording():
    columns = np.zeros((100, 2))
    recording = sd.Recording(['a', 'b'], np.linspace(1.0, 3.0, 100), columns, columns)
    assert repr(recording) == 'Recording(a, b; 100 samples, 1 to 3 s)'
    assert repr(recording.between(5.0, 6.0)) == 'Recording(a, b; 0 samples)'
    behind = sd.Recording(['a', 'b'], np.arange(100), columns, columns, columns)
    assert repr(behind).endswith(' s, with motor positions)')


def test_c_code(arm):
    code = sd.generate_c(arm, 'arm', order=0)
    lines = code.header.count('\n'), code.source.count('\n'), code.self_test.count('\n')
    assert repr(code) == (
        'CCode(arm.h: {} lines, arm.c: {} lines, arm_self_test.c: {} lines)'.format(*lines)
    )


def test_base_parameters(arm):
    base = sd.base_parameters(arm)
    expected = f'BaseParameters({len(base.columns)} of 20: {base.names[0]}, {base.names[1]}'
    assert repr(base).startswith(expected)
    panda = sd.base_parameters(sd.read_urdf(sd.share_path('urdf/panda.urdf')))
    assert len(repr(panda)) < 1000
