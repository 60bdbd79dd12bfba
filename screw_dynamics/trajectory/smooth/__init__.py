# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C4 trajectory through waypoints: degree-9 segments, shape constraints, quadratic program."""
