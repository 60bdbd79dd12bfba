# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Expressions`: the terms of the equations of motion of a small robot, in closed form."""

from __future__ import annotations

import time
from typing import cast

import numpy as np
import sympy

from screw_dynamics.common.scalars import require_choice, require_count, require_number
from screw_dynamics.errors import InputError
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import CORIOLIS_FORMS, CoriolisForm, Representation
from screw_dynamics.symbolic.angle_polynomials import (
    AngleRing,
    Limits,
    generating_angles,
)
from screw_dynamics.symbolic.presentation import expressions, matrix
from screw_dynamics.symbolic.symbolic_model import SymbolicModel
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics import body_fixed
from screw_dynamics.theory.kinematics.task_space import jacobian_jet
from screw_dynamics.theory.lagrange.christoffel import christoffel_symbols
from screw_dynamics.theory.lagrange.energies import kinetic_energy, potential_energy
from screw_dynamics.theory.sensitivities import regressors
from screw_dynamics.theory.tree import Tree

MOST_JOINTS = 6
MOST_TERMS = 20_000
LONGEST = 120.0


class Expressions:
    """
    Exact expressions of a robot, from the algorithms of `screw_dynamics.theory`.

    All are in normal form: sums of products of symbols with sines and cosines, of sums of joint
    angles if that is shorter. What is identically 0 is 0.

    Parameters
    ----------
    model : SymbolicModel or ScrewModel
        A `ScrewModel` is made exact, without symbols for its parameters.
    most_joints : int
        The most tree joints; the number of terms grows exponentially with them.
    most_terms : int
        The most terms of an expression, also during its computation.
    seconds : float
        The longest time that one method takes.

    Raises
    ------
    InputError
        If an argument is not usable, or the robot has more joints or none; by all methods if an
        expression would exceed `most_terms` or `seconds`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> sd.symbolic.Expressions(robot).mass_matrix()
    Matrix([
    [2*cos(q_2)/5 + 91/100, cos(q_2)/5 + 4/25],
    [    cos(q_2)/5 + 4/25,              4/25]])
    """

    def __init__(
        self,
        model: SymbolicModel | ScrewModel,
        *,
        most_joints: int = MOST_JOINTS,
        most_terms: int = MOST_TERMS,
        seconds: float = LONGEST,
    ) -> None:
        if not isinstance(model, SymbolicModel):
            model = SymbolicModel.from_model(model)
        self.model = model
        self.most_terms = require_count('most_terms', most_terms, 1)
        self.seconds = require_number('seconds', seconds, above=True)
        if not model.body_count:
            raise InputError(f'robot {model.name!r}: expected at least one moving joint, got none')
        if model.body_count > require_count('most_joints', most_joints):
            raise InputError(
                f'robot {model.name!r}: expected at most {most_joints} moving joints, got '
                f'{model.body_count}, whose mass matrix alone can have some '
                f'{4 ** (model.body_count + 1)} operations: lock joints, choose a tip link, or '
                'raise most_joints'
            )

    def frame_pose(self, frame: str) -> sympy.Matrix:
        """
        Return the pose of a frame in base axes.

        Parameters
        ----------
        frame : str
            Name of a frame of the model.

        Returns
        -------
        (4, 4) sympy.Matrix
            [m]

        Raises
        ------
        UnknownNameError
            If the model has no such frame.
        """
        work = _Work(self, 1, frame)
        at = work.model.frames[frame]
        pose = at.pose
        if at.body >= 0:
            pose = Tree(work.model, work.jet).poses[at.body] @ pose
        return matrix(work.ring, pose)

    def frame_jacobian(self, frame: str, representation: Representation = 'body') -> sympy.Matrix:
        """
        Return the Jacobian of a frame.

        Parameters
        ----------
        frame : str
            Name of a frame on a moving link.
        representation : {'body', 'spatial', 'hybrid', 'mixed'}
            'body', 'spatial', 'hybrid' or 'mixed', as in `frame_twist`.

        Returns
        -------
        (6, n) sympy.Matrix
            Rows [angular; linear].

        Raises
        ------
        UnknownNameError, InputError
            If an argument is not usable.
        """
        work = _Work(self, 1, frame)
        return matrix(work.ring, jacobian_jet(work.model, work.jet, frame, representation)[0])

    def mass_matrix(self) -> sympy.Matrix:
        """
        Return M, MK2021 (20).

        Returns
        -------
        (n, n) sympy.Matrix
            [kg m^2, kg m, kg]
        """
        work = _Work(self, 2)
        return matrix(work.ring, SystemMatrices(work.model, work.jet).mass_matrix)

    def coriolis_matrix(self, form: CoriolisForm = 'christoffel') -> sympy.Matrix:
        """
        Return C in one of three forms with the same C q'.

        Parameters
        ----------
        form : {'christoffel', 'C', 'Cbar'}
            'christoffel', M2018 (86); 'C', MK2021 (20); 'Cbar', MK2021 (54). M' - 2 C is
            skew-symmetric for the first and the last.

        Returns
        -------
        (n, n) sympy.Matrix
            [kg m^2/s, kg m/s, kg/s]

        Raises
        ------
        InputError
            If the form is not one of these.
        """
        require_choice('form', form, CORIOLIS_FORMS)
        work = _Work(self, 2)
        if form == 'christoffel':
            entries = christoffel_symbols(work.model, work.jet[0]) @ work.jet[1]
        else:
            system = SystemMatrices(work.model, work.jet)
            entries = system.coriolis_matrix if form == 'C' else system.skew_coriolis_matrix
        return matrix(work.ring, entries)

    def gravity_forces(self) -> sympy.Matrix:
        """
        Return the efforts that hold the robot against gravity, MK2021 (25).

        Returns
        -------
        (n, 1) sympy.Matrix
            [N m or N]
        """
        work = _Work(self, 2)
        return matrix(work.ring, SystemMatrices(work.model, work.jet).gravity_forces)

    def inverse_dynamics(self, order: int = 0) -> list[sympy.Matrix]:
        """
        Return the efforts and their time derivatives, by the recursion of KM2021.

        Parameters
        ----------
        order : int
            Highest derivative.

        Returns
        -------
        list of (n, 1) sympy.Matrix
            tau, tau', .., tau^(order) [N m or N, per s^d].

        Raises
        ------
        InputError
            If the order is not a whole number of 0 or more.
        """
        work = _Work(self, require_count('order', order) + 3)
        return [
            matrix(work.ring, row) for row in body_fixed.inverse_dynamics(work.model, work.jet)
        ]

    def regressor(self, order: int = 0) -> list[sympy.Matrix]:
        """
        Return Y with tau^(d) = Y^(d) pi, pi as in `theory.sensitivities.regressors.parameters`.

        Parameters
        ----------
        order : int
            Highest derivative.

        Returns
        -------
        list of (n, 10 N) sympy.Matrix
            Columns m, m c, Theta about the origin (xx, xy, yy, xz, yz, zz) of each body.

        Raises
        ------
        InputError
            If the order is not a whole number of 0 or more.
        """
        work = _Work(self, require_count('order', order) + 3)
        return [matrix(work.ring, y) for y in regressors.regressor(work.model, work.jet)]

    def kinetic_energy(self) -> sympy.Expr:
        """Return the kinetic energy [J]."""
        work = _Work(self, 2)
        return expressions(work.ring, [kinetic_energy(work.model, *work.jet)])[0]

    def potential_energy(self) -> sympy.Expr:
        """Return the potential energy [J], 0 with all centres of mass as high as the base."""
        work = _Work(self, 1)
        return expressions(work.ring, [potential_energy(work.model, work.jet[0])])[0]


class _Work:
    """A model and joint jet in the scalars of a ring, for one method."""

    def __init__(self, of: Expressions, rows: int, frame: str | None = None) -> None:
        exact = of.model.only_frame(frame)
        jet = exact.joint_jet(rows)
        # sines and cosines of offsets may be square roots
        turned = [f(offset) for offset in exact.offsets for f in (sympy.cos, sympy.sin)]
        used = {symbol for number in exact.numbers for symbol in number.free_symbols}
        self.ring = AngleRing(
            [*jet.ravel(), *(symbol for symbol in exact.values if symbol in used)],
            _angles(exact, jet[0]),
            exact.numbers + turned,
            Limits(of.most_terms, of.seconds, time.monotonic() + of.seconds),
        )
        scalar = self.ring.scalar
        self.model = cast(ScrewModel, exact.with_arrays(scalar))
        self.jet: ScalarArray = np.frompyfunc(scalar, 1, 1)(jet)


def _angles(model: SymbolicModel, coordinates: ScalarArray) -> list[sympy.Expr]:
    turning = [bool(screw[:3].any()) for screw in model.screws]
    multiples: dict[sympy.Symbol, list[sympy.Expr]] = {}
    for i in np.flatnonzero(turning):
        coordinate = coordinates[model.coordinates[i]]
        multiples.setdefault(coordinate, []).append(model.multipliers[i])
    return generating_angles(multiples, model.offsets[turning])
