# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of elastic joints, in Python and in YAML."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ModelError

positive = st.floats(1e-9, 1e9)
limits = positive | st.just(np.inf)
motors = st.builds(
    sd.Motor,
    rotor_inertia=st.floats(0.0, 1.0),
    gear_ratio=positive,
    viscous_friction=st.floats(0.0, 1.0),
    coulomb_friction=st.floats(0.0, 1.0),
    coulomb_velocity=positive,
    max_effort=limits,
    max_velocity=limits,
)
springs = st.one_of(
    st.none(),
    st.builds(sd.LinearSpring, positive, st.floats(0.0, 10.0)),
    st.builds(sd.CubicSpring, positive, st.floats(0.0, 1e9)),
    st.builds(sd.ExponentialSpring, positive, positive),
    st.builds(sd.VariableStiffness, st.floats(1, 9), st.just(0.5), st.sampled_from([9.5, np.inf])),
    st.just(sd.TabulatedSpring([-0.1, 0.0, 0.2], [-1 / 3, 1e-17, 5.0])),
)  # fmt: skip
pairs = st.one_of(
    st.builds(sd.AntagonisticPair, st.just('exponential'), positive, positive, positive),
    st.builds(
        sd.AntagonisticPair, st.just('quadratic'), positive, quadratic_stiffness=positive,
        pull_only=st.booleans(),
    ),
    st.builds(
        sd.AntagonisticPair, st.just('cubic'), positive, positive, cubic_stiffness=positive
    ),
)  # fmt: skip
rotors = st.none() | st.builds(
    sd.Rotor,
    st.none() | st.tuples(st.just(1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)),
    st.none() | st.sampled_from(['1e3', 'link 2', '\u00e4', 'true', ' ']),
)
drives = st.builds(
    sd.JointDrive, springs, motors, max_deflection=limits, max_effort_rate=limits, rotor=rotors
) | st.builds(sd.JointDrive, pairs, motors, motors)
names = st.text(min_size=1)


@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.UnusedEntryWarning')
@given(st.dictionaries(names, drives, max_size=4), st.booleans())
def test_yaml_keeps_every_number(by_name, coupling):
    record = sd.Drives(by_name, coupling)
    assert sd.Drives.from_yaml(record.to_yaml()) == record
    assert pickle.loads(pickle.dumps(record)) == copy.deepcopy(record) == record


def test_files(tmp_path):
    record = sd.Drives({'a': sd.JointDrive(sd.LinearSpring(3.0))})
    path = tmp_path / 'sea.yaml'
    text = record.to_yaml(path)
    for source in (path, str(path), text, text.encode()):
        assert sd.Drives.from_yaml(source) == record
    with pytest.raises(ModelError, match='expected a readable elastic joints file'):
        sd.Drives.from_yaml(tmp_path / 'other.yaml')
    with pytest.raises(ModelError, match='elastic joints text: expected YAML'):
        sd.Drives.from_yaml('a: [\n')
    with pytest.raises(ModelError, match='elastic joints source: expected a path.*got int'):
        sd.Drives.from_yaml(3)


def test_what_is_left_out_has_its_default():
    record = sd.Drives.from_yaml("""
drives:
  rigid:
  also_rigid: {spring: {type: rigid}, motor: {gear_ratio: 1e2}}
  soft:
    spring: {type: linear, stiffness: 8e3}
    limits: {deflection: .inf}
  variable: {spring: {type: variable, stiffness: 0.5}}
""")
    assert record == sd.Drives(
        {
            'rigid': sd.JointDrive(),
            'also_rigid': sd.JointDrive(motor=sd.Motor(gear_ratio=100.0)),
            'soft': sd.JointDrive(sd.LinearSpring(8000.0)),
            'variable': sd.JointDrive(sd.VariableStiffness(0.5, 0.0, np.inf)),
        }
    )
    assert sd.JointDrive() == sd.JointDrive(None, sd.Motor(0.0, 1.0), None, np.inf, np.inf)


SOFT = 'type: linear, stiffness: 1'


@pytest.mark.parametrize(
    ('joint', 'message'),
    [
        ('sprung: 2', 'drives.j: expected entries spring, motor, .*, limits, got .sprung.'),
        ('spring: 3', 'drives.j.spring: expected a mapping, got 3'),
        ('spring: {stiffness: 1}', "drives.j.spring: expected an entry 'type', got none"),
        ('spring: {type: soft}', 'type: expected one of rigid, linear, cubic, .*got .soft.'),
        ('spring: {type: rigid, damping: 1}', 'j.spring: expected entries type, got .damping.'),
        ('spring: {type: linear}', "j.spring: expected an entry 'stiffness', got none"),
        ('spring: {type: linear, stiffness: 0}', 'j.spring.stiffness: expected a finite'),
        ('spring: {type: linear, stiffness: .nan}', 'stiffness: expected a finite .*, got nan'),
        (f'spring: {{{SOFT}, damping: -1}}', 'spring.damping: expected a finite .* 0 or more'),
        (f'spring: {{{SOFT}, rate: 1}}', 'spring: expected entries type, stiffness, damping, got'),
        ('spring: {type: cubic, stiffness: 1, cubic_stiffness: 1, damping: 2}',
         "spring.damping: expected no entry with a spring of type 'cubic': only a linear spring"),
        ('spring: {type: variable, stiffness: 1, min_stiffness: 2}',
         'spring.stiffness: expected at least min_stiffness = 2, got 1'),
        ('spring: {type: variable, stiffness: 3, max_stiffness: 2}',
         'spring.max_stiffness: expected at least stiffness = 3, got 2'),
        ('spring: {type: tabulated, deflections: [0, 1], efforts: [0]}',
         'spring.efforts: expected at least two finite numbers'),
        ('spring: {type: tabulated, deflections: [0, b], efforts: [0, 1]}',
         r'spring.deflections\[1\]: expected a number'),
        ('spring: {type: antagonistic, law: linear, stiffness: 1}',
         'spring.law: expected one of exponential, quadratic, cubic, got .linear.'),
        ('spring: {type: antagonistic, law: cubic, stiffness: 1, spring_stiffness: 1}',
         'spring.cubic_stiffness: expected a finite number above 0, got 0'),
        ('spring: {type: antagonistic, law: cubic, stiffness: 1, spring_stiffness: 1, '
         'cubic_stiffness: 1, rate: 2}', "spring.rate: expected none with the law 'cubic', got 2"),
        ('spring: {type: antagonistic, law: quadratic, stiffness: 1, quadratic_stiffness: 1, '
         'pull_only: 1}', 'spring.pull_only: expected true or false, got 1'),
        ('motor: {gear_ratio: 0}', 'j.motor.gear_ratio: expected a finite number above 0, got 0'),
        ('motor: {gear_ratio: 1e200}', 'j.motor.gear_ratio: expected .* are finite, got 1e'),
        ('motor: {rotor_inertia: -1}', 'j.motor.rotor_inertia: expected a finite number of 0 or'),
        ('motor: {coulomb_velocity: 0}', 'j.motor.coulomb_velocity: expected .* above 0'),
        ('motor: {max_effort: 0}', 'j.motor.max_effort: expected a number above 0, got 0'),
        ('motor: {ratio: 3}', 'j.motor: expected entries rotor_inertia, .*, got .ratio.'),
        ('second_motor: {gear_ratio: 2}', 'j.second_motor: expected None: only an antagonistic'),
        ('limits: {deflection: 0}', 'j.limits.deflection: expected a number above 0, got 0'),
        ('limits: {deflection: x}', "j.limits.deflection: expected a number, got 'x'"),
        ('rotor: {axis: [0, 0, 0]}', 'j.rotor.axis: expected three numbers, not all zero'),
        ('motor: {gear_ratio: 2, rotor_inertia: 1, gear_ratio: 3}',
         "line 2, drives.j.motor: expected every entry once, got 'gear_ratio' again"),
        ('motor: {1: 2}', 'j.motor: expected text as the name of an entry, got 1; quote'),
        ('rotor: {carrier: 3}', 'j.rotor.carrier: expected the name of a link, got 3'),
        ('motor: {gear_ratio: 50:1}', 'drives.j.motor.gear_ratio: expected a decimal .* got 50:1'),
        ('motor: {gear_ratio: "1_0"}', "motor.gear_ratio: expected a finite number .* got '1_0'"),
        ('motor: {gear_ratio: "\u0661"}', 'j.motor.gear_ratio: expected a finite number .* got'),
        (f'spring: {{type: {[1] * 1000}}}', r'j.spring.type: expected one of .{1,200}$'),
        ('friction: 3', 'j.friction: expected a mapping, got 3'),
        ('friction: {viscosity: 3}',
         "j.friction: expected entries viscous, .*, got 'viscosity'; did you mean viscous"),
        ('friction: {viscous: -3}', 'j.friction.viscous: expected a finite number of 0 or more'),
        ('parallel_spring: {stiffness: 3}', "j.parallel_spring: expected an entry 'type'"),
        ('parallel_spring: {type: linear, stiffness: 3}',
         "j.parallel_spring.type: expected one of torsion, balancing, gas, got 'linear'"),
        ('parallel_spring: {type: torsion}', "j.parallel_spring: expected an entry 'stiffness'"),
        ('parallel_spring: {type: balancing, stiffness: 3, on_parent: [0], on_link: [0, 0, 1]}',
         'j.parallel_spring.on_parent: expected three finite numbers'),
        ('parallel_spring: {type: torsion, stiffness: 3, free_length: 1}',
         'j.parallel_spring: expected entries type, stiffness, rest_position, got'),
    ],
)  # fmt: skip
def test_every_error_names_the_entry(joint, message):
    with pytest.raises(ModelError, match=message):
        sd.Drives.from_yaml(f'drives:\n  j: {{{joint}}}\n')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('joints: {}', "document: expected entries drives, .*, got 'joints'"),
        ('rotor_coupling: true', "document: expected an entry 'drives', got none"),
        ('drives: [a]', 'document.drives: expected a mapping'),
        ('drives: {}\nrotor_coupling: 2', 'rotor_coupling: expected true or false, got 2'),
        ('drives: {}\nurdf_dynamics: 1', 'urdf_dynamics: expected true or false, got 1'),
        ('drives: {}\ncoulomb_velocity: 0', 'coulomb_velocity: expected .* number above 0, got 0'),
        ('drives: {}\nurdf: true', 'entries drives, rotor_coupling, urdf_dynamics'),
        ('drives: {}\nelastic_joints: {}', 'expected the entry drives, got its former name ela'),
        (
            'drives:\n  a: {}\n  b: {}\n  a: {}',
            "line 4, drives: expected every entry once, got 'a' again after line 2",
        ),
        (
            'drives:\n  yes: {}\n  True: {}',
            'line 3, drives: expected every entry once, got True',
        ),
        ('drives: {yes: {}}', 'drives: expected text as the name .*, got True'),
        (
            'drives: {[1, 2]: {}}',
            'line 1, drives: expected text as the name of an entry, got a collection',
        ),
    ],
)
def test_every_error_names_the_section(text, message):
    with pytest.raises(ModelError, match=message):
        sd.Drives.from_yaml(text + '\n')


def test_the_record_is_immutable():
    by_name = {'a': sd.JointDrive()}
    record = sd.Drives(by_name)
    by_name['b'] = sd.JointDrive()
    assert list(record.joints) == ['a']
    with pytest.raises(TypeError):
        record.joints['b'] = sd.JointDrive()
    with pytest.raises(FrozenInstanceError):
        record.rotor_coupling = True


def test_parts_of_the_wrong_kind_are_named():
    for arguments, message in (
        (([],), 'joints: expected a mapping, got list'),
        (({1: sd.JointDrive()},), 'joints: expected the name of a joint, got 1'),
        (({'a': sd.Motor()},), "joint 'a': expected a JointDrive"),
        (({}, 1), 'rotor_coupling: expected true or false, got 1'),
    ):
        with pytest.raises(ModelError, match=message):
            sd.Drives(*arguments)
    for text in ('200', b'200'):
        with pytest.raises(ModelError, match='stiffness: expected a finite number above 0'):
            sd.LinearSpring(text)
    with pytest.raises(ModelError, match='spring: expected a Spring, got 3.0'):
        sd.JointDrive(3.0)
    with pytest.raises(ModelError, match='motor: expected a Motor, got None'):
        sd.JointDrive(motor=None)
    with pytest.raises(ModelError, match='second_motor: expected None'):
        sd.JointDrive(second_motor=sd.Motor())


def test_motors_of_a_robot(rng):
    model = random_model(rng, [BodyRecipe(), BodyRecipe(mimics=0), BodyRecipe(), BodyRecipe()])
    one, two, three = model.joint_names
    pair = sd.AntagonisticPair('quadratic', 10.0, quadratic_stiffness=5.0)
    motor = sd.Motor(2e-3, 10.0, 0.1, 0.2, 3.0, 4.0, 50.0)
    record = sd.Drives({two: sd.JointDrive(pair, motor), three: sd.JointDrive()})
    robot = sd.Robot(model, record)
    table = robot.motors
    assert robot.motors is table
    assert table.names == (one, f'{two}/1', f'{two}/2', three)
    assert (table.n, table.m) == (3, 4)
    np.testing.assert_array_equal(table.joint_of_motor, [0, 1, 1, 2])
    np.testing.assert_array_equal(table.first_motor, [0, 1, 3])
    np.testing.assert_allclose(table.rows[1], [0.2, 10.0, 2.0, 0.3])
    np.testing.assert_array_equal(table.max_efforts[:2], [np.inf, 40.0])
    np.testing.assert_array_equal(table.max_velocities[:2], [np.inf, 5.0])
    assert table.variable_names == (two,) and table.damped_names == ()
    with pytest.raises(ValueError, match='read-only'):
        table.rows[0, 0] = 1.0


def test_rows_that_motor_efforts_need(rng):
    model = random_model(rng, 2)
    rigid, damped = sd.JointDrive(), sd.JointDrive(sd.LinearSpring(1.0, 1.0))
    soft = sd.JointDrive(sd.LinearSpring(1.0))
    for pair, rows in (
        ((rigid, rigid), 3),
        ((rigid, damped), 4),
        ((damped, damped), 4),
        ((soft, damped), 5),
        ((soft, rigid), 5),
    ):
        record = sd.Drives(dict(zip(model.joint_names, pair, strict=True)))
        robot = sd.Robot(model, record)
        assert robot.required_rows == rows
        assert robot.buffers().motor_jet.shape == (3, 2)
        assert robot.buffers(rows + 2).motor_effort_jet.shape == (3, 2)
        for few in (rows - 1, rows + 0.5, str(rows)):
            with pytest.raises(InputError, match=f'rows: expected a whole number of {rows} or'):
                robot.buffers(few)
