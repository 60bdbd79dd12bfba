# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The services of dynamics_server by name, and their answers without a node."""

from __future__ import annotations

from builtin_interfaces.msg import Duration

from screw_dynamics.nodes.dynamics_server.answers import HANDLERS, answer
from screw_dynamics.nodes.dynamics_server.requests import DynamicsServerParameters

SERVICES = {handler.__name__: service for service, handler in HANDLERS.items()}


def ros_duration(seconds: float) -> Duration:
    """Return a Duration message."""
    sec, nanosec = divmod(round(1e9 * seconds), 10**9)
    return Duration(sec=sec, nanosec=nanosec)


def asker(robot, **parameters):
    """Return a function that returns the response of a service by its name."""
    values = DynamicsServerParameters(**parameters)

    def ask(name, **fields):
        kind = SERVICES[name]
        return answer(robot, 'none', values, kind, kind.Request(**fields))[0]

    return ask
