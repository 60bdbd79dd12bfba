# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Which joint motion applies at which instant: trajectories, streams, hold."""
