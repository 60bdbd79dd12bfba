# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/theory: form of the pages, every equation is found, examples run, named files exist."""

from __future__ import annotations

import doctest
import re
import runpy
from importlib import import_module

import pytest
from documents import DOCS, ROOT, section

pytestmark = pytest.mark.processes

PACKAGE = ROOT / 'screw_dynamics'
PAGES = sorted((DOCS / 'theory').glob('*.md'))
INDEX = runpy.run_path(str(DOCS / 'equations.py'))
COUNTS, CORRECTED, UNCITED = INDEX['COUNTS'], INDEX['CORRECTED'], INDEX['UNCITED']
SUBJECTS = sorted({*INDEX['PAGES'].values(), 'representations'})
WITH_EXAMPLES = [page for page in PAGES if '>>> ' in page.read_text(encoding='utf-8')]


def test_every_equation_is_cited_or_has_a_reason():
    for key, count in COUNTS.items():
        cited = set(INDEX['places'](key))
        excused = {number for paper, number in UNCITED if paper == key}
        assert not cited & excused, key
        assert cited | excused == set(range(1, count + 1)), key
        assert set(CORRECTED[key]) <= cited, key


def test_every_equation_has_a_row_that_leads_to_a_page():
    text = (DOCS / 'theory' / 'equations.md').read_text(encoding='utf-8')
    subjects = {path.stem for path in PAGES} - {'equations', 'papers', 'index', 'symbols'}
    for key, count in COUNTS.items():
        table = text.partition(f'<!-- table: equations {key} -->')[2].partition('<!-- end')[0]
        rows = re.findall(r'^\| \((\d+)\) \| \[.+?\]\((\w+)\.md\)', table, re.MULTILINE)
        assert [int(number) for number, _ in rows] == list(range(1, count + 1)), key
        assert {page for _, page in rows} <= subjects, key


def test_citations_are_read():
    read = INDEX['_CITATION'].findall('Return x, [MK2021] (3), (5) to (7), [M2018] (1).')
    assert read == [('MK2021', ' (3), (5) to (7)'), ('M2018', ' (1)')]
    assert INDEX['_NUMBERS'].findall(read[0][1]) == [('3', ''), ('5', '7')]
    assert INDEX['spans']([3, 5, 6, 7, 9, 10]) == '(3), (5) to (7), (9), (10)'


@pytest.mark.parametrize('page', WITH_EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(page):
    text = page.read_text(encoding='utf-8')
    code = '\n'.join(re.findall(r'```python\n(.*?)```', text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not runner.run(test).failed


@pytest.mark.parametrize('subject', SUBJECTS)
def test_a_subject_opens_with_words_and_ends_with_exercises_and_equations(subject):
    text = (DOCS / 'theory' / f'{subject}.md').read_text(encoding='utf-8')
    assert text.split('\n\n')[1][0].isalpha()
    assert re.findall('^## (.+)$', text, re.MULTILINE)[-2:] == ['Exercises', 'Equations and files']
    exercises = section(text, 'Exercises')
    # blank lines: Markdown inside HTML is rendered
    answer = r'^<details><summary>Answer</summary>\n\n(.+?)\n\n</details>$'
    answers = re.findall(answer, exercises, re.MULTILINE | re.DOTALL)
    assert 2 <= len(answers) == len(re.findall(r'^\d\. ', exercises, re.MULTILINE)) <= 3
    assert any('```python\n>>> ' in answer for answer in answers)


def test_named_files_and_functions_exist():
    for page in PAGES:
        text = page.read_text(encoding='utf-8')
        named = r'`((?:theory|lie|kernels|kinematics|series)/[\w/]*(?:\.py)?)`'
        for file in re.findall(named, text):
            assert (PACKAGE / file).exists(), f'{page.name}: {file}'
        for name in set(re.findall(r'`sd\.([\w.]+)`', text)):
            module, _, last = f'screw_dynamics.{name}'.rpartition('.')
            assert hasattr(import_module(module), last), f'{page.name}: {name}'


def test_names_of_functions_stand_apart_in_formulas():
    pytest.importorskip('docutils')
    mathml = runpy.run_path(str(DOCS / 'mathml.py'))['mathml']
    for tex, spaces in ((r'b \cos q', 2), (r'1 - \cos q', 1), (r'\exp(X s)', 0)):
        assert mathml(tex, as_block=False).count('<mspace ') == spaces, tex
