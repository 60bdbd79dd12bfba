# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps moved in serialized messages: exact in every encoding, refused where they do not fit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.bags.records import SECOND, shift_stamp  # noqa: E402

ENCODINGS = {0: '>', 1: '<', 6: '>', 7: '<'}


@given(
    encoding=st.sampled_from(sorted(ENCODINGS)),
    stamp=st.integers(1, 2**31 * SECOND - 1),
    moved=st.integers(0, 2**31 * SECOND - 1),
    rest=st.binary(max_size=20),
)
def test_every_stamp_moves_exactly_and_nothing_else(encoding, stamp, moved, rest):
    layout = ENCODINGS[encoding] + 'iI'
    head = bytes([0, encoding, 0, 0])
    data = shift_stamp(head + struct.pack(layout, *divmod(stamp, SECOND)) + rest, moved - stamp)
    sec, nanosec = struct.unpack_from(layout, data, 4)
    assert sec * SECOND + nanosec == moved
    assert (data[:4], data[12:]) == (head, rest)


def test_zero_stays_zero():
    data = bytes([0, 1, 0, 0]) + bytes(8) + b'abc'
    assert shift_stamp(data, 10**18) == data


@pytest.mark.parametrize('offset', [-2 * SECOND, 2**31 * SECOND])
def test_stamps_that_do_not_fit(offset):
    data = bytes([0, 1, 0, 0]) + struct.pack('<iI', 1, 0)
    with pytest.raises(BagError, match=r'stamp 1\.000 s, moved by .* does not fit'):
        shift_stamp(data, offset)


@pytest.mark.parametrize('data', [b'', b'\x00\x01\x00\x00\x01', b'\x00\x03' + bytes(20)])
def test_what_is_no_plain_cdr(data):
    with pytest.raises(BagError, match=rf'plain CDR, got {len(data)} bytes'):
        shift_stamp(data, 1)
