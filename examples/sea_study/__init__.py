# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Study of feedforward, identification and learning for arms with springs."""
