# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`make verification`: every algorithm against 60-digit arithmetic, and its cost."""
