# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Python packages that carry robots, and parsers: fetched apart from the environment."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path

from oracles.robots import package_urdfs

from screw_dynamics.common.progress import progress

# Only .urdf files are taken out of these. Installing the packages would do harm: one of them
# pins other releases, others draw in viewers, and not every one has a wheel for every Python.
ROBOT_PACKAGES = {
    'dexmate-urdf': '0.8.4',
    'example-robot-data': '6.0.0',
    'hello-robot-stretch-urdf': '0.1.2',
    'icub-models': '3.2.0',
    'jvrc-description': '1.1.1',
    'manipulapy': '1.4.2',
    'pybullet': '3.2.7',
    'robot-properties-fingers': '2.0.2',
    'rtb-data': '2.0.0',
    'upkie-description': '2.2.0',
}

# What the URDF parsers need to read a robot without its meshes.
PARSER_PACKAGES = (
    'urdfpy==0.0.22',
    'yourdfpy==0.0.60',
    'urdfdom-py==1.2.1.post1',
    'lxml',
    'networkx',
    'pycollada==0.6',
    'six',
    'trimesh',
)

# A wheel is only unpacked here, so any of its builds will do.
_ANY_WHEEL = (
    '--no-deps', '--only-binary', ':all:', '--python-version', '3.10', '--implementation', 'cp',
    '--abi', 'cp310', '--abi', 'abi3', '--abi', 'none', '--platform', 'any',
    '--platform', 'manylinux2014_x86_64', '--platform', 'manylinux_2_17_x86_64',
)  # fmt: skip


def robot_files(cache: Path) -> dict[str, list[tuple[str, Path]]]:
    """
    Return names inside of every robot package and .urdf files, by package and version.

    The folder `cache` keeps what is downloaded.
    """
    found = {}
    for name, version in progress(ROBOT_PACKAGES.items(), 'robot packages', unit='package'):
        paths = package_urdfs(name)
        if paths:
            label = f'{name} {metadata.version(name)}'
        else:
            label, folder = f'{name} {version}', cache / f'{name}-{version}'
            if not folder.exists():
                _download(name, version, folder)
            paths = sorted(folder.rglob('*.urdf'))
        root = _common_folder(paths)
        found[label] = [(path.relative_to(root).as_posix(), path) for path in paths]
    return found


def parser_folder(cache: Path) -> Path:
    """Return a folder with the URDF parsers, installed there the first time."""
    target = cache / f'parsers-{sys.version_info.major}.{sys.version_info.minor}'
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=_made(cache)) as unfinished:
            _pip('install', '--no-deps', '--target', unfinished, *PARSER_PACKAGES)
            Path(unfinished).rename(target)
            _made(Path(unfinished))  # for the context manager to remove
    return target


def _download(name: str, version: str, root: Path) -> None:
    with tempfile.TemporaryDirectory(dir=_made(root.parent)) as unfinished:
        _pip('download', *_ANY_WHEEL, '--dest', unfinished, f'{name}=={version}')
        (wheel,) = Path(unfinished).glob('*.whl')
        files = Path(unfinished) / 'files'
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.endswith('.urdf'):
                    archive.extract(member, _made(files))
        files.rename(root)


def _pip(*arguments: str) -> None:
    command = [sys.executable, '-m', 'pip', '--disable-pip-version-check', *arguments, '-qq']
    subprocess.run(command, check=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _common_folder(paths: list[Path]) -> Path:
    parents = [path.parents for path in paths]
    return next(folder for folder in parents[0] if all(folder in other for other in parents))
