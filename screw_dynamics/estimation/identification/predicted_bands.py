# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BandPrediction`: what an identification of drives will tell, before a robot moves."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import elastic_feedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.estimation.identification.equations import drive_equations
from screw_dynamics.estimation.identification.fit import with_dry_friction
from screw_dynamics.estimation.identification.motor_terms import Field, Jets
from screw_dynamics.trajectory import PiecewisePolynomial

_SAMPLES = 0.02  # s, of the motion
_STEP = 1e-4  # s, for the rates of efforts
_NONE = 1e-10  # of the information about a parameter, what counts as none
_PART = 1e-3  # of a parameter, in what the motion does not tell


class BandPrediction:
    """Covariance of the parameters of drives, springs and a load, from a motion alone."""

    def __init__(
        self,
        robot: Robot,
        *,
        payload: str | None,
        effort_noise: Array,
        encoder_noise: float,
        rate: float,
        link_uncertainty: float,
    ) -> None:
        every = np.ones(robot.n, dtype=bool)
        self._robot, self._effort_noise = robot, effort_noise
        self._encoder_noise, self._samples = encoder_noise, rate * _SAMPLES
        plain = drive_equations(
            robot,
            every,
            offsets=True,
            constants=~every,
            delayed=True,
            payload=payload,
            uncertainty=link_uncertainty,
        )
        coulomb = plain.initial[Field.COULOMB]
        dry = np.zeros_like(plain.free)
        dry[Field.LOAD] = True
        dry[[Field.VELOCITY, Field.BREAKAWAY]] = coulomb > 0.0
        self._equations = with_dry_friction(plain, plain.initial, coulomb, dry)
        self._scale: Array | None = None

    def _jets(self, curve: PiecewisePolynomial, times: Array) -> Jets:
        robot = self._robot
        rows = curve.jets(times, max(3, robot.required_rows))
        links = np.ascontiguousarray(rows[:, :3])
        if robot.drives is None:
            return Jets(links, links)
        instants = times if robot.motors.damped_names else None
        motors = elastic_feedforward(robot, rows, times=instants).motor_jet
        return Jets(links, np.ascontiguousarray(motors[:, :3]))

    def _information(self, curve: PiecewisePolynomial) -> tuple[Array, Jets]:
        """Return the information (P, P) of a motion, with the prior, and its jets."""
        equations, values = self._equations, self._equations.initial_values
        times = np.arange(_SAMPLES, curve.duration - _SAMPLES, _SAMPLES)
        ahead, behind = (
            equations.efforts(values, self._jets(curve, times + step)) for step in (_STEP, -_STEP)
        )
        jets = self._jets(curve, times)
        columns = equations.columns(values, jets, (ahead - behind) / (2.0 * _STEP))
        columns = columns[..., :-1]
        rows = (columns / self._effort_noise[:, np.newaxis]).reshape(-1, columns.shape[2])
        return self._samples * rows.T @ rows + np.diag(equations.prior**-2), jets

    def cost(self, curve: PiecewisePolynomial) -> float:
        """Return the logarithm of the determinant of the covariance of what is free."""
        information, jets = self._information(curve)
        offsets = [name.endswith('.offset') for name in self._equations.names]
        other = np.isfinite(self._equations.prior) | np.array(offsets)
        block = information[np.ix_(~other, ~other)]
        if other.any():
            beside = information[np.ix_(other, ~other)]
            block = block - beside.T @ np.linalg.solve(information[np.ix_(other, other)], beside)
        if self._scale is None:  # of the first motion, for all
            size = np.sqrt(np.maximum(np.diag(block), 0.0))
            self._scale = 1.0 / np.where(size > _NONE * size.max(), size, np.inf)
        sizes = np.linalg.eigvalsh(self._scale[:, np.newaxis] * block * self._scale)
        springs = self._springs(jets, _covariance(information))
        told = -float(np.log(np.maximum(sizes, _NONE)).sum())
        return told + sum(2.0 * float(np.log(d / value)) for _, value, d in springs)

    def bands(self, curve: PiecewisePolynomial) -> tuple[tuple[str, ...], Array, Array]:
        """Return names, values and standard deviations of all but errors of links."""
        information, jets = self._information(curve)
        covariance, equations = _covariance(information), self._equations
        deviations = np.sqrt(np.diag(covariance))
        own = zip(
            equations.names, equations.initial_values.tolist(), deviations.tolist(), strict=True
        )
        told = np.isinf(equations.prior).tolist()
        rows = [row for row, known in zip(own, told, strict=True) if known]
        rows += self._springs(jets, covariance)
        names, values, found = zip(*rows, strict=True)
        return names, np.array(values), np.array(found)

    def _springs(self, jets: Jets, covariance: Array) -> list[tuple[str, float, float]]:
        """Return the names, values and standard deviations of the stiffness of springs."""
        robot, equations, found = self._robot, self._equations, []
        efforts = equations.transmitted(equations.initial_values, jets.links)
        columns = equations.transmitted_columns(jets.links)
        known = np.isfinite(np.diag(covariance))
        finite = np.where(np.outer(known, known), covariance, 0.0)
        variance = 2.0 * self._encoder_noise**2 / self._samples
        for j, joint in enumerate(robot.joint_drives):
            if joint.spring is None:
                continue
            rows = np.column_stack((efforts[:, j], np.ones(len(efforts))))
            inverse = np.linalg.pinv(rows.T @ rows)
            weights = rows @ inverse[:, 0]
            compliance = float(weights @ (jets.motors[:, 0, j] - jets.links[:, 0, j]))
            sums = weights @ columns[:, j]
            spread = variance * inverse[0, 0] + compliance**2 * sums @ finite @ sums
            stiffness = 1.0 / compliance
            name = f'{robot.joint_names[j]}.stiffness'
            found.append((name, stiffness, float(np.sqrt(spread)) * stiffness**2))
        return found


def _covariance(information: Array) -> Array:
    """Return the inverse (P, P) of information; infinite on the diagonal where there is none."""
    size = np.sqrt(np.diag(information))
    scale = 1.0 / np.where(size > _NONE * size.max(), size, np.inf)
    sizes, axes = np.linalg.eigh(scale[:, np.newaxis] * information * scale)
    told = sizes > _NONE * sizes[-1]
    covariance: Array = (axes[:, told] / sizes[told]) @ axes[:, told].T
    covariance = scale[:, np.newaxis] * covariance * scale
    # a column of zeros has its own axis without information
    unknown = (axes[:, ~told] ** 2).sum(axis=1) > _PART
    covariance[unknown, unknown] = np.inf
    return covariance
