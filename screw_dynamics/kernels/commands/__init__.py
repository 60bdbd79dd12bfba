# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands of a node: limits, histories, transitions."""
