# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Odd messages and damaged files: a `BagError` that names the place, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from bag_sample import SAMPLE, SAMPLE_TYPE, START

from screw_dynamics.errors import BagError

pytestmark = pytest.mark.long

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.writer import BagWriter  # noqa: E402


@pytest.fixture
def message(sample_bag: Path) -> bytes:
    """Return one good message in CDR."""
    with Bag(sample_bag) as bag:
        return next(bag.raw_messages(['/sample'])).data


def bag_of(path: Path, *messages: bytes) -> Path:
    with BagWriter(path) as bag:
        bag.add_topic('/sample', SAMPLE_TYPE, SAMPLE)
        for i, data in enumerate(messages):
            bag.write('/sample', START + i, data)
    return path


@pytest.mark.parametrize('padding', [0, 3])
def test_padding_to_four_bytes_is_read(message: bytes, tmp_path: Path, padding: int) -> None:
    with Bag(bag_of(tmp_path / 'odd', message + bytes(padding))) as bag:
        assert next(bag.messages()).message.note == 'sample 0'


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        (lambda data: data + bytes(4), 'size mismatch'),
        (lambda data: data[:30], 'expected'),
        (lambda data: b'', 'got 0 bytes'),
        (lambda data: b'\x00\x03' + data[2:], 'encapsulation'),
    ],
    ids=['padded', 'cut', 'empty', 'parameter list'],
)
def test_odd_messages(message: bytes, tmp_path: Path, change, text: str) -> None:
    path = bag_of(tmp_path / 'odd', message, change(message))
    with Bag(path) as bag:
        found = bag.messages()
        assert next(found).message.note == 'sample 0'
        with pytest.raises(BagError, match=text) as raised:
            next(found)
        assert f"topic '/sample', message received at {START + 1} ns" in str(raised.value)
        assert f'expected a {SAMPLE_TYPE}' in str(raised.value)
        with pytest.raises(BagError):
            bag.arrays('/sample')
        assert len(list(bag.raw_messages())) == 2


def test_constants_are_no_columns(message: bytes, tmp_path: Path) -> None:
    definition = f'uint8 SOURCE_HOLD=0\nstring NAME="x"\n{SAMPLE}'
    with BagWriter(tmp_path / 'constants') as writer:
        writer.add_topic('/sample', SAMPLE_TYPE, definition)
        writer.write('/sample', START, message)
    with Bag(tmp_path / 'constants') as bag:
        assert set(bag.arrays('/sample')) == {
            'log_time', 'time', 'stamp', 'joint_names', 'effort', 'window', 'source', 'note'
        }  # fmt: skip


@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.BagWarning')
def test_random_damage_is_a_bag_error(sample_bag: Path) -> None:
    file = sample_bag / 'bag.mcap'
    good = file.read_bytes()
    choose = random.Random(1)
    outcomes = set()
    for _ in range(400):
        damaged = bytearray(good)
        for _ in range(choose.randrange(1, 4)):
            damaged[choose.randrange(len(damaged))] = choose.randrange(256)
        file.write_bytes(damaged)
        try:
            with Bag(sample_bag) as bag:
                list(bag.messages())
            outcomes.add('read')
        except BagError as error:
            assert str(error).startswith(str(sample_bag))
            outcomes.add('refused')
    assert outcomes == {'read', 'refused'}
