# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The node `load_observer`: external efforts, wrenches and contacts of a running robot."""
