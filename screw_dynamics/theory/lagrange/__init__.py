# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Energies, Christoffel symbols, Lagrange equations (M2018 section 5)."""
