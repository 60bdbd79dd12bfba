# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels (see `kernel`): NumPy and mathematics only, no checks."""
