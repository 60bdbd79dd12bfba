# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of parameter files of a node: names of nodes, namespaces, wildcards."""

import pytest

pytest.importorskip('rclpy', reason='the arguments are those of ROS 2')

from screw_dynamics.nodes.shared.arguments import files_for_others  # noqa: E402

REST = '{ros__parameters: {a: 1}}'


@pytest.mark.parametrize(
    ('text', 'fits'),
    [
        (f'/**: {REST}', True),
        (f'feedforward: {REST}', False),
        (f'/left/feedforward: {REST}', True),
        (f'left: {{feedforward: {REST}}}', True),
        (f'/left: {{/feedforward: {REST}}}', True),
        (f'/*/feedforward: {REST}', True),
        (f'/**/feedforward: {REST}', True),
        (f'/left/*: {REST}', True),
        (f'/*: {REST}', False),
        (f'/left/feedforwrd: {REST}', False),
        (f'other: {REST}\n/**: {REST}', True),
        (f'other: {REST}\nanother: {REST}', False),
        ('{}', True),
        ('other: 3', True),
        ('[', True),
    ],
)
def test_files_for_other_nodes_are_named(tmp_path, text, fits):
    path = tmp_path / 'a.yaml'
    path.write_text(text)
    arguments = ['feedforward', '--ros-args', '--params-file', str(path), '-p', 'a:=1']
    warnings = files_for_others(arguments, ['/left/feedforward'])
    assert len(warnings) == (not fits), warnings
    for warning in warnings:
        assert warning.startswith(f'{path}: there are no parameters for /left/feedforward, only ')


def test_every_file_is_looked_at(tmp_path):
    for name in ('a', 'b'):
        (tmp_path / name).write_text(f'{name}: {REST}')
    arguments = ['x', '--ros-args']
    for name in ('a', 'b', 'none'):
        arguments += ['--params-file', str(tmp_path / name)]
    (warning,) = files_for_others(arguments, ['/a'])
    assert warning == f'{tmp_path / "b"}: there are no parameters for /a, only for /b'
    assert files_for_others(['x', '--ros-args', '--params-file'], ['/a']) == []
