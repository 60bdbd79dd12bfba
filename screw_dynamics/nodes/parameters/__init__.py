# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the nodes: names, defaults, ranges, descriptions, error texts."""
