# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes typed with a few digits become unit vectors; those that are stay bit for bit."""

from __future__ import annotations

import numpy as np

import screw_dynamics as sd


def test_nine_digits_are_normalised_and_kept_from_then_on():
    typed = np.array([0.577350269, 0.577350269, 0.577350269, 0.0, 0.0, 0.0])
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [typed], [np.eye(6)])
    assert abs(np.linalg.norm(model.screws[0, :3]) - 1.0) <= 2.3e-16
    again = sd.ScrewModel.from_screws([-1], [np.eye(4)], model.screws, [np.eye(6)])
    assert (again.screws == model.screws).all()


def test_a_prismatic_axis_is_normalised_too():
    typed = np.array([0.0, 0.0, 0.0, 0.6000000001, 0.8, 0.0])
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [typed], [np.eye(6)])
    assert abs(np.linalg.norm(model.screws[0, 3:]) - 1.0) <= 2.3e-16
