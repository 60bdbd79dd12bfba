# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint accelerations and their derivatives from joint efforts."""
