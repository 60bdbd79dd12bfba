# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Measure a subject and write its page: `python -m benchmarks SUBJECT`.

Exits with 1 if a requirement is missed.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks import ROOT

SUBJECTS = (
    'speed',
    'node',
    'soak',
    'accuracy',
    'verification',
    'representations',
    'retiming',
    'identification',
    'learning',
    'recorded',
    'over_ros',
)


def main(arguments: Sequence[str]) -> int:
    """Run a subject with its options."""
    if not arguments or arguments[0] not in SUBJECTS:
        print(f'usage: python -m benchmarks {{{",".join(SUBJECTS)}}} [-h] ...', file=sys.stderr)
        return 2
    subject, *options = arguments
    module = import_module(f'benchmarks.{subject}.run')
    parser = argparse.ArgumentParser(
        prog=f'python -m benchmarks {subject}',
        description=module.__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for option, keywords in module.OPTIONS.items():
        parser.add_argument(option, **keywords)
    folder = getattr(module, 'FOLDER', ROOT / 'docs' / 'measurements')
    parser.add_argument('--output', type=Path, default=folder, help='folder of page and figure')
    values = vars(parser.parse_args(options))
    output = values.pop('output')
    # a shell starts what runs in its background with SIGINT ignored, and so would nodes be
    signal.signal(signal.SIGINT, signal.default_int_handler)
    report = module.measure(**values)
    print(report)
    print('written:', *report.write(output))
    for problem in report.missed:
        print(problem, file=sys.stderr)
    return 1 if report.missed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
