# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What says nothing about robots: arrays, files, progress, signals."""
