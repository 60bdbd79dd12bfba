# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation of robots: equations of motion and their integration."""

from screw_dynamics.simulation.by_forward_dynamics import CoordinateMotion
from screw_dynamics.simulation.elastic_robot import ElasticRobot
from screw_dynamics.simulation.feedback_gains import FeedbackGains, motor_gains, state_feedback
from screw_dynamics.simulation.linearized_dynamics import LinearizedDynamics
from screw_dynamics.simulation.natural_frequencies import natural_frequencies
from screw_dynamics.simulation.robot_tables import SimulationResult

__all__ = [
    'CoordinateMotion',
    'ElasticRobot',
    'FeedbackGains',
    'LinearizedDynamics',
    'SimulationResult',
    'motor_gains',
    'natural_frequencies',
    'state_feedback',
]
