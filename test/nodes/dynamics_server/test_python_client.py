# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The Python client of docs/services.md against a running dynamics_server."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import screw_dynamics as sd

DOCUMENT = Path(__file__).resolve().parents[3] / 'docs' / 'services.md'
ATTEMPTS = 6  # a server that has not discovered the client yet drops its response


@pytest.mark.usefixtures('server')
def test_the_mass_matrix_is_that_of_the_library(ros, model):
    text = DOCUMENT.read_text(encoding='utf-8')
    (code,) = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    assert code.count('7') == 3  # the joints of an iiwa
    code = f'{code}print(*matrix.ravel())\n'.replace('7', str(model.n))
    for _ in range(ATTEMPTS):
        process = ros.start_command([sys.executable, '-c', code])
        if process.wait() == 0:
            break
    else:
        pytest.fail(process.log)
    got = np.reshape([float(word) for word in process.log.split()], (model.n, model.n))
    np.testing.assert_allclose(got, sd.mass_matrix(model, np.zeros(model.n)), rtol=1e-12)
