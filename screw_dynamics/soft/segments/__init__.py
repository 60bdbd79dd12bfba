# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Soft segments behind a rigid chain, from YAML."""
