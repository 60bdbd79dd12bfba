# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes, clients and time limits that the tests of several rooms share."""
