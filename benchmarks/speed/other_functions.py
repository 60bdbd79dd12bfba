# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions beside those of `terms`, next to the equivalents that Pinocchio has of some."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

import screw_dynamics as sd
from benchmarks.report import Report, Requirement, microseconds
from benchmarks.speed.peers import iiwa
from benchmarks.timing import race

SUMS = 'centre_of_mass', 'centre_of_mass_jacobian', 'kinetic_energy', 'potential_energy'
_FRAME = 'flange'


def _jacobian_rate(model: Any, data: Any, q: Any, qd: Any, frame: int) -> Any:
    pinocchio.computeJointJacobiansTimeVariation(model, data, q, qd)
    return pinocchio.getFrameJacobianTimeVariation(model, data, frame, pinocchio.LOCAL)


def _two_accelerations(model: Any, data: Any, q: Any, qd: Any, qdd: Any, frame: int) -> Any:
    pinocchio.forwardKinematics(model, data, q, qd, qdd)
    return pinocchio.getFrameAcceleration(model, data, frame, pinocchio.LOCAL)


def measure(report: Report) -> None:
    """Add the times of calls for the iiwa, by function."""
    model, peer = iiwa()
    jet = np.random.default_rng(6).uniform(-1.0, 1.0, size=(5, model.n))
    q, qd, qdd = (row.copy() for row in jet[:3])
    state, frame, p = jet[:3].copy(), peer.getFrameId(_FRAME), pinocchio
    drives = sd.Drives({name: sd.JointDrive(motor=sd.Motor(0.1)) for name in model.joint_names})
    rigid = sd.Robot(model, drives)
    own: dict[str, tuple[Any, ...]] = {
        'centre_of_mass': (sd.centre_of_mass, model, q),
        'centre_of_mass_jacobian': (sd.centre_of_mass_jacobian, model, q),
        'kinetic_energy': (sd.kinetic_energy, model, q, qd),
        'potential_energy': (sd.potential_energy, model, q),
        'forward_dynamics_partials': (sd.forward_dynamics_partials, model, q, qd, qdd),
        'regressor, order 0': (sd.regressor, model, state),
        'frame_jacobian_jet, order 1': (sd.frame_jacobian_jet, model, state[:2], _FRAME, 'body'),
        'frame_twist, to acceleration': (sd.frame_twist, model, state, _FRAME, 'body'),
        'gravity_forces_jet, order 2': (sd.gravity_forces_jet, model, jet),
        'forward_dynamics_jet, order 2': (sd.forward_dynamics_jet, model, q, qd, jet[2:]),
        'task_to_joint_jet, order 2': (sd.task_to_joint_jet, model, q, np.ones((2, 6)), _FRAME),
        'actuator_efforts, order 2': (sd.actuator_efforts, rigid, jet),
        'linearized_dynamics': (sd.linearized_dynamics, model, q, qd, qdd),
        'inertial_parameters': (sd.inertial_parameters, model),
    }  # fmt: skip
    equivalents: dict[str, tuple[str, tuple[Any, ...]]] = {
        'centre_of_mass': ('centerOfMass', (p.centerOfMass, q)),
        'centre_of_mass_jacobian': ('jacobianCenterOfMass', (p.jacobianCenterOfMass, q)),
        'kinetic_energy': ('computeKineticEnergy', (p.computeKineticEnergy, q, qd)),
        'potential_energy': ('computePotentialEnergy', (p.computePotentialEnergy, q)),
        'forward_dynamics_partials': (
            'computeABADerivatives', (p.computeABADerivatives, q, qd, qdd),
        ),
        'regressor, order 0': (
            'computeJointTorqueRegressor', (p.computeJointTorqueRegressor, q, qd, qdd),
        ),
        'frame_jacobian_jet, order 1': (
            'computeJointJacobiansTimeVariation, getFrameJacobianTimeVariation',
            (_jacobian_rate, q, qd, frame),
        ),
        'frame_twist, to acceleration': (
            'forwardKinematics, getFrameAcceleration', (_two_accelerations, q, qd, qdd, frame),
        ),
    }  # fmt: skip
    calls = {name: (function, arguments) for name, (function, *arguments) in own.items()}
    for name, (_, (function, *inputs)) in equivalents.items():
        calls[f'peer of {name}'] = function, (peer, peer.createData(), *inputs)
    measured = race(calls, rounds=31)
    report.heading('Other functions beside Pinocchio')
    report.text('Calls from Python that return new arrays, and equivalents where there are some.')
    cells = []
    for name in SUMS:
        ratio = measured[name].ratio(measured[f'peer of {name}'])
        report.require(Requirement(f'{name}, call / pinocchio', ratio, 1.2))
    for name in own:
        cells.append([name, microseconds(measured[name].best), '', '', ''])
        if name in equivalents:
            peer = measured[f'peer of {name}']
            ratio = f'{measured[name].ratio(peer):.2f}'
            cells[-1][2:] = equivalents[name][0], microseconds(peer.best), ratio
    report.table(['function', 'µs (best)', 'equivalent', 'µs (best)', 'ratio (median)'], cells)
