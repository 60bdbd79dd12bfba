# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Newton-Euler equations of one body, by the frame in which they are written (M2018 section 3).

A function `wrench` returns the wrench ON the body that causes a motion, (6,), from its inertia
(6, 6), twist and twist rate (6,) in the representation of the file.
"""
