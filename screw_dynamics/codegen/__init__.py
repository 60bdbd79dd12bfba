# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""C from the sources of the kernels: one translator, for the extension and for one robot."""
