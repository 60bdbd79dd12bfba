# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML documents: loading with bounds, scalars, entries, writing."""
