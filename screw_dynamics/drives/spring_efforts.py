# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SpringEfforts`: efforts of springs at measured deflections, for control ticks."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.kernels.drives.laws import RIGID, set_spring_efforts


class SpringEfforts:
    """The springs of m motors; `rigid` (m,) marks motors whose joints have none."""

    def __init__(self, table: MotorTable) -> None:
        owner = table.joint_of_motor
        second = np.arange(table.m) != table.first_motor[owner]
        columns = [table.laws[owner], table.offsets[owner], second]
        self._motors = np.column_stack(columns).astype(np.int64)
        self._parameters, self._work = table.parameters, np.empty(1)
        self.rigid = table.laws[owner] == RIGID

    def fill(self, deflections: Array, stiffness: Array, out: Array) -> None:
        """
        Write the efforts (m,) of the springs to `out`; rigid joints keep what is there.

        `deflections` (2, m) are those of the motors and their rates, `stiffness` (m,) that of
        variable joints. NaN marks a deflection outside of a table.
        """
        arrays = self._motors, self._parameters, stiffness, deflections, self._work
        set_spring_efforts(*arrays, out)
