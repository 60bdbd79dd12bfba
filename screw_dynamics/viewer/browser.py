# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A browser without a window, which draws the scene to pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from screw_dynamics.errors import InputError
from screw_dynamics.viewer.stage import FIELD, Stage, turns

_NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
_WAIT = 60.0  # s
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


@contextmanager
def photographer(server: Any, stage: Stage, size: tuple[int, int]) -> Iterator[Callable[[], Any]]:
    """Open the page in a browser; yield a function that draws the scene to a picture."""
    from PIL import Image, ImageDraw, ImageFont

    find_browser()
    connected: list[Any] = []
    ready = threading.Event()

    @server.on_client_connect
    def _(client: Any) -> None:
        connected.append(client)
        ready.set()

    def draw() -> Any:
        camera = stage.camera(*size)
        drawn = connected[0].get_render(
            size[1], size[0], wxyz=turns(camera[np.newaxis])[0], position=camera[:3, 3],
            fov=FIELD, transport_format='png', timeout=_WAIT,
        )  # fmt: skip
        picture = Image.fromarray(np.asarray(drawn), 'RGBA')
        white = Image.new('RGBA', picture.size, 'white')
        whole = Image.alpha_composite(white, picture).convert('RGB')
        line = size[1] / 45.0
        pen, font = ImageDraw.Draw(whole), ImageFont.load_default(line)
        for name, x, y in stage.names(*size, 1.2 * line):  # the page has them beside its picture
            pen.text((x, y), name, 'black', font, 'lm', stroke_width=2, stroke_fill='white')
        return whole

    address = f'http://localhost:{server.get_port()}'
    with headless(address, size):
        if not ready.wait(_WAIT):
            raise InputError(f'screenshot: the browser did not open {address}')
        yield draw
