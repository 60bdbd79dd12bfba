# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`from_parsed_urdf` with real objects of other URDF parsers, in a process of its own.

The parsers come from a folder on PYTHONPATH. Prints one JSON record per parser and robot.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from oracles.random_models import random_joint_jet

import screw_dynamics as sd
from benchmarks.verification.checks import residual_of
from screw_dynamics.model.urdf import strip_geometry


def load_urdfpy(text: str) -> Any:
    """Parse with urdfpy, which was written for a NumPy that still had these two names."""
    for name, kind in (('float', float), ('int', int)):
        if name not in np.__dict__:
            setattr(np, name, kind)
    import urdfpy

    with tempfile.NamedTemporaryFile('w', suffix='.urdf', encoding='utf-8') as file:
        file.write(text)
        file.flush()
        return urdfpy.URDF.load(file.name)


def load_yourdfpy(text: str) -> Any:
    """Parse with yourdfpy."""
    import yourdfpy

    return yourdfpy.URDF.load(io.BytesIO(text.encode()), load_meshes=False)


def load_urdf_parser_py(text: str) -> Any:
    """Parse with urdf_parser_py (urdfdom-py)."""
    from urdf_parser_py.urdf import URDF

    return URDF.from_xml_string(text.encode())


PARSERS: dict[str, Callable[[str], Any]] = {
    'urdfpy': load_urdfpy,
    'yourdfpy': load_yourdfpy,
    'urdf_parser_py': load_urdf_parser_py,
}


def compare(parser: str, urdf: Path) -> dict[str, Any]:
    """
    Compare the model of a parsed object with the model of the document.

    Return 'parser', 'robot', 'error' (largest relative difference of the effort jets; None if
    there is none) and 'problem'.
    """
    record = {'parser': parser, 'robot': urdf.stem, 'error': None, 'problem': ''}
    direct = sd.read_urdf(urdf)
    try:
        parsed = PARSERS[parser](strip_geometry(urdf))
    except Exception as error:  # whatever a foreign parser raises is its verdict on the file
        record['problem'] = f'{parser} cannot read it: {type(error).__name__}: {error}'
        return record
    try:
        model = sd.from_parsed_urdf(parsed)
    except sd.ScrewDynamicsError as error:
        record['problem'] = f'{type(error).__name__}: {error}'
        return record
    if model.joint_names != direct.joint_names:
        record['problem'] = f'joints {model.joint_names}, expected {direct.joint_names}'
        return record
    jet = random_joint_jet(np.random.default_rng(1), direct.n, 2)
    got, expected = sd.inverse_dynamics(model, jet), sd.inverse_dynamics(direct, jet)
    record['error'] = residual_of(got, expected, np.zeros(len(got)))
    return record


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    for parser_name in PARSERS:
        for argument in sys.argv[1:]:
            print(json.dumps(compare(parser_name, Path(argument))), flush=True)
