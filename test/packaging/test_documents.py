# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/: tables are those of the code, links and names exist."""

from __future__ import annotations

import re
import runpy
from dataclasses import fields
from itertools import takewhile

import pytest
import yaml
from documents import DOCS, PAGES, ROOT, TEXTS, anchors, commands
from packaging_tools import EXECUTABLES

import screw_dynamics as sd
from screw_dynamics import drives, errors, series
from screw_dynamics.command_line import main
from screw_dynamics.model import urdf
from screw_dynamics.recordings import bags
from screw_dynamics.trajectory import cartesian

pytestmark = pytest.mark.processes


@pytest.fixture(scope='module')
def generator() -> dict:
    return runpy.run_path(str(DOCS / 'generate.py'))


def test_tables_are_those_of_the_records(generator):
    """Run `python docs/generate.py` after a change of a record."""
    found = {**dict(generator['pages']()), **dict(generator['parameter_files']())}
    assert {path.name for path in found} >= {'parameters.md', 'model_file.md', 'feedforward.yaml'}
    for path, text in found.items():
        assert path.read_text(encoding='utf-8') == text, path.name


def test_every_node_and_command_has_its_table(generator):
    text = TEXTS['docs/parameters.md']
    for node in generator['NODES']:
        assert f'<!-- table: parameters {node} -->' in text or f'-values {node} -->' in text
    for command in main._COMMANDS:
        assert f'<!-- table: options {command} -->' in TEXTS['docs/command_line.md']


def test_links_lead_somewhere():
    for page, text in TEXTS.items():
        prose = re.sub(r'```.*?```|`[^`\n]*`', '', text, flags=re.DOTALL)
        for target, anchor in re.findall(r'\]\(([^)#\s]*)(?:#([^)\s]+))?\)', prose):
            if target.startswith(('http:', 'https:')):
                continue
            file = (ROOT / page).parent / target if target else ROOT / page
            assert file.exists(), f'{page}: {target}'
            assert not anchor or anchor in anchors(file), f'{page}: {target}#{anchor}'


def test_named_tests_exist():
    for page, text in TEXTS.items():
        for name in re.findall(r'`([\w/]*\btest_\w+\.py)', text):
            file = re.sub('^N/', 'nodes/', name.removeprefix('test/'))
            assert list((ROOT / 'test').rglob(file)), f'{page}: {name}'
        for name in re.findall(r'\btest/[a-z_]+(?![\w.])', text):
            assert (ROOT / name).exists(), f'{page}: {name}'


def test_every_page_is_in_the_navigation():
    listed = set()
    for page in PAGES:
        for tree in re.findall(r'```\{toctree\}(.*?)```', page.read_text(), re.DOTALL):
            names = re.findall(r'^(?:.+ <)?([\w/]+)>?$', tree, re.MULTILINE)
            listed |= {(page.parent / f'{name}.md').resolve() for name in names}
    assert {page for page in PAGES if page.is_relative_to(DOCS)} - listed == {DOCS / 'index.md'}


def test_every_public_name_is_in_the_reference():
    listed = set()
    for page in (DOCS / 'api').glob('*.md'):
        for module, names in re.findall(
            r'currentmodule:: (\S+)\n.*?:nosignatures:\n\n(.*?)```', page.read_text(), re.DOTALL
        ):
            listed |= {f'{module}.{name}' for name in names.split()}
    rooms = 'fleet', 'jax', 'lie', 'simulation', 'soft', 'symbolic', 'torch', 'trajectory'
    public = {
        f'{module.__name__}.{name}'
        for module in (sd, bags, *(getattr(sd, room) for room in rooms))
        for name in module.__all__
        if not name.isupper() and name not in (*rooms, 'cartesian', '__version__')
    }
    for room in (cartesian, drives, urdf, series):
        names = set(room.__all__) - {*sd.__all__, *sd.trajectory.__all__}
        public |= {f'{room.__name__}.{name}' for name in names if not name.isupper()}
    # errors and warnings, ScrewDynamicsError included, are on a page of their own
    public -= {'screw_dynamics.ScrewDynamicsError'}
    public |= {
        f'{errors.__name__}.{name}'
        for name, kind in vars(errors).items()
        if own(kind) and name[0] != '_'
    }
    assert public <= listed, public - listed


def own(kind: object) -> bool:
    """Return True for the exceptions and warnings of the package."""
    return isinstance(kind, type) and kind.__module__ == errors.__name__


def test_every_definition_is_shown():
    folder = ROOT / 'screw_dynamics_interfaces'
    for path in (*folder.glob('msg/*.msg'), *folder.glob('srv/*.srv')):
        assert f'{{literalinclude}} ../{path.relative_to(ROOT)}' in TEXTS['docs/messages.md']


def test_launch_lines_give_every_argument_a_value():
    """`ros2 launch` refuses an empty one, however it is quoted for the shell."""
    found = [line for text in TEXTS.values() for line in commands(text, 'ros2 launch')]
    assert found
    for line in found:
        assert not re.search(r""":=(''|""|\s|$)""", line), line
        file = line.split()[3]
        assert (ROOT / 'launch' / file).is_file(), file


def test_executables_and_parameters_of_commands_exist(generator):
    declared = {
        generator['rule_of'](item).name
        for record in generator['NODES'].values()
        for item in fields(record)
    }
    found = [line for text in TEXTS.values() for line in commands(text, 'ros2 run screw_dynamics')]
    assert found
    for line in found:
        assert line.split()[3] in EXECUTABLES, line
        assert set(re.findall(r'-p ([\w.]+):=', line)) <= declared, line


def test_parameters_in_examples_exist(generator):
    records = generator['NODES'].values()
    names = {generator['rule_of'](item).name for record in records for item in fields(record)}
    examples = [
        yaml.safe_load(code)['/**']['ros__parameters']
        for text in TEXTS.values()
        for code in re.findall(r'```yaml\n(/\*\*:.*?)```', text, re.DOTALL)
    ]
    assert examples and all(names >= example.keys() for example in examples)


def test_targets_of_make_exist():
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    targets = set(re.findall(r'^([a-z-]+):.*## ', makefile, re.MULTILINE))
    for page, text in TEXTS.items():
        for named in re.findall(r'`make ([a-z -]+)', text) + [
            line.split('#')[0][5:] for line in commands(text, 'make')
        ]:
            words = takewhile(re.compile('[a-z]+(-[a-z]+)*').fullmatch, named.split())
            assert set(words) <= targets, f'{page}: make {named}'
