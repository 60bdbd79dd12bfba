# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The inside of `sea_simulator`: motor drives, steps, time."""
