# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of motors beside those that their joints transmit, and their derivatives."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array


class Field(IntEnum):
    """A number of a drive, on the joint side of the gear; `entry` is its name."""

    entry: str
    INERTIA = 0, 'rotor_inertia'
    VISCOUS = 1, 'viscous'
    COULOMB = 2, 'coulomb'
    VELOCITY = 3, 'coulomb_velocity'
    BREAKAWAY = 4, 'breakaway_excess'
    STRIBECK = 5, 'stribeck_velocity'
    LOAD = 6, 'load_friction'
    OFFSET = 7, 'offset'
    CONSTANT = 8, 'torque_constant'
    EFFORT = 9, 'load_effort'

    def __new__(cls, number: int, entry: str) -> Field:
        """Return the member."""
        member = int.__new__(cls, number)
        member._value_, member.entry = number, entry
        return member


class Jets(NamedTuple):
    """Jets (T, 3, n) of links and of motors, which are the same at rigid joints."""

    links: Array
    motors: Array

    def part(self, chosen: slice) -> Jets:
        """Return some samples."""
        return Jets(self.links[chosen], self.motors[chosen])


def motor_efforts(numbers: Array, motors: Array, tau: Array) -> Array:
    """Return B theta'' + F(theta', tau), the efforts (T, n) of rotors and friction."""
    inertia, viscous, coulomb, _, excess, _, load = numbers[: Field.OFFSET]
    sense, decay, root = dry_parts(motors[:, 1], tau, numbers)
    level = coulomb + excess * decay + load * root
    return np.asarray(inertia * motors[:, 2] + viscous * motors[:, 1] + sense * level)


def motor_columns(numbers: Array, motors: Array, tau: Array) -> Array:
    """Return the derivatives (10, T, n) of what motors report."""
    _, _, coulomb, velocity, excess, stribeck, load, offset, constant, _ = numbers
    rate = motors[:, 1]
    sense, decay, root = dry_parts(rate, tau, numbers)
    broken, level = sense * decay, coulomb + excess * decay + load * root
    found = np.zeros((len(Field), *tau.shape))
    found[: Field.VELOCITY] = motors[:, 2], rate, sense
    found[Field.VELOCITY] = -level * (1.0 - sense**2) * (rate / velocity) / velocity
    found[Field.BREAKAWAY], found[Field.LOAD] = broken, sense * root
    found[Field.STRIBECK] = broken * excess * 2.0 * rate**2 / stribeck**3
    found[Field.OFFSET] = 1.0
    found[Field.CONSTANT] = -(motor_efforts(numbers, motors, tau) + tau + offset) / constant
    return np.asarray(found / constant)


def dry_parts(rate: Array, tau: Array, numbers: Array) -> tuple[Array, ...]:
    """Return tanh(v / v0), exp(-(v / vs)^2) and sqrt(tau^2 + u0^2) of `JointFriction`."""
    decay = np.exp(-((rate / numbers[Field.STRIBECK]) ** 2))
    sense = np.tanh(rate / numbers[Field.VELOCITY])
    return sense, decay, np.hypot(tau, numbers[Field.EFFORT])
