# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion and its derivatives from measurements, with uncertainty."""
