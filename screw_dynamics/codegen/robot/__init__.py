# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C99 code of the recursions for one robot, translated from the sources of the kernels."""

from screw_dynamics.codegen.robot.generate import CCode, generate_c
from screw_dynamics.codegen.robot.quantities import QUANTITIES

__all__ = ['QUANTITIES', 'CCode', 'generate_c']
