# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The set-ups of docs/controllers.md as printed, in a controller manager: an iiwa at 1 kHz."""

import importlib.util
import math
import re
import subprocess
import time
from copy import deepcopy

import numpy as np
import pytest
import yaml

if not importlib.util.find_spec('controller_manager_msgs'):
    pytest.skip('needs controller_manager of ros2_control', allow_module_level=True)

from builtin_interfaces.msg import Time
from helpers.managed_controller import Updates, build_controller, missing_packages, switch
from helpers.node_processes import LATCHED, node_command, trajectory
from helpers.real_controllers import BROADCASTER, MANAGER, Controllers, blocks, described
from helpers.robot_library import library_of
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

import screw_dynamics as sd
from screw_dynamics.drives.robot import Robot
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics_interfaces.msg import JointSpline, SplinePiece

if missing := missing_packages():
    pytest.skip(f'needs the ROS 2 packages {", ".join(missing)}', allow_module_level=True)

PAGE = 'controllers.md'
CONTROLLER = 'feedforward_controller'
URDF = sd.share_path('urdf/iiwa14.urdf')
RATE = 1000
# ns after the first command of a motion: `ramp_time`, and two periods
RAMPED = 250_000_000 + 2 * 10**9 // RATE
BOUND = 1e-12  # of the largest command
REST, TARGET = np.full(7, 0.1), np.array([0.6, 0.4, -0.3, -0.5, 0.5, 0.3, -0.4])
DESCRIPTION = described(
    URDF, dict(zip(sd.read_urdf(URDF).joint_names, REST.tolist(), strict=True))
)


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    return build_controller(tmp_path_factory.mktemp('controllers'))


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(URDF)


@pytest.fixture(scope='module')
def drives(arm):
    springs = np.geomspace(20_000.0, 2_000.0, 7)
    return sd.Drives(
        {
            name: sd.JointDrive(sd.LinearSpring(k), sd.Motor(0.3, viscous_friction=0.5))
            for name, k in zip(arm.joint_names, springs, strict=True)
        }
    )


class Managed:
    """A set-up of the page, for the iiwa, that runs until `updates` is called."""

    def __init__(
        self, ros, folder, built, arm, heading, library, description=DESCRIPTION, **parameters
    ):
        configuration = {}
        for block in blocks(PAGE, heading, 'yaml'):
            configuration |= yaml.safe_load(block)
        for entry in configuration.values():
            for key in ('joints', 'command_joints'):
                if key in entry['ros__parameters']:
                    before, _, after = entry['ros__parameters'][key][0].rpartition('joint_1')
                    names = [before + name + after for name in arm.joint_names]
                    entry['ros__parameters'][key] = names
        manager = configuration[MANAGER]['ros__parameters']
        manager['update_rate'] = RATE
        manager[BROADCASTER] = {'type': f'{BROADCASTER}/JointStateBroadcaster'}
        manager['broken_controller'] = dict(manager[CONTROLLER])
        own = configuration[CONTROLLER]['ros__parameters']
        own |= {'robot_library': str(library), **parameters}
        wrong = {**own, 'robot_library': '/nowhere/libarm.so'}
        # YAML of ROS has no aliases
        configuration['broken_controller'] = deepcopy({'ros__parameters': wrong})
        self.record = folder / 'updates'
        self.ros, self.arm, self.pieces = ros, arm, []
        self.samples = ros.listen(JointState, '/joint_states', 10)
        self.running = Controllers(
            ros, folder, description, configuration, before=built.watched(self.record)
        )

    def send(self, *points, times, after=1.0):
        """Send a motion from the first point; return it and its begin [ns]."""
        names, topic = self.arm.joint_names, f'/{CONTROLLER}/spline'
        if not self.pieces:  # before the begin is chosen, the controller gets to know us
            self.ros.publish(JointSpline(joint_names=list(names)), topic)
        curve = smooth_trajectory(
            waypoints_from_points(names, list(zip(times, points, strict=True)), names)
        )
        begin = time.time_ns() + round(1e9 * after)
        piece = SplinePiece(time=curve.breaks[0], speed=1.0, breaks=curve.breaks.tolist())
        piece.begin = Time(sec=begin // 10**9, nanosec=begin % 10**9)
        piece.coefficients = curve.coefficients.ravel().tolist()
        piece.end = curve.end.tolist()
        piece.motion = begin
        # a message is complete: the running motion too
        self.pieces = [*self.pieces[-1:], piece]
        message = JointSpline(joint_names=list(names), pieces=self.pieces)
        self.ros.publish(message, topic)
        return curve, begin

    def efforts(self):
        """Return the efforts in the hardware."""
        sample = self.samples[-1]
        return np.array([sample.effort[sample.name.index(name)] for name in self.arm.joint_names])

    def updates(self):
        self.running.end()
        found = Updates(self.record)
        assert len(found.instants) > 500
        assert not found.allocations.any() and not found.locks.any()
        median, most = np.quantile(found.durations, [0.5, 0.99])
        print(f'{len(found.instants)} updates: median {median:.2f} us, 99 % {most:.2f} us')
        return found


@pytest.fixture
def managed(ros, built, arm, tmp_path):
    """Return a function that starts a set-up, which is ended after the test."""
    started = []

    def start(heading, drives=None, description=DESCRIPTION, **parameters):
        library = library_of(Robot(arm, drives), tmp_path, description)
        started.append(
            Managed(ros, tmp_path, built, arm, heading, library, description, **parameters)
        )
        return started[-1]

    yield start
    for one in started:
        one.running.end()


def ramped(instants, efforts, begin):
    """Return from when on commands are exact [ns]: a busy controller may follow a motion late."""
    return instants[(instants >= begin) & efforts.any(axis=1)][0] + RAMPED


def jets_of(curve, begin, instants):
    return curve.jets(curve.breaks[0] + 1e-9 * (instants - begin).astype(float), rows=5)


def jets_of_piece(piece, instants):
    """Return what a piece at speed 1 prescribes (T, 5, n)."""
    begin = piece.begin.sec * 10**9 + piece.begin.nanosec
    t = np.array(piece.time + 1e-9 * (instants - begin).astype(float))
    breaks, n = np.array(piece.breaks), len(piece.end)
    rows = np.array(piece.coefficients).reshape(len(breaks) - 1, -1, n)
    i = np.clip(np.searchsorted(breaks, t, 'right') - 1, 0, len(breaks) - 2)
    h = np.diff(breaks)[i]
    u = ((t - breaks[i]) / h)[:, np.newaxis]
    result = np.zeros((len(t), 5, n))
    for d in range(5):
        powers = np.arange(d, rows.shape[1])
        factors = np.array([math.perm(k, d) for k in powers], dtype=float)
        terms = rows[i][:, d:] * (factors * u ** (powers - d))[:, :, np.newaxis]
        result[:, d] = terms.sum(axis=1) / h[:, np.newaxis] ** d
    over = t >= breaks[-1]
    result[over] = 0.0
    result[over, 0] = piece.end
    return result


def require_moving(jets):
    """Require that more is compared than the end, which is held."""
    assert np.abs(jets[:, 1]).max() > 0.1


def require_equal(got, expected):
    assert len(got) > 500
    assert (np.abs(got - expected) <= BOUND * np.abs(expected).max()).all()


def test_the_class_with_pendulums(built):
    program = built.build / 'test_feedforward_controller'
    ended = subprocess.run(
        [*built.environment, program], capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r'\[  PASSED  \] \d\d tests', ended.stdout)
    loading = subprocess.run(
        [*built.environment, built.build / 'test_load_feedforward_controller'],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert loading.returncode == 0, loading.stdout + loading.stderr


def test_efforts_of_splines(ros, arm, managed):
    one = managed('Efforts from splines')
    with pytest.raises(AssertionError, match='not configured: robot library: /nowhere/libarm.so'):
        one.running.spawn('broken_controller')
    one.running.spawn(BROADCASTER, CONTROLLER)
    curve, begin = one.send(REST, TARGET, times=[0.0, 3.0])
    weight = sd.gravity_forces(arm, TARGET)
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), weight, rtol=1e-9, atol=1e-9))

    # beyond the limits: stopped, and ramped out
    beyond, stopped = one.send(TARGET, -TARGET, times=[0.0, 0.12])
    ros.wait_for('the stop', lambda: 'no commands are sent: ' in one.running.process.log)
    ros.wait_for('rest', lambda: not one.efforts().any())
    ros.spin(0.3)
    assert not one.efforts().any()

    # from rest within the limits: resumed
    again, resumed = one.send(-TARGET, REST, times=[0.0, 3.0])
    weight = sd.gravity_forces(arm, REST)
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), weight, rtol=1e-9, atol=1e-9))
    ros.wait_for('the log', lambda: 'commands are sent again' in one.running.process.log)

    # led to rest by a ramp, deactivated without a step, and the splines are forgotten
    left = time.time_ns()
    assert ros.call_once(Trigger, f'/{CONTROLLER}', 'rest', Trigger.Request()).success
    ros.wait_for('rest', lambda: not one.efforts().any())
    assert switch(ros, deactivate=(CONTROLLER,))
    ros.wait_for('rest', lambda: not one.efforts().any())
    assert 'in one step' not in one.running.process.log
    assert switch(ros, activate=(CONTROLLER,))
    activated = time.time_ns()
    ros.spin(0.3)
    one.pieces.clear()
    last, renewed = one.send(REST, TARGET, times=[0.0, 3.0])
    weight = sd.gravity_forces(arm, TARGET)
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), weight, rtol=1e-9, atol=1e-9))

    found = one.updates()
    limits = arm.limits.effort
    assert (np.abs(found.commands) <= limits).all()
    for motion, first, end in (
        (curve, begin, stopped),
        (again, resumed, left),
        (last, renewed, found.instants[-1]),
    ):
        ready = ramped(found.instants, found.commands, first)
        chosen = (found.instants >= ready) & (found.instants < end)
        jets = jets_of(motion, first, found.instants[chosen])
        require_moving(jets)
        require_equal(found.commands[chosen], sd.inverse_dynamics(arm, jets)[:, 0])
    ending = (found.instants > left) & (found.instants < activated)
    steepest = np.abs(np.diff(found.commands[ending], axis=0)).max()
    assert steepest < 0.05 * np.abs(found.commands[ending]).max()  # 0.0075 per ms of 0.25 s
    waiting = (found.instants > activated) & (found.instants < renewed)
    assert waiting.any() and not found.commands[waiting].any()
    moving = (found.instants >= stopped) & (found.instants < resumed)
    exact = sd.inverse_dynamics(arm, jets_of(beyond, stopped, found.instants[moving]))[:, 0]
    outside = (np.abs(exact) > limits).any(axis=1)
    first = int(np.argmax(outside))
    require = BOUND * np.abs(exact).max()
    assert outside.any() and first > 0
    assert (np.abs(found.commands[moving][:first] - exact[:first]) <= require).all()
    # the ramp out: no step back, until rest
    out = np.abs(found.commands[moving][first - 1 :])
    assert (np.diff(out, axis=0) <= require).all() and not out[-1].any()


def test_efforts_behind_joint_trajectory_controller(ros, arm, managed):
    one = managed('Behind joint_trajectory_controller')
    one.running.spawn(BROADCASTER)
    one.running.spawn('--activate-as-group', CONTROLLER, 'arm_controller')
    weight = sd.gravity_forces(arm, REST)
    ros.wait_for('a held position', lambda: np.allclose(one.efforts(), weight, rtol=1e-9))
    message = trajectory(arm.joint_names, TARGET, times=[1.5], velocities=[np.zeros(7)])

    def moves():  # a first message may be lost
        ros.publish(message, '/arm_controller/joint_trajectory')
        ros.spin(0.5)
        return not np.allclose(one.efforts(), weight, rtol=1e-6)

    ros.wait_for('motion', moves)
    there = sd.gravity_forces(arm, TARGET)
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), there, rtol=1e-9, atol=1e-9))
    found = one.updates()
    known = np.isfinite(found.references).all(axis=(1, 2))
    begin = found.instants[np.argmax(known)]
    chosen = known & (found.instants >= begin + RAMPED)
    assert np.abs(found.references[chosen][:, 2]).max() > 0.5
    expected = sd.inverse_dynamics(arm, found.references[chosen])[:, 0]
    require_equal(found.commands[chosen], expected)


def test_commands_of_motors_behind_springs(ros, arm, drives, managed):
    one = managed('Motors of elastic joints', drives)
    one.running.spawn(BROADCASTER, CONTROLLER)
    curve, begin = one.send(REST, TARGET, times=[0.0, 3.0])
    jet = np.array([TARGET, *np.zeros((4, 7))])
    held = sd.elastic_feedforward(sd.Robot(arm, drives), jet).motor_effort_jet[0]
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), held, rtol=1e-9, atol=1e-9))
    found = one.updates()
    before = found.instants < begin
    positions, velocities, efforts = np.split(found.commands, 3, axis=1)
    assert np.isnan(positions[before]).all() or np.ptp(positions[before], axis=0).max() == 0.0
    assert not velocities[before].any() and not efforts[before].any()
    chosen = found.instants >= ramped(found.instants, efforts, begin)
    jets = jets_of(curve, begin, found.instants[chosen])
    require_moving(jets)
    expected = sd.elastic_feedforward(sd.Robot(arm, drives), jets)
    require_equal(positions[chosen], expected.motor_jet[:, 0])
    require_equal(velocities[chosen], expected.motor_jet[:, 1])
    require_equal(efforts[chosen], expected.motor_effort_jet[:, 0])


def test_feedback_of_links_and_motors(ros, arm, drives, managed, rng):
    """Mock hardware stands still: what is known exactly are the efforts by its errors."""
    robot = sd.Robot(arm, drives)
    target = REST + 0.05 * (TARGET - REST)
    held = sd.elastic_feedforward(robot, np.array([REST, *np.zeros((4, 7))])).motor_jet[0]
    links, motors = REST + rng.uniform(-0.03, 0.03, 7), held + rng.uniform(-0.03, 0.03, 7)
    names = arm.joint_names
    description = described(
        URDF,
        dict(zip(names, links.tolist(), strict=True)),
        {f'{name}_motor': x for name, x in zip(names, motors.tolist(), strict=True)},
    )
    gains = rng.normal(0.0, 100.0, (2, 7, 28))
    feedback = {'poses': [*REST.tolist(), *target.tolist()], 'gains': gains.ravel().tolist()}
    # which update begins to integrate depends on the clock, and is tested with pendulums
    feedback['integral_gains'] = [0.0] * 98
    one = managed('Feedback', drives, description, feedback=feedback)
    one.running.spawn(BROADCASTER, CONTROLLER)
    curve, begin = one.send(REST, target, times=[0.0, 2.0])
    ros.spin(3.5)
    assert 'no commands are sent' not in one.running.process.log
    found = one.updates()
    followed = found.instants >= begin
    instants, commands = found.instants[followed], found.commands[followed]
    jets = jets_of(curve, begin, instants)
    feedforward = sd.elastic_feedforward(robot, jets)
    reference = np.concatenate(
        [jets[:, :2].reshape(-1, 14), feedforward.motor_jet[:, :2].reshape(-1, 14)], axis=1
    )
    errors = reference - np.concatenate([links, np.zeros(7), motors, np.zeros(7)])
    ready = int(np.argmax(instants - instants[0] >= 250_000_000))  # the end of the ramp
    share = (jets[:, 0] - REST) @ (target - REST) / np.sum((target - REST) ** 2)
    at_poses = np.einsum('pis,ts->pti', gains, errors)
    weights = np.clip(np.stack([1.0 - share, share]), 0.0, 1.0)
    expected = feedforward.motor_effort_jet[:, 0] + np.einsum('pt,pti->ti', weights, at_poses)
    assert np.abs(expected - feedforward.motor_effort_jet[:, 0]).max() > 10.0
    require_equal(commands[ready:], expected[ready:])
    # led in from rest, one way
    assert not commands[0].any()
    ratios = np.linalg.norm(commands[:ready], axis=1) / np.linalg.norm(expected[:ready], axis=1)
    assert (np.diff(ratios) > -1e-3).all() and ratios.max() <= 1.0 + 1e-9


def test_the_node_sends_what_the_controller_follows(ros, arm, managed):
    one = managed('Efforts from splines')
    one.running.spawn(BROADCASTER, CONTROLLER)
    heard = ros.listen(JointSpline, f'/{CONTROLLER}/spline', LATCHED)
    remapped = '--ros-args', '-r', f'~/spline:=/{CONTROLLER}/spline'
    node = ros.start_command(
        node_command('feedforward', *remapped), outputs=['spline'], lead_time=0.5
    )
    ros.wait_until_active(node)
    message = trajectory(arm.joint_names, TARGET, times=[3.0])

    def followed():  # once the node knows where the arm is, and the controller the node
        ros.publish(message, '/feedforward/joint_trajectory')
        ros.spin(0.5)
        return any(spline.pieces for spline in heard) and one.efforts().any()

    ros.wait_for('efforts of a spline', followed, node)
    weight = sd.gravity_forces(arm, TARGET)
    ros.wait_for('the end', lambda: np.allclose(one.efforts(), weight, rtol=1e-9, atol=1e-9))
    ended = time.time_ns()
    node.end()
    found = one.updates()
    piece = next(message.pieces[-1] for message in reversed(heard) if message.pieces)
    begin = piece.begin.sec * 10**9 + piece.begin.nanosec
    # the first spline may have been followed before the last one began
    ready = max(begin, ramped(found.instants, found.commands, 0))
    chosen = (found.instants >= ready) & (found.instants < ended)
    jets = jets_of_piece(piece, found.instants[chosen])
    require_equal(found.commands[chosen], sd.inverse_dynamics(arm, jets)[:, 0])
