# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tools without knowledge of robots: arrays, files, progress, signals, threads."""
