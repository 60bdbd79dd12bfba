# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node sea_simulator over DDS: its motion against equations by hand, its start and end."""

from dataclasses import replace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import node_command
from helpers.planar_sea import (
    STIFFNESS,
    gravity_efforts,
    integrate,
    link_efforts,
    mass_matrix,
    velocity_efforts,
    write_joints,
)
from scipy.interpolate import CubicSpline
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

import screw_dynamics as sd
from screw_dynamics.common.times import nanoseconds
from screw_dynamics.nodes.trajectory_sender import trajectory_message
from screw_dynamics.trajectory import read_trajectory
from screw_dynamics_interfaces.msg import FeedforwardTorque

HOME = np.array([-1.2, 0.5])
RATE = 100.0
CAUGHT_UP = 10  # steps, a tenth of a second


class Simulation:
    """A running simulator and what it publishes."""

    def __init__(self, ros, planar, folder, name, **parameters):
        self.ros, self.topic = ros, f'/{name}/sea_simulator'
        self.process = ros.start(
            'sea_simulator',
            namespace=f'/{name}',
            urdf_path=planar,
            drives_path=write_joints(folder),
            initial_position=HOME.tolist(),
            **{'rate': RATE, **parameters},
        )
        self.links = ros.listen(JointState, f'/{name}/joint_states')
        self.motors = ros.listen(JointState, f'/{name}/motor_states')
        ros.wait_for('states', lambda: self.links and self.motors, self.process)

    def drive(self, *efforts):
        self.ros.publish(Float64MultiArray(data=[*efforts]), f'{self.topic}/commands')

    def wait(self, what, condition):
        return self.ros.wait_for(what, condition, self.process)

    def states(self):
        """Return stamps [s] and states (q, q', theta, theta', tau, tau_m) of both topics."""
        links = {nanoseconds(m.header.stamp): m for m in self.links}
        motors = {nanoseconds(m.header.stamp): m for m in self.motors}
        times = sorted(links.keys() & motors.keys())
        rows = [
            [
                [*links[t].position, *links[t].velocity],
                [*motors[t].position, *motors[t].velocity],
                [*links[t].effort, *motors[t].effort],
            ]
            for t in times
        ]
        return 1e-9 * np.array(times), np.reshape(rows, (-1, 12))


@pytest.fixture
def simulate(ros, planar, tmp_path):
    started = []

    def simulate(name, **parameters):
        started.append(Simulation(ros, planar, tmp_path, name, **parameters))
        return started[-1]

    yield simulate
    for simulation in started:
        assert simulation.process.interrupt() == 0, simulation.process.log
        assert 'Traceback' not in simulation.process.log


def test_motion_agrees_with_equations_by_hand_until_the_reset(simulate, ros):
    simulation = simulate('moving', effort_timeout=0.0)
    rest = gravity_efforts(HOME)
    # so little more than the weight that the arm swings below 2.5 rad/s, however late it is seen
    efforts = rest + [2.0, -1.0]
    np.testing.assert_allclose(simulation.links[-1].effort, rest, atol=1e-12)
    np.testing.assert_allclose(simulation.motors[-1].position, HOME + rest / STIFFNESS, atol=1e-12)
    simulation.drive(*efforts)
    simulation.wait('motion', lambda: abs(simulation.links[-1].velocity[0]) > 0.1)

    def motion():
        """Return what the efforts move, since a busy computer has left time out, if it has."""
        times, states = simulation.states()
        moving = (states[:, 10:] == efforts).all(axis=1)
        times, states = times[moving], states[moving]
        # a tenth of a second is caught up with
        late = np.flatnonzero(np.diff(times) > (CAUGHT_UP + 0.5) / RATE)
        begin = late[-1] + 1 if len(late) else 0
        return times[begin:], states[begin:]

    simulation.wait('more', lambda: len(motion()[0]) > 30)
    times, states = motion()
    # steps of 1 / RATE each, also if the computer was late and some were not published
    np.testing.assert_allclose(np.diff(times) * RATE, np.round(np.diff(times) * RATE), atol=1e-4)
    expected = integrate(states[0, :8], efforts, times[30] - times[0])
    np.testing.assert_allclose(states[30, :8], expected, rtol=0, atol=2e-5)
    q, qd, theta, _ = expected.reshape(4, 2)
    tau = STIFFNESS * (theta - q)
    np.testing.assert_allclose(states[30, 8:10], tau, rtol=0, atol=1e-2)
    qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
    np.testing.assert_allclose(link_efforts(q, qd, qdd), tau, atol=1e-9)
    assert ros.call(Trigger, f'{simulation.topic}/reset', Trigger.Request()).success
    simulation.wait('home', lambda: (np.array(simulation.links[-1].position) == HOME).all())


def reported_by_feedforward(report):
    return nanoseconds(report.header.stamp) > 0 and 'feedforward' in report.status[0].name


def test_it_follows_the_motor_efforts_of_feedforward_in_lock_step(ros):
    """The arm of the example files, by exact motor efforts without feedback."""
    files = ['--ros-args', '--params-file', str(sd.share_path('config/sea_arm.yaml')), '-r']
    motors = '/feedforward/motor_feedforward'
    simulator = ros.start_command(
        [*node_command('sea_simulator'), *files, f'~/motor_feedforward:={motors}', '--'],
        use_sim_time=True,
        publish_clock=True,
    )
    ros.start_command(
        [*node_command('feedforward'), *files, f'~/motor_feedforward:={motors}', '--'],
        use_sim_time=True,
    )
    states, samples, reports = (
        ros.listen(JointState, '/joint_states'),
        ros.listen(FeedforwardTorque, '/feedforward/feedforward'),
        ros.listen(DiagnosticArray, '/diagnostics'),
    )
    whole = read_trajectory(sd.share_path('config/sea_arm_trajectory.yaml'))
    home, still, there, _ = whole.points
    # to rest at 80 % of the way, within the limits of velocity
    positions = 0.2 * np.array(home.positions) + 0.8 * np.array(there.positions)
    end = home._replace(time_from_start=there.time_from_start, positions=positions.tolist())
    file = replace(whole, points=(home, still, end))
    ros.wait_for('states', lambda: states, simulator)
    # without a time on /clock a trajectory is refused
    ros.wait_for('the clock of feedforward', lambda: any(map(reported_by_feedforward, reports)))
    ros.publish(trajectory_message(file), '/feedforward/joint_trajectory')
    end = round(1e9 * file.points[-1].time_from_start)
    moving = FeedforwardTorque.SOURCE_TRAJECTORY

    def passed(sample):
        return nanoseconds(sample.reference.time_from_start)

    ros.wait_for(
        'the end of the motion',
        lambda: (
            samples and samples[-1].source != moving and max(map(passed, samples)) >= 0.99 * end
        ),
        simulator,
    )
    instants = np.array([nanoseconds(sample.header.stamp) for sample in samples])
    positions = np.array([sample.reference.positions for sample in samples])
    stamps = np.array([nanoseconds(state.header.stamp) for state in states])
    during = (stamps > instants[0]) & (stamps < instants[-1])
    assert (np.diff(stamps[during]) == 2_000_000).all()
    reference = CubicSpline(1e-9 * instants, positions)(1e-9 * stamps[during])
    followed = np.array([state.position for state in states])[during]
    assert np.ptp(followed, axis=0).max() > 0.5
    # commands are held for 2 ms, which leaves 1.3e-6 rad; rigid ones would leave 1.2e-2
    assert np.abs(followed - reference).max() < 1e-5
