# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Measure the speed of `screw_dynamics` against Pinocchio and finite differences; `make bench`.

Writes docs/benchmark.md and docs/benchmark.png. Exits with 1 where a required ratio is missed.
"""

from __future__ import annotations

import sys

from benchmarks import ROOT
from benchmarks.speed import measurements, report


def main() -> int:
    """Run every measurement, print and write the tables."""
    results = measurements.measure_all()
    text = report.markdown(results)
    print(text)
    docs = ROOT / 'docs'
    docs.mkdir(exist_ok=True)
    (docs / 'benchmark.md').write_text(text, encoding='utf-8')
    report.plot(results, docs / 'benchmark.png')
    print(f'written: {docs / "benchmark.md"}, {docs / "benchmark.png"}')
    missed = [row.name for row in results.rows if not row.met]
    if missed:
        print(f'required figures missed: {", ".join(missed)}', file=sys.stderr)
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
