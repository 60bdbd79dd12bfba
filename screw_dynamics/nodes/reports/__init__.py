# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the nodes."""
