# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with time derivatives of any order (KM2021)."""
