# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from dataclasses import fields, replace

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from oracles.random_models import random_model
from oracles.strategies import models

import screw_dynamics.model.model_yaml as model_yaml
from screw_dynamics.errors import InertiaError, ModelError
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import LIMITS


def assert_equal(one: ScrewModel, other: ScrewModel) -> None:
    """Every field bit for bit, the sign of zero included."""
    for entry in fields(ScrewModel):
        a, b = getattr(one, entry.name), getattr(other, entry.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), entry.name
        elif entry.name == 'limits':
            for bound in LIMITS:
                assert getattr(a, bound).tobytes() == getattr(b, bound).tobytes(), bound
        elif entry.name == 'frames':
            assert list(a) == list(b)
            for name in a:
                assert a[name].body == b[name].body
                assert a[name].pose.tobytes() == b[name].pose.tobytes()
        else:
            assert a == b, entry.name


@settings(max_examples=10)
@given(models())
def test_round_trip_is_exact(model):
    assert_equal(ScrewModel.from_yaml(model.to_yaml()), model)
    limits = replace(model.limits, acceleration=np.full(model.n, 0.1), jerk=np.full(model.n, 3.0))
    limited = replace(model, limits=limits)
    text = limited.to_yaml()
    assert_equal(ScrewModel.from_yaml(text), limited)
    for entry in ('acceleration: 0.1, ', 'jerk: 3.0, '):  # files of before have none
        text = text.replace(entry, '')
    assert_equal(ScrewModel.from_yaml(text), model)


def test_round_trip_of_the_bundled_robots(bundled_model, tmp_path):
    path = tmp_path / 'model.yaml'
    text = bundled_model.to_yaml(path)
    assert path.read_text(encoding='utf-8') == text
    for source in (text, text.encode(), path, str(path)):
        assert_equal(ScrewModel.from_yaml(source), bundled_model)


@pytest.mark.parametrize('library', ['libyaml', 'pure', 'pure writer'])
@pytest.mark.parametrize(
    'name', ['a\x85b', 'a\u2028 \u2029b', ' a\r\n\tb\n', '\u00e4 \U0001f600', '\ufeffa', '1e3']
)
def test_names_keep_every_character(name, library, monkeypatch):
    if library == 'pure':
        monkeypatch.delattr('yaml.CSafeLoader', raising=False)
    if library != 'libyaml':
        monkeypatch.delattr('yaml.CSafeDumper', raising=False)
    model = replace(random_model(np.random.default_rng(0), 1), joint_names=(name,), name=name)
    assert_equal(ScrewModel.from_yaml(model.to_yaml()), model)


def test_a_name_given_twice_is_named():
    text = random_model(np.random.default_rng(0), 2).to_yaml()
    expected = 'name: expected a unique name, got'
    message = rf"coordinates\[1\].{expected} 'joint_1', the name of model.coordinates\[0\]"
    with pytest.raises(ModelError, match=message):
        ScrewModel.from_yaml(text.replace('{name: joint_2', '{name: joint_1'))
    with pytest.raises(ModelError, match=rf"model.bodies\[1\].{expected} 'body_1'"):
        ScrewModel.from_yaml(text.replace('- name: body_2', '- name: body_1'))


@pytest.mark.skipif(not yaml.__with_libyaml__, reason='the pure writer escapes them')
def test_names_that_are_no_unicode_text(tmp_path):
    model = replace(random_model(np.random.default_rng(0), 1), name='a\ud800')
    with pytest.raises(ModelError, match=r"expected names of Unicode text, got 'a\\ud800'"):
        model.to_yaml(tmp_path / 'model.yaml')
    assert not (tmp_path / 'model.yaml').exists()


@pytest.mark.parametrize('library', ['libyaml', 'pure'])
def test_an_entry_given_twice_is_named(library, monkeypatch, tmp_path):
    if library == 'pure':
        monkeypatch.delattr('yaml.CSafeLoader', raising=False)
    text = random_model(np.random.default_rng(0), 2).to_yaml()
    path = tmp_path / 'robot.yaml'
    path.write_text(f'{text}name: other\n')
    last = text.count('\n') + 1
    message = rf"robot.yaml: line {last}: expected every entry once, got 'name' again after line"
    with pytest.raises(ModelError, match=message):
        ScrewModel.from_yaml(path)


def test_an_entry_may_replace_one_that_is_merged():
    text = random_model(np.random.default_rng(0), 1).to_yaml()
    edited = re.sub(r'gravity: .*', '<<: {gravity: [0, 0, 1]}\ngravity: [0, 0, 2]', text)
    np.testing.assert_array_equal(ScrewModel.from_yaml(edited).gravity, [0, 0, 2])


def test_numbers_may_be_written_by_hand():
    text = random_model(np.random.default_rng(0), 1).to_yaml()
    edited = re.sub(r'gravity: .*', 'gravity: [0, 1e-3, -9.81]', text)
    np.testing.assert_array_equal(ScrewModel.from_yaml(edited).gravity, [0, 1e-3, -9.81])


@pytest.mark.parametrize(
    ('pattern', 'replacement', 'error', 'message'),
    [
        ('format: .*', 'format: other', ModelError, "model', got 'other'"),
        ('version: 1', 'version: 2', ModelError, 'model.version: expected 1, got 2'),
        ('base_link: .*\n', '', ModelError, "model: expected an entry 'base_link', got none"),
        ('gravity: .*', 'gravity: [0, 0]', ModelError, 'model.gravity: expected 3 entries, got 2'),
        ('gravity: .*', f'gravity: [0, 0, 1{"0" * 400}]', ModelError, '[2]: expected a number'),
        ('gravity: .*', 'gravity: 9.81', ModelError, 'model.gravity: expected a sequence'),
        ('gravity: .*', 'gravity: [0, 0, no]', ModelError, 'model.gravity[2]: expected a number'),
        ('name: robot', 'name: 3', ModelError, 'model.name: expected text, got 3'),
        ('multiplier: .*', 'multiplier: x', ModelError, 'bodies[0].multiplier: expected a number'),
        ('parent: .*', 'parent: arm', ModelError, "bodies[0].parent: expected one of body_1"),
        ('coordinate: .*', 'coordinate: null', ModelError, 'coordinate: expected one of joint_1'),
        ('screw: .*', 'screw: [0, 0, 2, 0, 0, 0]', ModelError, 'expected a unit angular part'),
        (r'frames:(.|\n)*', 'frames: []', ModelError, 'model.frames: expected a mapping, got []'),
        (r'inertia:\n  - \[[^,]*', 'inertia:\n  - [.nan', InertiaError, 'body 0 (joint'),
    ],
)  # fmt: skip
def test_malformed_entries_are_named(pattern, replacement, error, message):
    text = random_model(np.random.default_rng(0), 1).to_yaml()
    edited = re.sub(pattern, replacement, text, count=1)
    assert edited != text
    with pytest.raises(error, match=re.escape(message)):
        ScrewModel.from_yaml(edited)


@pytest.mark.parametrize(
    ('source', 'message'),
    [
        ('missing.yaml', 'missing.yaml: expected a readable model file: No such file'),
        ('a\0b', 'expected a readable model file: embedded null'),
        (None, 'model source: expected a path, YAML text or bytes, got NoneType'),
        ('a: [1\n', 'model text: expected YAML: '),
        (b'\xff\xfe\x00', 'model text: expected YAML'),
        ('!!python/object:os.system {}\n', 'model text: line 1: expected a plain sequence or map'),
        ('[]\n', 'model: expected a mapping, got []'),
        ('\n', 'model: expected a mapping, got None'),
    ],
)
def test_what_is_no_model(source, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        ScrewModel.from_yaml(source)


def test_the_schema_has_a_version():
    text = random_model(np.random.default_rng(0), 1).to_yaml()
    assert text.startswith(f'format: screw_dynamics model\nversion: {model_yaml.VERSION}\n')
