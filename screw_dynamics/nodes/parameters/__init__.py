# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the nodes: names, defaults, ranges, descriptions, error texts."""
