# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of soft segments: records of the entries of their files, which build their bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.common.yaml_files.document import YamlEntry
from screw_dynamics.common.yaml_files.records import as_written, entry_field
from screw_dynamics.errors import InputError
from screw_dynamics.soft.bodies.constant_curvature import (
    ConstantCurvature,
    PlanarConstantCurvature,
)
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.strain_bases import strain_basis
from screw_dynamics.soft.bodies.variable_strain import VariableStrain
from screw_dynamics.soft.bodies.volume_preserving import VolumePreserving
from screw_dynamics.soft.materials import KelvinVoigt, NeoHookean, circular_section
from screw_dynamics.soft.module import Module

# arguments of bodies, which errors name, and the entries that set them
ARGUMENTS = {'functions': 'basis', 'counts': 'strains', 'coefficient': 'neo_hookean'}
# where in the stiffness of a section
_PARTS: dict[str, Any] = {
    'bending_stiffness': 0,
    'axial_stiffness': 5,
    'section_stiffness': slice(None),
}


def _number(text: str, **default: float | None) -> Any:
    return entry_field(text, YamlEntry.number, **default)


def _row(text: str, size: int, default: Any = None) -> Any:
    return entry_field(text, lambda node: node.finite_array(size), default)


class SegmentType(Protocol):
    """The entries of a type of segment."""

    def body(self, name: str) -> Module:
        """Return the body; errors begin with the name of an entry or an argument."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rigid(SegmentType):
    """A rigid body along z."""

    length: float = _number('Distance of the next segment along z [m].')
    mass: float = _number('Mass [kg].')
    com: Array | None = _row('Centre of mass x, y, z [m]; by default half the length along z.', 3)
    inertia: Array = _row(
        'About the centre of mass: ixx, ixy, ixz, iyy, iyz, izz [kg m^2]; or 0.', 6, (0.0,) * 6
    )

    def body(self, name: str) -> Module:
        """Return the body."""
        tip = np.eye(4)
        tip[2, 3] = require_number('length', self.length)
        mass = require_number('mass', self.mass)
        com = (0.0, 0.0, 0.5 * tip[2, 3]) if self.com is None else self.com
        xx, xy, xz, yy, yz, zz = self.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        least = float(np.linalg.eigvalsh(inertia)[0])
        if least < -1e-9 * abs(inertia).max():
            raise InputError(f'inertia: expected principal moments of 0 or more, got {least:.6g}')
        return RigidBody(mass, com, inertia, tip, name=name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Round(SegmentType):
    """A body with a circular section."""

    length: float = _number('Length at rest [m].')
    radius: float = _number('Radius of the section [m].')
    mass: float | None = _number('Mass [kg]; or `density`.', default=None)
    density: float | None = _number('Density [kg/m^3]; or `mass`.', default=None)

    def _size(self, name: str) -> dict[str, Any]:
        """Return the arguments that all bodies with a circular section have."""
        if (self.mass is None) == (self.density is None):
            got = 'none' if self.mass is None else 'both'
            raise InputError(f'mass: expected either mass or density, got {got}')
        mass = self.mass
        if mass is None:
            density = require_number('density', self.density)
            length = require_number('length', self.length, above=True)
            mass = float(density * np.pi * require_number('radius', self.radius) ** 2 * length)
        mass = require_number('mass', mass)
        return {'length': self.length, 'radius': self.radius, 'mass': mass, 'name': name}


@dataclass(frozen=True, kw_only=True, eq=False)
class Elastic(Round):
    """A rod of a linear elastic material, or with given stiffnesses."""

    youngs_modulus: float | None = _number(
        'E [Pa]; in place of a stiffness, one of which is needed.', default=None
    )
    poissons_ratio: float | None = _number(
        'With E: G = E / (2 (1 + ratio)); 0.5 by default.', default=None
    )
    shear_modulus: float | None = _number('G [Pa], in place of `poissons_ratio`.', default=None)
    damping: float = _number(
        'Time constant of the material [s]: damping is this times stiffness; by default 0.',
        default=0.0,
    )

    def _stiffness(self, *keys: str) -> list[Any]:
        """Return the stiffnesses of the section that entries give, or the material."""
        known = [key for key in keys if getattr(self, key) is not None]
        if self.youngs_modulus is None:
            for key in ('poissons_ratio', 'shear_modulus'):
                if getattr(self, key) is not None:
                    raise InputError(f'{key}: expected no value without youngs_modulus')
            for key in keys:
                if key not in known:
                    raise InputError(f'{key}: expected a stiffness, 0 for none, or youngs_modulus')
            return [getattr(self, key) for key in keys]
        if known:
            raise InputError(f'{known[0]}: expected no value beside youngs_modulus')
        section = circular_section(
            self.youngs_modulus, self.radius, self.poissons_ratio, self.shear_modulus
        )
        return [section[_PARTS[key]] for key in keys]


@dataclass(frozen=True, kw_only=True, eq=False)
class Planar(Elastic):
    """A rod that bends in a plane to an arc."""

    bending_stiffness: float | None = _number('E I [N m^2]; 0 for none.', default=None)

    def body(self, name: str) -> Module:
        """Return the body."""
        (bending,) = self._stiffness('bending_stiffness')
        return PlanarConstantCurvature(
            **self._size(name), bending_stiffness=bending, damping=self.damping
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Curved(Planar):
    """A rod that bends in any plane to an arc, and stretches."""

    axial_stiffness: float | None = _number('E A [N]; needed for elongation.', default=None)
    elongation: bool = entry_field(
        'Whether the length changes; true by default.', YamlEntry.truth, True
    )

    def body(self, name: str) -> Module:
        """Return the body."""
        stretches = self.elongation or self.axial_stiffness is not None
        keys = ('bending_stiffness', 'axial_stiffness')[: 1 + stretches]
        parts = dict(zip(keys, self._stiffness(*keys), strict=True))
        return ConstantCurvature(
            **self._size(name), **parts, damping=self.damping, elongation=self.elongation
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Strained(Elastic):
    """A rod whose strain varies along it."""

    strains: Mapping[str, Any] = entry_field(
        'Number of functions by strain: bend_x, bend_y, twist, shear_x, shear_y, stretch.',
        lambda node: {name: item.value for name, item in node.entries()},
    )
    basis: str = entry_field(
        'monomial (default), legendre, chebyshev, fourier or hermite.', as_written, 'monomial'
    )
    nodes: int = entry_field('Number of Gauss points; 8 by default.', as_written, 8)
    section_stiffness: Array | None = _row(
        'E I, E I, G J [N m^2], G A, G A, E A [N]; 0 for none.', 6
    )

    def body(self, name: str) -> Module:
        """Return the body."""
        basis = strain_basis(self.length, self.basis, self.strains)
        (stiffness,) = self._stiffness('section_stiffness')
        if min(stiffness) < 0.0:
            raise InputError(f'section_stiffness: expected 0 or more, got {min(stiffness):g}')
        rod = VariableStrain(
            **self._size(name), basis=basis, stiffness=stiffness, damping=self.damping,
            nodes=self.nodes,
        )  # fmt: skip
        if not rod.n:
            raise InputError('strains: expected at least one strain, got none')
        return rod


@dataclass(frozen=True, kw_only=True, eq=False)
class Volume(Round):
    """A cylinder that keeps its volume."""

    neo_hookean: float = _number('C of the Neo-Hookean material [Pa], a sixth of E; 0 for none.')
    viscosity: float | None = _number('Kelvin-Voigt viscosity [Pa s]; by default 0.', default=None)

    def body(self, name: str) -> Module:
        """Return the body."""
        material = NeoHookean(self.neo_hookean)
        viscosity = None if self.viscosity is None else KelvinVoigt(self.viscosity)
        return VolumePreserving(**self._size(name), material=material, viscosity=viscosity)


SEGMENT_TYPES: dict[str, type[SegmentType]] = {
    'rigid': Rigid,
    'planar_constant_curvature': Planar,
    'constant_curvature': Curved,
    'variable_strain': Strained,
    'volume_preserving': Volume,
}
