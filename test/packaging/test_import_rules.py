# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Import rules: ROS stays in its rooms; rooms are stacked, and no files import in circles."""

from __future__ import annotations

import pytest
from source_tree import (
    MODULES,
    PACKAGE,
    circle,
    file_graph,
    imports,
    own_imports,
    room,
    top_level_imports,
)

ROS_ROOMS = {'nodes', 'bags'}
# open to every room: nothing in them is about robots
BASE = {
    'arrays',
    'errors',
    'integration',
    'jit',
    'new_files',
    'paths',
    'progress',
    'scalars',
    'stop_signals',
    'text_table',
    'yaml_files',
}
# entry points: they import what they start, and nobody imports them
DOORS = {'__init__', '__main__', 'entry_points'}
# modules with numba or llvmlite in their first lines; imported at the first compiled call only
COMPILED_VARIANTS = {
    'jit/compiled_function.py',
    'kernels/taylor/numba_functions.py',
    'kernels/taylor/simd.py',
    'kernels/terms/numba_functions.py',
}
# what functions of robots stand on
TREE = {'kernels', 'lie', 'series', 'model', 'kinematics', 'dynamics'}
# what the rooms on top of the library share
PUBLIC = {
    'lie',
    'series',
    'model',
    'parsers',
    'kinematics',
    'dynamics',
    'trajectory',
    'cartesian',
    'elastic',
    'soft',
    'robot',
    'feasibility',
    'retiming',
    'reference',
    'messages',
}
# each room, and the rooms below it that it may import; some are still to be built
ALLOWED = {
    'kernels': set(),
    'extension': {'kernels'},  # for the build: it translates them to C
    'lie': set(),
    'series': {'lie'},
    'model': {'kernels', 'lie', 'series'},
    'theory': {'lie', 'series', 'model'},  # for reading: tests, examples and docs use it
    'parsers': {'lie', 'model'},
    'kinematics': {'kernels', 'lie', 'series', 'model'},
    'dynamics': {'kernels', 'lie', 'series', 'model', 'kinematics'},
    'codegen': {*TREE, 'trajectory', 'elastic', 'robot', 'feasibility'},
    'trajectory': {'kernels', 'series'},
    'cartesian': {'lie', 'series', 'model', 'kinematics', 'trajectory'},
    'estimation': {*TREE, 'trajectory'},
    'elastic': TREE,
    'soft': TREE,
    'identification': {*TREE, 'estimation', 'parsers', 'elastic', 'robot'},
    'observers': {*TREE, 'elastic'},
    'symbolic': {*TREE, 'theory'},
    'robot': {'model', 'elastic', 'soft'},
    'feasibility': {*TREE, 'trajectory', 'elastic', 'soft', 'robot'},
    'retiming': {*TREE, 'trajectory', 'elastic', 'soft', 'robot', 'feasibility'},
    'simulation': {*TREE, 'elastic', 'soft', 'robot'},
    'reference': {'kernels', 'series', 'model', 'trajectory', 'messages'},
    'messages': {'model', 'trajectory', 'cartesian'},
    'bags': {'messages'},
    'results': {'model', 'trajectory', 'messages', 'bags'},
    'command_line': {
        *PUBLIC,
        'codegen',
        'estimation',
        'identification',
        'observers',
        'symbolic',
        'bags',
        'results',
    },
    'control': {*PUBLIC, 'kernels', 'observers'},
    'nodes': {*PUBLIC, 'control', 'identification', 'kernels', 'observers', 'simulation'},
    'demo': set(),  # starts studies in examples/
}
# the rooms of nodes/, and the ones below them
ALLOWED_IN_NODES = {
    'shared': set(),
    'feedforward': {'shared'},
    'drive_commands': {'shared'},
    'compensation': {'shared'},
    'dynamics_server': {'shared'},
    'sea_simulator': {'shared'},
    'load_observer': {'shared'},
    'launching': {'shared'},
    '__main__': {'shared'},
    'trajectory_sender': {'shared'},
}
# beside NumPy
LIBRARIES_OF_KERNELS = {'__future__', 'collections', 'functools', 'math', 'numpy', 'typing'}


def is_ros(module: str) -> bool:
    root = module.split('.')[0]
    return root in {'rclpy', 'launch', 'launch_ros', 'ament_index_python', 'std_srvs'} or (
        root.endswith(('_msgs', '_interfaces'))
    )


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_only_the_ros_rooms_import_ros(module):
    ros = [name for name in imports(PACKAGE / module) if is_ros(name)]
    assert not ros or room(module) in ROS_ROOMS, f'{module} imports {ros}'


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_rooms_import_only_what_lies_below(module):
    here = room(module)
    if here in DOORS:
        return
    known = {here, '__version__', *BASE, *ALLOWED.get(here, ())}
    for parts in own_imports(module):
        assert parts, f'{module} imports the whole package'
        assert parts[0] in known, f'{module} imports {".".join(parts)}'


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_the_base_imports_no_room(module):
    if room(module) in BASE:
        for parts in own_imports(module):
            assert parts[0] in BASE, f'{module} imports {".".join(parts)}'


def test_every_room_has_a_rule():
    assert {room(module) for module in MODULES} <= {*ALLOWED, *BASE, *DOORS}


def test_the_rules_stack_the_rooms():
    assert not circle(ALLOWED)


def test_the_rooms_of_the_nodes_are_stacked_too():
    inside = [module for module in MODULES if room(module) == 'nodes' and len(module.parts) > 1]
    for module in inside:
        here = room(module.relative_to('nodes'))
        for parts in own_imports(module):
            if parts[0] == 'nodes' and here != '__init__':
                assert parts[1] in {here, *ALLOWED_IN_NODES[here]}, f'{module} imports {parts}'


def test_no_files_import_in_a_circle():
    assert not circle(file_graph())


@pytest.mark.parametrize('module', [m for m in MODULES if room(m) == 'kernels'], ids=str)
def test_kernels_import_numpy_and_each_other(module):
    for name in imports(PACKAGE / module):
        first, second = name.split('.')[:2] if '.' in name else (name, '')
        if first == 'screw_dynamics':
            assert second in {'kernels', 'jit', 'arrays'}, f'{module} imports {name}'
        elif str(module) not in COMPILED_VARIANTS:
            assert first in LIBRARIES_OF_KERNELS, f'{module} imports {name}'


@pytest.mark.parametrize('module', MODULES, ids=str)
def test_numba_is_imported_by_the_compiled_variants_only(module):
    roots = {name.split('.')[0] for name in top_level_imports(PACKAGE / module)}
    assert str(module) in COMPILED_VARIANTS or not roots & {'numba', 'llvmlite'}
