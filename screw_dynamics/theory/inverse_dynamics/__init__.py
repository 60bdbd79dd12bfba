# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics with time derivatives of any order (KM2021).

The functions `inverse_dynamics` have the arguments and the result of the one in `body_fixed`: a
joint jet (k + 3, n), or (T, k + 3, n) for T samples, gives efforts (k + 1, n) or (T, k + 1, n).
"""
