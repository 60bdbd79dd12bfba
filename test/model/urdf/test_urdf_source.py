# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
import re
import warnings

import pytest
from urdf_texts import chain, link

from screw_dynamics.errors import UrdfError, UrdfWarning
from screw_dynamics.model.urdf import read_urdf, strip_geometry

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
        (b'<?xml version="1.0" encoding="klingon"?><robot/>', 'URDF bytes: expected'),
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
        '<link name="a" xmlns:x="http://ros.org/wiki/xacro/"><x:if/></link>',
        '<link name="a"><x:if xmlns:x="http://wiki.ros.org/xacro"><inertial/></x:if></link>',
        '<link name="a"/><macro xmlns="http://www.ros.org/wiki/xacro" name="arm"/>',
        '<link name="a" xmlns="http://ros.org/wiki/xacro"><if value="0"><inertial/></if></link>',
        '<xacro:property xmlns:xacro="http://somewhere.else" name="length" value="1"/>',
    ],
)
def test_xacro_by_other_names_is_xacro(content):
    with pytest.raises(UrdfError, match=r'\(line 1\): expected URDF, got xacro source; expand it'):
        read_urdf(f'<robot name="r">{content}</robot>')


@pytest.mark.parametrize(
    'tag', ['arg', 'element', 'if', 'include', 'insert_block', 'macro', 'property', 'unless']
)
def test_xacro_by_default_is_xacro(tag):
    declared = 'xmlns="http://www.ros.org/wiki/xacro"'
    head = f'<robot name="r" {declared}><link name="a"/>'
    with pytest.raises(
        UrdfError,
        match=rf'<{tag}> \(line 1\): expected URDF, got xacro source; expand it first: xacro '
        r'robot.urdf.xacro > robot.urdf \(which expands only tags with the prefix xacro:\)$',
    ):
        read_urdf(f'{head}<{tag}/></robot>')
    # elements with names of URDF are URDF; the default does not exist outside of the element
    assert list(read_urdf(f'{head}</robot>').frames) == ['a']
    inner = f'<robot name="r"><material {declared}/><{tag}/><link name="a"/></robot>'
    assert list(read_urdf(inner).frames) == ['a']
    assert list(read_urdf(f'{head}<gazebo xmlns=""><{tag}/></gazebo></robot>').frames) == ['a']


@pytest.mark.parametrize(
    'content',
    [
        '<property name="length" value="1"/>',
        '<include filename="arm.urdf"/>',
        '<if value="1"><property/></if>',
        '<unless value="1"/>',
        '<macro name="arm"/>',
        '<macro xmlns:x="http://ros.org/wiki/xacro" name="arm"/>',
    ],
)
def test_tags_outside_of_the_namespace_of_xacro_are_unknown_elements(content):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert list(read_urdf(f'<robot name="r"><link name="a"/>{content}</robot>').frames) == [
            'a'
        ]


@pytest.mark.parametrize('tag', ['if', 'macro', 'unless'])
def test_links_in_tags_outside_of_the_namespace_of_xacro_are_named(tag):
    inside = f'<{tag}>{link("b", 1)}</{tag}>'
    with pytest.warns(UrdfWarning, match=f"that are not URDF: link 'b' in <{tag}>"):
        read_urdf(f'<robot name="r"><link name="a"/>{inside}</robot>')


ROBOT = '<robot name="r"><link name="a"/>&tool;</robot>'
IN_A_NAME = '<robot name="r"><link name="a&foo;"/></robot>'
UNDEFINED = 'URDF .*: expected well-formed XML, got undefined entity'
ALONE = r'document type \(line 1\): expected a document that needs no other, got one with an ext'


@pytest.mark.parametrize(
    ('document', 'message'),
    [
        (
            f'<!DOCTYPE robot [<!ENTITY tool SYSTEM "tool.xml">]>{ROBOT}',
            r"entity \(line 1\): expected entities that the document .* got one from 'tool.xml'",
        ),
        (f'<!DOCTYPE robot SYSTEM "x.dtd">{ROBOT}', rf'{UNDEFINED} \(line 1, column 64\)'),
        (f'<!DOCTYPE robot SYSTEM "x.dtd">{IN_A_NAME}', rf'{UNDEFINED} \(line 1, column 48\)'),
        (f"<!DOCTYPE robot PUBLIC '-//x'\n'x.dtd'>{ROBOT}", rf'{UNDEFINED} \(line 2, column 41\)'),
        (f'<!DOCTYPE robot SYSTEM "x" [<!ENTITY foo "&b;">]>{IN_A_NAME}', UNDEFINED),
        (
            f'<?xml version="1.0" standalone="no"?><!DOCTYPE robot SYSTEM "x.dtd">{IN_A_NAME}',
            UNDEFINED,
        ),
        (f'<!-- <!DOCTYPE a SYSTEM "a"> --><!DOCTYPE robot SYSTEM "x.dtd">{IN_A_NAME}', ALONE),
        (f'<!DOCTYPE robot [<!ENTITY % p SYSTEM "x.ent"> %p;]>{ROBOT}', ALONE),
        (ROBOT, UNDEFINED),
        (
            f'<?xml version="1.0" standalone="yes"?><!DOCTYPE robot SYSTEM "x.dtd">{ROBOT}',
            UNDEFINED,
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
    outside = inside.replace('robot [', 'robot SYSTEM "x.dtd" [')
    assert list(read_urdf(outside.replace('"a"', '"a&size;"')).frames) == ['a2']


@pytest.mark.parametrize(
    'head',
    [
        '<!DOCTYPE robot SYSTEM "missing.dtd">',
        "<!DOCTYPE robot SYSTEM 'http://no.where/a>b.dtd'>",
        '<!DOCTYPE robot PUBLIC "-//x//y" "x.dtd">',
        '<!DOCTYPE\nrobot\nPUBLIC\n"-//x//y"\n"x.dtd"\n[<!ENTITY size "2">]>',
        '<?xml version="1.0" encoding="utf-8" standalone="no"?><!DOCTYPE robot SYSTEM "x.dtd">',
    ],
)
def test_a_document_type_that_nothing_is_taken_from(head):
    for source in (head + DOCUMENT, (head + DOCUMENT).encode()):
        assert read_urdf(source).name == 'Müller'
    # a line further down keeps its number
    with pytest.raises(UrdfError, match=rf'mismatched tag \(line {head.count(chr(10)) + 2}, '):
        read_urdf(f'{head}\n<robot></link></robot>')


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
