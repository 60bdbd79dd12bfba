# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Fitting of JointTrajectory messages to curves, in a separate process."""
