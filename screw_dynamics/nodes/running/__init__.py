# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How nodes run: executor, lifecycle, ticks, diagnostics."""
