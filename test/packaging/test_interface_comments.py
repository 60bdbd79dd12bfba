# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Comments of messages and services: a meaning for every field, and units for numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / 'screw_dynamics_interfaces'
DEFINITIONS = sorted([*FOLDER.glob('msg/*.msg'), *FOLDER.glob('srv/*.srv')])

FIELD = re.compile(r'^(?P<type>[\w/]+)(?P<array>\[\d*\])? +(?P<name>\w+)(?P<value>=\S+)?')
NUMBER = re.compile(r'^u?int(8|16|32|64)$|^float(32|64)$')
# messages made of numbers whose unit depends on who uses them
CARRIES_NUMBERS = {
    'builtin_interfaces/Duration',
    'geometry_msgs/Inertia',
    'geometry_msgs/Pose',
    'geometry_msgs/Vector3',
    'geometry_msgs/WrenchStamped',
    'trajectory_msgs/JointTrajectory',
    'trajectory_msgs/JointTrajectoryPoint',
}
UNIT = re.compile(r'\[(-|[a-zA-Z][a-zA-Z0-9 /^|,.]*)\]')


def fields(definition: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each field and the comment that belongs to it: above it, or behind it."""
    above: list[str] = []
    for line in definition.splitlines():
        if line.startswith('#'):
            above.append(line[1:].strip())
        elif match := FIELD.match(line):
            behind = line[match.end() :].partition('#')[2].strip()
            yield match, behind or ' '.join(above)
            # a field directly below another one shares no comment with it
            above = []
        elif not line.strip() or line == '---':
            above = []
        else:
            raise AssertionError(f'not understood: {line!r}')


def test_every_field_has_a_comment_and_every_number_a_unit():
    assert len(DEFINITIONS) > 10
    for path in DEFINITIONS:
        for field, comment in fields(path.read_text()):
            place = f'{path.name}: {field["name"]}'
            assert len(comment.split()) >= 3, f'{place} has no comment'
            if NUMBER.match(field['type']) or field['type'] in CARRIES_NUMBERS:
                assert UNIT.search(comment), f'{place} has no unit in: {comment}'


def test_every_service_answers_with_the_same_status():
    for path in FOLDER.glob('srv/*.srv'):
        _, response = path.read_text().split('\n---\n')
        named = {field['name']: field for field, _ in fields(response)}
        constants = {name: field['value'] for name, field in named.items() if field['value']}
        common = {
            'OK': '=0',
            'INVALID_REQUEST': '=-1',
            'INVALID_JOINTS': '=-2',
            'NOT_FINITE': '=-3',
            'NO_MODEL': '=-4',
            'LIMIT_EXCEEDED': '=-5',
        }
        assert constants.items() >= common.items(), path.name
        assert len(set(constants.values())) == len(constants), path.name
        status = [named[name]['type'] for name in ('success', 'error_code', 'message')]
        assert status == ['bool', 'int32', 'string'], path.name


def test_every_definition_is_built():
    built = (FOLDER / 'CMakeLists.txt').read_text()
    for path in DEFINITIONS:
        assert f'"{path.parent.name}/{path.name}"' in built
