# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`: robots, trajectories and bags on the command line, without ROS.

`commands` has one file per command; `robots`, `motions` and `outputs` add the arguments that they
share. `CommandParser` describes what a command consists of.
"""
