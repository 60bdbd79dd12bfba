# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Correction of repeated motions by the errors of their last runs."""

from screw_dynamics.learning.learn_motion import learn_motion
from screw_dynamics.learning.learned_motion import LearnedMotion

__all__ = ['LearnedMotion', 'learn_motion']
