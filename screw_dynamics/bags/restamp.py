# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Shift of the header stamp in a serialized message, without decoding the message."""

import struct

from screw_dynamics.errors import BagError
from screw_dynamics.messages.times import SECOND

# CDR begins with two bytes that name the encoding and two of options (RTPS 2.2, section 10.2).
_ENCODINGS = {b'\x00\x00': '>iI', b'\x00\x01': '<iI', b'\x00\x06': '>iI', b'\x00\x07': '<iI'}
_STAMP_AT = 4


def shift_stamp(data: bytes, offset: int) -> bytes:
    """
    Return a CDR message, whose first field is a header, with its stamp shifted by `offset` [ns].

    A stamp of 0, which means "now" or "none", stays 0. Raises `BagError` if the data is not plain
    CDR, or the new stamp does not fit into the message.
    """
    layout = _ENCODINGS.get(data[:2])
    if layout is None or len(data) < _STAMP_AT + struct.calcsize(layout):
        raise BagError(
            f'expected a message in plain CDR, got {len(data)} bytes: {data[:12].hex()}'
        )
    sec, nanosec = struct.unpack_from(layout, data, _STAMP_AT)
    if sec == nanosec == 0:
        return data
    moved = sec * SECOND + nanosec + offset
    seconds, rest = divmod(moved, SECOND)
    if not 0 <= seconds < 2**31:
        raise BagError(
            f'stamp {sec + 1e-9 * nanosec:.3f} s, moved by {1e-9 * offset:.3f} s, does not fit '
            f'into a message; the stamps and the time of reception are on different clocks'
        )
    changed = bytearray(data)
    struct.pack_into(layout, changed, _STAMP_AT, seconds, rest)
    return bytes(changed)
