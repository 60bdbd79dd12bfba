# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest
from documents import ROOT

PACKAGE = ROOT / 'screw_dynamics'
MODULES = sorted(
    '.'.join(path.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')
    for path in PACKAGE.rglob('*.py')
    if '>>>' in path.read_text(encoding='utf-8')
)


def test_there_are_examples():
    assert len(MODULES) > 20


@pytest.mark.parametrize('name', MODULES)
def test_examples(name):
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted and not result.failed
