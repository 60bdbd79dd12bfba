# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What a node does with every command: limits, histories, transitions."""
