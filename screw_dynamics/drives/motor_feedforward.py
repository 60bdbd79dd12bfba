# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorFeedforward`: motor positions and efforts with their time derivatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import SampledResult, Samples
from screw_dynamics.errors import InputError, listed

JETS = ('effort_jet', 'deflection_jet', 'motor_jet', 'motor_effort_jet')


@dataclass(frozen=True, eq=False)
class MotorFeedforward(SampledResult):
    """
    Positions and efforts of the m motors of an elastic robot, on the joint side of the gear.

    Row d of a jet is the d-th time derivative; a batch has a leading axis T. Effort rows up to
    order k give p rows of motor positions: p = k + 1 if any joint has a spring without damper,
    else k + 2 if any joint is damped, k + 3 if every joint is rigid.

    Parameters
    ----------
    motor_names : tuple of str
    gear_ratios : (m,) ndarray
        Gear ratios of the motors, for `on_motor_side`.
    effort_jet : (..., k + 1, n) ndarray
        Effort that springs and rigid joints transmit, see `transmitted_efforts` [N m or N, per
        s^d].
    deflection_jet : (..., p, m) ndarray
        phi = theta - q [rad or m, per s^d].
    motor_jet : (..., p, m) ndarray
        Motor position theta [rad or m, per s^d].
    motor_effort_jet : (..., p - 2, m) ndarray
        Motor effort tau_m [N m or N, per s^d].
    joint_names : tuple of str
        Of the n joints, in figures and tables; empty if they are not known.
    times : (T,) ndarray, optional
        Of the samples, in figures and tables [s].

    Raises
    ------
    InputError
        If two jets share memory.
    """

    motor_names: tuple[str, ...]
    gear_ratios: Array
    effort_jet: Array
    deflection_jet: Array
    motor_jet: Array
    motor_effort_jet: Array
    joint_names: tuple[str, ...] = field(default=(), kw_only=True)
    times: Array | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Reject jets that share memory: each would be overwritten by the next."""
        for first, second in combinations(JETS, 2):
            if np.may_share_memory(getattr(self, first), getattr(self, second)):
                raise InputError(f'{second}: expected memory of its own, got some of {first}')

    def __repr__(self) -> str:
        """Return the motors, the number of samples, and how many derivatives there are."""
        *batch, rows, n = self.effort_jet.shape
        samples = f'{batch[0]} samples' if batch else 'one sample'
        return (
            f'MotorFeedforward(motors={listed(self.motor_names)}; {samples} of {n} joints: '
            f'efforts to derivative {rows - 1}, motor positions to '
            f'{self.motor_jet.shape[-2] - 1}, motor efforts to '
            f'{self.motor_effort_jet.shape[-2] - 1})'
        )

    def _samples(self) -> tuple[Array | None, dict[str, Samples]]:
        batch = self if self.effort_jet.ndim == 3 else self.as_batch()
        names, efforts = self.motor_names, 'N m or N'
        return self.times, {
            'motor_effort': Samples(batch.motor_effort_jet, efforts, names, 'motor'),
            'motor_position': Samples(batch.motor_jet, names=names, dimension='motor'),
            'deflection': Samples(batch.deflection_jet, names=names, dimension='motor'),
            'effort': Samples(batch.effort_jet, efforts, self.joint_names),
        }

    @property
    def effort(self) -> Array:
        """Effort that springs and rigid joints transmit, (..., n) [N m or N]."""
        return self.effort_jet[..., 0, :]

    @property
    def deflection(self) -> Array:
        """Deflection of the springs, (..., m) [rad or m]."""
        return self.deflection_jet[..., 0, :]

    @property
    def motor_position(self) -> Array:
        """Motor position theta, (..., m) [rad or m]."""
        return self.motor_jet[..., 0, :]

    @property
    def motor_velocity(self) -> Array:
        """Motor velocity, (..., m) [rad/s or m/s]."""
        return self.motor_jet[..., 1, :]

    @property
    def motor_acceleration(self) -> Array:
        """Motor acceleration, (..., m) [rad/s^2 or m/s^2]."""
        return self.motor_jet[..., 2, :]

    @property
    def motor_effort(self) -> Array:
        """Motor effort tau_m, (..., m) [N m or N]."""
        return self.motor_effort_jet[..., 0, :]

    def as_batch(self) -> MotorFeedforward:
        """Return a sample as a batch of one, T = 1, with views of the jets."""
        return replace(self, **{name: getattr(self, name)[np.newaxis] for name in JETS})

    def on_motor_side(self) -> MotorFeedforward:
        """
        Return a copy with motor positions and efforts on the motor's side of the gear.

        theta_M = r theta [rad], tau_M = tau_m / r [N m], gear ratios 1. Deflections and
        transmitted efforts remain on the joint's side.
        """
        return replace(
            self,
            gear_ratios=np.ones_like(self.gear_ratios),
            motor_jet=self.motor_jet * self.gear_ratios,
            motor_effort_jet=self.motor_effort_jet / self.gear_ratios,
        )


def new_motor_feedforward(
    motor_names: tuple[str, ...], gear_ratios: Array, shapes: Iterable[tuple[int, ...]]
) -> MotorFeedforward:
    """Return an object with new arrays of the shapes of `JETS`, which share no memory."""
    made = object.__new__(MotorFeedforward)
    efforts, deflections, motors, commands = shapes
    made.__dict__.update({
        'motor_names': motor_names,
        'gear_ratios': gear_ratios,
        'effort_jet': np.empty(efforts),
        'deflection_jet': np.empty(deflections),
        'motor_jet': np.empty(motors),
        'motor_effort_jet': np.empty(commands),
    })  # fmt: skip
    return made
