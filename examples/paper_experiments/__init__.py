# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The experiments of MK2021, KM2021 and N2021, repeated with the theory and the kernel."""
