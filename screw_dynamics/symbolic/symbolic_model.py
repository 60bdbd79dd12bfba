# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SymbolicModel`: a robot in exact numbers and symbols, for the algorithms of `theory`."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, UnknownNameError, listed, shown
from screw_dynamics.lie import inertia_matrix, inertia_parameters, skew
from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.records import Frame, ModelRecord
from screw_dynamics.model.screw_model import require_model
from screw_dynamics.symbolic.exact_numbers import (
    exact_array,
    exact_number,
    exact_pose,
    exact_screw,
)

#: Kinds of parameters that may be symbols of a `SymbolicModel`.
SYMBOLS = ('masses', 'centres', 'inertias', 'lengths', 'gravity')
_SAME = 1e-12  # relative difference of numbers that may have one symbol
_ARRAYS = ('home_poses', 'screws', 'inertias', 'gravity', 'multipliers', 'offsets')
_DERIVATIVES = ('q', 'qd', 'qdd')
# joint motion, and names in the sources that are written
_TAKEN = re.compile(
    r'q(d|dd|\d+d)?_\d+|Matrix|S|Symbol|cos|pi|sin|sqrt|values|'
    r'(\w+_(matrix|forces|dynamics|energy|pose|jacobian)|regressor)(_\d+)?'
)


@dataclass(frozen=True, eq=False, repr=False)
class SymbolicModel(ModelRecord):
    """
    A robot with the fields of a `ScrewModel`, whose arrays have SymPy numbers and symbols.

    The algorithms of `screw_dynamics.theory` accept it in place of a `ScrewModel`, with joint jets
    of SymPy symbols; the compiled functions do not. Numbers are exact, and equal to those of the
    robot up to rounding: decimals, fractions, multiples of pi, square roots. Rotations are
    exactly orthonormal, so that what cancels does so.

    Parameters
    ----------
    values : mapping of sympy.Symbol to sympy.Expr
        The numbers of the symbols that parameters have, in SI units.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> exact = sd.symbolic.SymbolicModel.from_model(robot, ['masses', 'lengths'])
    >>> exact.home_poses[1, 0, 3], exact.values
    (l_2x, mappingproxy({m_1: 2, m_2: 1, l_2x: 1/2, p_tool_x: 2/5}))
    """

    values: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make arrays and values read-only."""
        for name in _ARRAYS:
            array = np.array(getattr(self, name), object)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, 'values', MappingProxyType(dict(self.values)))

    @staticmethod
    def from_model(
        model: ScrewModel, symbols: Iterable[str] = (), names: Mapping[str, str] | None = None
    ) -> SymbolicModel:
        """
        Return the exact model of a robot.

        Parameters
        ----------
        model : ScrewModel
        symbols : iterable of str
            What has symbols instead of numbers, if it is not 0: 'masses' m_1, m_2, .. [kg] of the
            bodies; 'centres' c_1x, c_1y, .. of mass in body frames [m]; 'inertias' I_1xx, I_1xy,
            .. about the centres, in axes of the body frames [kg m^2]; 'lengths' l_1x, l_1y, ..,
            coordinates of the home positions of the bodies in their parents, and p_tool_x, ..
            of a frame 'tool' in its body [m]; 'gravity' g, if it is along a base axis, else g_x,
            g_y, g_z [m/s^2].
        names : mapping of str to str, optional
            Other names of symbols, as ``{'c_1x': 'L1', 'l_2x': 'L1'}``; symbols of the same
            number may have the same name.

        Returns
        -------
        SymbolicModel

        Raises
        ------
        InputError
            If `model` is not a ScrewModel, or an entry of `symbols` or `names` is not usable.
        UnknownNameError
            If the robot has no symbol of a name in `names`.
        """
        return _builder(require_model(model), symbols, names or {})

    def only_frame(self, name: str | None) -> SymbolicModel:
        """Return the model with one of its frames, or none."""
        return replace(self, frames={} if name is None else {name: self.frame(name)})

    @property
    def numbers(self) -> list[sympy.Expr]:
        """All entries of the arrays and frames."""
        arrays = [*(getattr(self, name) for name in _ARRAYS)]
        arrays += [frame.pose for frame in self.frames.values()]
        return [entry for array in arrays for entry in array.ravel()]

    def with_arrays(self, convert: Any) -> SymbolicModel:
        """Return the model with a function of a scalar applied to all arrays and frames."""
        every = np.frompyfunc(convert, 1, 1)
        frames = {
            name: Frame(frame.body, every(frame.pose)) for name, frame in self.frames.items()
        }
        return replace(
            self, frames=frames, **{name: every(getattr(self, name)) for name in _ARRAYS}
        )

    def joint_jet(self, rows: int) -> ScalarArray:
        """
        Return symbols of the joint motion: q_1, .., qd_1, .., qdd_1, .., q3d_1, ...

        Parameters
        ----------
        rows : int
            Number of rows; row d is the d-th time derivative.

        Returns
        -------
        (rows, n) ndarray
            Real SymPy symbols.
        """
        jet = np.empty((rows, self.n), object)
        for d, j in np.ndindex(jet.shape):
            kind = _DERIVATIVES[d] if d < len(_DERIVATIVES) else f'q{d}d'
            jet[d, j] = sympy.Symbol(f'{kind}_{j + 1}', real=True)
        return jet

    def __hash__(self) -> int:
        """Return a hash of the names; arrays of SymPy have none of their values."""
        return hash((self.name, self.joint_names, self.body_names, frozenset(self.values)))

    def __repr__(self) -> str:
        """Return the name and size."""
        return f'SymbolicModel({self.name!r}, n={self.n}, bodies={self.body_count})'


class _Symbols:
    """Symbols of parameters by their names, with their numbers."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._known: dict[str, sympy.Symbol] = {}  # by their own names
        self._originals: dict[str, None] = {}
        self.values: dict[sympy.Symbol, sympy.Expr] = {}

    def symbol(self, name: str, number: sympy.Expr, positive: bool = False) -> sympy.Expr:
        """Return the symbol of a parameter, 0 if that is its number."""
        if number == 0:
            return number
        chosen = self._names.get(name, name)
        symbol = self._known.setdefault(
            chosen, sympy.Symbol(chosen, positive=True if positive else None, real=True)
        )
        self._originals[name] = None
        known = self.values.setdefault(symbol, number)
        if abs(float(known - number)) > _SAME * abs(float(known)):
            raise InputError(
                f'names[{name!r}]: expected a name of one number, got {chosen!r} for '
                f'{float(known):g} and {float(number):g}'
            )
        return symbol

    def array(self, name: str, numbers: ScalarArray) -> ScalarArray:
        """Return symbols of the coordinates of a vector."""
        return np.array(
            [self.symbol(f'{name}{axis}', x) for axis, x in zip('xyz', numbers, strict=True)]
        )

    def require_used(self) -> None:
        for name in self._names:
            if name not in self._originals:
                raise UnknownNameError('symbol', name, self._originals, 'names')


def _builder(model: ScrewModel, wanted: Iterable[str], names: Mapping[str, str]) -> SymbolicModel:
    chosen = [wanted] if isinstance(wanted, str) else list(wanted)
    for kind in chosen:
        if kind not in SYMBOLS:
            raise InputError(f'symbols: expected some of {listed(SYMBOLS)}, got {shown(kind)}')
    _check_names(names)
    symbols = _Symbols(names)
    lengths = [model.home_poses[:, :3, 3], *(f.pose[:3, 3] for f in model.frames.values())]
    size = max(float(np.abs(entries).max(initial=0.0)) for entries in lengths)
    inertias = [
        _inertia(f'{i + 1}', inertia, symbols, chosen, size)
        for i, inertia in enumerate(model.inertias)
    ]
    homes = [exact_pose(pose, size) for pose in model.home_poses]
    frames = {name: exact_pose(frame.pose, size) for name, frame in model.frames.items()}
    if 'lengths' in chosen:
        for i, home in enumerate(homes):
            home[:3, 3] = symbols.array(f'l_{i + 1}', home[:3, 3])
        for label, pose in zip(_labels(frames), frames.values(), strict=True):
            pose[:3, 3] = symbols.array(f'p_{label}_', pose[:3, 3])
    gravity = exact_array(model.gravity)
    if 'gravity' in chosen:
        gravity = _gravity(gravity, symbols)
    symbols.require_used()
    exact: dict[str, Any] = {entry.name: getattr(model, entry.name) for entry in fields(model)}
    exact |= {
        'home_poses': _stacked(homes, (4, 4)),
        'screws': _stacked([exact_screw(screw, size) for screw in model.screws], (6,)),
        'inertias': _stacked(inertias, (6, 6)),
        'gravity': gravity,
        'multipliers': exact_array(model.multipliers, 0.0),
        'offsets': exact_array(model.offsets, 1.0),
        'frames': {name: Frame(model.frames[name].body, pose) for name, pose in frames.items()},
    }
    return SymbolicModel(**exact, values=symbols.values)


def _labels(names: Iterable[str]) -> list[str]:
    """Return different words of ASCII letters, digits and underscores."""
    labels: list[str] = []
    for name in names:
        label = re.sub(r'\W', '_', name, flags=re.ASCII)
        while label in labels:
            label += '_'
        labels.append(label)
    return labels


def _check_names(names: Mapping[str, str]) -> None:
    for name, other in names.items():
        if not isinstance(other, str) or not re.fullmatch(r'[A-Za-z]\w*', other, re.ASCII):
            raise InputError(
                f'names[{name!r}]: expected letters, digits and underscores behind a letter, got '
                f'{shown(other)}'
            )
        if keyword.iskeyword(other) or _TAKEN.fullmatch(other):
            raise InputError(
                f'names[{name!r}]: expected a name that expressions do not use, got {other!r}'
            )


def _inertia(
    body: str, inertia: Array, symbols: _Symbols, chosen: list[str], size: float
) -> ScalarArray:
    """Return the inertia of a body from its mass, centre and inertia about the centre."""
    number, moment, theta = inertia_parameters(inertia)
    if not number:
        return exact_array(inertia)
    centre = moment / number
    about_centre = theta + number * skew(centre) @ skew(centre)
    mass = exact_number(number)
    c = exact_array(centre, max(size, float(np.abs(centre).max())))
    theta_c = exact_array((about_centre + about_centre.T) / 2.0, float(np.trace(theta)))
    if 'masses' in chosen:
        mass = symbols.symbol(f'm_{body}', mass, positive=True)
    if 'centres' in chosen:
        c = symbols.array(f'c_{body}', c)
    if 'inertias' in chosen:
        for i, j in np.ndindex(3, 3):
            low, high = sorted((i, j))
            name = f'I_{body}{"xyz"[low]}{"xyz"[high]}'
            theta_c[i, j] = symbols.symbol(name, theta_c[i, j])
    return inertia_matrix(mass, c, theta_c)


def _gravity(gravity: ScalarArray, symbols: _Symbols) -> ScalarArray:
    along = [k for k in range(3) if gravity[k] != 0]
    if len(along) != 1:
        return symbols.array('g_', gravity)
    sign = 1 if gravity[along[0]] > 0 else -1
    result: ScalarArray = gravity.copy()
    result[along[0]] = sign * symbols.symbol('g', sign * gravity[along[0]], positive=True)
    return result


def _stacked(arrays: list[ScalarArray], shape: tuple[int, ...]) -> ScalarArray:
    result = np.empty((len(arrays), *shape), object)
    for i, array in enumerate(arrays):
        result[i] = array
    return result
