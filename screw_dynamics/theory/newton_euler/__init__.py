# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations of one body, by the frame in which they are written (M2018 section 3)."""
