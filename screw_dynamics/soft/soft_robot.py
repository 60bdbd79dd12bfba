# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SoftRobot`: a serial robot of joints, rigid bodies and soft bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_vector, read_only_copy
from screw_dynamics.common.results import Tabular
from screw_dynamics.errors import InputError, UnknownNameError, shown
from screw_dynamics.lie import pose
from screw_dynamics.model import JointLimits, ScrewModel
from screw_dynamics.soft.checks import as_tuple
from screw_dynamics.soft.joint import Joint
from screw_dynamics.soft.kernel_table import KernelTable, kernel_table
from screw_dynamics.soft.module import Module
from screw_dynamics.soft.rigid_chain import modules_of

BASE, TIP = 'base', 'tip'


class SoftRobot(Tabular):
    """
    A chain of modules: joints, rigid bodies and soft bodies in any sequence [P2025, section 2].

    The coordinates are those of the modules, one module after the other. `inverse_dynamics`,
    `mass_matrix` and further functions of this package accept it in place of a `ScrewModel`.

    Parameters
    ----------
    modules : iterable of Module
        From the base on. Each begins at the distal frame of the one before it.
    gravity : (3,) array_like
        In the frame of the base [m/s^2].

    Raises
    ------
    InputError
        If an entry is not a module, or two have the same name.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.soft import SoftRobot
    >>> arc = sd.soft.PlanarConstantCurvature(0.3, 0.03, 0.85)
    >>> arm = SoftRobot([sd.soft.Joint('revolute', axis=(0, 1, 0)), arc, arc])
    >>> arm.joint_names
    ('joint_1', 'body_1', 'body_2')
    >>> SoftRobot([sd.soft.ConstantCurvature(0.3, 0.03, 0.85)]).joint_names
    ('body_1_curve_x', 'body_1_curve_y', 'body_1_stretch')
    >>> sd.inverse_dynamics(arm, np.zeros((3, 3))).round(6)
    array([[0., 0., 0.]])
    """

    def __init__(self, modules: Iterable[Module], gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self.modules = as_tuple('modules', modules, 'joints and bodies')
        if not self.modules:
            raise InputError('modules: expected one or more, got none')
        for i, module in enumerate(self.modules):
            if not isinstance(module, Module):
                raise InputError(f'modules[{i}]: expected a joint or a body, got {shown(module)}')
        self.gravity = read_only_copy('gravity', as_vector('gravity', gravity, 3))
        self.module_names = self._names()
        self.n = sum(module.n for module in self.modules)
        self.name, self.base_link, self.limits = 'soft robot', BASE, JointLimits.none(self.n)

    @classmethod
    def from_model(cls, model: ScrewModel) -> SoftRobot:
        """
        Return a rigid chain as modules: joints and rigid bodies with the names of the model.

        Parameters
        ----------
        model : ScrewModel

        Raises
        ------
        TopologyError
            If the model is not a chain.
        InputError
            If it has mimic joints, or its joints are not in the order of the chain.
        """
        return cls(modules_of(model), model.gravity)

    def _names(self) -> tuple[str, ...]:
        counts: dict[str, int] = {}
        names: list[str] = []
        for i, module in enumerate(self.modules):
            counts[module.kind] = counts.get(module.kind, 0) + 1
            name = module.name or f'{module.kind}_{counts[module.kind]}'
            if name in names or name in (BASE, TIP):
                reason = 'two modules have it' if name in names else 'it has a meaning of its own'
                raise InputError(f'modules[{i}]: expected another name than {name!r}: {reason}')
            names.append(name)
        return tuple(names)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates: of the module, then of the coordinate or its number."""
        names: list[str] = []
        for name, module in zip(self.module_names, self.modules, strict=True):
            numbers = [str(j + 1) for j in range(module.n)]
            if len(module.coordinates) == module.n:
                names += [f'{name}_{coordinate}' for coordinate in module.coordinates]
            else:
                names += [name] if module.n == 1 else [f'{name}_{number}' for number in numbers]
        return tuple(names)

    @cached_property
    def coordinate_types(self) -> tuple[str, ...]:
        """For each coordinate the type of its joint, or 'deformation' of a body."""
        kinds = ((m.n, m.type if isinstance(m, Joint) else 'deformation') for m in self.modules)
        return tuple(kind for n, kind in kinds for _ in range(n))

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The coordinates of every module."""
        ends = np.cumsum([module.n for module in self.modules]).tolist()
        return tuple(
            slice(end - module.n, end) for end, module in zip(ends, self.modules, strict=True)
        )

    @cached_property
    def frames(self) -> Mapping[str, int]:
        """Number of modules up to each frame: the base, distal frames of modules, the tip."""
        names = enumerate(self.module_names, 1)
        return {BASE: 0, **{name: i for i, name in names}, TIP: len(self.modules)}

    @cached_property
    def ranges(self) -> bool:
        """Whether any module has a range of coordinates."""
        return any(type(module).check is not Module.check for module in self.modules)

    @cached_property
    def kernel_table(self) -> KernelTable:
        """Tables of the compiled kernels."""
        return kernel_table(self.modules, self.gravity)

    @cached_property
    def inertial_table(self) -> KernelTable:
        """The same without gravity, elastic and damping efforts."""
        return kernel_table(self.modules, np.zeros(3), stress=False)

    def without_gravity(self) -> SoftRobot:
        """
        Return the same robot without gravity.

        Returns
        -------
        SoftRobot
        """
        return self._weightless

    @cached_property
    def _weightless(self) -> SoftRobot:
        return SoftRobot(self.modules, np.zeros(3))

    def modules_to(self, frame: str) -> int:
        """Return how many modules are between the base and a frame; raise UnknownNameError."""
        if frame not in self.frames:
            raise UnknownNameError('frame', frame, tuple(self.frames))
        return self.frames[frame]

    def check(self, q: Array) -> None:
        """Raise InputError, with the name of the module, if coordinates (n,) are out of range."""
        for name, module, own in zip(self.module_names, self.modules, self.slices, strict=True):
            try:
                module.check(q[own])
            except InputError as error:
                raise InputError(f'{name}: {error}') from None

    def places(self, q: Array, count: int | None = None) -> Array:
        """Return the poses (m + 1, 4, 4) of the base and of the distal frames of m modules."""
        found = [np.eye(4)]
        for module, own in zip(self.modules[:count], self.slices, strict=False):
            found.append(found[-1] @ pose(*module.tip_pose(q[own])))
        return np.array(found)

    def _parts(self) -> tuple[str, list[tuple[str, str, str]]]:
        rows = [('module', 'type', 'coordinates')]
        for name, module, own in zip(self.module_names, self.modules, self.slices, strict=True):
            rows.append((name, type(module).__name__, ', '.join(self.joint_names[own]) or '-'))
        return repr(self), rows

    def __repr__(self) -> str:
        """Return the names."""
        return f'SoftRobot({", ".join(self.module_names)}, n={self.n})'


def require_soft_robot(robot: object) -> SoftRobot:
    """Return the argument; raise InputError if it is not a robot of modules."""
    if not isinstance(robot, SoftRobot):
        raise InputError(f'robot: expected a SoftRobot, got {shown(robot)}')
    return robot
