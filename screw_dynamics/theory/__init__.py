# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the papers in readable form, by subject; tests compare them with the kernels."""
