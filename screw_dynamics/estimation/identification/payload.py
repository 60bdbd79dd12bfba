# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Payload`: a load among identified parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.estimation.identification.pseudo_inertia import NAMES, UPPER, second_moment

BAND = 1.959963984540054  # standard deviations on either side of 95 % of a normal distribution


class Payload(NamedTuple):
    """
    A payload in the axes of its frame.

    Mass [kg] and centre of mass (3,) [m] with standard deviations; rotational inertia (3, 3) about
    the centre of mass [kg m^2], the nearest one that a mass can have.
    """

    frame: str
    mass: float
    mass_deviation: float
    com: Array
    com_deviations: Array
    inertia: Array


def payload_of(frame: str, names: tuple[str, ...], values: Array, covariance: Array) -> Payload:
    """Return the payload among parameters; raise InputError if its mass is not above 0."""
    places = [names.index(f'payload.{name}') for name in NAMES]
    mass, *moment = values[places[:4]]
    covariance = covariance[np.ix_(places[:4], places[:4])]
    if not mass > 0.0:
        raise InputError(
            f'payload: expected a mass above 0, got {mass:.3g} kg '
            f'+- {np.sqrt(covariance[0, 0]):.1g} kg'
        )
    com = np.array(moment) / mass
    known = np.isfinite(np.diag(covariance))
    finite = np.where(np.outer(known, known), covariance, 0.0)
    slopes = np.column_stack((-com / mass, np.eye(3) / mass))
    deviations = np.sqrt(np.diag(slopes @ finite @ slopes.T))
    deviations[~known[1:]] = np.inf
    about_frame = np.zeros((3, 3))
    about_frame[UPPER] = values[places[4:]]
    about_frame = about_frame + np.triu(about_frame, 1).T
    sizes, axes = np.linalg.eigh(second_moment(about_frame) - mass * np.outer(com, com))
    second = (axes * np.maximum(sizes, 0.0)) @ axes.T
    return Payload(
        frame,
        float(mass),
        float(np.sqrt(covariance[0, 0])),
        com,
        deviations,
        np.trace(second) * np.eye(3) - second,
    )


def require_mass(mass: float, deviation: float, setting: str) -> None:
    """Raise InputError for a payload whose mass is below zero by more than its band."""
    if mass + BAND * deviation < 0.0:
        raise InputError(
            f'payload: expected a mass above 0, got {mass:.3g} +- {BAND * deviation:.1g} kg: do '
            f'the efforts lack gravity or have another unit ({setting}), or does the model have a '
            'mass that the robot has not?'
        )
