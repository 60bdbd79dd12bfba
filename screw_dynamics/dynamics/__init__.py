# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion: one file per published algorithm, a compiled recursion for speed."""

from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics

__all__ = ['inverse_dynamics']
