# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gallery: each script draws one figure of what the library computes."""
