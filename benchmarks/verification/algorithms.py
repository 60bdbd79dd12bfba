# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The algorithms of the package and the equations that they cite."""

from __future__ import annotations

import inspect
import pkgutil
import re
import runpy
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

from benchmarks import ROOT
from benchmarks.verification.checks import name_of
from screw_dynamics import drives, dynamics, estimation, lie, theory
from screw_dynamics.drives.workspace import Workspace

# exported beside the algorithms: the form in which robots take efforts, results, sums over bodies
_NO_ALGORITHMS = {
    'BaseParameters', 'ControlTerms', 'EffortFormat', 'register_kind',
    'centre_of_mass', 'centre_of_mass_jacobian', 'kinetic_energy', 'potential_energy',
    'winding_loads',
}  # fmt: skip
ROOMS = ('dynamics', 'drives', 'estimation', 'lie', 'theory')
# of theory: what algorithms are made of
_PARTS = {
    'theory.acceleration_energy.differential_matrices': (
        'derivative_of_derivative', 'differential_matrices', 'factors', 'pose_jets',
        'tangent_jets',
    ),
    'theory.acceleration_energy.energies': ('inner_product', 'tree_of_energy'),
    'theory.acceleration_energy.equations': ('EnergyPartials', 'generalized_forces'),
    'theory.closed_form.first_derivatives': ('symmetric',),
    'theory.closed_form.system_matrices': ('block', 'block_diagonal'),
    'theory.inverse_dynamics.arguments': ('InverseDynamics', 'body_wrenches', 'of_samples'),
    'theory.inverse_dynamics.momentum': ('momentum_jet',),
    'theory.inverse_dynamics.spatial': ('inertia_jet',),
    'theory.kinematics.body_fixed': (
        'column_jets', 'gravity_jets', 'partial_of_column', 'twist_jets',
    ),
    'theory.kinematics.hybrid': ('HybridMotion', 'in_base_axes', 'turned'),
    'theory.kinematics.spatial': ('twist_and_column_jets',),
    'theory.sensitivities.regressors': ('body_regressors',),
    'theory.tree': ('Tree', 'as_row', 'as_scalars', 'require_model'),
}  # fmt: skip
# methods have an order: their tests measure it
_INTEGRATION = f'{theory.__name__}.geometric_integration'
_LIE = ('lie.adjoint', 'lie.exponential', 'lie.inertia', 'lie.screw.exp_screw')


@cache
def algorithms() -> dict[str, Callable[..., Any]]:
    """
    Return all algorithms by their names below the package.

    They are the public functions and classes of theory but for parts of others, what `dynamics`
    exports, the functions of `drives`, the uncertainty of efforts, and the exponentials, adjoints
    and inertias of `lie`.
    """
    found = {name_of(entry): entry for entry in _exported()}
    for module in pkgutil.walk_packages(theory.__path__, f'{theory.__name__}.'):
        if module.name.startswith(_INTEGRATION):
            continue
        parts = _PARTS.get(module.name.removeprefix('screw_dynamics.'), ())
        for name, entry in vars(import_module(module.name)).items():
            own = getattr(entry, '__module__', '') == module.name and name not in parts
            if own and callable(entry) and not name.startswith('_'):
                found[name_of(entry)] = entry
    return dict(sorted(found.items(), key=lambda item: _room(item[0])))


def _exported() -> Iterator[Callable[..., Any]]:
    for name in dynamics.__all__:
        one = getattr(dynamics, name)
        if name not in _NO_ALGORITHMS and one.__module__.startswith(dynamics.__name__):
            yield one
    for name in drives.__all__:
        if inspect.isfunction(getattr(drives, name)) and name not in _NO_ALGORITHMS:
            yield getattr(drives, name)
    yield Workspace
    yield estimation.effort_standard_deviations
    for name in lie.__all__:
        if name_of(getattr(lie, name)).startswith(_LIE):
            yield getattr(lie, name)


def _room(name: str) -> tuple[int, str]:
    """Return the place of an algorithm in the tables."""
    room = name.partition('.')[0]
    return ROOMS.index(room), name


@cache
def _citations() -> dict[tuple[str, str], dict[str, list[int]]]:
    index = runpy.run_path(str(ROOT / 'docs' / 'equations.py'))
    found: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for key, number, file, name in index['citations']():
        found[file, name.partition('.')[0]][key].append(number)
    return found


def equations(algorithm: Callable[..., Any]) -> str:
    """Return the equations that the docstring of an algorithm, else of its module, cites."""
    module = algorithm.__module__.removeprefix('screw_dynamics.')
    file = f'{module.replace(".", "/")}.py'
    cited = _citations().get((file, algorithm.__qualname__)) or _citations().get((file, ''))
    if not cited:
        return _paper(algorithm) or _paper(import_module(algorithm.__module__))
    return ', '.join(f'{key} {_ranges(sorted(set(numbers)))}' for key, numbers in cited.items())


def _paper(documented: Any) -> str:
    """Return the keys and sections that a docstring names without equation numbers."""
    text = ' '.join((inspect.getdoc(documented) or '').split())
    found = re.findall(r'\[([A-Z]+\d{4})(?:, ([^\]]*)|\]( sections? [\d.]*\d)?)', text)
    found += re.findall(r'\b([A-Z]+\d{4})()( section \d)', text)
    return ', '.join(dict.fromkeys(' '.join(' '.join(entry).split()) for entry in found))


def _ranges(numbers: list[int]) -> str:
    """Return numbers as (1), (3)-(5)."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ', '.join(f'({r[0]})' + (f'-({r[-1]})' if len(r) > 1 else '') for r in runs)
