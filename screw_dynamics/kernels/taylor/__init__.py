# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of any order by truncated Taylor series, one source for all backends."""
