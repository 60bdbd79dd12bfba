# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths from users of the library and of command lines."""

from __future__ import annotations

import os
from pathlib import Path

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError


def file_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write; raise InputError if it is not a possible path."""
    try:
        found = Path(path)
        possible = b'\0' not in os.fsencode(found)
    except TypeError:
        raise InputError(f'path: expected text or a path, got {shown(path)}') from None
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise InputError(f'path: expected the name of a file, got {shown(str(found))}')
    return found


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` and ``~user`` expanded; unchanged if there is no such user."""
    return Path(os.path.expanduser(path))
