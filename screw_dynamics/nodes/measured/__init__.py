# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Latest joint states and external wrenches ON the links, with their timeouts."""
