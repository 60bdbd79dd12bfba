# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots to test with, and independent ways to compute what the package computes."""
