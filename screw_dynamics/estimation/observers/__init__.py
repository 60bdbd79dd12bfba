# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads on a robot from what it measures of itself."""

from screw_dynamics.estimation.observers.contact_detector import Contact, ContactDetector
from screw_dynamics.estimation.observers.load_observer import LoadObserver
from screw_dynamics.estimation.observers.spring_measurement import measured_spring_efforts

__all__ = ['Contact', 'ContactDetector', 'LoadObserver', 'measured_spring_efforts']
