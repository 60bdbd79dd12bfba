# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time per call of every algorithm, and its growth with the order and the number of joints."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import log, nan
from typing import Any

import numpy as np
from oracles.random_models import random_joint_jet, random_model

import screw_dynamics as sd
from benchmarks.timing import best_times
from benchmarks.verification.checks import name_of
from benchmarks.verification.elastic_checks import robot_with_drives
from screw_dynamics import drives, lie
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.model import ScrewModel
from screw_dynamics.theory.acceleration_energy.tensors import EnergyTensors
from screw_dynamics.theory.closed_form.first_derivatives import FirstDerivatives
from screw_dynamics.theory.closed_form.nth_derivatives import ClosedForm
from screw_dynamics.theory.closed_form.second_derivatives import SecondDerivatives
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.sensitivities.matrix_partials import MatrixPartials

ORDER, HIGH_ORDER = 2, 5
# joints of the chains between which the growth is measured, by the seconds of a call for 7 joints
CHAINS = {2e-4: (28, 112), 0.5: (6, 12), np.inf: (3, 6)}
_PROPERTIES = {
    FirstDerivatives: 'effort_rates',
    SecondDerivatives: 'effort_second_rates',
    ClosedForm: 'mass_matrices',
    SystemMatrices: 'mass_matrix',
    MatrixPartials: 'mass_matrix_partials',
    EnergyTensors: 'V',
}


@dataclass(frozen=True)
class Cost:
    """Cost of an algorithm; nan if it has no order, or no joints but one body alone."""

    seconds: float  # per call, for the iiwa at order 2
    by_order: float = nan  # time at order 5 by that at order 0
    by_joints: float = nan  # exponent of the growth with the joints of a chain


def cost(algorithm: Callable[..., Any]) -> Cost:
    """Measure an algorithm; sizes that are compared run in turns."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # the inertias of the iiwa
        robot = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    (seconds,) = best_times([_call(algorithm, robot, ORDER)])
    parameters = set(inspect.signature(algorithm).parameters)
    if 'model' not in parameters and algorithm is not Workspace:
        return Cost(seconds)
    by_order = nan
    if not _least(algorithm) and {'joint_jet', 'twist_jet', 'effort_jet'} & parameters:
        low, high = best_times([_call(algorithm, robot, order) for order in (0, HIGH_ORDER)])
        by_order = high / low
    sizes = next(sizes for limit, sizes in CHAINS.items() if seconds < limit)
    chains = [random_model(np.random.default_rng(0), joints) for joints in sizes]
    few, many = best_times([_call(algorithm, chain, ORDER) for chain in chains])
    return Cost(seconds, by_order, log(many / few) / log(sizes[1] / sizes[0]))


def _call(algorithm: Callable[..., Any], model: ScrewModel, order: int) -> Callable[[], Any]:
    """Return a call without arguments."""
    if algorithm is Workspace:
        workspace = Workspace(model, order, list(model.frames)[-1:])
        jet = np.ones((order + 3, model.n))
        return lambda: workspace.efforts(jet)
    values = _values(algorithm, model, order)
    arguments = {
        name: values[name]
        for name, parameter in inspect.signature(algorithm).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    if isinstance(algorithm, type):
        wanted = _PROPERTIES[algorithm]
        return lambda: getattr(algorithm(**arguments), wanted)
    return lambda: algorithm(**arguments)


def _values(algorithm: Callable[..., Any], model: ScrewModel, order: int) -> dict[str, Any]:
    """Return a value for every parameter of the algorithms, by name."""
    jet = random_joint_jet(np.random.default_rng(1), model.n, max(order, _least(algorithm)))
    twist = np.linspace(0.3, 1.2, 6)
    pose = lie.exp_se3(twist)
    rows = np.outer(np.arange(1.0, order + 2.0), twist)
    room = name_of(algorithm).partition('.')[0]
    values: dict[str, Any] = {
        'model': model, 'joint_jet': jet, 'variation': jet,
        'q': jet[0], 'qd': jet[1], 'tau': jet[2], 'efforts': jet[2], 'effort_jet': jet[2:],
        'body': model.body_count - 1, 'other': 0, 'joint': 1, 'by': [1, model.body_count - 1],
        'frame': list(model.frames)[-1], 'twist_jet': rows, 'p': 1, 'k': order + 1,
        'm': order + 2, 'inertia': model.inertias[-1], 'twist': twist, 'twist_rate': twist,
        'twists': np.stack([rows] * model.body_count), 'parameters': np.ones(6),
        'frame_twist': twist, 'relative_angular_velocity': twist[:3], 'pose': pose, 'c': pose,
        'rotation': pose[:3, :3], 'x': twist[:3], 'screw': model.screws[0],
        'wrench_jet': rows, 'spatial_twists': rows, 'body_twists': rows,
        'angular_velocities': rows[:, :3], 'mass': 1.0, 'com': twist[:3],
        'rotational_inertia': np.diag([2.0, 3.0, 4.0]),
    }  # fmt: skip
    if room in ('drives', 'estimation'):
        jet = random_joint_jet(np.random.default_rng(1), model.n, max(order, 2))
        efforts, size = sd.inverse_dynamics(model, jet), len(jet)
        stiffness = float(10.0 * np.abs(efforts).max())
        rigid = algorithm is drives.actuator_efforts
        values |= {
            'robot': robot_with_drives(model, None if rigid else stiffness),
            'joint_jet': jet if room == 'drives' else jet[None],
            'effort_jet': efforts,
            'deflection_jet': efforts / stiffness,
            'covariances': np.broadcast_to(np.eye(size), (1, model.n, size, size)),
        }
    if algorithm is lie.exp_screw:
        values['q'] = 0.3
    if name_of(algorithm).endswith('home_twists'):
        values['twists'] = np.eye(6)
    return values


def _least(algorithm: Callable[..., Any]) -> int:
    """Return the least order of the motion that an algorithm needs."""
    if algorithm is SecondDerivatives or algorithm.__module__.startswith(drives.__name__):
        return 2  # two derivatives of efforts move a motor
    return int(algorithm is FirstDerivatives or algorithm.__name__.endswith('_jerks'))
