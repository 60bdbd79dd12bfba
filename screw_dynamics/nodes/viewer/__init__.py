# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `viewer`."""
