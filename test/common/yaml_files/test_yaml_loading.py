# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
import yaml
from helpers.patience import patience
from hypothesis import example, given, settings
from hypothesis import strategies as st

from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.errors import InputError

LEVELS = 'expected at most 100 levels of nesting, got more'
TOO_LARGE = r'line 1, a: expected a number of at most 1.8e\+308 in size, got .11111'
DECIMAL = 'expected a decimal number, or text between quotes, got'


@pytest.fixture(params=['libyaml', 'pure'])
def parser(request, monkeypatch):
    if request.param == 'pure':
        monkeypatch.delattr('yaml.CSafeLoader', raising=False)
    return request.param


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('', None),
        (
            '{a: 1, b: [-2, 2.5, .inf, -.inf, 1.5e+3, 0]}',
            {'a': 1, 'b': [-2, 2.5, math.inf, -math.inf, 1500.0, 0]},
        ),
        (
            '{a: yes, b: Off, c: null, d: ~, e: }',
            {'a': True, 'b': False, 'c': None, 'd': None, 'e': None},
        ),
        (
            "['010', \"50:1\", '1_000', '', 1e-3, 08, 2026-01-01]",
            ['010', '50:1', '1_000', '', '1e-3', '08', '2026-01-01'],
        ),
        ('[0x10, 0b11]', [16, 3]),
        (
            '[!!str 12, !!int 12, !!float 12, !!null ~, !!seq [], !!map {}]',
            ['12', 12, 12.0, None, [], {}],
        ),
        ('[!degrees  -90.0, !degrees 180, !radians 2]', [-math.pi / 2, math.pi, 2.0]),
        (
            '{a: &a {b: 1}, c: *a, d: {<<: *a, e: 2}}',
            {'a': {'b': 1}, 'c': {'b': 1}, 'd': {'b': 1, 'e': 2}},
        ),
        ('{<<: [{a: 1, b: 1}, {b: 3, c: 3}], a: 2}', {'a': 2, 'b': 1, 'c': 3}),
        (
            '{a: &a {x: 1}, b: &b {x: 2, y: 2}, c: {z: 3, <<: [*a, *b]}, d: &d [*b], e: {<<: *d}}',
            {
                'a': {'x': 1},
                'b': {'x': 2, 'y': 2},
                'c': {'x': 1, 'y': 2, 'z': 3},
                'd': [{'x': 2, 'y': 2}],
                'e': {'x': 2, 'y': 2},
            },
        ),
        ("{<<: [], '<<': 1}", {'<<': 1}),
        ("{'010': {}}", {'010': {}}),
    ],
)
def test_documents(text, value, parser):
    assert load_yaml(text) == value
    assert load_yaml(text.encode()) == value


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (
            'motor:\n  gear_ratio: 50:1',
            f'line 2, motor.gear_ratio: {DECIMAL} 50:1, which YAML reads as',
        ),
        ('[1, [1:30]]', rf'line 1, \[1\]\[0\]: {DECIMAL} 1:30, which .* to base 60'),
        ('a: 1:30.5', f'line 1, a: {DECIMAL} 1:30.5, which .* to base 60'),
        ('a: 010', f'line 1, a: {DECIMAL} 010, which .* in octal'),
        ('a: -0100', f'line 1, a: {DECIMAL} -0100, which .* in octal'),
        ('010: {}', f'line 1: {DECIMAL} 010, which .* in octal'),
        ('a: 1_000', f'line 1, a: {DECIMAL} 1_000, which .* with underscores'),
        ('a: 0x_1', f'line 1, a: {DECIMAL} 0x_1, which .* with underscores'),
        ('a: 1_0.5', f'line 1, a: {DECIMAL} 1_0.5, which .* with underscores'),
        ('a: ' + '1' * 400, TOO_LARGE),
        ('a: ' + '1' * 5000, TOO_LARGE),
        (
            'a: !!int abc',
            "line 1, a: expected a tag that fits the value, got 'tag:.*:int' of 'abc'",
        ),
        ('a: !!bool abc', 'line 1, a: expected a tag that fits'),
        ('a: !!timestamp abc', 'line 1, a: expected a tag that fits'),
        ('a: !!float x', 'line 1, a: expected a tag that fits'),
        ('a: !degrees b', 'line 1, a: expected a tag that fits'),
        ('a: !x 1', "line 1, a: expected a tag that fits the value, got '!x' of '1'"),
        ('a: !!set {b}', 'line 1, a: expected a plain sequence or mapping, got one with the tag'),
        ('!!python/object:os.system {}', 'line 1: expected a plain sequence or mapping, got one'),
        ('a: 1\nb: 2\na: 3', "line 3: expected every entry once, got 'a' again after line 1"),
        ('[1]: 2', 'line 1: expected text as the name of an entry, got a collection'),
        ('{a: &a [], *a : 1}', 'line 1: expected text as the name of an entry, got a collection'),
        ('a: *b', 'line 1, a: expected an alias of a value above, got \\*b'),
        ('&a [*a]', r'line 1, \[0\]: expected an alias of a value above, got \*a'),
        ('{<<: 1}', 'line 1, <<: expected a mapping or a sequence of mappings to merge, got 1'),
        (
            'a:\n  <<: [{a: 1}, [{b: 1}]]',
            "line 2, a.<<: expected a mapping or a sequence .* to merge, got \\[{'b': 1}\\] in it",
        ),
        (
            'a: {<<: {b: 1},\n  c: 1,\n  <<: {d: 1}}',
            "line 3, a: expected every entry once, got '<<' again after line 1",
        ),
        ('a\n---\nb', 'line 2: expected one document, got another'),
        ('a: [1', 'expected YAML: '),
        ('a: \x01', 'expected YAML: '),
        ('\ud800', 'expected YAML: '),
    ],
)
def test_other_readings_are_refused(text, message, parser):
    with pytest.raises(InputError, match=f'^{message}'):
        load_yaml(text)


def bomb(line: str, levels: int = 12) -> str:
    """Each entry repeats the one above eight times."""
    names = [f'  a{i}: &a{i} {line}\n'.replace('*', f'*a{i - 1}') for i in range(1, levels)]
    return 'n:\n  a0: &a0 {k: 1}\n' + ''.join(names)


def test_bombs_are_refused_early(parser):
    aliases = bomb('[*, *, *, *, *, *, *, *]')
    with pytest.raises(InputError, match='line 7, n.a5.*: expected aliases of at most 100000 ent'):
        load_yaml(aliases)
    merges = bomb('{<<: [*, *, *, *, *, *, *, *]}')
    with pytest.raises(InputError, match='line 7, n.a5.<<.*: expected aliases of at most 100000 '):
        load_yaml(merges)


@pytest.mark.parametrize('loader', ['', 'del yaml.CSafeLoader'])
def test_depth_is_bounded(loader):
    # in a process of its own: libyaml's own composer overflows the stack
    script = f"""
import yaml
from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.errors import InputError
{loader}
for opening in ('[', '{{a: ', '- '):
    for count in (101, 1000, 50000):
        try:
            load_yaml(opening * count)
        except InputError as error:
            print(error)
"""
    run = subprocess.run(
        [sys.executable, '-c', script],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(300.0),
    )
    lines = run.stdout.splitlines()
    assert len(lines) == 9
    assert all(line.endswith(LEVELS) and len(line) < 200 for line in lines)


WORDS = (
    '[ ] { } , : # " \' & * ! | > = << &a *a &b *b !!int !!float !!str !!binary !!timestamp '
    '!!merge !x!y --- ... a b 0 1 010 1_0 1:30 1e3 .inf .nan ~ yes 2026-99-99'
).split()
SPACES = [' ', '\n', '\n  ', '\n- ', '? ', ': ', '|\n', '>-\n', '%TAG ! x\n', '%YAML 1.1\n']
ODD = ['\t', '\x85', '\u2028', '\ufeff', '\x00', '\ud800', '\U0001f600', '9' * 500]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(WORDS + SPACES + ODD), st.text(max_size=3)), max_size=30
    ).map(''.join)
)
@example('{? 1}')
@example('&a a: *a')
def test_any_text_is_a_document_or_one_short_error(text):
    for loader in ('CSafeLoader', 'SafeLoader'):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml, 'CSafeLoader', getattr(yaml, loader), raising=False)
            try:
                load_yaml(text)
            except InputError as error:
                assert len(str(error)) <= 2000 and len(str(error).splitlines()) == 1


@given(st.binary(max_size=60))
def test_any_bytes_are_a_document_or_one_short_error(content):
    try:
        load_yaml(content)
    except InputError as error:
        assert len(str(error)) <= 2000 and len(str(error).splitlines()) == 1


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**300), 10**300),
    st.floats(allow_nan=False),
    st.text(),
)


@given(st.recursive(SCALARS, lambda below: st.lists(below) | st.dictionaries(st.text(), below)))
def test_what_was_dumped_comes_back(document):
    assert load_yaml(yaml.safe_dump(document)) == document


MAPPINGS = st.dictionaries(st.sampled_from('abcd'), st.integers(0, 9))


@given(MAPPINGS, st.lists(MAPPINGS))
def test_merges_are_those_of_pyyaml(own, merged):
    text = f'{{"<<": {json.dumps(merged)}, {json.dumps(own)[1:]}'.replace('"<<"', '<<')
    assert load_yaml(text) == yaml.safe_load(text)
