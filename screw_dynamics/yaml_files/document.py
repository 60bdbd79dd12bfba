# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Input and output of YAML documents; every float is reproduced exactly."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeGuard

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, ModelError
from screw_dynamics.paths import file_path
from screw_dynamics.yaml_files.loading import load_yaml


def write_document(document: Any, path: str | os.PathLike[str] | None = None) -> str:
    """
    Return a document as YAML text; write it to a file if a path is given.

    Raises ModelError if a text is not valid Unicode, InputError if the path is not a valid one,
    OSError if the file cannot be written.
    """
    import yaml

    # default_flow_style=None: rows of numbers in one line, everything else in block style
    # allow_unicode=False: YAML would fold the line breaks U+0085 and U+2028
    try:
        text: str = yaml.dump(
            document,
            Dumper=getattr(yaml, 'CSafeDumper', yaml.SafeDumper),
            sort_keys=False,
            default_flow_style=None,
            width=1000,
            allow_unicode=False,
        )
    except UnicodeEncodeError as error:
        raise ModelError(f'expected names of Unicode text, got {shown(error.object)}') from None
    if path is not None:
        file_path(path).write_text(text, encoding='utf-8')
    return text


def is_document(source: object) -> TypeGuard[str | bytes]:
    """Return True for bytes and for text with a line break: a document itself, not a path."""
    return isinstance(source, bytes) or (isinstance(source, str) and '\n' in source)


def read_document(source: str | bytes | os.PathLike[str], what: str) -> Any:
    """
    Load a YAML document from a path, or from the document itself (see `is_document`).

    `what` is its name in error texts. Raises ModelError if the file cannot be read, is not YAML
    or has a duplicate key.
    """
    content: str | bytes
    if is_document(source):
        content, origin = source, f'{what} text'
    else:
        origin = str(source)
        if not isinstance(source, (str, os.PathLike)):
            raise ModelError(
                f'{what} source: expected a path, YAML text or bytes, got {type(source).__name__}'
            )
        try:
            content = Path(source).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, 'strerror', None) or error
            raise ModelError(f'{origin}: expected a readable {what} file: {reason}') from error
    try:
        return load_yaml(content)
    except InputError as error:
        raise ModelError(f'{origin}: {error}') from None
