# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Actuators of soft-rigid robots."""
