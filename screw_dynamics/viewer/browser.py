# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, which draws what is written to a picture."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from screw_dynamics.errors import InputError

_NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
_MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'


def find_browser() -> str:
    """Return the path of Chromium or Chrome; raise InputError if there is none."""
    for name in (*_NAMES, _MAC):
        found = shutil.which(name)
        if found is not None:
            return found
    raise InputError(
        'screenshot: expected Chromium or Chrome, which draws it, on PATH, got none of '
        f'{", ".join(_NAMES)}'
    )


@contextmanager
def headless(address: str, size: tuple[int, int], *options: str) -> Iterator[Path]:
    """Run a browser at an address in the block; yield its folder."""
    command = [
        find_browser(),
        '--headless=new',
        '--hide-scrollbars',
        '--no-first-run',
        '--enable-unsafe-swiftshader',  # WebGL without a graphics card
        f'--window-size={size[0]},{size[1]}',
        *options,
    ]
    if os.name == 'posix' and os.geteuid() == 0:
        command.append('--no-sandbox')  # Chromium refuses to run as root with it
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command += [f'--user-data-dir={folder}', address]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            yield Path(folder)
        finally:
            process.terminate()
            process.wait()
