# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What is computed and published per tick or per trajectory; arrays and messages made once."""
