# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of `limits.certify`: bounds of quantities on intervals of a motion."""
