# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Integration in time on the group of rigid motions, [M2018] section 7.

Poses are (m, 4, 4), beside k numbers y. Callables of efforts and of a wrench are optional, and
have the time [s] as their first argument.
"""
