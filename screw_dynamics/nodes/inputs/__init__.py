# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The topics that nodes listen to, and the rules that their messages keep."""
