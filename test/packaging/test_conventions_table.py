# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/ros_conventions.md names tests that exist, docs/guides.md parameters and links that do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from screw_dynamics.trajectory.trajectory_files import parse_trajectory

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / 'docs/ros_conventions.md').read_text(encoding='utf-8')
GUIDES = (ROOT / 'docs/guides.md').read_text(encoding='utf-8')
NAMED = sorted(set(re.findall(r'`([\w/]+/test_\w+\.py)(?:::(\w+))?', TABLE)))


@pytest.mark.parametrize('file, name', NAMED)
def test_named_tests_exist(file, name):
    path = ROOT / 'test' / re.sub('^N/', 'nodes/', file)
    assert path.is_file()
    assert not name or re.search(rf'(def|class) {name}\b', path.read_text(encoding='utf-8'))


def test_every_row_has_three_cells_and_a_test_or_a_reason():
    rows = [line for line in TABLE.splitlines() if line.startswith('| ')]
    assert len(rows) > 60
    for row in rows:
        expected, here, shown = re.split(r'(?<!\\)\|', row.strip('|'))
        assert expected.strip() and here.strip()
        assert shown.strip() or here.strip().startswith('absent'), row


def test_the_trajectory_of_the_guide_is_one():
    body = re.search(r"ros2 topic pub .*?'(\{.*?\})'\n", GUIDES, re.DOTALL)[1]
    trajectory = parse_trajectory(body)
    assert trajectory.joint_names == ('joint_1', 'joint_2')
    assert [point.time_from_start for point in trajectory.points] == [2.0, 4.0]


def test_links_of_the_guides_lead_somewhere():
    prose = re.sub(r'```.*?```', '', GUIDES, flags=re.DOTALL)  # a C++ lambda looks like a link
    for target, anchor in re.findall(r'\]\(([^)#]*)(?:#([^)]+))?\)', prose):
        file = ROOT / 'docs' / target if target else ROOT / 'docs/guides.md'
        assert file.exists(), target
        if anchor:
            headings = re.findall(r'^#+ (.+)$', file.read_text(encoding='utf-8'), re.MULTILINE)
            slugs = [re.sub(r'[^\w -]', '', h.lower()).replace(' ', '-') for h in headings]
            assert anchor in slugs, anchor
