# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of documents, and records that are read from them and written back."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from screw_dynamics.common.yaml_files import document, records
from screw_dynamics.common.yaml_files.document import YamlEntry
from screw_dynamics.common.yaml_files.records import entry_field, read_record, record_entries
from screw_dynamics.errors import InputError, ModelError


@dataclass(frozen=True)
class Spring:
    name: str
    stiffness: float = 1.0
    table: tuple[float, ...] = ()
    active: bool = True
    label: str | None = None
    shape: float = entry_field('width', lambda entry: 2.0 * entry.number(), 0.5)
    hidden: int = field(default=0, init=False)

    def __post_init__(self):
        if self.stiffness < 0.0:
            raise InputError(f'stiffness: expected 0 or more, got {self.stiffness}')


def read(text, extra=()):
    node = YamlEntry(document.read_document(f'{text}\n', 'spring'), 'spring')
    return read_record(node, Spring, extra)


@pytest.mark.parametrize(
    ('text', 'entries'),
    [
        ('{name: a, type: linear}', {'name': 'a'}),
        ('{name: "1e3", stiffness: 1e3}', {'name': '1e3', 'stiffness': 1e3}),
        (
            '{name: a, table: [1, 2e0], active: no}',
            {'name': 'a', 'table': [1, 2], 'active': False},
        ),
        ('{name: a, label: "2", shape: 3}', {'name': 'a', 'label': '2', 'shape': 6.0}),
    ],
)
def test_records_come_back(text, entries):
    found = read(text, ('type',))
    assert found == Spring(**{**entries, 'table': tuple(entries.get('table', ()))})
    assert record_entries(found) == entries


@pytest.mark.parametrize(
    ('text', 'error'),
    [
        ('{stiffness: 1.0}', "spring: expected an entry 'name', got none"),
        (
            '{name: a, stifness: 1.0}',
            'spring: expected entries .*stifness.*did you mean stiffness',
        ),
        ('{name: a, stiffness: -1.0}', 'spring.stiffness: expected 0 or more, got -1.0'),
        ('{name: a, hidden: 1}', 'spring: expected entries'),
        ('{name: a, type: b}', 'spring: expected entries'),
        ('{name: a, table: [b]}', r"spring.table\[0\]: expected a number, got 'b'"),
        ('[a]', r"spring: expected a mapping, got \['a'\]"),
        ('{1: a}', 'spring: expected text as the name of an entry, got 1; quote names'),
    ],
)
def test_what_is_no_record_is_named(text, error):
    with pytest.raises(ModelError, match=error):
        read(text)


def test_a_kind_is_one_of_those_known():
    kinds = {'linear': Spring}
    assert records.kind_of(YamlEntry({'type': 'linear'}, 'a'), kinds) is Spring
    for name in ('cubic', ['linear']):
        with pytest.raises(ModelError, match='a.type: expected one of linear, got'):
            records.kind_of(YamlEntry({'type': name}, 'a'), kinds)
    node = YamlEntry({}, 'a')
    with pytest.raises(ModelError, match='a.entry: expected 0 or more'):
        records.built(node, Spring, {'name': 'b', 'stiffness': -1.0}, {'stiffness': 'entry'})


@pytest.mark.parametrize(
    ('value', 'call', 'text'),
    [
        ([1], lambda entry: entry.text(), 'a: expected text, got \\[1\\]'),
        (0, lambda entry: entry.truth(), 'a: expected true or false, got 0'),
        (True, lambda entry: entry.number(), 'a: expected a number, got True'),
        ({}, lambda entry: entry.items(), 'a: expected a sequence'),
        ([1], lambda entry: entry['b'], 'a: expected a mapping'),
        ([1, 2], lambda entry: entry.array(3), 'a: expected 3 entries, got 2'),
        ([[1], [2, 3]], lambda entry: entry.array(2, 1), r'a\[1\]: expected 1 entries, got 2'),
        ([1, float('inf')], lambda entry: entry.finite_array(2), 'a: expected finite numbers'),
        (None, lambda entry: entry.index(['b', 'c']), 'a: expected one of b, c'),
        ('d', lambda entry: entry.index(['b', 'c'], -1), 'a: expected one of b, c, got .d'),
        ({'b': 1}, lambda entry: entry.require_keys(['b', 'c'], ['c']), "an entry 'c', got none"),
    ],
)
def test_entries_of_another_kind_are_named(value, call, text):
    with pytest.raises(ModelError, match=text):
        call(YamlEntry(value, 'a'))


def test_entries():
    entry = YamlEntry({'b': [[1, '2e0'], [3, 4]], 'c': 'x', 'd': False}, 'a')
    np.testing.assert_array_equal(entry['b'].finite_array(2, 2), [[1, 2], [3, 4]])
    assert [key for key, _ in entry.entries()] == ['b', 'c', 'd']
    assert (entry['c'].text(), entry['d'].truth(), entry['b'].items()[1].path) == (
        'x',
        False,
        'a.b[1]',
    )
    assert entry['c'].index(['w', 'x']) == 1 and YamlEntry(None, 'a').index(['b'], -1) == -1
    entry.require_keys(['b', 'c', 'd', 'e'], ['b'])


def test_documents_come_back_with_exact_floats(tmp_path, rng):
    rows = rng.normal(size=(3, 4)).tolist()
    written = {'b': {'rows': rows, 'name': 'x\u2028y'}, 'a': [1, None, True]}
    text = document.write_document(written, tmp_path / 'a.yaml')
    assert (tmp_path / 'a.yaml').read_text() == text and text.startswith('b:') and text.isascii()
    assert document.read_document(tmp_path / 'a.yaml', 'arm') == written
    assert document.read_document(text.encode(), 'arm') == written
    assert not document.is_document('a') and document.is_document('a\n')
    with pytest.raises(ModelError, match='expected names of Unicode text'):
        document.write_document(['\ud800'])


@pytest.mark.parametrize(
    ('source', 'text'),
    [
        (3, 'arm source: expected a path, YAML text or bytes, got int'),
        ('lost.yaml', '^lost.yaml: expected a readable arm file: No such file'),
        ('a\0', 'expected a readable arm file: embedded null'),
        ('a: [\n', '^arm text: expected YAML'),
    ],
)
def test_documents_that_cannot_be_read_are_named(source, text):
    with pytest.raises(ModelError, match=text):
        document.read_document(source, 'arm')
