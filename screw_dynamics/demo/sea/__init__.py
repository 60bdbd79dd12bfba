# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arms with elastic joints in simulation: what feedforward with exact derivatives is worth."""
