# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The recursion of P2025 as it is printed, for readers and tests; the kernels compute all results.

As in `theory`, nothing here is public, dispatched or checked: inputs are finite arrays in the
range of the bodies.
"""
