# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Without the extension module the kernels run as Python: the same numbers, after one warning."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics import trajectory
from screw_dynamics.bridges.derivatives import Efforts
from screw_dynamics.errors import NotFiniteError

Arrays = dict[str, np.ndarray]

TABLE = np.linspace(-2.0, 2.0, 7)
MOTOR = sd.Motor(2e-3, 10.0, 1e-2, 2e-2, 1.0)
SPRINGS = [
    None,
    sd.LinearSpring(3000.0),
    sd.LinearSpring(3000.0, 20.0),
    sd.CubicSpring(2000.0, 5e4),
    sd.ExponentialSpring(1000.0, 3.0),
    sd.TabulatedSpring(TABLE, 800.0 * TABLE + 300.0 * TABLE**3),
    sd.VariableStiffness(5000.0),
    sd.AntagonisticPair('exponential', 5000.0, spring_stiffness=50.0, rate=4.0),
    sd.AntagonisticPair('quadratic', 5000.0, quadratic_stiffness=2000.0),
    sd.AntagonisticPair('cubic', 5000.0, spring_stiffness=500.0, cubic_stiffness=4e3),
]


def read(name: str) -> sd.ScrewModel:
    return sd.read_urdf(sd.share_path(f'urdf/{name}.urdf'))


def terms() -> Arrays:
    model, arm = read('branched_gripper'), read('iiwa14')
    post = sd.read_urdf('<robot name="post">\n<link name="base"/></robot>')
    q, qd, tau = np.random.default_rng(0).normal(size=(3, 4, model.n))
    jets = np.random.default_rng(1).normal(size=(2, 5, model.n))
    states = np.random.default_rng(2).normal(size=(3, 6, arm.n))
    link = model.body_names[-1]
    jet = np.stack([q, qd, tau], axis=1)
    twist = sd.frame_twist(model, jet, link, 'mixed')
    of_control = sd.control_terms(model, q[0], qd[0], link)._asdict()
    return {
        'mass matrix': sd.mass_matrix(model, q),
        'Coriolis matrix': sd.coriolis_matrix(model, q, qd),
        'gravity': sd.gravity_forces(model, q),
        'centre of mass': sd.centre_of_mass(model, q),
        'Jacobian of the centre of mass': sd.centre_of_mass_jacobian(model, q),
        'kinetic energy': sd.kinetic_energy(model, q, qd),
        'potential energy': sd.potential_energy(model, q),
        'bias': sd.bias_forces(model, q, qd),
        'accelerations': sd.forward_dynamics(model, q, qd, tau),
        'accelerations without joints': sd.forward_dynamics(post, [], [], []),
        'accelerations of one state': sd.forward_dynamics(arm, *states[:, 0]),
        'accelerations of articulated bodies': sd.forward_dynamics(arm, *states),
        'partials': sd.effort_partials(model, jets),
        'partials of order 0': sd.effort_partials(model, jets[:, :3]),
        'partials of one state': sd.effort_partials(model, jet[0]),
        'regressor': sd.regressor(model, jets),
        'changes of efforts': Efforts(model).change(jets, jets[::-1]),
        'covectors of efforts': Efforts(model).covectors(jets, jets[:, 2:])[0],
        'pose': sd.frame_pose(model, q, link),
        'Jacobian': sd.frame_jacobian(model, q, link, 'hybrid'),
        'twist': twist,
        'Jacobian and rates': sd.frame_jacobian_jet(model, jet, link, 'spatial'),
        'task': sd.task_to_joint_jet(model, q, twist, link, 'mixed', damping=0.5),
        **{f'control {name}': value for name, value in of_control.items()},
    }


def efforts() -> Arrays:
    model = read('branched_gripper')
    frames = [name for name, frame in model.frames.items() if frame.body >= 0][:2]
    rng, found = np.random.default_rng(3), {}
    for order in (0, 2, 6):
        jets = rng.normal(size=(3, order + 3, model.n))
        wrenches = dict(zip(frames, rng.normal(size=(2, 3, order + 1, 6)), strict=True))
        found[f'order {order}'] = sd.inverse_dynamics(model, jets, wrenches)
        found[f'order {order} of one state'] = sd.inverse_dynamics(model, jets[0])
        loop = sd.Workspace(model, order, frames)
        loop.wrenches[...] = [wrench[1] for wrench in wrenches.values()]
        found[f'order {order} of a workspace'] = loop.efforts(jets[1])
    threaded = rng.normal(size=(600, 3, model.n))
    found['of threads'] = sd.inverse_dynamics(model, threaded, threads=2)
    return found


def commands() -> Arrays:
    model, found = read('iiwa14'), {}
    rng, times = np.random.default_rng(0), np.linspace(0.0, 0.2, 12)
    jets = rng.normal(size=(12, 6, model.n))
    jets[:, 1:] *= 0.1
    for shift in (0, len(SPRINGS) - model.n):
        parts = [sd.JointDrive(spring, MOTOR) for spring in SPRINGS[shift:]]
        if not shift:
            parts[1] = replace(parts[1], hysteresis=2e-3, backlash=1e-3)
        robot = sd.Robot(model, sd.Drives(dict(zip(model.joint_names, parts, strict=False))))
        result = sd.elastic_feedforward(robot, jets, times=times)
        for name in ('deflection_jet', 'motor_jet', 'motor_effort_jet'):
            found |= rows(f'{name} {shift}', getattr(result, name))
        if shift:
            for count in (5, 6):
                one = sd.elastic_feedforward(robot, np.ascontiguousarray(jets[3, :count]))
                found |= rows(f'motors {shift}, {count} rows', one.motor_effort_jet[np.newaxis])
    return found | actuators(model, jets)


def actuators(model: sd.ScrewModel, jets: np.ndarray) -> Arrays:
    """Return efforts and accelerations with friction and parallel springs of every kind."""
    file = sd.Drives.from_yaml(sd.share_path('config/geared_arm_joints.yaml'))
    parallel = [
        sd.TorsionSpring(30.0, 0.2),
        sd.GasSpring(400.0, 3.0, 2.9, (0, 0, 1), (0, 0, -1)),
        sd.BalancingSpring(300.0, (0, 0, 0.3), (0, 0.2, 0), 0.1),
    ]
    bearing = sd.JointFriction(1.0, 0.5, 0.02, 0.8, 0.1, 0.1)
    drives = sd.Drives({
        name: replace(joint, friction=bearing, parallel_spring=parallel[j % 3])
        for j, (name, joint) in enumerate(file.joints.items())
    })  # fmt: skip
    found = sd.actuator_efforts(sd.Robot(model, drives), jets)
    robot = sd.simulation.ElasticRobot(sd.Robot(model, drives))
    slopes = robot.derivatives(robot.state(jets[0, 0], jets[0, 1]), found[0, 0])
    np.testing.assert_allclose(robot.split(slopes)[1], jets[0, 2], rtol=0, atol=1e-8)
    return rows('actuator efforts', found) | {'slopes': slopes}


def rows(name: str, jets: np.ndarray) -> Arrays:
    """Return the derivatives of a jet one by one: their sizes differ."""
    return {f'{name}, derivative {d}': jets[:, d] for d in range(jets.shape[1])}


def simulations() -> Arrays:
    from oracles import two_links

    spring = sd.TabulatedSpring((-1.0, 0.0, 1.0), (-90.0, 0.0, 200.0))
    pair = sd.AntagonisticPair('quadratic', 50.0, quadratic_stiffness=90.0)
    motor = sd.Motor(0.1, coulomb_friction=0.2)
    arm = two_links.robot(sd.JointDrive(spring, motor), sd.JointDrive(pair, motor))
    robot = sd.simulation.ElasticRobot(arm)
    state = robot.state([-1.4, 0.5], [0.2, 0.1], [-1.1, 0.6, 0.4], [0.4, 0.3, 0.2])
    robot.step(state, [0.1, 0.2, 0.3], 1e-3, steps=5)
    coupled = sd.Drives(two_links.robot().drives.joints, rotor_coupling=True)
    robot = sd.simulation.ElasticRobot(sd.Robot(two_links.model(), coupled))
    other = robot.state([-1.4, 0.5], [0.2, 0.1])
    wrenches = {'body_2': [1, 2, 3, 4, 5, 6]}
    robot.step(other, [0.1, 0.2], 1e-3, steps=5, wrenches=wrenches)
    return {'state': state, 'coupled state': other}


def curves() -> Arrays:
    model = read('planar_2r')
    points = [trajectory.TrajectoryPoint(float(k), (0.3 * k, k % 2)) for k in range(4)]
    waypoints = trajectory.waypoints_from_points(model.joint_names, points, model.joint_names)
    curve = trajectory.jtc_trajectory(waypoints)
    return {
        'one sample': curve.sample(0.3, np.empty((3, 2))),
        'samples': curve.jets(np.linspace(0.0, 3.0, 50)),
    }


def certificates() -> Arrays:
    """Return bounds of quantities with all laws that have a proof."""
    model = read('planar_2r')
    curve = trajectory.through(model, [0.0, 0.3], [[0.0, 0.0], [0.5, -0.4]])
    laws = 1.0, 0.5, 0.05, 0.8, 0.1, 0.1
    bearing = sd.JointFriction(*laws)
    gas = sd.GasSpring(400.0, 3.0, 2.9, (0, 0, 1), (0, 0, -1))
    motor = replace(MOTOR, breakaway_friction=0.05, load_friction=0.1, max_effort=30.0)
    found = {'links': bounds(model, curve)}
    for spring in (None, *SPRINGS[1:5:2]):
        joint = sd.JointDrive(
            spring, motor, max_effort_rate=900.0, friction=bearing, parallel_spring=gas
        )
        robot = sd.Robot(model, sd.Drives({'joint_1': joint}))
        found[f'bounds with {spring}'] = bounds(robot, curve)
    return found


def bounds(robot: sd.ScrewModel | sd.Robot, curve: trajectory.PiecewisePolynomial) -> np.ndarray:
    return np.array([check.worst for check in sd.limits.certify(robot, curve).checks])


def soft_robots() -> Arrays:
    arc = sd.soft.PlanarConstantCurvature(0.3, 0.03, 0.9)
    robot = sd.soft.SoftRobot([arc, arc], (0.0, 0.0, -9.81))
    jet = np.random.default_rng(4).normal(size=(5, robot.n))
    return {
        'efforts': sd.inverse_dynamics(robot, jet),
        'mass matrix': sd.mass_matrix(robot, jet[0]),
    }


def overflows() -> Arrays:
    """Return where results overflow, which must raise in both forms, and not warn."""
    link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0.0, 0.0]), 0.1 * np.eye(3))
    slide = [0, 0, 0, 1, 0, 0]
    model = sd.ScrewModel.from_screws(
        [-1, 0, 1], [np.eye(4)] * 3, [[0, 1, 0, 0, 0, 0], slide, slide], [link] * 3
    )
    q, qd = np.array([[0.7, 1.7e308, 1.7e308]] * 2), np.ones((2, 3))
    jet = np.full((2, 3, 3), 1e200)
    calls: dict[str, Callable[[slice | int], object]] = {
        'mass matrix': lambda k: sd.mass_matrix(model, q[k]),
        'gravity': lambda k: sd.gravity_forces(model, q[k]),
        'bias': lambda k: sd.bias_forces(model, q[k], qd[k]),
        'pose': lambda k: sd.frame_pose(model, q[k], 'body_3'),
        'efforts': lambda k: sd.inverse_dynamics(model, jet[k]),
    }
    found = {}
    for name, call in calls.items():
        for part in (0, slice(None)):
            with pytest.raises(NotFiniteError, match='^result') as caught:
                call(part)
            found[f'{name} {part}'] = np.array(caught.value.index)
    return found


# with the largest difference, relative to the largest number of an array: C may round a product
# and a sum once instead of twice, springs are solved by iterations
CASES: dict[str, tuple[Callable[[], Arrays], float]] = {
    'terms': (terms, 1e-13),
    'efforts': (efforts, 1e-13),
    'commands': (commands, 1e-12),
    'simulations': (simulations, 1e-13),
    'curves': (curves, 1e-13),
    'certificates': (certificates, 1e-10),
    'soft robots': (soft_robots, 1e-13),
    'overflows': (overflows, 0.0),
}


@pytest.fixture(scope='module')
def in_python(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Return what this file writes as a program, in Python, and its errors."""
    from helpers.patience import patience  # this file is the program too

    file = tmp_path_factory.mktemp('python') / 'arrays.npz'
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, '-W', 'error', '-W', 'ignore::UserWarning', __file__, file],
        env=environment, capture_output=True, text=True, timeout=patience(),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    with np.load(file) as arrays:
        return SimpleNamespace(arrays=dict(arrays), log=run.stderr)


@pytest.mark.skipif("sd.kernel_form() != 'c'", reason='needs the extension module')
@pytest.mark.parametrize('case', CASES)
def test_the_numbers_are_those_of_c(in_python, case):
    function, bound = CASES[case]
    expected = {f'{case}: {name}': value for name, value in function().items()}
    assert {name for name in in_python.arrays if name.startswith(f'{case}: ')} == set(expected)
    for name, value in expected.items():
        bounds = {'rtol': 0.0, 'atol': bound * np.abs(value).max(initial=0.0)}
        np.testing.assert_allclose(in_python.arrays[name], value, **bounds, err_msg=name)


def test_one_line_says_that_it_is_slow(in_python):
    (line,) = in_python.log.splitlines()
    assert line == (
        'kernels run as Python, which is slow: the package was built without '
        'screw_dynamics._kernels: build the package again with a C compiler (apt install gcc '
        'python3-dev; pip install --force-reinstall --no-deps .), or install a wheel'
    )


if __name__ == '__main__':
    sys.modules['screw_dynamics._kernels'] = None  # type: ignore[assignment]
    found = {
        f'{case}: {name}': value
        for case, (function, _) in CASES.items()
        for name, value in function().items()
    }
    assert sd.kernel_form() == 'python'
    np.savez(Path(sys.argv[1]), **found)
