# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint reference as a function of time: trajectories, streams, hold."""
