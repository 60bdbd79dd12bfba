# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Workspace` beside `elastic_feedforward` and its stages: same numbers, same errors."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.drives import (
    link_efforts,
    motor_efforts,
    spring_deflections,
    transmitted_efforts,
)
from screw_dynamics.drives.motor_feedforward import JETS
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, SpringRangeError

TABLE = np.linspace(-2.0, 2.0, 7)
SPRINGS = {
    'rigid': [None],
    'linear': [sd.LinearSpring(3000.0)],
    'linear and rigid': [sd.LinearSpring(3000.0), None],
    'damped': [sd.LinearSpring(3000.0, 20.0), sd.LinearSpring(3000.0)],
    'mixed': [
        sd.CubicSpring(2000.0, 5e4),
        sd.ExponentialSpring(1000.0, 3.0),
        sd.TabulatedSpring(TABLE, 800.0 * TABLE + 300.0 * TABLE**3),
        sd.VariableStiffness(5000.0),
        sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0),
        sd.LinearSpring(3000.0),
        None,
    ],
}
MOTORS = {'plain': sd.Motor(2e-3, 10.0), 'friction': sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)}


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))


@pytest.fixture(scope='module')
def iiwa():
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def elastic(model, springs, motor, **options):
    records = {
        name: sd.JointDrive(springs[i % len(springs)], motor, **options)
        for i, name in enumerate(model.joint_names)
    }
    return sd.Robot(model, sd.Drives(records))


def by_stages(robot, jet, times=None):
    """Deflections, motor positions and efforts from the stages, each with its own checks."""
    efforts = transmitted_efforts(robot, jet, link_efforts(robot, jet))
    deflections = spring_deflections(robot, efforts, times=times)
    return efforts, deflections, *motor_efforts(robot, jet, efforts, deflections)


@pytest.mark.parametrize(
    ('rows', 'friction', 'motor'),
    [(5, None, 'plain'), (6, sd.JointFriction(viscous=0.4, coulomb=1.0), 'friction')],
)
@pytest.mark.parametrize('springs', SPRINGS)
def test_one_call_returns_what_the_stages_return(iiwa, springs, motor, friction, rows):
    rng = np.random.default_rng(7)
    robot = elastic(iiwa, SPRINGS[springs], MOTORS[motor], friction=friction)
    workspace, out = sd.Workspace(robot, rows - 3), robot.buffers(rows)
    jets = 0.3 * rng.normal(size=(5, rows, iiwa.n))
    times = np.arange(5.0) if springs == 'damped' else None
    for jet in jets:
        commands = workspace.motor_commands(jet)
        assert commands is workspace.commands
        for name, stage in zip(JETS, by_stages(robot, jet), strict=True):
            # the same operations, but for fused products and factorials
            np.testing.assert_allclose(getattr(commands, name), stage, rtol=1e-12, atol=1e-12)
        assert sd.elastic_feedforward(robot, jet, out=out) is out
        efforts = link_efforts(robot, jet)
        for name in JETS:
            np.testing.assert_array_equal(getattr(out, name), getattr(commands, name))
            getattr(commands, name)[...] = np.nan
        assert workspace.motor_commands(jet, efforts) is commands
        for name in JETS:
            np.testing.assert_array_equal(getattr(out, name), getattr(commands, name))
    batch = sd.elastic_feedforward(robot, jets, times=times)
    for name, stage in zip(JETS, by_stages(robot, jets, times), strict=True):
        np.testing.assert_allclose(getattr(batch, name), stage, rtol=1e-12, atol=1e-12)


def test_errors_are_those_of_the_checked_way(arm):
    robot = elastic(arm, [sd.TabulatedSpring(TABLE, 0.1 * TABLE)], sd.Motor())
    workspace, jet = sd.Workspace(robot), np.full((5, arm.n), 0.1)
    jet[2] = 100.0
    with pytest.raises(SpringRangeError) as of_workspace:
        workspace.motor_commands(jet)
    with pytest.raises(SpringRangeError) as of_function:
        sd.elastic_feedforward(robot, jet)
    assert str(of_workspace.value) == str(of_function.value)
    with pytest.raises(SpringRangeError, match=r'sample|\[1'):
        sd.elastic_feedforward(robot, np.stack((0.0 * jet, jet)))
    jet[1, 1] = np.nan
    with pytest.raises(NotFiniteError, match='joint_jet'):
        workspace.motor_commands(jet)
    for wrong in (jet[:3], np.zeros((6, arm.n)), np.zeros((2, 5, arm.n))):
        with pytest.raises(ShapeError):
            workspace.motor_commands(wrong)
    with pytest.raises(InputError, match='joint_jet'):
        workspace.motor_commands(np.ma.masked_invalid(jet))
    with pytest.raises(InputError, match='rows: expected a whole number of 5 or more, got 4'):
        sd.Workspace(robot, 1).motor_commands(np.zeros((4, arm.n)))
    with pytest.raises(InputError, match='robot: expected one with drives'):
        sd.Workspace(arm).motor_commands(jet)
    with pytest.raises(InputError, match='order: expected a whole number of 0 or more'):
        sd.Workspace(robot, -1)


COPIES = {
    'deepcopy': copy.deepcopy,
    'copy': copy.copy,
    'pickle': lambda one: pickle.loads(pickle.dumps(one)),
}


@pytest.mark.parametrize('way', COPIES)
def test_a_copy_has_arrays_of_its_own(arm, way):
    robot = elastic(arm, [sd.LinearSpring(200.0)], MOTORS['plain'])
    loop, jet = sd.Workspace(robot, frames=['tool']), np.full((5, arm.n), 0.1)
    loop.wrenches[...] = 1.0
    motors, efforts = loop.motor_commands(jet), loop.efforts(jet)
    before = motors.motor_effort.copy(), efforts.copy()
    other = COPIES[way](loop)
    np.testing.assert_array_equal(other.wrenches, 1.0)
    other.wrenches[...] = 50.0
    wrenches = {'tool': np.full((3, 6), 50.0)}
    np.testing.assert_array_equal(
        other.efforts(2.0 * jet), sd.inverse_dynamics(arm, 2.0 * jet, wrenches)
    )
    np.testing.assert_allclose(
        other.motor_commands(2.0 * jet).motor_effort,
        sd.elastic_feedforward(robot, 2.0 * jet, wrenches).motor_effort,
        rtol=1e-13,
    )
    np.testing.assert_array_equal(motors.motor_effort, before[0])
    np.testing.assert_array_equal(efforts, before[1])
    np.testing.assert_array_equal(loop.efforts(jet), efforts)


def test_an_array_that_became_another_one_is_seen(arm):
    robot = elastic(arm, [sd.LinearSpring(200.0)], MOTORS['plain'])
    loop, jet = sd.Workspace(robot), np.full((5, arm.n), 0.1)
    loop.motor_commands(jet)
    jet[...] = 0.3
    np.testing.assert_array_equal(
        loop.motor_commands(jet).motor_jet, sd.elastic_feedforward(robot, 1.0 * jet).motor_jet
    )
    jet.dtype = np.int64
    jet[...] = 2
    expected = sd.elastic_feedforward(robot, np.full((5, arm.n), 2.0))
    efforts = sd.inverse_dynamics(arm, np.full((5, arm.n), 2.0))
    for found in (loop.motor_commands(jet), loop.motor_commands(jet, efforts)):
        np.testing.assert_array_equal(found.motor_jet, expected.motor_jet)


def test_commands_that_are_no_buffers_are_named(arm):
    robot = elastic(arm, [sd.LinearSpring(200.0)], MOTORS['plain'])
    lists = sd.MotorFeedforward(('a', 'b'), np.ones(2), [[1.0]], [[1.0]], [[1.0]], [[1.0]])
    with pytest.raises(InputError, match='commands: expected a MotorFeedforward, got int'):
        sd.Workspace(robot, commands=3)
    with pytest.raises(InputError, match='commands.effort_jet: expected a float64 array, got l'):
        sd.Workspace(robot, commands=lists)


@pytest.mark.skipif("sd.kernel_form() != 'c'", reason='Python converts what C refuses')
def test_buffers_of_other_shapes_are_refused_by_the_kernel(iiwa):
    """Those with the names and ratios of the robot: the kernel itself looks at the shapes."""
    pair = sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0)
    robot = elastic(iiwa, [None, pair], MOTORS['friction'])
    jet, good = 0.1 * np.ones((5, iiwa.n)), robot.buffers()
    sd.elastic_feedforward(robot, jet, out=good)
    for name in JETS:
        jets = getattr(good, name)
        for shape in (jets[1:].shape, jets[:, 1:].shape, (*jets.shape, 1)):
            with pytest.raises(ShapeError, match='out: expected shape'):
                sd.elastic_feedforward(robot, jet, out=replace(good, **{name: np.empty(shape)}))
        with pytest.raises(InputError, match='out: expected'):
            sd.elastic_feedforward(robot, jet, out=replace(good, **{name: jets.astype(int)}))
        memory = np.zeros(200)
        shared = memory[: jets.size].reshape(jets.shape)
        moving = memory[5 : 5 + jet.size].reshape(jet.shape)
        if jets.size > 5:
            with pytest.raises(InputError, match='memory of its own'):
                sd.elastic_feedforward(robot, moving, out=replace(good, **{name: shared}))
    for rows in (3, 4):
        with pytest.raises(ShapeError, match='joint_jet'):
            sd.elastic_feedforward(robot, jet[:rows].copy())
    with pytest.raises(ShapeError, match='joint_jet'):
        sd.elastic_feedforward(robot, np.zeros((5, 1)))


def test_other_arrays_are_converted(arm):
    robot = elastic(arm, [sd.LinearSpring(3000.0)], MOTORS['plain'])
    workspace, jet = sd.Workspace(robot), np.full((5, arm.n), 0.25)
    expected = sd.elastic_feedforward(robot, jet).motor_effort_jet
    efforts = sd.inverse_dynamics(arm, jet)
    for given in (jet.tolist(), np.asfortranarray(jet), jet.astype(np.float32)):
        np.testing.assert_array_equal(workspace.motor_commands(given).motor_effort_jet, expected)
        commands = workspace.motor_commands(given, efforts.tolist())
        np.testing.assert_allclose(commands.motor_effort_jet, expected, rtol=1e-13)


def test_a_workspace_serves_another_model_with_the_same_joints(iiwa, arm):
    """Its parallel springs and efforts count, not those of the model it was made for."""
    spring = sd.BalancingSpring(1200.0, [0.0, 0.0, 0.25], [0.0, 0.2, 0.0], 0.0)
    robot = elastic(iiwa, [sd.LinearSpring(3000.0)], MOTORS['plain'], parallel_spring=spring)
    heavy = iiwa.with_payload('flange', 3.0, (0.0, 0.0, 0.1), np.zeros((3, 3)))
    workspace, jet = sd.Workspace(robot), 0.3 * np.random.default_rng(3).normal(size=(5, iiwa.n))
    commands = workspace.commands
    for model in (iiwa, heavy, iiwa):
        efforts = sd.inverse_dynamics(model, jet)
        expected = sd.elastic_feedforward(robot.with_model(model), jet)
        workspace = sd.Workspace(robot.with_model(model), commands=commands)
        for known in (None, efforts, efforts):
            commands.motor_effort_jet[...] = np.nan
            assert workspace.motor_commands(jet, known) is commands
            for name in JETS:
                np.testing.assert_array_equal(getattr(commands, name), getattr(expected, name))
    for other in (elastic(arm, [None], sd.Motor()), elastic(iiwa, [None], sd.Motor())):
        with pytest.raises(InputError, match='commands: expected buffers of this robot, got'):
            sd.Workspace(other, commands=commands)


def test_known_efforts_may_be_in_the_workspace_and_errors_are_named(arm):
    robot = elastic(arm, [sd.LinearSpring(3000.0)], MOTORS['plain'])
    workspace, jet = sd.Workspace(robot), np.full((5, arm.n), 0.1)
    expected = sd.elastic_feedforward(robot, jet)
    link_efforts(robot, jet, out=workspace.commands.effort_jet)
    found = workspace.motor_commands(jet, workspace.commands.effort_jet)
    np.testing.assert_allclose(found.motor_effort_jet, expected.motor_effort_jet, rtol=1e-13)
    efforts = sd.inverse_dynamics(arm, jet)
    for wrong in (efforts + 1j, efforts.astype(str)):
        with pytest.raises(InputError, match='effort_jet'):
            workspace.motor_commands(jet, wrong)
    for wrong in (efforts[:2], efforts[:0], efforts[:, :0], np.empty((0, 0))):
        with pytest.raises(ShapeError, match='effort_jet'):
            workspace.motor_commands(jet, wrong)
    with pytest.raises(InputError, match='effort_jet: expected a number in every entry'):
        workspace.motor_commands(jet, np.ma.masked_equal(efforts, efforts[0, 0]))
    jet[2, 1] = np.inf
    with pytest.raises(NotFiniteError):
        workspace.motor_commands(jet, efforts)


@pytest.mark.parametrize('springs', ['linear', 'damped'])
def test_wrenches_act(arm, springs):
    robot = elastic(arm, SPRINGS[springs], MOTORS['plain'])
    workspace, jet = sd.Workspace(robot, frames=['tool']), np.full((5, arm.n), 0.1)
    workspace.wrenches[0] = np.random.default_rng(1).normal(size=(3, 6))
    expected = sd.elastic_feedforward(robot, jet, {'tool': workspace.wrenches[0]})
    commands = workspace.motor_commands(jet)
    for name in JETS:
        np.testing.assert_allclose(
            getattr(commands, name), getattr(expected, name), rtol=1e-13, atol=1e-13
        )
    workspace.wrenches[:] = 0.0
    assert (workspace.motor_commands(jet).motor_effort != expected.motor_effort).any()


def test_an_overflow_of_the_commands_is_named(arm):
    robot = elastic(arm, [sd.LinearSpring(1e-300)], sd.Motor(1e200))
    jet = np.full((5, arm.n), 1e50)
    for function in (sd.Workspace(robot).motor_commands, partial(sd.elastic_feedforward, robot)):
        with pytest.raises(NotFiniteError):
            function(jet)


def test_commands_must_not_contain_the_motion(arm):
    robot = elastic(arm, [None], sd.Motor())  # motor and link have jets of the same shape
    workspace = sd.Workspace(robot)
    out = workspace.commands
    out.motor_jet[...] = 0.1
    for function in (workspace.motor_commands, partial(sd.elastic_feedforward, robot, out=out)):
        with pytest.raises(InputError, match='memory of its own'):
            function(out.motor_jet)
        np.testing.assert_array_equal(out.motor_jet, 0.1)


def test_equal_joints_may_use_each_others_buffers(arm):
    one, other = (elastic(arm, [sd.LinearSpring(k)], sd.Motor(0.1)) for k in (100.0, 200.0))
    jet = np.full((5, arm.n), 0.2)
    found = sd.elastic_feedforward(other, jet, out=one.buffers())
    expected = sd.elastic_feedforward(other, jet)
    np.testing.assert_array_equal(found.motor_jet, expected.motor_jet)


def test_a_robot_without_joints_needs_no_commands():
    robot = sd.Robot(sd.ScrewModel.from_screws([], [], [], []), sd.Drives({}))
    commands = sd.Workspace(robot, 0).motor_commands(np.empty((3, 0)))
    assert commands.motor_effort_jet.shape == (1, 0)
