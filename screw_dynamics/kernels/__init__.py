# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions: NumPy and mathematics only, no checks; named as the public functions."""
