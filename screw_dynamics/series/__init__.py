# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated Taylor series: jets, shifts, time scaling."""
