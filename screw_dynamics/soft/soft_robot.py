# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SoftRobot`: a serial chain of joints, rigid and soft bodies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_vector
from screw_dynamics.errors import InputError, UnknownNameError
from screw_dynamics.model.other_robot import OtherRobot
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.soft import chain_dynamics
from screw_dynamics.soft.from_model import modules_of
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.kernel_table import KernelTable, TableBuilder
from screw_dynamics.soft.module import Module
from screw_dynamics.soft.module_series import module_series


class SoftRobot(OtherRobot):
    """
    A serial chain of modules: joints, rigid and soft bodies in any sequence [P2025].

    Frame S_i is at the distal end of module i, where the next module begins; the coordinates are
    those of the modules, from the base on. `inverse_dynamics`, `mass_matrix`, `forward_dynamics`,
    `frame_pose`, `bias_forces` and `gravity_forces` of the package accept it as they do a
    `ScrewModel`; efforts contain the elastic and damping efforts of the bodies.

    Parameters
    ----------
    modules : iterable of Module
        From the base on.
    gravity : (3,) array_like
        In the axes of the base [m/s^2].

    Raises
    ------
    InputError
        If a module is not one, or a name occurs twice.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arc = sd.soft.PlanarConstantCurvature(0.3, 0.03, 0.85, bending_stiffness=0.1)
    >>> arm = sd.soft.SoftRobot([sd.soft.Joint('revolute', axis=(0, 1, 0)), arc])
    >>> arm.joint_names
    ('joint_1', 'body_1')
    """

    def __init__(self, modules: Iterable[Module], gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self.modules = tuple(modules)
        for i, module in enumerate(self.modules):
            if not isinstance(module, Module):
                raise InputError(f'modules[{i}]: expected a Module, got {type(module).__name__}')
        self.gravity = as_vector('gravity', gravity, 3).copy()
        self.gravity.flags.writeable = False
        self.names = _names(self.modules)
        self.first_coordinates = tuple(
            int(c) for c in np.cumsum([0, *(module.n for module in self.modules)])
        )
        self.n = self.first_coordinates[-1]
        self.joint_names = tuple(
            name if module.n == 1 else f'{name}_{j + 1}'
            for name, module in zip(self.names, self.modules, strict=True)
            for j in range(module.n)
        )
        self._no_series = np.zeros((1, 0))

    @staticmethod
    def from_model(model: ScrewModel) -> SoftRobot:
        """
        Return a serial ScrewModel as a chain of joints and rigid bodies.

        Raises
        ------
        InputError
            If the model branches, or has mimic or helical joints.
        """
        return SoftRobot(modules_of(require_model(model)), model.gravity)

    def __repr__(self) -> str:
        """Return the numbers of modules and coordinates."""
        return f'SoftRobot({len(self.modules)} modules, {self.n} coordinates)'

    @cached_property
    def kernel_table(self) -> KernelTable:
        """Tables of the kernels; pickled robots build them again."""
        builder = TableBuilder(self.gravity)
        for module in self.modules:
            module.add_to_table(builder)
        return builder.table()

    @cached_property
    def _given(self) -> tuple[tuple[int, Module], ...]:
        """First coordinates of the modules that are evaluated outside the kernels."""
        kinds = self.kernel_table.given
        return tuple(
            (c, module)
            for c, module, given in zip(self.first_coordinates, self.modules, kinds, strict=False)
            if given
        )

    def module_series(self, jets: Array) -> Array:
        """Return the series (T, size) of the modules that the kernels do not know."""
        if not self._given:
            return self._no_series if len(jets) == 1 else np.zeros((len(jets), 0))
        return np.array([
            np.concatenate([module_series(m, jet[:, c : c + m.n]) for c, m in self._given])
            for jet in jets
        ])  # fmt: skip

    def frame_index(self, frame: str) -> int:
        """Return the number of a module by name, -1 for the base; raise UnknownNameError."""
        if frame == 'base':
            return -1
        if frame == 'tip':
            return len(self.modules) - 1
        if frame not in self.names:
            raise UnknownNameError('frame', frame, ('base', *self.names, 'tip'))
        return self.names.index(frame)

    inverse_dynamics = chain_dynamics.inverse_dynamics
    mass_matrix = chain_dynamics.mass_matrix
    forward_dynamics = chain_dynamics.forward_dynamics
    frame_pose = chain_dynamics.frame_pose
    bias_forces = chain_dynamics.bias_forces
    gravity_forces = chain_dynamics.gravity_forces


def _names(modules: Iterable[Module]) -> tuple[str, ...]:
    """Return the names of all modules; those without one are counted by kind."""
    names: list[str] = []
    counts = {'joint': 0, 'body': 0}
    for module in modules:
        kind = 'joint' if isinstance(module, Joint) else 'body'
        counts[kind] += 1
        name = module.name if module.name is not None else f'{kind}_{counts[kind]}'
        if name in names or name in ('base', 'tip'):
            raise InputError(f'modules: expected names that occur once, got {name!r} again')
        names.append(name)
    return tuple(names)
