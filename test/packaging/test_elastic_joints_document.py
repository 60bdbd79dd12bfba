# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/elastic_joints.md lists what the file of springs and motors holds; its example is read."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import screw_dynamics as sd
from screw_dynamics.elastic.elastic_joint import Rotor
from screw_dynamics.elastic.elastic_joints_yaml import SPRINGS
from screw_dynamics.errors import ModelError

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs' / 'elastic_joints.md').read_text(encoding='utf-8')
EXAMPLE = re.findall(r'```yaml\n(.*?)```', TEXT, re.DOTALL)[0]
RECORDS = {**SPRINGS, 'motor, second_motor': sd.Motor, 'rotor': Rotor}


def table(heading: str) -> dict[str, list[str]]:
    """Return unit and default of every entry below a heading."""
    section = re.split(rf'^##+ {heading}$', TEXT, flags=re.MULTILINE)[1].split('\n##', 1)[0]
    rows = re.findall(r'^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|', section, re.MULTILINE)
    return {name: [unit, default] for name, unit, default in rows}


@pytest.mark.parametrize('heading', RECORDS)
def test_every_field_is_listed_with_its_default(heading):
    listed = table(heading)
    expected = [field for field in fields(RECORDS[heading]) if field.init]
    assert list(listed) == [field.name for field in expected]
    for field in expected:
        default = listed[field.name][1]
        if field.default is MISSING:
            assert default == 'required'
        elif isinstance(field.default, bool):
            assert default == str(field.default).lower()
        elif field.default is not None:
            assert float(default) == field.default


def test_limits_are_listed():
    assert table('limits') == {'deflection': ['rad', 'inf'], 'effort_rate': ['N m/s', 'inf']}
    with pytest.raises(ModelError, match=r'expected entries deflection, effort_rate, got'):
        sd.ElasticJoints.from_yaml('elastic_joints: {a: {limits: {x: 1}}}\n')


@pytest.mark.parametrize('heading', RECORDS)
def test_units_are_those_of_the_docstring(heading):
    text = inspect.getdoc(RECORDS[heading])  # without indentation, which Python 3.13 strips
    for name, (unit, _) in table(heading).items():
        if unit == '-':
            continue
        # the entry is described from its name to the next one
        described = re.split(rf'^.*\b{name}\b.* : ', text, flags=re.MULTILINE)[1]
        described = re.split(r'^\w[\w, ]* : ', described, flags=re.MULTILINE)[0]
        if name != 'gear_ratio':
            assert re.search(rf'\[{re.escape(unit)}[\] ]', described), (name, unit)


def test_the_example_is_read():
    joints = sd.ElasticJoints.from_yaml(EXAMPLE)
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    assert len(joints.motors(model).names) == 8  # one of the five joints has two
    assert joints.joints['joint_3'].spring.type == 'tabulated'
    assert joints.joints['joint_2'].motor.max_effort == 2.5
