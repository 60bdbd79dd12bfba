# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import pytest
from urdf_texts import chain

from screw_dynamics.errors import UrdfError
from screw_dynamics.parsers import read_urdf, strip_geometry

DOCUMENT = chain('revolute').replace('name="r"', 'name="Müller"')
DECLARED = f'<?xml version="1.0" encoding="iso-8859-1"?>\n{DOCUMENT}'


@pytest.mark.parametrize(
    'source',
    [
        DOCUMENT,
        f'\n  {DOCUMENT}\n',
        f'\ufeff{DOCUMENT}',
        DECLARED,
        f'<?xml version="0.0" encoding="utf-8"?>{DOCUMENT}',
        f'<!-- first --><?note?>{DOCUMENT}',
        DOCUMENT.encode(),
        b'\n' + DOCUMENT.encode(),
        DECLARED.encode('iso-8859-1'),
        b'\n ' + DECLARED.encode('iso-8859-1'),
        DOCUMENT.encode('utf-16'),
        DOCUMENT.encode('utf-8-sig'),
        f'<?xml version="1.0" encoding="cp1252"?>{DOCUMENT}'.encode('cp1252'),
    ],
)
def test_text_and_bytes(source):
    assert read_urdf(source).name == 'Müller'


def test_paths(tmp_path):
    path = tmp_path / 'roboter für tests.urdf'
    path.write_bytes(b'\n' + DECLARED.encode('iso-8859-1'))
    assert read_urdf(path).name == read_urdf(str(path)).name == 'Müller'


@pytest.mark.parametrize(
    ('source', 'message'),
    [
        ('missing.urdf', 'missing.urdf: expected a readable URDF file: No such file'),
        ('', 'URDF source: expected a path or XML text, got an empty string'),
        ('some\ntext', 'URDF text: expected XML that starts with "<", got \'some'),
        ('bad\0path', 'expected a readable URDF file'),
        (None, 'URDF source: expected a path, XML text or bytes, got NoneType'),
        (b'', 'URDF bytes: expected well-formed XML, got no element found (line 1, column 1)'),
        ('<robot>', 'URDF text: expected well-formed XML, got no element found (line 1'),
        (
            '<robot>\n <link name="a"></joint></robot>',
            'URDF text: expected well-formed XML, got mismatched tag (line 2, column 19)',
        ),
        (
            b'<?xml version="1.0" encoding="klingon"?><robot/>',
            'URDF bytes: expected',
        ),
        (
            b'<?xml version="1.0" encoding="shift_jis"?><robot/>',
            'URDF bytes: expected a known text encoding: multi-byte encodings are not supported',
        ),
        ('<robot name="\ud800"/>', 'URDF text: expected well-formed XML, got not well-formed'),
        (b'<robot name="\xff"/>', 'expected well-formed XML, got not well-formed (invalid token)'),
    ],
)
def test_what_is_no_document(source, message):
    with pytest.raises(UrdfError, match=re.escape(message)):
        read_urdf(source)


def test_a_directory_is_no_document(tmp_path):
    with pytest.raises(UrdfError, match='expected a readable URDF file: Is a directory'):
        read_urdf(tmp_path)


def test_xacro_source_is_called_by_its_name():
    head = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">\n'
    with pytest.raises(
        UrdfError, match=r'<xacro:macro> \(line 2\): expected URDF, got xacro source; expand it'
    ):
        read_urdf(head + '<xacro:macro name="arm"/></robot>')
    # the namespace alone is what xacro itself leaves behind
    assert read_urdf(head + '<link name="a"/></robot>').n == 0


@pytest.mark.parametrize(
    'content',
    [
        '<link name="a"/><x:include xmlns:x="http://www.ros.org/wiki/xacro" filename="b"/>',
        '<link name="a" xmlns:x="http://ros.org/wiki/xacro/"/><link name="b"><x:if/></link>',
        '<link name="a"/><macro name="arm"/>',
        '<link name="a"/><property name="length" value="1"/>',
        '<link name="a"/><include filename="arm.xacro"/>',
    ],
)
def test_xacro_by_other_names_is_xacro(content):
    with pytest.raises(UrdfError, match=r'\(line 1\): expected URDF, got xacro source; expand it'):
        read_urdf(f'<robot name="r">{content}</robot>')


ROBOT = '<robot name="r"><link name="a"/>&tool;</robot>'
ALONE = r'document type \(line 1\): expected a document that needs no other, got one with an ext'


@pytest.mark.parametrize(
    ('document', 'message'),
    [
        (
            f'<!DOCTYPE robot [<!ENTITY tool SYSTEM "tool.xml">]>{ROBOT}',
            r"entity \(line 1\): expected entities that the document .* got one from 'tool.xml'",
        ),
        (f'<!DOCTYPE robot SYSTEM "x.dtd">{ROBOT}', ALONE),
        ('<!DOCTYPE robot SYSTEM "x.dtd"><robot name="r"><link name="a&foo;"/></robot>', ALONE),
        (f'<!DOCTYPE robot PUBLIC "-//x" "x.dtd">{ROBOT}', ALONE),
        (f'<!DOCTYPE robot [<!ENTITY % p SYSTEM "x.ent"> %p;]>{ROBOT}', ALONE),
        (ROBOT, 'expected well-formed XML, got undefined entity'),
        (
            f'<?xml version="1.0" standalone="yes"?><!DOCTYPE robot SYSTEM "x.dtd">{ROBOT}',
            'expected well-formed XML, got undefined entity',
        ),
    ],
)
def test_entities_that_the_document_does_not_define(document, message):
    for source in (document, document.encode()):
        with pytest.raises(UrdfError, match=message):
            read_urdf(source)


def test_entities_that_the_document_defines():
    inside = '<!DOCTYPE robot [<!ENTITY size "2"><!ENTITY tool "<gazebo/>">]>' + ROBOT
    assert list(read_urdf(inside.replace('"a"', '"a&size;"')).frames) == ['a2']


@pytest.mark.parametrize('read', [read_urdf, strip_geometry])
def test_depth_is_bounded(read):
    deep = '<x>' * 5000 + '</x>' * 5000
    twice = DOCUMENT.replace('<link name="l0"/>', f'<link name="l0">{deep * 2}</link>')
    with pytest.raises(UrdfError, match=r'<x> \(line 1\): expected at most 200 levels, got more'):
        read(twice)


def test_strip_geometry_keeps_what_dynamics_needs():
    document = DOCUMENT.replace(
        '<link name="l1">',
        '<material name="m"/><link name="l1"><visual><geometry><mesh filename="package://x"/>'
        '</geometry></visual><collision/>',
    )
    assert document != DOCUMENT
    stripped = strip_geometry(document)
    assert not re.search('visual|collision|mesh|material', stripped)
    assert read_urdf(stripped).to_yaml() == read_urdf(document).to_yaml()
