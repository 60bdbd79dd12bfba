# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Deviation of the package from 60-digit arithmetic and from Pinocchio for one robot."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass, field

import numpy as np
import pinocchio
from oracles.comparison import TOLERANCE
from oracles.high_precision import reference_efforts
from oracles.load_scale import Reference
from oracles.pinocchio_model import PinocchioModel
from oracles.random_models import random_joint_jet

import screw_dynamics as sd
from benchmarks.accuracy.corpus import RobotFile
from benchmarks.verification.checks import residual_of
from screw_dynamics.common.arrays import Array

ORDER = 4
_STATES = 3


@dataclass
class Comparison:
    """
    Largest relative errors over a few random states of one robot.

    An error is max |x - ref| / max |ref| over the joints. If the quantity is a thousand times
    smaller than the loads it comes from, it is relative to a thousandth of the loads instead, and
    a note says so if that matters for the bound.
    """

    robot: RobotFile
    joints: int = 0
    bodies: int = 0  # that move
    mimics: int = 0  # joints that mimic another
    # by quantity; '0' to '4' are the orders of the inverse dynamics against 60 digits
    errors: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str = ''  # why the robot was not read
    broken: list[str] = field(default_factory=list)  # quantities whose error exceeds the bound

    def record(self, quantity: str, got: Array, expected: Array, loads: float = 0.0) -> None:
        """Keep the error of a quantity that comes from such loads if it is the largest."""
        relative = residual_of(got, expected, loads)
        self.errors[quantity] = max(self.errors.get(quantity, 0.0), relative)
        note = f'{quantity}: cancels'
        if not relative <= TOLERANCE:
            if quantity not in self.broken:
                self.broken.append(quantity)
        elif residual_of(got, expected) > TOLERANCE and note not in self.notes:
            self.notes.append(note)


def compare(robot: RobotFile) -> Comparison:
    """Compare all quantities of one robot, if it can be read."""
    result = Comparison(robot)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            model = _read(robot, result)
        except sd.ScrewDynamicsError as error:
            result.problem = _message(error, robot)
            return result
    if any(issubclass(entry.category, sd.errors.InertiaWarning) for entry in caught):
        result.notes.append('inertia warning')
    result.joints, result.bodies = model.n, model.body_count
    result.mimics = model.body_count - model.n
    rng = np.random.default_rng(zlib.crc32(robot.name.encode()))
    jets = random_joint_jet(rng, model.n, ORDER, samples=_STATES)
    references = [reference_efforts(model, jet) for jet in jets]
    _compare_inverse_dynamics(result, model, jets, references)
    _compare_terms(result, model, jets)
    try:
        peer = PinocchioModel(robot.path, model)
    except (ValueError, RuntimeError) as error:
        result.notes.append(f'not in Pinocchio: {error}')
        return result
    for jet, reference in zip(jets, references, strict=True):
        q, qd, qdd = jet[:3]
        got = sd.inverse_dynamics(model, jet[:3])[0]
        loads = float(reference.scale[0])
        result.record('Pinocchio', got, peer.efforts(q, qd, qdd), loads)
        result.record('M', sd.mass_matrix(model, q), peer.mass_matrix(q))
        result.record('to Pinocchio', _of_pinocchio(model, jet[:3]), got, loads)
        result.record('from Pinocchio', _through_pinocchio(model, peer, jet[:3]), got, loads)
    return result


def _of_pinocchio(model: sd.ScrewModel, jet: Array) -> Array:
    """Return the efforts of Pinocchio's model that `to_pinocchio` makes."""
    peer = sd.to_pinocchio(model)
    q, qd, qdd = jet[:, sd.joint_order(model, peer)]
    place = pinocchio.integrate(peer, pinocchio.neutral(peer), q)
    tau = pinocchio.rnea(peer, peer.createData(), place, qd, qdd)
    return tau[sd.joint_order(peer, model)]


def _through_pinocchio(model: sd.ScrewModel, peer: PinocchioModel, jet: Array) -> Array:
    """Return the efforts of what `from_pinocchio` makes of the robot that Pinocchio read."""
    tree = sd.from_pinocchio(peer.model)
    order = sd.joint_order(model.tree_joint_names, tree)
    joints = jet[:, model.coordinates] * model.multipliers
    joints[0] += model.offsets
    back = sd.joint_order(tree, model.tree_joint_names)
    tau = sd.inverse_dynamics(tree, joints[:, order])[0, back] * model.multipliers
    return np.bincount(model.coordinates, tau, model.n)


def _read(robot: RobotFile, result: Comparison) -> sd.ScrewModel:
    try:
        return sd.read_urdf(robot.path)
    except sd.errors.TopologyError as error:
        # a joint that mimics one which is not there can still be a coordinate of its own
        model = sd.read_urdf(robot.path, mimic='independent')
        result.notes.append(f"read with mimic='independent': {_message(error, robot)}")
        return model


def _message(error: Exception, robot: RobotFile) -> str:
    """Return type and text of an error, without the place where this machine keeps the file."""
    return f'{type(error).__name__}: {error}'.replace(str(robot.path), robot.name)


def _compare_inverse_dynamics(
    result: Comparison, model: sd.ScrewModel, jets: Array, references: list[Reference]
) -> None:
    batch = sd.inverse_dynamics(model, jets)
    for t, (jet, reference) in enumerate(zip(jets, references, strict=True)):
        recursion = sd.recursive_body_fixed(model, jet)
        for order in range(ORDER + 1):
            expected = reference.efforts[order]
            loads = float(reference.scale[order])
            single = sd.inverse_dynamics(model, jet[: order + 3])
            result.record(str(order), single[order], expected, loads)
            result.record(str(order), batch[t, order], expected, loads)
            result.record('KM2021', recursion[order], expected, loads)


def _compare_terms(result: Comparison, model: sd.ScrewModel, jets: Array) -> None:
    for jet in jets:
        q, qd = jet[:2]
        for quantity, got, state in (
            ('gravity', sd.gravity_forces(model, q), [q, 0 * q, 0 * q]),
            ('bias', sd.bias_forces(model, q, qd), [q, qd, 0 * q]),
        ):
            reference = reference_efforts(model, np.array(state))
            loads = float(reference.scale[0])
            result.record(quantity, got, reference.efforts[0], loads)
