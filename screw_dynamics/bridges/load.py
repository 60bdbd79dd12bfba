# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`load`: robots of files in either format, and of names of descriptions."""

from __future__ import annotations

import os
import pkgutil
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from numpy.typing import ArrayLike

from screw_dynamics.bridges.described_robot import DescribedRobot
from screw_dynamics.bridges.mjcf.read_mjcf import read_described_mjcf
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.results import optional_library
from screw_dynamics.drives import Robot
from screw_dynamics.errors import ModelError, UnknownNameError
from screw_dynamics.model.urdf import read_description

# behind a declaration and comments
_ROOT = re.compile(rb'(?:\s|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->)*<mujoco[\s/>]', re.DOTALL)

Source: TypeAlias = 'str | bytes | os.PathLike[str]'


def load(
    name_or_path: str | os.PathLike[str],
    gravity: ArrayLike | None = None,
    base_link: str | None = None,
    tip_link: str | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float] | None = None,
    mimic: str = 'reduce',
) -> Robot:
    """
    Load a robot from a URDF or MJCF file, or by its name in the package ``robot_descriptions``.

    Parameters
    ----------
    name_or_path : str or path
        A path; text of a document; or a name such as ``'panda_mj_description'`` (MJCF) or
        ``'panda_description'`` (URDF), which the package downloads at its first use.
    gravity : (3,) array_like, optional
        In the axes of `base_link` [m/s^2]; default that of the MJCF, else (0, 0, -9.81).
    base_link, tip_link, joints, locked, mimic
        See `read_urdf`.

    Returns
    -------
    Robot
        Of a URDF without drives, of MJCF as of `read_mjcf`.

    Raises
    ------
    UnknownNameError
        If there is neither a file nor a description of that name.
    ModelError
        If the package cannot download or convert the description, in its own words; and as
        `read_urdf` and `read_mjcf`.
    ModuleNotFoundError
        If ``robot_descriptions`` or MuJoCo is needed and not installed.

    Warns
    -----
    MjcfWarning, UrdfWarning, InertiaWarning
        See `read_mjcf` and `read_urdf`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.load(sd.share_path('urdf/panda.urdf'), tip_link='panda_link8').n
    7
    >>> sd.load('panda_mj_description').drives  # doctest: +SKIP
    """
    found = described_robot(_source(name_or_path), stacklevel=2)
    return found.robot(gravity, base_link, tip_link, joints, locked, mimic, stacklevel=2)


def described_robot(
    source: Source, name: str | None = None, *, stacklevel: int = 1
) -> DescribedRobot:
    """Read a path, text or bytes of URDF or MJCF, called `name` in errors."""
    if is_mjcf(source):
        return read_described_mjcf(source, name, stacklevel=stacklevel + 1)
    return DescribedRobot(read_description(source, name=name, stacklevel=stacklevel + 1))


def is_mjcf(source: Source) -> bool:
    """Return whether the root element of a path, text or bytes is that of MJCF."""
    if isinstance(source, bytes):
        content = source
    elif isinstance(source, str) and source.lstrip('\ufeff \t\r\n').startswith('<'):
        content = source.encode()
    else:
        try:
            content = expanded(source).read_bytes()
        except (OSError, TypeError, ValueError):
            return False
    return _ROOT.match(content) is not None


def _source(name_or_path: str | os.PathLike[str]) -> Source:
    """Return a path or text, or the path of the description of a name."""
    if not isinstance(name_or_path, str) or not name_or_path.isidentifier():
        return name_or_path
    return name_or_path if expanded(name_or_path).exists() else _described_path(name_or_path)


def _described_path(name: str) -> Path:
    """Return the file of a description of the package robot_descriptions, which downloads it."""
    package = optional_library('robot_descriptions', 'descriptions')
    names = [
        found.name
        for found in pkgutil.iter_modules(package.__path__)
        if found.name.endswith('_description') and not found.name.startswith('_')
    ]
    if name not in names:
        raise UnknownNameError('file or description', name, names)
    where = f'robot_descriptions: {name}'
    try:
        module = import_module(f'robot_descriptions.{name}')
        for format in ('MJCF_PATH', 'URDF_PATH'):
            if hasattr(module, format):
                return Path(getattr(module, format))
        xacro = import_module('robot_descriptions._xacro')
        return Path(xacro.get_urdf_path(module))
    except Exception as error:  # of a package that downloads by git
        raise ModelError(f'{where}: {" ".join(str(error).split())}') from None
