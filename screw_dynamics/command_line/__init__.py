# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The command `screw_dynamics`: robots, trajectories and bags on the command line, without ROS.

One file per subcommand (`model_command`, `evaluate_command`, ...), each with `add_to`, which
declares it, and `run`, which runs it. The other files contain the code that they share.
"""
