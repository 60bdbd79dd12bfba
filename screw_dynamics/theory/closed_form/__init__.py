# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion in closed form and their time derivatives (MK2021, KM2021)."""
