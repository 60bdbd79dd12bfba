# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ThreadJets`: the effect of a thread on coordinates, prepared for a control loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.soft.tensions import rod_thread
from screw_dynamics.soft.actuators.routes import Offset, Route, tangents
from screw_dynamics.soft.actuators.thread import Thread
from screw_dynamics.soft.bodies.constant_curvature import Arc
from screw_dynamics.soft.bodies.rod import Rod
from screw_dynamics.soft.soft_robot import SoftRobot


class ThreadJets:
    """
    What `Thread.effort_jet` returns, without series arithmetic along arcs and rods.

    Lengths parallel to the axes of arcs are linear in the coordinates; other tangents are, along
    arcs and rods. Columns are those
    of the coordinates from `first` on, before which the thread has no effect.
    """

    def __init__(self, robot: SoftRobot, offsets: Mapping[str, Offset], first: int = 0) -> None:
        whole = Thread(robot, offsets)  # checks the names and offsets
        self._first = first
        arcs: dict[str, Offset] = {}
        others: dict[str, Offset] = {}
        self._rods: list[tuple[int, tuple[Array, Array, Array]]] = []
        for index, route in whole.routes.items():
            module, name = robot.modules[index], robot.module_names[index]
            arc = isinstance(module, Arc)
            if isinstance(module, Rod) or (arc and isinstance(route, Route)):
                self._rods.append((robot.slices[index].start, tangents(module, route)))
            else:
                (arcs if arc else others)[name] = offsets[name]
        self.constant_part = Thread(robot, arcs).effort_jet(np.zeros((1, robot.n)))[0, first:]
        self._others = Thread(robot, others) if others else None
        self.constant = not self._rods and self._others is None

    def add(self, joint_jet: Array, matrices: Array, column: int, work: Array) -> None:
        """Add what varies to a column of matrices (R, n_soft, m); `work` is (3 R + 1, 3)."""
        if self._others is not None:
            matrices[:, :, column] += self._others.effort_jet(joint_jet)[:, self._first :]
        for begin, (weights, rests, slopes) in self._rods:
            row = begin - self._first
            rod_thread(joint_jet, begin, rests, slopes, weights, work, matrices, row, column)
