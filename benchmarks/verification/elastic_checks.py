# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motors behind cubic springs, and uncertain motions, in 60 digits."""

from __future__ import annotations

from collections.abc import Iterator

import gmpy2
import numpy as np
from oracles.taylor import Series, derivatives_of, exact, high_precision, series_of

import screw_dynamics as sd
from benchmarks.verification.checks import Result, against
from benchmarks.verification.scenes import Scene
from screw_dynamics import drives
from screw_dynamics.common.arrays import Array

ROTOR, VISCOUS = 0.3, 0.7  # kg m^2 or kg, N m s/rad or N s/m


def robot_with_drives(model: sd.ScrewModel, stiffness: float | None) -> sd.Robot:
    """Return a robot with a cubic spring (None: rigid), a rotor and viscous friction per joint."""
    spring = None if stiffness is None else sd.CubicSpring(stiffness, stiffness)
    joint = sd.JointDrive(
        spring, sd.Motor(rotor_inertia=ROTOR), friction=sd.JointFriction(viscous=VISCOUS)
    )
    return sd.Robot(model, sd.Drives(dict.fromkeys(model.joint_names, joint)))


@against("d'Alembert, law of the spring in 60 digits")
@high_precision
def motors(scene: Scene) -> Iterator[Result]:
    """Compare deflections, motor positions and motor efforts."""
    model, jet = scene.model, scene.jet
    links = scene.efforts()
    stiffness = float(10.0 * links.scale[0])  # deflections of some tenths
    robot = robot_with_drives(model, stiffness)
    friction = VISCOUS * jet[1:-1]
    efforts, loads = links.efforts + friction, links.scale + np.abs(friction).max(axis=1)
    bent = deflections(exact(links.efforts) + exact(VISCOUS)[()] * exact(jet[1:-1]), stiffness)
    turned = bent + exact(jet[:-2])
    driven = exact(ROTOR)[()] * turned[2:] + exact(efforts[:-2])
    phi, theta, drive = (x.astype(float) for x in (bent, turned, driven))
    size = loads / stiffness
    size = np.maximum(size, _growth(size))
    moved = np.maximum(size, np.abs(jet[:-2]).max(axis=1))
    pushed = loads[:-2] + ROTOR * moved[2:]
    got = drives.link_efforts(robot, jet)
    yield Result(drives.link_efforts, got, links.efforts, links.scale)
    got = drives.transmitted_efforts(robot, jet, links.efforts)
    yield Result(drives.transmitted_efforts, got, efforts, loads)
    got = drives.spring_deflections(robot, efforts)
    yield Result(drives.spring_deflections, got, phi, size)
    for row, expected, scale in zip(
        drives.motor_efforts(robot, jet, efforts, phi),
        (theta, drive),
        (moved, pushed),
        strict=True,
    ):
        yield Result(drives.motor_efforts, row, expected, scale)
    for function, arguments in (
        (drives.elastic_feedforward, ()),
        (drives.feedforward_from_efforts, (links.efforts,)),
    ):
        found = function(robot, jet, *arguments)
        yield Result(function, found.deflection_jet, phi, size)
        yield Result(function, found.motor_jet, theta, moved)
        yield Result(function, found.motor_effort_jet, drive, pushed)
    got = drives.actuator_efforts(robot_with_drives(model, None), jet)
    rotors = ROTOR * jet[2:]
    sizes = loads + np.abs(rotors).max(axis=1)
    yield Result(drives.actuator_efforts, got, efforts + rotors, sizes)


def _growth(size: Array) -> Array:
    """Return k! times a power: the derivatives of functions of what has derivatives of a size."""
    orders = np.arange(1, len(size))
    factorials = np.cumprod(orders)
    speed = ((size[1:] / factorials) ** (1 / orders)).max()
    return np.concatenate([[1.0], factorials * speed**orders])


def deflections(efforts: Series, stiffness: float) -> Series:
    """Return the derivatives of phi with K (phi + phi^3) = efforts, (k + 1, n)."""
    wanted = series_of(efforts) / gmpy2.mpfr(stiffness)
    result = 0 * wanted
    for joint in range(wanted.shape[1]):
        phi = result[:, joint]
        for _ in range(60):  # Newton; the slope is 1 or more
            excess = phi[0] + phi[0] ** 3 - wanted[0, joint]
            phi[0] -= excess / (1 + 3 * phi[0] ** 2)
        for k in range(1, len(phi)):
            cube = sum(
                phi[a] * phi[b] * phi[k - a - b] for a in range(k + 1) for b in range(k + 1 - a)
            )
            phi[k] = (wanted[k, joint] - cube) / (1 + 3 * phi[0] ** 2)
    return derivatives_of(result)


@against("d'Alembert")
def uncertain_efforts(scene: Scene) -> Iterator[Result]:
    """Compare the deviation of efforts under uncertain accelerations, in which they are linear."""
    deviations = scene.rng.uniform(0.5, 2.0, scene.model.n)
    covariances = np.zeros((1, scene.model.n, 3, 3))
    covariances[0, :, 2, 2] = deviations**2
    got = sd.effort_standard_deviations(scene.model, scene.jet[None, :3], covariances)[0, 0]
    expected = np.linalg.norm(scene.mass_matrices[0] * deviations, axis=1)
    size = float(scene.efforts(0).scale[0])
    yield Result(sd.effort_standard_deviations, got, expected, size)
