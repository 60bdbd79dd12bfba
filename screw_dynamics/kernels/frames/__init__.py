# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the motion of a frame: pose, Jacobian, twist and its derivatives, task motion."""
