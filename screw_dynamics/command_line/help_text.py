# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Examples at the end of a help text."""

from __future__ import annotations


def examples(*lines: str) -> str:
    """
    Return command lines as the end of a help text.

    Parameters
    ----------
    *lines : str

    Returns
    -------
    str

    """
    return '\n'.join(['examples:', *(f'  {line}' for line in lines)])
