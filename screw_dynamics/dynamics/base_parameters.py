# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The combinations of inertia parameters that determine the efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.dynamics.regressor import inertial_parameters, regressor
from screw_dynamics.errors import InputError, listed
from screw_dynamics.kernels.bodies.regressor import PARAMETERS
from screw_dynamics.kernels.bodies.tables import HOME_POSITION
from screw_dynamics.model.screw_model import ScrewModel, require_model

_SURPLUS = 3  # samples have this many times as many rows as there are parameters, at least
_ENTRIES = ('m', 'mx', 'my', 'mz', 'xx', 'xy', 'yy', 'xz', 'yz', 'zz')


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """
    Combinations pi_b = K pi of inertia parameters with ``Y pi = Y[:, columns] pi_b``.

    Y is a `regressor` of the robot, pi the vector of `inertial_parameters`, in any motion.

    Parameters
    ----------
    columns : (b,) int64 ndarray
        Independent columns of Y, ascending; the other parameters add to theirs or have no effect.
    combinations : (b, 10 N) ndarray
        K; its `columns` are the unit matrix.
    values : (b,) ndarray
        pi_b of the model.
    names : tuple of str
        Body and parameter of each of `columns`, for example 'link_2 zz'.
    pivots : ndarray
        Sizes of the columns in the order of the factorisation, relative to the first, down to
        rounding errors: b of them are above the tolerance.
    """

    columns: NDArray[np.int64]
    combinations: Array
    values: Array
    names: tuple[str, ...]
    pivots: Array

    def __repr__(self) -> str:
        """Return the number of parameters and the names of some."""
        count, every = self.combinations.shape
        return f'BaseParameters({count} of {every}: {listed(self.names)})'


def base_parameters(model: ScrewModel, tolerance: float = 1e-5) -> BaseParameters:
    """
    Return a smallest set of inertia parameters that determines the efforts of all motions.

    Only they can be identified from measured motions and efforts. They result from a QR
    factorisation with column pivoting ([G1991]) of the `regressor` at many fixed, scattered states
    of joints without limits, whose rows and columns are scaled by length and gravity so that all
    entries are comparable.

    Parameters
    ----------
    model : ScrewModel
    tolerance : float
        Columns count as dependent if what remains of them beside the others is less than this
        part of the largest one, above 0 and below 1. The default treats angles as right angles
        that a URDF states with six digits (1.5708); the efforts of such a remainder, 1e-5 of the
        others, are below all errors of measurement. A tolerance near 1e-13 resolves all that
        rounding errors permit. `BaseParameters.pivots` show the gap.

    Returns
    -------
    BaseParameters

    Raises
    ------
    InputError
        If the model is not a `ScrewModel`, or `tolerance` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> base = sd.base_parameters(model)
    >>> len(base.columns), base.combinations.shape
    (6, (6, 20))
    >>> Y = sd.regressor(model, [[0.3, -0.5], [1.0, 2.0], [3.0, -1.0]])[0]
    >>> np.allclose(Y[:, base.columns] @ base.values, Y @ sd.inertial_parameters(model))
    True
    """
    from scipy.linalg import qr, solve_triangular

    tolerance = require_number('tolerance', tolerance, above=True)
    if tolerance >= 1.0:
        raise InputError(f'tolerance: expected a number below 1, got {tolerance:g}')
    rows, units = _scaled_regressors(require_model(model))
    factor, order = qr(rows, mode='r', pivoting=True)
    pivots = np.abs(np.diag(factor))
    largest = pivots.max(initial=0.0)
    pivots = pivots / largest if largest > 0.0 else pivots
    rank = int(np.count_nonzero(pivots > tolerance))
    dependent = solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
    scaled = np.zeros((rank, rows.shape[1]))
    scaled[np.arange(rank), order[:rank]] = 1.0
    scaled[:, order[rank:]] = dependent
    sequence = np.argsort(order[:rank])
    columns = order[:rank][sequence].astype(np.int64)
    combinations = scaled[sequence] * (units / units[columns][:, None])
    names = tuple(
        f'{model.body_names[k // PARAMETERS]} {_ENTRIES[k % PARAMETERS]}' for k in columns
    )
    values = combinations @ inertial_parameters(model)
    return BaseParameters(columns, combinations, values, names, pivots)


def _scaled_regressors(model: ScrewModel) -> tuple[Array, Array]:
    """
    Return scaled regressors (T n, 10 N) at scattered states, and the scales (10 N,) of parameters.

    A column is that of its parameter in units of the length of the robot; a row is the effort of a
    turning joint, or that of a sliding joint times the length.
    """
    length, size = _length(model), PARAMETERS * model.body_count
    gravity = float(np.linalg.norm(model.gravity))
    rate = np.sqrt(gravity / length) if gravity > 0.0 else 1.0
    turns = [model.screws[i, :3].any() for i in model.joint_of_coordinate]
    unit = np.where(np.array(turns, dtype=bool), 1.0, length)
    samples = 10 + -(-_SURPLUS * size // max(model.n, 1))
    jets = np.random.default_rng(0).uniform(-1.0, 1.0, (samples, 3, model.n))
    jets *= unit * np.array([np.pi, 1.5 * rate, 1.5 * rate**2])[:, None]
    units = np.tile(np.repeat([length**-2, length**-1, 1.0], (1, 3, 6)), model.body_count)
    rows = regressor(model, jets)[:, 0] * unit[:, None] * units
    return rows.reshape(samples * model.n, size), 1.0 / units


def _length(model: ScrewModel) -> float:
    """
    Return a length of the robot, independent of where its base is [m]; 1 if it has none.

    It includes what joints advance by their offset, and by a radian of the coordinate if it turns.
    """
    frames = model.joint_frames
    steps = frames.bodies[model.parents >= 0, HOME_POSITION : HOME_POSITION + 3]
    within = np.linalg.norm(frames.poses[:, :3, 3], axis=1).max(initial=0.0)
    axes, linear = model.screws[:, :3], model.screws[:, 3:]
    turning = np.asarray(axes.any(axis=1))
    lead = np.where(turning, np.abs((axes * linear).sum(axis=1)), np.linalg.norm(linear, axis=1))
    leaders = np.array(model.joint_of_coordinate, np.int64)[model.coordinates]
    travel = lead * (np.abs(model.multipliers) * turning[leaders] + np.abs(model.offsets))
    length = float(np.linalg.norm(steps, axis=1).sum() + within + travel.sum())
    return length if length > 0.0 else 1.0
