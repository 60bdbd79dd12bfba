# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of efforts and accelerations by states, inertias and geometry (M2018 section 6)."""
