# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsing of a URDF path, text or bytes to an element tree with line numbers."""

import os
import re
from pathlib import Path
from typing import TypeAlias, cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from screw_dynamics.errors import UrdfError, shown

UrdfSource: TypeAlias = 'str | bytes | os.PathLike[str]'

_DEEPEST = 200  # levels of elements
_XACRO = 'xacro'  # the prefix that means xacro even if it is not declared
_XACRO_TAGS = frozenset(
    'arg attribute call element if include insert_block macro property unless'.split()
)
# the address of an external definition, which is never read
_DEFINITION = re.compile(
    rb'(<!DOCTYPE\s+[^\s>\[]+)'
    rb'(\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|\'[^\']*\'))\s+(?:"[^"]*"|\'[^\']*\'))'
)


class LinedElement(Element):
    """An XML element with the number of its first line."""

    line: int = 0


def read_document(
    source: UrdfSource, name: str | None = None, *, whole: bool = False
) -> LinedElement:
    """
    Parse a URDF document, called `name` in errors, and return its `<robot>` element.

    With `whole` the element has text and comments too. Text is a document if it starts with ``<``,
    otherwise a path; an encoding that it declares is ignored. Raises UrdfError if the file cannot
    be read, the XML is malformed, the root is not `<robot>`, or the document is xacro source or
    uses entities that it does not define.
    """
    content, encoding, origin = _content(source)
    origin = name or origin
    root = _parse(content, encoding, origin, whole)
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


def _parse(content: bytes, encoding: str | None, origin: str, whole: bool) -> LinedElement:
    reader = _Reader(encoding, origin, whole)
    try:
        return reader.read(_without_external_definition(content))
    except UrdfError:
        raise
    except expat.ExpatError as error:
        raise UrdfError(
            f'{origin}: expected well-formed XML, got {expat.ErrorString(error.code)} '
            f'(line {error.lineno}, column {error.offset + 1})'
        ) from None
    except (LookupError, ValueError) as error:
        raise UrdfError(f'{origin}: expected a known text encoding: {error}') from None


def _without_external_definition(content: bytes) -> bytes:
    """Return a document with its external definition's address blanked, on the same lines."""
    # with the address, expat silently drops undefined entities; without it, they are errors
    return _DEFINITION.sub(
        lambda match: match[1] + re.sub(rb'[^\r\n]', b' ', match[2]), content, count=1
    )


class _Reader:
    """Builder of elements from XML events; raises UrdfError for constructs that expat skips."""

    def __init__(self, encoding: str | None, origin: str, whole: bool) -> None:
        self._origin = origin
        self._builder = TreeBuilder(element_factory=LinedElement, insert_comments=whole)
        # for each open element, the prefixes that mean xacro inside it
        self._prefixes = [frozenset({_XACRO})]
        self._parser = parser = expat.ParserCreate(encoding)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        if whole:
            parser.CharacterDataHandler = self._builder.data
            parser.CommentHandler = self._builder.comment
        # without these handlers, expat skips external entities and definitions silently
        parser.ExternalEntityRefHandler = self._external_entity
        parser.NotStandaloneHandler = self._not_standalone

    def read(self, content: bytes) -> LinedElement:
        self._parser.Parse(content, True)
        return cast(LinedElement, self._builder.close())

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        prefixes = self._xacro_prefixes(attributes)
        prefix, _, name = tag.rpartition(':')
        # URDF elements may also be in the default namespace
        if prefix in prefixes and (prefix or name in _XACRO_TAGS):
            raise self._xacro_error(tag, prefix)
        if len(self._prefixes) > _DEEPEST:
            raise self._error(f'<{tag}>', f'expected at most {_DEEPEST} levels, got more')
        self._prefixes.append(prefixes)
        element = cast(LinedElement, self._builder.start(tag, attributes))
        element.line = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._prefixes.pop()
        self._builder.end(tag)

    def _xacro_prefixes(self, attributes: dict[str, str]) -> frozenset[str]:
        """Return the prefixes that mean xacro in an element; '' is the default namespace."""
        prefixes = self._prefixes[-1]
        for name, value in attributes.items():
            kind, _, prefix = name.partition(':')
            if kind == 'xmlns' and value.rstrip('/').endswith('xacro'):
                prefixes |= {prefix}
            elif kind == 'xmlns' and prefix != _XACRO:
                prefixes -= {prefix}
        return prefixes

    def _xacro_error(self, tag: str, prefix: str) -> UrdfError:
        other = '' if prefix == _XACRO else ' (which expands only tags with the prefix xacro:)'
        return self._error(
            f'<{tag}>',
            'expected URDF, got xacro source; expand it first: '
            f'xacro robot.urdf.xacro > robot.urdf{other}',
        )

    def _external_entity(
        self, context: str, base: str | None, address: str | None, public: str | None
    ) -> int:
        raise self._error(
            'entity',
            f'expected entities that the document itself defines, got one from {shown(address)}; '
            f'replace it by its content',
        )

    def _not_standalone(self) -> int:
        raise self._error(
            'document type',
            'expected a document that needs no other, got one with an external definition; '
            'remove <!DOCTYPE ...> and replace its entities by their content',
        )

    def _error(self, what: str, text: str) -> UrdfError:
        return UrdfError(f'{self._origin}: {what} (line {self._parser.CurrentLineNumber}): {text}')
