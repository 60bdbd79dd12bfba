# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Integration in time on the group of rigid motions, [M2018] section 7."""
