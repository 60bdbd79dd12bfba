# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of soft segments: the entries of their files, their bodies and coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError
from screw_dynamics.soft.bodies.constant_curvature import ConstantCurvature
from screw_dynamics.soft.bodies.planar_constant_curvature import PlanarConstantCurvature
from screw_dynamics.soft.bodies.rigid import RigidBody
from screw_dynamics.soft.bodies.strain_bases import STRAINS, strain_basis
from screw_dynamics.soft.bodies.variable_strain import VariableStrain
from screw_dynamics.soft.bodies.volume_preserving import VolumePreserving
from screw_dynamics.soft.materials.circular_section import circular_section
from screw_dynamics.soft.materials.kelvin_voigt import KelvinVoigt
from screw_dynamics.soft.materials.neo_hookean import NeoHookean
from screw_dynamics.soft.module import Module

ANGLE, LENGTH, PURE = 'rad', 'm', '1'  # units of coordinates


@dataclass(frozen=True)
class Built:
    """A body with the names of its coordinates, their units, and the radius of its section."""

    module: Module
    coordinates: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    radius: float = 0.0


ROUND: dict[str, str] = {
    'length': 'Length at rest [m].',
    'radius': 'Radius of the section [m].',
    'mass': 'Mass [kg]; or `density`.',
    'density': 'Density [kg/m^3]; or `mass`.',
}
MATERIAL: dict[str, str] = {
    'youngs_modulus': 'E [Pa]; in place of a stiffness, one of which is needed.',
    'poissons_ratio': 'With E: G = E / (2 (1 + ratio)); 0.5 by default.',
    'shear_modulus': 'G [Pa], in place of `poissons_ratio`.',
}
_DAMPING = {
    'damping': 'Time constant of the material [s]: damping is this times stiffness; by default 0.'
}


@contextmanager
def _keys(**names: str) -> Iterator[None]:
    """Let errors name the entries of the file in place of arguments."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for argument, key in names.items():
            if text.startswith(argument):
                text = f'{key}{text[len(argument) :]}'
        raise InputError(text) from None


def _mass(values: Mapping[str, Any]) -> float:
    if ('mass' in values) == ('density' in values):
        got = 'both' if 'mass' in values else 'none'
        raise InputError(f'mass: expected either mass or density, got {got}')
    if 'mass' in values:
        return require_number('mass', values['mass'])
    density = require_number('density', values['density'])
    length = require_number('length', values['length'], above=True)
    return float(density * np.pi * require_number('radius', values['radius']) ** 2 * length)


def _section(values: Mapping[str, Any], *given: str) -> Array | None:
    """Return the stiffness (6,) by the material; None if stiffness is given directly."""
    if 'youngs_modulus' not in values:
        for key in ('poissons_ratio', 'shear_modulus'):
            if key in values:
                raise InputError(f'{key}: expected no value without youngs_modulus')
        for key in given:
            if key not in values:
                raise InputError(f'{key}: expected a stiffness, 0 for none, or youngs_modulus')
        return None
    for key in given:
        if key in values:
            raise InputError(f'{key}: expected no value beside youngs_modulus')
    keys = ('youngs_modulus', 'radius', 'poissons_ratio', 'shear_modulus')
    return circular_section(**{key: values[key] for key in keys if key in values})


def _round(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {
        'length': values['length'],
        'radius': values['radius'],
        'mass': _mass(values),
        'name': name,
    }


def _rigid(values: Mapping[str, Any], name: str) -> Built:
    tip = np.eye(4)
    tip[2, 3] = require_number('length', values['length'])
    mass = require_number('mass', values['mass'])
    com = values.get('com', (0.0, 0.0, 0.5 * tip[2, 3]))
    xx, xy, xz, yy, yz, zz = values.get('inertia', (0.0,) * 6)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    least = float(np.linalg.eigvalsh(inertia)[0])
    if least < -1e-9 * abs(inertia).max():
        raise InputError(f'inertia: expected principal moments of 0 or more, got {least:.6g}')
    return Built(RigidBody(mass, com, inertia, tip, name=name))


def _planar(values: Mapping[str, Any], name: str) -> Built:
    section = _section(values, 'bending_stiffness')
    bending = values['bending_stiffness'] if section is None else section[0]
    arc = PlanarConstantCurvature(
        **_round(values, name), bending_stiffness=bending, damping=values.get('damping', 0.0)
    )
    return Built(arc, ('curve',), (ANGLE,), arc.radius)


def _constant_curvature(values: Mapping[str, Any], name: str) -> Built:
    stretches = values.get('elongation', True) or 'axial_stiffness' in values
    section = _section(values, 'bending_stiffness', *(('axial_stiffness',) * stretches))
    bending, axial = (
        (values['bending_stiffness'], values.get('axial_stiffness', 0.0))
        if section is None
        else (section[0], section[5])
    )
    arc = ConstantCurvature(
        **_round(values, name),
        bending_stiffness=bending,
        axial_stiffness=axial,
        damping=values.get('damping', 0.0),
        elongation=values.get('elongation', True),
    )
    return Built(arc, arc.coordinates, (ANGLE, ANGLE, LENGTH)[: arc.n], arc.radius)


def _variable_strain(values: Mapping[str, Any], name: str) -> Built:
    counts = values['strains']
    with _keys(functions='basis', counts='strains'):
        basis = strain_basis(values['length'], values.get('basis', 'monomial'), counts)
    section = _section(values, 'section_stiffness')
    stiffness = values['section_stiffness'] if section is None else section
    if min(stiffness) < 0.0:
        raise InputError(f'section_stiffness: expected 0 or more, got {min(stiffness):g}')
    rod = VariableStrain(
        **_round(values, name),
        basis=basis,
        stiffness=stiffness,
        damping=values.get('damping', 0.0),
        nodes=values.get('nodes', 8),
    )
    if not rod.n:
        raise InputError('strains: expected at least one strain, got none')
    angular = STRAINS[:3]
    units = tuple(ANGLE if name.startswith(angular) else LENGTH for name in rod.coordinates)
    return Built(rod, rod.coordinates, units, rod.radius)


_VOLUME_UNITS = {'twist': ANGLE, 'shear_x': LENGTH, 'shear_y': LENGTH}


def _volume_preserving(values: Mapping[str, Any], name: str) -> Built:
    with _keys(coefficient='neo_hookean'):
        material = NeoHookean(values['neo_hookean'])
    viscosity = KelvinVoigt(values['viscosity']) if 'viscosity' in values else None
    body = VolumePreserving(**_round(values, name), material=material, viscosity=viscosity)
    kinds = [part.kind for part in body.primitives for _ in range(part.n)]
    units = tuple(_VOLUME_UNITS.get(kind, PURE) for kind in kinds)
    return Built(body, body.coordinates, units, body.radius)


@dataclass(frozen=True)
class SegmentType:
    """A type of segment: its entries with their texts, those that must be present, its body."""

    entries: Mapping[str, str]
    needed: tuple[str, ...]
    build: Callable[[Mapping[str, Any], str], Built]


SEGMENT_TYPES: dict[str, SegmentType] = {
    'rigid': SegmentType(
        {
            'length': 'Distance of the next segment along z [m].',
            'mass': 'Mass [kg].',
            'com': 'Centre of mass x, y, z [m]; by default half the length along z.',
            'inertia': 'About the centre of mass: ixx, ixy, ixz, iyy, iyz, izz [kg m^2]; or 0.',
        },
        ('length', 'mass'),
        _rigid,
    ),
    'planar_constant_curvature': SegmentType(
        {
            **ROUND,
            'bending_stiffness': 'E I [N m^2]; 0 for none.',
            **MATERIAL,
            **_DAMPING,
        },
        ('length', 'radius'),
        _planar,
    ),
    'constant_curvature': SegmentType(
        {
            **ROUND,
            'bending_stiffness': 'E I [N m^2]; 0 for none.',
            'axial_stiffness': 'E A [N]; needed for elongation.',
            'elongation': 'Whether the length changes; true by default.',
            **MATERIAL,
            **_DAMPING,
        },
        ('length', 'radius'),
        _constant_curvature,
    ),
    'variable_strain': SegmentType(
        {
            **ROUND,
            'strains': 'Number of functions by strain: bend_x, bend_y, twist, shear_x, shear_y, '
            'stretch.',
            'basis': 'monomial (default), legendre, chebyshev, fourier or hermite.',
            'nodes': 'Number of Gauss points; 8 by default.',
            'section_stiffness': 'E I, E I, G J [N m^2], G A, G A, E A [N]; 0 for none.',
            **MATERIAL,
            **_DAMPING,
        },
        ('length', 'radius', 'strains'),
        _variable_strain,
    ),
    'volume_preserving': SegmentType(
        {
            **ROUND,
            'neo_hookean': 'C of the Neo-Hookean material [Pa], a sixth of E; 0 for none.',
            'viscosity': 'Kelvin-Voigt viscosity [Pa s]; by default 0.',
        },
        ('length', 'radius', 'neo_hookean'),
        _volume_preserving,
    ),
}
