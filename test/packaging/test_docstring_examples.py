# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings give what they show, pasted into an empty session."""

from __future__ import annotations

import doctest
import re
from importlib import import_module

import pytest
from documents import ROOT

# an example that is run; those of bags would need one and are marked
EXAMPLE = re.compile(r'^ *>>> (?!.*doctest: \+SKIP)', re.MULTILINE)
MODULES = sorted(
    '.'.join(path.relative_to(ROOT).with_suffix('').parts).removesuffix('.__init__')
    for path in (ROOT / 'screw_dynamics').rglob('*.py')
    if EXAMPLE.search(path.read_text(encoding='utf-8'))
)


def test_there_are_examples():
    assert len(MODULES) > 20


@pytest.mark.parametrize('name', MODULES)
def test_examples(name):
    result = doctest.testmod(
        import_module(name), globs={}, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted and not result.failed
