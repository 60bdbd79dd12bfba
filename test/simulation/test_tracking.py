# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor efforts of `elastic_feedforward` alone make the simulated robot follow the motion."""

import numpy as np
from oracles import two_links

import screw_dynamics as sd
from screw_dynamics.simulation import ElasticRobot

B = two_links.ROTORS
TIMES = np.linspace(0.0, two_links.DURATION, 201)
REFERENCE = np.array([two_links.reference(t)[0] for t in TIMES])


def test_friction_springs_stiffness_and_wrenches_that_vary():
    """The error falls with the tolerance of the integrator."""
    motor = sd.Motor(B[0], viscous_friction=0.3, coulomb_friction=0.4, coulomb_velocity=0.5)
    pair = sd.AntagonisticPair('exponential', stiffness=120.0, spring_stiffness=20.0, rate=8.0)
    robot = two_links.robot(
        sd.JointDrive(sd.VariableStiffness(100.0), motor),
        sd.JointDrive(pair, sd.Motor(B[1]), sd.Motor(2.0 * B[1])),
    )
    simulation = ElasticRobot(robot)

    def waves(t, rate):
        phase = rate * t + 0.5 * np.pi * np.arange(3)
        return rate ** np.arange(3.0) * np.sin(phase)

    def stiffness(t):
        jets = {'joint_1': 40.0 * waves(t, 5.0), 'joint_2': 30.0 * waves(t, 4.0)}
        return {name: jet + [120.0, 0.0, 0.0] for name, jet in jets.items()}

    def wrenches(t):
        return {'body_2': np.outer(waves(t, 3.0), [0.3, -0.2, 1.5, 4.0, -6.0, 2.0])}

    def command(t):
        jet = two_links.reference(t)
        return sd.elastic_feedforward(robot, jet, wrenches(t), stiffness_jets=stiffness(t))

    start = simulation.initial_state(two_links.reference(0.0, 2), command(0.0))
    for rtol in (1e-6, 1e-9):
        motion = simulation.integrate(
            TIMES,
            lambda t, state: command(t).motor_effort,
            start,
            rtol=rtol,
            wrenches=lambda t: {name: jet[0] for name, jet in wrenches(t).items()},
            stiffness=lambda t: [jet[0] for jet in stiffness(t).values()],
        )
        assert np.abs(motion.position - REFERENCE).max() < 2.0 * rtol
