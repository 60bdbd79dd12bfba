# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of speed, nodes, memory and accuracy: `python -m benchmarks SUBJECT`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# oracles and helpers of the tests, and the demo
sys.path += [str(ROOT / 'test'), str(ROOT / 'examples')]
