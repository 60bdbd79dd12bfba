# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions of the node `feedforward`: trajectories, streams, speed, controller state."""
