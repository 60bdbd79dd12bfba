# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Draw the figures of the gallery, all or some.

    make gallery
    PYTHONPATH=examples python -m gallery retiming two_sweeps --output my_folder
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

SCRIPTS = tuple(
    sorted(path.stem for path in Path(__file__).parent.glob('*.py') if path.stem[:2] != '__')
)


def main(args: Sequence[str] | None = None) -> int:
    """Draw the figures that the arguments name; return 0."""
    parser = argparse.ArgumentParser(prog='gallery', description='Draw figures of the gallery.')
    parser.add_argument('figures', nargs='*', metavar='FIGURE', help=', '.join(SCRIPTS))
    parser.add_argument(
        '-o', '--output', type=Path, default=Path('docs/gallery'), metavar='FOLDER'
    )
    options = parser.parse_args(args)
    if unknown := [name for name in options.figures if name not in SCRIPTS]:
        parser.error(f'expected some of {", ".join(SCRIPTS)}, got {", ".join(unknown)}')
    options.output.mkdir(parents=True, exist_ok=True)
    for name in options.figures or SCRIPTS:
        begun = time.monotonic()
        path = draw(name, options.output)
        print(f'{path}  {time.monotonic() - begun:.1f} s')
    return 0


def draw(name: str, folder: Path) -> Path:
    """Draw one figure of `SCRIPTS` to a PNG file in `folder`, and return its path."""
    import matplotlib

    from screw_dynamics.common.figures import STYLE

    path = folder / f'{name}.png'
    with matplotlib.rc_context(STYLE):
        figure = import_module(f'gallery.{name}').figure()
        figure.savefig(path)
    return path


if __name__ == '__main__':
    sys.exit(main())
