# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every robot of the robot packages against independent references; `make accuracy`."""
