# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparison of the service responses with the body-fixed recursion of KM2021."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.demo.client import DemoClient
from screw_dynamics.demo.processes import DemoError
from screw_dynamics.model import ScrewModel
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed


def check_services(client: DemoClient, model: ScrewModel, joint_jet: Array) -> Iterator[str]:
    """
    Call GetMassMatrix and GetInverseDynamics, and yield a report line for each.

    `joint_jet` (5, n) is position to snap [rad, per s^d]. Raises `DemoError` if a service reports
    an error or a different joint order.
    """
    began = time.perf_counter()
    response = _accepted(client.mass_matrix(joint_jet[0]), model)
    took = time.perf_counter() - began
    mass_matrix = np.reshape(response.mass_matrix, (model.n, model.n))
    difference = np.abs(mass_matrix - _mass_matrix(model, joint_jet[0])).max()
    smallest = np.linalg.eigvalsh(mass_matrix)[0]
    yield (
        f'GetMassMatrix        {1e3 * took:.1f} ms, {model.n} x {model.n}, smallest eigenvalue '
        f'{smallest:.2g}, difference {difference:.1e} kg m^2'
    )
    began = time.perf_counter()
    response = _accepted(client.inverse_dynamics(joint_jet), model)
    took = time.perf_counter() - began
    efforts = np.array([response.effort, response.effort_dot, response.effort_ddot])
    differences = np.abs(efforts - recursive_body_fixed(model, joint_jet)).max(axis=1)
    yield (
        f'GetInverseDynamics   {1e3 * took:.1f} ms, difference {differences[0]:.1e} N m, '
        f'{differences[1]:.1e} N m/s, {differences[2]:.1e} N m/s^2'
    )


def _accepted(response: Any, model: ScrewModel) -> Any:
    name = type(response).__name__.removesuffix('_Response')
    if not response.success:
        raise DemoError(f'{name} refused: {response.message}')
    if tuple(response.joint_names) != model.joint_names:
        raise DemoError(
            f'{name}: expected the joints {model.joint_names}, got {tuple(response.joint_names)}'
        )
    return response


def _mass_matrix(model: ScrewModel, q: Array) -> Array:
    """Return M(q) from columns: efforts at unit accelerations minus efforts at rest."""
    jets = np.zeros((model.n + 1, 3, model.n))
    jets[:, 0] = q
    jets[1:, 2] = np.eye(model.n)
    efforts = recursive_body_fixed(model, jets)[:, 0]
    columns: Array = efforts[1:] - efforts[0]
    return columns
