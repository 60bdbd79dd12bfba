# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Computation and publication per tick or trajectory, with preallocated arrays and messages."""
