# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions of the nodes and checks of the received messages."""
