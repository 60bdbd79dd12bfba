# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceleration energies of any order and the equations of motion from them (N2021)."""
