# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A page in Chromium without a window, asked over its debugging protocol."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

from helpers.patience import patience
from screw_dynamics.viewer.browser import headless


class Page:
    """An open page."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._sent = connection, 0

    def ask(self, method: str, **parameters: Any) -> Any:
        """Return the result of a method of the protocol."""
        self._sent += 1
        request = {'id': self._sent, 'method': method, 'params': parameters}
        self._connection.send(json.dumps(request))
        while True:
            answer = json.loads(self._connection.recv(timeout=patience()))
            if answer.get('id') == self._sent:
                assert 'error' not in answer, answer
                return answer['result']

    def value(self, expression: str) -> Any:
        """Return the value of an expression in JavaScript; None if it throws."""
        return self.ask('Runtime.evaluate', expression=expression, returnByValue=True)[
            'result'
        ].get('value')

    def wait_for(self, expression: str) -> Any:
        """Return the value of an expression once it is true."""
        end = time.monotonic() + patience()
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f'not within {patience()} s: {expression}')

    def picture(self) -> bytes:
        """Return what is seen, as PNG."""
        return base64.b64decode(self.ask('Page.captureScreenshot')['data'])


@contextmanager
def opened(address: str, size: tuple[int, int] = (900, 650)) -> Iterator[Page]:
    """Open a page in the block."""
    with headless(address, size, '--remote-debugging-port=0') as folder:
        port_file, end = folder / 'DevToolsActivePort', time.monotonic() + patience()
        while not port_file.exists():
            assert time.monotonic() < end, 'the browser does not begin'
            time.sleep(0.05)
        time.sleep(0.2)
        port = port_file.read_text().split()[0]
        while True:
            with urlopen(f'http://127.0.0.1:{port}/json') as answer:
                pages = [page for page in json.load(answer) if page['type'] == 'page']
            if pages:
                break
        with connect(pages[0]['webSocketDebuggerUrl'], max_size=None) as connection:
            yield Page(connection)
