# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots from MJCF documents, which MuJoCo itself parses and compiles."""
