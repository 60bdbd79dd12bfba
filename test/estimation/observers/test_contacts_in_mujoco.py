# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of an arm that MuJoCo moves, with 5 % errors of its model and noise."""

import numpy as np
import pytest
from oracles.mujoco_contacts import EFFORT_NOISE, PERIOD, VELOCITY_NOISE, ContactArm

import screw_dynamics as sd

pytestmark = pytest.mark.long

mujoco = pytest.importorskip('mujoco')

ERROR = 0.05
BANDWIDTH = 150.0
GAIN = -np.expm1(-BANDWIDTH * PERIOD)


def detector(model):
    observer = sd.LoadObserver(
        model,
        bandwidth=BANDWIDTH,
        effort_deviation=EFFORT_NOISE,
        velocity_deviation=VELOCITY_NOISE,
    )
    return sd.ContactDetector(observer, floor=1.0, model_error=ERROR)


class Collision:
    """A motion that hits the ball with one link, and what is found."""

    def __init__(self, seed, body):
        arm = ContactArm(ERROR, seed, body)
        arm.place_ball(body, 1.0)
        self._detector, self._load = detector(arm.model), np.zeros(arm.model.n)
        self.touched = self.first = self.last = None
        self.peak = 0.0  # of the load, filtered as the observer does, relative to the threshold
        self.strongest_load = self.threshold = self._load
        arm.run(1.3, self._observe)

    def _observe(self, sample):
        contact = self._detector.update(*sample[:4])
        self._load = self._load + GAIN * (sample.load - self._load)
        if sample.touches or self.touched:
            relative = abs(self._load) / self._detector.threshold
            self.peak = max(self.peak, float(relative.max()))
        if sample.touches and self.touched is None:
            self.touched = sample.time
        if contact is None:
            return
        self.first = self.first or contact
        if contact is not self.last:
            self.strongest_load, self.threshold = self._load, self._detector.threshold
        self.last = contact


def test_contacts_of_many_motions_are_found_within_10_ms_on_the_right_link():
    felt = 0
    for seed in range(2, 42):
        for body in range(1, 7):
            run = Collision(seed, body)
            if run.touched is None or run.touched < 0.5:
                continue  # the ball lies where another part of the motion meets it
            if run.peak < 1.5:
                continue  # it hardly touches: too weak for this threshold
            assert run.first is not None, (seed, body)
            assert 0.0 <= run.first.begin - run.touched <= 0.010, (seed, body)
            found = int(run.last.link.removeprefix('link_')) - 1
            own = abs(run.strongest_load) / run.threshold
            if own[body] >= 1.5:
                felt += 1
                assert found == body, (seed, body)
            else:  # the line of the force meets the axis of the joint, or nearly so
                assert own[found] > 0.3 and found <= body, (seed, body)
    assert felt >= 100


def test_no_contact_is_found_in_10_minutes_of_free_motion():
    largest = 0.0
    for seed in range(100, 110):
        arm = ContactArm(ERROR, seed)
        found = detector(arm.model)

        def observe(sample, found=found):
            nonlocal largest
            assert found.update(*sample[:4]) is None, (seed, sample.time)  # noqa: B023
            strength = (abs(found.observer.effort) / found.threshold).max()
            largest = max(largest, float(strength))

        arm.run(60.0, observe)
    assert largest > 0.5  # the threshold is not idle
