# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of any order in four representations of twists (M2018 section 2, KM2021)."""
