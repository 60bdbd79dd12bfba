# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of the node `feedforward`: efforts, motor commands, limits."""
