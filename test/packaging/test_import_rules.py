# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Who may import whom: ROS stays in its rooms, and the rooms are stacked without cycles."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / 'screw_dynamics'
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob('*.py'))

ROS_ROOMS = {'nodes', 'demo', 'bags'}
# what every room may use: it says nothing about robots
BASE = {
    'argument_types',
    'arrays',
    'error_texts',
    'errors',
    'paths',
    'scalars',
    'share',
    'stop_signals',
    'text_table',
    'yaml_loading',
    'yaml_scalars',
}
# a room that every other one may use
BASE_ROOM = 'jit'
# imported by others at the first compiled call only
COMPILED_VARIANTS = {
    'dynamics/lanes.py',
    'dynamics/taylor_compiled.py',
    'jit/compiled_function.py',
    'jit/kernel_cache.py',
}
# each room, and the rooms below it that it may import
ALLOWED = {
    'jit': set(),
    'lie': set(),
    'model': {'lie'},
    'parsers': {'lie', 'model'},
    'kinematics': {'lie', 'model'},
    'dynamics': {'lie', 'model', 'kinematics'},
    'simulation': {'lie', 'model', 'kinematics', 'dynamics', 'elastic'},
    'trajectory': set(),
    'elastic': {'lie', 'model', 'kinematics', 'dynamics', 'trajectory'},
    'bags': set(),
    # on top of the library, without ROS
    'command_line': {'model', 'parsers', 'dynamics', 'trajectory', 'elastic', 'bags'},
}


def imports(path: Path) -> Iterator[str]:
    """Yield every module that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported_names(node)


def imported_names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    names = [alias.name for alias in statement.names]
    if isinstance(statement, ast.Import):
        return names
    assert statement.level == 0, f'line {statement.lineno}: relative import'
    return [f'{statement.module}.{name}' for name in names]


def is_ros(module: str) -> bool:
    root = module.split('.')[0]
    return root in {'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'std_srvs'} or (
        root.endswith(('_msgs', '_interfaces'))
    )


def room(module: Path) -> str:
    return module.parts[0] if len(module.parts) > 1 else module.stem


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_only_the_ros_rooms_import_ros(module):
    ros = [name for name in imports(PACKAGE / module) if is_ros(name)]
    assert not ros or room(module) in ROS_ROOMS, f'{module} imports {ros}'


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_rooms_import_only_what_lies_below(module):
    here = room(module)
    if here not in ALLOWED:
        return
    for name in imports(PACKAGE / module):
        parts = name.split('.')
        if parts[0] == 'screw_dynamics':
            assert len(parts) > 1, f'{module} imports the whole package'
            known = ALLOWED[here] | BASE | {BASE_ROOM, here, '__version__'}
            assert parts[1] in known, f'{module} imports {name}'


@pytest.mark.parametrize('module', sorted(BASE))
def test_the_base_imports_no_room(module):
    for name in imports(PACKAGE / f'{module}.py'):
        parts = name.split('.')
        assert parts[0] != 'screw_dynamics' or parts[1] in {*BASE, BASE_ROOM}, (
            f'{module} imports {name}'
        )


def test_the_rooms_of_the_nodes_are_stacked_too():
    """Of what lies in nodes/ itself they use the helpers alone; the rest is on top of them."""
    helpers = {'endpoints', 'interfaces'}
    below = {}
    for module in MODULES:
        if module.parts[0] == 'nodes' and len(module.parts) > 2:
            parts = (name.split('.') for name in imports(PACKAGE / module))
            used = {p[2] for p in parts if p[:2] == ['screw_dynamics', 'nodes']}
            below.setdefault(module.parts[1], set()).update(used - helpers - {module.parts[1]})
    assert set().union(*below.values()) < set(below)
    TopologicalSorter(below).prepare()  # raises a CycleError


def test_every_room_has_a_rule():
    rooms = {path.name for path in PACKAGE.iterdir() if (path / '__init__.py').exists()}
    # nodes and demo stand on top: they may use everything
    assert rooms == {*ALLOWED, 'nodes', 'demo'}


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_numba_is_imported_by_the_compiled_variants_only(module):
    statements = ast.parse((PACKAGE / module).read_text()).body
    roots = {
        name.split('.')[0]
        for statement in statements
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for name in imported_names(statement)
    }
    assert str(module) in COMPILED_VARIANTS or not roots & {'numba', 'llvmlite'}
