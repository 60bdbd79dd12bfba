# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`: robots, trajectories and bags on the command line, without ROS.

`commands` has one file per command, `arguments` what they share; see `CommandParser` for what a
command consists of.
"""
