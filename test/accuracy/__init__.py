# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots of the robot packages compared with independent references; `make accuracy`."""
