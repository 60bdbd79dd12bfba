# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C extension of the kernels: translation of their sources when the package is built."""
