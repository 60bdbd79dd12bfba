# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What was measured last, and whether it still counts: states of joints, wrenches ON links."""
