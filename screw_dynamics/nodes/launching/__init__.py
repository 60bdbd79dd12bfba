# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions shared by the launch files."""
