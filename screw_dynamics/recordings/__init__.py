# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages, bags and results: what is recorded, and how it is read and written."""
