# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Convex programs of smooth trajectories: band of blocks, rows, interior-point method."""
