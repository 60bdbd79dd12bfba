# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Files at paths and package:// addresses."""

import os
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from screw_dynamics.common.paths import expanded
from screw_dynamics.errors import InputError


def resolve_file_url(path: str, name: str) -> Path:
    """Return the file at a path or package:// address; InputError names the origin `name`."""
    if path.startswith('package://'):
        package, _, inside = path.removeprefix('package://').partition('/')
        try:
            file = Path(get_package_share_directory(package)) / inside
        except (PackageNotFoundError, ValueError) as error:
            raise InputError(f'{name}: {path!r}: {error}') from None
    else:
        file = expanded(path)
    if not os.path.isfile(file):
        raise InputError(f'{name}: expected a file, got {str(file)!r}')
    return file
