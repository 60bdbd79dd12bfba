# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reference motion as a function of time: trajectories, streams, filter."""
