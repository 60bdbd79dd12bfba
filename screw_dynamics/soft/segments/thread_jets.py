# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadJets`: the effect of a thread on coordinates, prepared for a control loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array
from screw_dynamics.kernels.soft.tensions import rod_thread
from screw_dynamics.soft.actuators.thread import Thread
from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.soft_robot import SoftRobot

_ARCS = (ConstantCurvature, PlanarConstantCurvature)


class ThreadJets:
    """
    What `Thread.effort_jet` returns, without series arithmetic along arcs and rods.

    Lengths along arcs are linear in the coordinates; along rods the tangent is. Columns are those
    of the coordinates from `first` on, before which the thread has no effect.
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, ArrayLike], first: int = 0) -> None:
        whole = Thread(robot, offsets)  # checks the names and offsets
        self._first = first
        arcs: dict[str, Array] = {}
        others: dict[str, Array] = {}
        self._rods: list[tuple[int, _RodThread]] = []
        for index, offset in whole.offsets.items():
            module, name = robot.modules[index], robot.module_names[index]
            if isinstance(module, Rod):
                self._rods.append((robot.slices[index].start, _RodThread(module, offset)))
            else:
                (arcs if isinstance(module, _ARCS) else others)[name] = offset
        self.constant_part = Thread(robot, arcs).effort_jet(np.zeros((1, robot.n)))[0, first:]
        self._others = Thread(robot, others) if others else None
        self.constant = not self._rods and self._others is None

    def add(self, joint_jet: Array, matrices: Array, column: int, work: Array) -> None:
        """Add what varies to a column of matrices (R, n_soft, m); `work` is (3 R + 1, 3)."""
        if self._others is not None:
            matrices[:, :, column] += self._others.effort_jet(joint_jet)[:, self._first :]
        for begin, rod in self._rods:
            rod_thread(
                joint_jet, begin, rod.rests, rod.slopes, rod.weights, work, matrices,
                begin - self._first, column,
            )  # fmt: skip


class _RodThread:
    """A thread along a rod: at points with weights the tangent is ``rests + slopes q``."""

    def __init__(self, rod: Rod, offset: Array) -> None:
        place = np.append(offset, 0.0)
        weights, rests, slopes = [], [], []
        for step in rod.steps:
            for rest, basis in zip(step.strains, step.bases, strict=True):
                weights.append(step.length / len(step.strains))
                rests.append(rest[3:] + np.cross(rest[:3], place))
                slopes.append(basis[3:] + np.cross(basis[:3].T, place).T)
        self.rests, self.slopes = np.array(rests), np.array(slopes)
        self.weights = np.array(weights)
