# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Translation of functions of Python with numbers, arrays and rows to C."""
