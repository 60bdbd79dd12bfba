# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The numerical experiments of MK2021 and KM2021, repeated with the theory and the kernel."""
