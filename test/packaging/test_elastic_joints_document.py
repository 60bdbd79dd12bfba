# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/elastic_joints.md lists the entries of the file of springs and motors; its example runs."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields

import pytest
from documents import DOCS

import screw_dynamics as sd
from screw_dynamics.elastic.elastic_joints_yaml import PARALLEL_SPRINGS, SPRINGS
from screw_dynamics.errors import ModelError

TEXT = (DOCS / 'elastic_joints.md').read_text(encoding='utf-8')
EXAMPLE = re.findall(r'```yaml\n(.*?)```', TEXT, re.DOTALL)[0]
RECORDS = {
    **SPRINGS,
    **PARALLEL_SPRINGS,
    'motor, second_motor': sd.Motor,
    'rotor': sd.Rotor,
    'friction': sd.JointFriction,
}
WITHOUT_UNIT = {'law', 'pull_only', 'gear_ratio', 'axis', 'carrier', 'parent', 'link'}


def table(heading: str) -> dict[str, list[str]]:
    """Return default and text of every entry below a heading."""
    section = re.split(rf'^##+ {heading}$', TEXT, flags=re.MULTILINE)[1].split('\n##', 1)[0]
    rows = re.findall(r'^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|', section, re.MULTILINE)
    return {name: [default.strip('`'), text] for name, default, text in rows}


@pytest.mark.parametrize('heading', RECORDS)
def test_every_field_is_listed_with_its_default(heading):
    listed = table(heading)
    expected = [field for field in fields(RECORDS[heading]) if field.init]
    assert list(listed) == [field.name for field in expected]
    for field in expected:
        default = listed[field.name][0]
        if field.default is MISSING:
            assert default == 'required'
        elif field.default is None:
            assert default == 'none'
        elif isinstance(field.default, bool):
            assert default == str(field.default).lower()
        else:
            assert float(default) == field.default


@pytest.mark.parametrize('heading', [*RECORDS, 'limits'])
def test_every_number_has_a_unit(heading):
    for name, (_, text) in table(heading).items():
        assert (name in WITHOUT_UNIT) != bool(
            re.search(r'\[(rad|N|kg|1/rad|m\])[^]]*\]?', text)
        ), name


def test_limits_are_listed():
    assert {name: row[0] for name, row in table('limits').items()} == {
        'deflection': 'inf',
        'effort_rate': 'inf',
    }
    with pytest.raises(ModelError, match=r'expected entries deflection, effort_rate, got'):
        sd.ElasticJoints.from_yaml('elastic_joints: {a: {limits: {x: 1}}}\n')


def test_the_example_is_read():
    joints = sd.ElasticJoints.from_yaml(EXAMPLE)
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    assert len(joints.motors(model).names) == 8  # one of the five joints has two
    assert joints.joints['joint_3'].spring.type == 'tabulated'
    assert joints.joints['joint_2'].motor.max_effort == 2.5
