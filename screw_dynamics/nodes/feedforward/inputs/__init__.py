# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and service of the node `feedforward`; queue and verdicts of its trajectories."""
