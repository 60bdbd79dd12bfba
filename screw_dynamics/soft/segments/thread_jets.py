# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadJets`: the effect of a thread on coordinates, prepared for a control loop."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.soft.actuators.thread import Thread
from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.soft_robot import SoftRobot

_ARCS = (ConstantCurvature, PlanarConstantCurvature)


class ThreadJets:
    """
    What `Thread.effort_jet` returns, without series arithmetic along arcs and rods.

    Lengths along arcs are linear in the coordinates; along rods the tangent is.
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, ArrayLike]) -> None:
        whole = Thread(robot, offsets)  # checks the names and offsets
        arcs: dict[str, Array] = {}
        others: dict[str, Array] = {}
        self._rods: list[tuple[slice, _RodThread]] = []
        for index, offset in whole.offsets.items():
            module, name = robot.modules[index], robot.module_names[index]
            if isinstance(module, Rod):
                self._rods.append((robot.slices[index], _RodThread(module, offset)))
            else:
                (arcs if isinstance(module, _ARCS) else others)[name] = offset
        self._constant = Thread(robot, arcs).effort_jet(np.zeros((1, robot.n)))[0]
        self._others = Thread(robot, others) if others else None
        self.constant = not self._rods and self._others is None

    def effort_jet(self, joint_jet: Array) -> Array:
        """Return -dl/dq and its time derivatives (K + 1, n) along a motion (K + 1, n)."""
        if self._others is None:
            result = np.zeros_like(joint_jet)
        else:
            result = self._others.effort_jet(joint_jet)
        result[0] += self._constant
        for own, rod in self._rods:
            result[:, own] += rod.effort_jet(joint_jet[:, own])
        return result


class _RodThread:
    """A thread along a rod: at points with weights the tangent is ``rest + slopes q``."""

    def __init__(self, rod: Rod, offset: Array) -> None:
        place = np.append(offset, 0.0)
        weights, rests, slopes = [], [], []
        for step in rod.steps:
            for rest, basis in zip(step.strains, step.bases, strict=True):
                weights.append(step.length / len(step.strains))
                rests.append(rest[3:] + np.cross(rest[:3], place))
                slopes.append(basis[3:] + np.cross(basis[:3].T, place).T)
        self._rests, self._slopes = np.array(rests), np.array(slopes)
        self._weighted = np.array(weights)[:, np.newaxis, np.newaxis] * self._slopes

    def effort_jet(self, jet: Array) -> Array:
        """Return the negative gradient of the length and its time derivatives, as the jet."""
        tangents = np.einsum('pcj,dj->dpc', self._slopes, jet)
        tangents[0] += self._rests
        result: Array = -np.einsum('pcj,dpc->dj', self._weighted, _directions(tangents))
        return result


def _directions(tangents: Array) -> Array:
    """Return unit vectors (K + 1, p, 3) of vectors, with derivatives, by Leibniz' rule."""
    norms = np.zeros(tangents.shape[:2])
    units = np.zeros_like(tangents)
    norms[0] = np.sqrt((tangents[0] * tangents[0]).sum(axis=-1))
    units[0] = tangents[0] / norms[0, :, np.newaxis]
    for k in range(1, len(tangents)):
        square = np.zeros(tangents.shape[1])
        for i in range(k + 1):
            square += comb(k, i) * (tangents[i] * tangents[k - i]).sum(axis=-1)
        for i in range(1, k):
            square -= comb(k, i) * norms[i] * norms[k - i]
        norms[k] = square / (2.0 * norms[0])
        rest = tangents[k].copy()
        for i in range(1, k + 1):
            rest -= comb(k, i) * norms[i, :, np.newaxis] * units[k - i]
        units[k] = rest / norms[0, :, np.newaxis]
    return units
