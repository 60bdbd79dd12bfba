# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the bodies are and how they move with the joints."""
