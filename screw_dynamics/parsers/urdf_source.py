# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Path, text or bytes in; an element tree that knows its line numbers out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias, cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import UrdfError

UrdfSource: TypeAlias = 'str | bytes | os.PathLike[str]'

_XACRO_PREFIX = 'xacro:'


class LinedElement(Element):
    """An XML element that remembers the line it starts on."""

    line: int = 0


def read_document(source: UrdfSource) -> LinedElement:
    """
    Parse a URDF document.

    Parameters
    ----------
    source : str, bytes or path
        Text is told from a path by its first character, ``<``. Text that declares an encoding is
        fine: it is decoded already, so the declaration does not count; for bytes it does.

    Returns
    -------
    LinedElement
        The `<robot>` element.

    Raises
    ------
    UrdfError
        If the file cannot be read, the XML is broken (line and column are named), the root is
        not `<robot>`, or the document is xacro source.

    """
    content, encoding, origin = _content(source)
    root = _parse(content, encoding, origin)
    if root.tag != 'robot':
        raise UrdfError(
            f'{origin}: root element (line {root.line}): expected <robot>, got <{root.tag}>'
        )
    return root


def _content(source: UrdfSource) -> tuple[bytes, str | None, str]:
    """Return the document, the encoding to assume (None: as declared) and its name in errors."""
    if isinstance(source, (bytes, bytearray)):
        return bytes(source).lstrip(), None, 'URDF bytes'
    if isinstance(source, str):
        text = source.lstrip('\ufeff \t\r\n')
        if text.startswith('<'):
            return text.encode('utf-8', 'surrogatepass'), 'utf-8', 'URDF text'
        if not text:
            raise UrdfError('URDF source: expected a path or XML text, got an empty string')
        if '\n' in text:
            raise UrdfError(
                f'URDF text: expected XML that starts with "<", got {shown(text[:40])}'
            )
    elif not isinstance(source, os.PathLike):
        raise UrdfError(
            f'URDF source: expected a path, XML text or bytes, got {type(source).__name__}'
        )
    path = Path(source)
    try:
        return path.read_bytes().lstrip(), None, str(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise UrdfError(f'{path}: expected a readable URDF file: {reason}') from error


def _parse(content: bytes, encoding: str | None, origin: str) -> LinedElement:
    parser = expat.ParserCreate(encoding)
    builder = TreeBuilder(element_factory=LinedElement)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.startswith(_XACRO_PREFIX):
            raise UrdfError(
                f'{origin}: <{tag}> (line {parser.CurrentLineNumber}): expected URDF, got xacro '
                f'source; expand it first: xacro robot.urdf.xacro > robot.urdf'
            )
        cast(LinedElement, builder.start(tag, attributes)).line = parser.CurrentLineNumber

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    try:
        parser.Parse(content, True)
        return cast(LinedElement, builder.close())
    except UrdfError:
        raise
    except expat.ExpatError as error:
        raise UrdfError(
            f'{origin}: expected well-formed XML, got {expat.ErrorString(error.code)} '
            f'(line {error.lineno}, column {error.offset + 1})'
        ) from None
    except (LookupError, ValueError) as error:
        raise UrdfError(f'{origin}: expected a known text encoding: {error}') from None
