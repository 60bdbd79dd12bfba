# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`: robots, trajectories and bags on the command line, without ROS.

One file per subcommand (`model_command`, `evaluate_command`, ...), each with `add_to`, which
declares it, and a function that runs it; what they share stands beside them.
"""
