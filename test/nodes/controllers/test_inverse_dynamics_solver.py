# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The plug-in for `inverse_dynamics_solver`, loaded by its name, as docs/controllers.md has it."""

import importlib.util
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest
import yaml

if not importlib.util.find_spec('controller_manager_msgs'):
    pytest.skip('needs controller_manager of ros2_control', allow_module_level=True)

from helpers.managed_controller import build_controller, missing_packages
from helpers.patience import patience
from helpers.real_controllers import blocks
from helpers.robot_library import CONTROLLERS

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot

if missing := missing_packages(['ament_cmake', 'inverse_dynamics_solver', 'pluginlib']):
    pytest.skip(f'needs the ROS 2 packages {", ".join(missing)}', allow_module_level=True)

pytestmark = pytest.mark.processes
PAGE, SECTION = 'controllers.md', 'Solver of inverse dynamics'
OURS = 'dynamics_solver', 'screw_dynamics_controllers/InverseDynamicsSolver'
KDL = 'kdl', 'kdl_inverse_dynamics_solver/InverseDynamicsSolverKDL'
IIWA, UR10 = 'urdf/iiwa14.urdf', 'examples/recorded/ur10.urdf'
# of the largest number of a call: both recursions round, in another order
BOUND = 1e-13


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    return build_controller(tmp_path_factory.mktemp('solver'), '-DWITH_ROS2_CONTROL=OFF')


@pytest.fixture
def states(rng):
    return rng.uniform(-1.0, 1.0, (50, 3, 7))


@pytest.fixture
def solve(built, tmp_path):
    """Return a function of the answers H, C q', g, f, torques of solvers with parameters."""

    def run(states, parameters, *solvers):
        file, n = tmp_path / 'solver.yaml', states.shape[-1]
        if 'my_controller' not in parameters:
            parameters = {'my_controller': {'ros__parameters': parameters}}
        file.write_text(yaml.safe_dump(parameters))
        program, names = built.build / 'solve', [text for one in solvers for text in one]
        ended = subprocess.run(
            [*built.environment, program, str(n), *names, '--ros-args', '--params-file', file],
            input=states.tobytes(),
            capture_output=True,
            timeout=patience(),
        )
        print(ended.stderr.decode())
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr.decode())
        answers = np.frombuffer(ended.stdout).reshape(len(solvers), len(states), n + 4, n)
        return [(x[:, :n], *np.moveaxis(x[:, n:], 1, 0)) for x in answers]

    return run


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=BOUND * np.abs(expected).max())


def test_from_a_urdf_and_drives_to_a_solver(tmp_path, solve, states):
    urdf = sd.share_path(IIWA)
    model = sd.read_urdf(urdf)
    rubs = sd.JointFriction(viscous=1.0, coulomb=2.0, breakaway=3.0)
    motor = sd.Motor(1e-4, 100.0, 1e-3, 0.02)
    balance = sd.TorsionSpring(40.0, rest_position=0.3)
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(9e3) if i % 2 else None,
            motor,
            friction=rubs,
            parallel_spring=balance if i in (1, 4) else None,
        )
        for i, name in enumerate(model.joint_names)
    }
    shutil.copy(urdf, tmp_path / 'my_robot.urdf')
    sd.Drives(drives).to_yaml(tmp_path / 'my_springs.yaml')
    (tmp_path / 'screw_dynamics_controllers').symlink_to(CONTROLLERS)
    (commands,) = (
        block for block in blocks(PAGE, 'From a URDF to a controller', 'bash') if 'gcc' in block
    )
    subprocess.run(['bash', '-ec', commands], cwd=tmp_path, check=True, timeout=patience())
    parameters = yaml.safe_load(blocks(PAGE, SECTION, 'yaml')[0])
    own = parameters['my_controller']['ros__parameters']
    own['dynamics_solver']['robot_library'] = str(tmp_path / 'libmy_arm.so')
    own['robot_description'] = urdf.read_text()
    run = shlex.split(blocks(PAGE, SECTION, 'bash')[0])
    assert run[-3:] == ['--ros-args', '--params-file', 'solver.yaml']  # as `solve` is started
    ((inertia, coriolis, gravity, friction, torques),) = solve(states, parameters, OURS)

    # joints with springs: what these transmit
    rigid = {
        name: sd.JointDrive(
            motor=sd.Motor() if drive.spring else motor,
            friction=rubs,
            parallel_spring=drive.parallel_spring,
        )
        for name, drive in drives.items()
    }
    robot, still = Robot(model, sd.Drives(rigid)), states * np.array([1.0, 0.0, 0.0])[:, None]
    expected = sd.actuator_efforts(robot, states)[:, 0]
    close(torques + friction, expected)
    close(np.einsum('tij,tj->ti', inertia, states[:, 2]) + coriolis + gravity + friction, expected)
    close(gravity, sd.actuator_efforts(robot, still)[:, 0])
    close(inertia, sd.mass_matrix(model, states[:, 0]) + np.diag([1.0, 0.0] * 3 + [1.0]))

    for wrong, text in (
        ({'robot_library': ''}, "parameter 'dynamics_solver.robot_library' is not initialized"),
        ({'robot_library': '/nowhere.so'}, 'dynamics_solver: robot library: /nowhere.so: cannot'),
    ):
        with pytest.raises(RuntimeError, match=text):
            solve(states, {'dynamics_solver': wrong}, OURS)
    with pytest.raises(RuntimeError, match='expected 7 numbers, those of the joints from joint_1'):
        solve(states[..., 1:], parameters, OURS)
    own['robot_description'] += ' '
    with pytest.raises(RuntimeError, match='expected one of the URDF with the SHA-256'):
        solve(states, parameters, OURS)


@pytest.mark.parametrize(('path', 'tip'), [(IIWA, 'flange'), (UR10, 'tool0')])
def test_equal_to_kdl(tmp_path, built, solve, states, path, tip):
    """KDL has no rotors, friction, mimic joints, and no links but those of the chain."""
    if missing := missing_packages([KDL[0] + '_inverse_dynamics_solver']):
        pytest.skip(f'needs the ROS 2 package {missing[0]}')
    urdf = shutil.copy(sd.share_path(path), tmp_path / 'my_robot.urdf')
    (tmp_path / 'CMakeLists.txt').write_text(
        'cmake_minimum_required(VERSION 3.16)\nproject(my_package C)\n'
        'find_package(screw_dynamics_controllers REQUIRED)\n'
        f'screw_dynamics_robot(my_arm my_robot.urdf OPTIONS --tip-link {tip})\n'
    )
    options = f'-DCMAKE_PREFIX_PATH={built.prefix}', f'-DPython3_EXECUTABLE={sys.executable}'
    for command in (['cmake', '.', *options], ['cmake', '--build', '.']):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=patience())
    parameters = {'robot_description': urdf.read_text(), 'kdl': {'tip': tip}}
    parameters['dynamics_solver'] = {'robot_library': str(tmp_path / 'libmy_arm.so')}
    n = sd.read_urdf(urdf, tip_link=tip).n
    for got, expected in zip(*solve(states[..., :n], parameters, OURS, KDL), strict=True):
        close(got, expected)
