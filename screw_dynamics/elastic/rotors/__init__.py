# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotors on moving links and their inertial coupling."""
