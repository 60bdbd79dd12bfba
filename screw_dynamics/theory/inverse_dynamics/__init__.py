# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics recursions, one file per representation of twists."""
