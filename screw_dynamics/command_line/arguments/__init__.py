# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups of command-line arguments that several commands share."""
