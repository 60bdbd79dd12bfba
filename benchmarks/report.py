# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a subject: texts, tables, requirements and a figure."""

from __future__ import annotations

import os
import platform
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from screw_dynamics.kernels.kernel import kernel_form

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 110


@dataclass(frozen=True)
class Requirement:
    """One figure: its value, the bound that it must keep, and the one aimed at."""

    name: str
    value: float
    required: float
    aimed: float | None = None
    at_least: bool = False
    unit: str = ''

    @property
    def met(self) -> bool:
        """True if the required bound holds."""
        return self.value >= self.required if self.at_least else self.value <= self.required

    @property
    def measured(self) -> str:
        """The value with its unit."""
        return f'{self.value:.2f}{self.unit}'

    def bound(self, value: float | None) -> str:
        """Return a bound with sign and unit."""
        sign = '>=' if self.at_least else '<='
        return '' if value is None else f'{sign} {value:.4g}{self.unit}'


class Report:
    """
    A page that grows part by part; the table of requirements has all of them in the end.

    The runner writes page and figure under the name of the subject.
    """

    def __init__(self, subject: str, title: str = '') -> None:
        self.subject, self.missed = subject, list[str]()
        self._lines: list[str | list[Requirement]] = [f'# {title}', '']
        self._requirements: list[Requirement] = []
        self._figure: tuple[Callable[[Figure], None], tuple[float, float]] | None = None

    def fill(self, page: Path, tables: Mapping[str, Sequence[str]]) -> None:
        """Take a page that has more than tables, with new tables between its marks."""
        text = page.read_text(encoding='utf-8')
        for name, lines in tables.items():
            begin, end = f'<!-- measured: {name} -->\n', '\n<!-- end of measured -->'
            before, _, rest = text.partition(begin)
            text = '\n'.join([f'{before}{begin}', *lines, f'{end}{rest.partition(end)[2]}'])
        self._lines = text.splitlines()

    def heading(self, text: str, level: int = 2) -> None:
        """Begin a section."""
        self._lines += [f'{"#" * level} {text}', '']

    def text(self, *paragraphs: str) -> None:
        """Add paragraphs, wrapped."""
        for text in paragraphs:
            indent = '  ' if text.startswith('- ') else ''
            self._lines += textwrap.wrap(
                text, WIDTH, subsequent_indent=indent, break_long_words=False,
                break_on_hyphens=False,
            )  # fmt: skip
            self._lines.append('')

    def machine(self, *packages: str, note: str = '') -> None:
        """Add what measurements depend on: processor, interpreter, form of the kernels."""
        versions = ''.join(f', {name} {metadata.version(name)}' for name in packages)
        self.text(
            f'Machine: {_processor()} ({os.cpu_count()} cores), Python '
            f'{platform.python_version()}, kernels in {kernel_form()}{versions}.{note}'
        )

    def table(self, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add a table."""
        self._lines += [*table(header, rows), '']

    def requirements(self) -> None:
        """Add the table of everything that is required, also by the parts to come."""
        self._lines += [self._requirements, '']

    def require(self, *requirements: Requirement) -> None:
        """Add requirements to their table."""
        self._requirements += requirements
        for requirement in requirements:
            self.verdict(requirement)

    def verdict(self, requirement: Requirement) -> str:
        """Return whether a requirement is met, for a cell; one that is not fails the run."""
        if not requirement.met:
            bound = requirement.bound(requirement.required)
            self.fail(f'{requirement.name}: expected {bound}, got {requirement.measured}')
        return _verdict(requirement.met)

    def fail(self, problem: str) -> None:
        """Note what makes the run fail."""
        self.missed.append(problem)

    def figure(
        self, caption: str, draw: Callable[[Figure], None], size: tuple[float, float] = (10.0, 4.0)
    ) -> None:
        """Add the figure of the page, of so many inches; without a caption it is there."""
        self._figure = draw, size
        if caption:
            self._lines += [f'![{caption}]({self.subject}.png)', '']

    def __str__(self) -> str:
        """Return the page as Markdown."""
        lines: list[str] = []
        for line in self._lines:
            lines += [line] if isinstance(line, str) else _requirement_table(line)
        return '\n'.join(lines).rstrip('\n') + '\n'

    def write(self, folder: Path) -> list[Path]:
        """Write page and figure, and return their files."""
        folder.mkdir(parents=True, exist_ok=True)
        page = folder / f'{self.subject}.md'
        page.write_text(str(self), encoding='utf-8')
        if self._figure is None:
            return [page]
        from matplotlib.figure import Figure

        draw, size = self._figure
        figure = Figure(figsize=size, dpi=130, layout='constrained')
        draw(figure)
        figure.savefig(page.with_suffix('.png'))
        return [page, page.with_suffix('.png')]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table; what would break a cell is written in another way."""
    lines = [_line(header), '|---' * len(header) + '|']
    return lines + [_line([_cell(str(cell)) for cell in row]) for row in rows]


def microseconds(seconds: float) -> str:
    """Return a time for a cell."""
    return f'{seconds * 1e6:.2f}'


def _cell(text: str) -> str:
    return ' '.join(text.replace('|', '\\|').split())


def _line(cells: Iterable[str]) -> str:
    return f'| {" | ".join(cells)} |'


def _verdict(met: bool) -> str:
    return 'met' if met else '🔴 **missed**'


def _requirement_table(requirements: Sequence[Requirement]) -> list[str]:
    aimed = any(one.aimed is not None for one in requirements)
    rows = [
        [
            one.name,
            one.measured,
            one.bound(one.required),
            *([one.bound(one.aimed)] if aimed else []),
            _verdict(one.met),
        ]
        for one in requirements
    ]
    return table(['figure', 'measured', 'required', *(['aimed at'] if aimed else []), ''], rows)


def _processor() -> str:
    path = Path('/proc/cpuinfo')
    lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
    names = (line.partition(':')[2].strip() for line in lines if line.startswith('model name'))
    return next(names, platform.processor() or platform.machine())
