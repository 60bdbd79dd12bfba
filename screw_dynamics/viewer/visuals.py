# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The visual elements of a URDF: boxes, cylinders, balls and mesh files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np

from screw_dynamics.bridges.load import is_mjcf
from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import pose as rigid_motion
from screw_dynamics.lie import rpy_rotation
from screw_dynamics.model.urdf.urdf_source import UrdfSource, read_document
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.shapes import Colour, Mesh

PackagePath: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

PLAIN: Colour = (206, 212, 220)
_PREFIXES = 'AMENT_PREFIX_PATH', 'ROS_PACKAGE_PATH'
_LOST = 'there is no such file'


class Visuals(NamedTuple):
    """
    Meshes with colours in the frames of links, by link, and those that are left out.

    Of each link, `missing` has why its mesh cannot be read; `lost` are the addresses of files
    that are in none of the folders `searched`, by package, '' for paths.
    """

    links: dict[str, list[tuple[Mesh, Colour]]]
    missing: dict[str, str]
    lost: dict[str, list[str]]
    searched: list[str]

    def warnings(self, remedy: str) -> list[str]:
        """Return a line for each package whose files are lost, and one for all else."""
        lines = []
        for package, addresses in self.lost.items():
            what = f'{len(addresses)} mesh file{"s" * (len(addresses) > 1)}'
            places = ', '.join(self.searched) if package else 'beside the URDF'
            lines.append(
                f'{what} of package {package!r} not found (looked {places}): {remedy}'
                if package
                else f'{what} not found {places}, such as {addresses[0]}'
            )
        others = [reason for reason in self.missing.values() if not reason.endswith(_LOST)]
        if others:
            more = f', and of {len(others) - 1} more' if len(others) > 1 else ''
            lines.append(f'a visual element is not drawn: {others[0]}{more}')
        return lines

    def details(self) -> list[str]:
        """Return a line for each link that is not drawn as the URDF has it."""
        return [f'link {link!r} is drawn as a rod: {why}' for link, why in self.missing.items()]


def read_visuals(source: UrdfSource, package_path: PackagePath = ()) -> Visuals:
    """
    Return what the URDF shows; a mesh that cannot be read is `missing`, with the reason.

    Of MJCF nothing is known.

    Packages are looked for in the folders of `package_path`, then in and above that of the URDF,
    then in AMENT_PREFIX_PATH and ROS_PACKAGE_PATH.
    """
    if is_mjcf(source):
        return Visuals({}, {}, {}, [])
    root = read_document(source)
    beside = _folder(source)
    given = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
    folders = [Path(path) for path in given]
    lost: dict[str, list[str]] = {}
    colours = {
        str(element.get('name')): element.find('color') for element in root.findall('material')
    }
    links: dict[str, list[tuple[Mesh, Colour]]] = {}
    missing: dict[str, str] = {}
    for link in root.findall('link'):
        name = str(link.get('name'))
        for visual in link.findall('visual'):
            geometry = visual.find('geometry')
            if geometry is None or not len(geometry):
                continue
            try:
                meshes = _meshes(geometry[0], beside, folders)
            except FileNotFoundError as error:
                missing[name] = str(error)
                address = str(geometry[0].get('filename'))
                addresses = lost.setdefault(_package(address)[0], [])
                if address not in addresses:
                    addresses.append(address)
                continue
            except (OSError, ValueError, ImportError) as error:
                missing[name] = str(error).partition('\n')[0]
                continue
            chosen, pose = _colour(visual.find('material'), colours), _origin(visual)
            links.setdefault(name, []).extend(
                (mesh.placed(pose), chosen or own or PLAIN) for mesh, own in meshes
            )
    return Visuals(links, missing, lost, _searched(beside, folders))


def _searched(beside: Path | None, folders: Sequence[Path]) -> list[str]:
    """Return where packages are looked for, in words."""
    found = [f'in {path}' for path in folders]
    found += [] if beside is None else [f'in and above {beside}']
    for name in _PREFIXES:
        found.append(f'in {name}' if os.environ.get(name) else f'in {name}, which is not set')
    return found


def _folder(source: UrdfSource) -> Path | None:
    """Return the folder of a URDF file; None for a text."""
    if isinstance(source, (bytes, bytearray)) or str(source).lstrip().startswith('<'):
        return None
    return Path(os.fspath(source)).resolve().parent


def _numbers(text: str | None, default: str) -> Array:
    return np.array([float(word) for word in (text or default).split()])


def _origin(visual: Element) -> Array:
    origin = visual.find('origin')
    place = {} if origin is None else origin.attrib
    rotation = rpy_rotation(*_numbers(place.get('rpy'), '0 0 0'))
    return np.asarray(rigid_motion(rotation, _numbers(place.get('xyz'), '0 0 0')))


def _colour(material: Element | None, known: dict[str, Any]) -> Colour | None:
    if material is None:
        return None
    colour = material.find('color')
    if colour is None:
        colour = known.get(str(material.get('name')))
    if colour is None:
        return None
    red, green, blue = (255.0 * _numbers(colour.get('rgba'), '0.7 0.7 0.7 1')[:3]).round()
    return int(red), int(green), int(blue)


def _meshes(
    element: Element, beside: Path | None, folders: Sequence[Path]
) -> list[tuple[Mesh, Colour | None]]:
    if element.tag == 'box':
        return [(shapes.box(_numbers(element.get('size'), '1 1 1')), None)]
    if element.tag == 'cylinder':
        radius, length = (float(element.get(key, '1')) for key in ('radius', 'length'))
        return [(shapes.cylinder(radius, length), None)]
    if element.tag == 'sphere':
        return [(shapes.ball(float(element.get('radius', '1'))), None)]
    if element.tag != 'mesh':
        raise ValueError(f'<{element.tag}> is not drawn')
    scale = _numbers(element.get('scale'), '1 1 1')
    parts = _load(mesh_file(str(element.get('filename')), beside, folders))
    return [(Mesh(mesh.vertices * scale, mesh.faces), colour) for mesh, colour in parts]


def lost_meshes(source: UrdfSource) -> list[str]:
    """Return the links with mesh files that are not found where `read_visuals` looks."""
    lost = []
    for link in () if is_mjcf(source) else read_document(source).findall('link'):
        try:
            for mesh in link.findall('visual/geometry/mesh'):
                mesh_file(str(mesh.get('filename')), _folder(source))
        except FileNotFoundError:
            lost.append(str(link.get('name')))
    return lost


def mesh_file(address: str, beside: Path | None, folders: Sequence[Path] = ()) -> Path:
    """Return the file at a path or address of a URDF; raise FileNotFoundError if there is none."""
    _, mark, path = address.partition('://')
    package, inside = _package(address)
    if not mark:
        candidates = [Path(address) if beside is None else beside / address]
    elif package:
        candidates = [folder / inside for folder in _package_folders(package, beside, folders)]
    else:  # file:///home/..., and paths beside the URDF that are written as addresses
        candidates = [Path('/') / path] if beside is None else [beside / path, Path('/') / path]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f'{address}: {_LOST}')


def _package(address: str) -> tuple[str, str]:
    """Return the package of an address, '' if it has none, and the path inside."""
    scheme, _, path = address.partition('://')
    package, _, inside = path.partition('/')
    return (package, inside) if scheme == 'package' else ('', address)


def _package_folders(package: str, beside: Path | None, folders: Sequence[Path]) -> Iterator[Path]:
    """Yield where a ROS package may be: in given folders, above the URDF, in prefixes of ROS."""
    for folder in (*folders, *(() if beside is None else (beside, *beside.parents))):
        if folder.name == package:
            yield folder
        yield folder / package
    ament, ros = (os.environ.get(name, '').split(os.pathsep) for name in _PREFIXES)
    yield from (Path(prefix) / 'share' / package for prefix in ament)
    yield from (Path(path) / package for path in ros)


def _load(path: Path) -> list[tuple[Mesh, Colour | None]]:
    """Read a mesh file; what has one colour is one mesh."""
    import trimesh

    try:
        scene = trimesh.load_scene(str(path))
        collada = path.suffix.lower() == '.dae'
        size = trimesh.units.unit_conversion(scene.units, 'meters') if collada else 1.0
        parts = scene.dump()
    except Exception as error:  # its readers raise many types
        raise ValueError(f'{path}: {error}') from error
    found: dict[Colour | None, list[Mesh]] = {}
    for part in parts:
        if len(getattr(part, 'faces', ())):
            mesh = Mesh(size * np.asarray(part.vertices), np.asarray(part.faces))
            found.setdefault(_part_colour(part.visual), []).append(mesh)
    if not found:
        raise ValueError(f'{path}: there are no triangles')
    return [(shapes.joined(meshes), colour) for colour, meshes in found.items()]


def _part_colour(visual: Any) -> Colour | None:
    if visual.kind is None:
        return None
    colour = visual.material.main_color if visual.kind == 'texture' else visual.main_color
    red, green, blue = (int(value) for value in colour[:3])
    return red, green, blue
