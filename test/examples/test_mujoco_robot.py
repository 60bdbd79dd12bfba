# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo, which is independent of this package, against our equations of motion."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracles import two_links
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.errors import InputError

pytestmark = [pytest.mark.long, pytest.mark.processes]

mujoco = pytest.importorskip('mujoco')

from sea_study.mjcf import mjcf  # noqa: E402
from sea_study.mujoco_robot import MujocoRobot  # noqa: E402

K, B = np.array(two_links.STIFFNESS), np.array(two_links.ROTORS)
FRICTION = {'viscous_friction': 0.4, 'coulomb_friction': 0.3}


def arm(name):
    locked = {'panda_finger_joint1': 0.0} if name == 'panda' else None
    return sd.read_urdf(sd.share_path(f'urdf/{name}.urdf'), locked=locked)


def mixed_joints(model):
    """A spring of every law that MuJoCo can be given, and a rigid joint, in turn."""
    table = np.linspace(-2.0, 2.0, 9)
    springs = [
        sd.LinearSpring(900.0, 2.0),
        sd.CubicSpring(300.0, 500.0),
        None,
        sd.VariableStiffness(400.0),
        sd.ExponentialSpring(200.0, 1.5),
        sd.TabulatedSpring(table, 300.0 * table + 20.0 * table**3),
        sd.LinearSpring(700.0),
    ]
    return sd.Drives(
        {
            name: sd.JointDrive(springs[i % len(springs)], sd.Motor(0.2 + 0.1 * i, **FRICTION))
            for i, name in enumerate(model.joint_names)
        }
    )


def largest_difference(model, drives, rng):
    robot = sd.simulation.ElasticRobot(sd.Robot(model, drives))
    engine = MujocoRobot(sd.Robot(model, drives))
    rigid = [drives.joints[name].spring is None for name in model.joint_names]
    worst = 0.0
    for _ in range(5):
        q, qd, theta, rate = rng.uniform(-1.0, 1.0, (4, model.n))
        theta = np.where(rigid, q, theta)
        rate = np.where(rigid, qd, rate)
        effort = rng.normal(size=model.n)
        derivative = robot.derivatives(robot.state(q, qd, theta, rate), effort)
        engine.set_state(q, qd, theta, rate)
        assert np.allclose(engine.state(), (q, qd, theta, rate), rtol=0.0, atol=1e-15)
        _, link, _, motor = robot.split(derivative)
        for ours, theirs in zip((link, motor), engine.accelerations(effort), strict=True):
            worst = max(worst, np.abs(ours - theirs).max() / np.abs(ours).max())
    return worst


@pytest.mark.parametrize('name', ['iiwa14', 'panda'])
def test_accelerations_are_ours(name, rng):
    model = arm(name)
    assert largest_difference(model, mixed_joints(model), rng) < 1e-12


def test_accelerations_of_trees_with_sliding_joints(rng):
    for _ in range(5):
        kinds = rng.choice(['revolute', 'prismatic'], 6)
        recipes = [BodyRecipe(str(kind), int(rng.integers(1, 4))) for kind in kinds]
        model = random_model(rng, recipes)
        assert largest_difference(model, mixed_joints(model), rng) < 1e-10


def command(model, t):
    jet = two_links.reference(t)
    return sd.elastic_feedforward(two_links.robot(), jet)


def tracking_error(model, timestep, drive, hold=None):
    engine = MujocoRobot(two_links.robot(), timestep=timestep)
    start = command(model, 0.0)
    engine.set_state(two_links.START, np.zeros(2), start.motor_position, start.motor_velocity)
    motion = engine.run(round(two_links.DURATION / timestep), drive, hold=hold)
    return np.abs(motion.position - [two_links.reference(t)[0] for t in motion.times]).max()


@pytest.mark.parametrize(
    ('timestep', 'hold', 'expected'),
    [
        (2e-3, None, 1.83e-10),
        (1e-3, None, 1.15e-11),
        (2e-3, 0.5, 1.69e-6),
        (1e-3, 0.5, 4.24e-7),
        (1e-3, 0.0, 1.11e-3),
    ],
)
def test_exact_feedforward_tracks_in_mujoco(timestep, hold, expected):
    model = two_links.model()
    error = tracking_error(
        model, timestep, lambda t, theta, rate: command(model, t).motor_effort, hold
    )
    assert error == pytest.approx(expected, rel=0.05)


def test_rigid_feedforward_does_not_track_in_mujoco():
    model = two_links.model()

    def rigid(t, theta, rate):
        jet = two_links.reference(t, 3)
        return sd.inverse_dynamics(model, jet)[0] + B * jet[2]

    assert tracking_error(model, 1e-3, rigid) == pytest.approx(4.20e-3, rel=2e-3)


def test_what_mujoco_lacks_is_named():
    model = two_links.model()
    pair = sd.AntagonisticPair('quadratic', 50.0, quadratic_stiffness=90.0)
    with pytest.raises(InputError, match="'joint_1': expected one motor, got an antagonistic"):
        mjcf(two_links.robot(sd.JointDrive(pair, sd.Motor(0.1)), None))
    bearing = sd.JointDrive(motor=sd.Motor(0.1), friction=sd.JointFriction(1.0))
    with pytest.raises(InputError, match="'joint_1': expected viscous and Coulomb friction of a"):
        mjcf(two_links.robot(bearing, None))
    with pytest.raises(InputError, match='rotor coupling'):
        mjcf(sd.Robot(model, sd.Drives({}, rotor_coupling=True)))
    gripper = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    with pytest.raises(InputError, match='mimic joints'):
        mjcf(sd.Robot(gripper, sd.Drives({})))


def test_importing_mujoco_starts_no_process():
    """Processes of its windows' library would print if the study is interrupted."""
    script = (
        'import sys\n'
        'started = []\n'
        'sys.addaudithook(lambda name, _: started.append(name) if name.startswith('
        "('subprocess', 'os.posix_spawn', 'os.fork')) else None)\n"
        'from sea_study.mujoco_robot import load_mujoco\n'
        'load_mujoco()\n'
        'sys.exit(str(started) if started else 0)\n'
    )
    environment = {name: value for name, value in os.environ.items() if name != 'MUJOCO_GL'}
    path = os.pathsep.join([str(sd.share_path('examples')), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, '-c', script],
        env={**environment, 'PYTHONPATH': path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
