# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The simulations of P2025: soft arm with threads, hybrid arm, chains of arcs."""
