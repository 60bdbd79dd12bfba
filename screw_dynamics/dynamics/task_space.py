# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`task_to_joint_jet`: the joint motion that a motion of a frame requires."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_stack,
    as_vector,
    raise_not_finite,
    require_finite,
)
from screw_dynamics.dynamics.frames import frame_jacobian, representation_number
from screw_dynamics.errors import InputError, ShapeError, SingularJacobianError, listed, shown
from screw_dynamics.kernels.frames.task_rates import NOT_FINITE, SINGULAR, SOLVED, task_rates
from screw_dynamics.model.records import Representation
from screw_dynamics.model.screw_model import ScrewModel, require_model

COMPONENTS = ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')
_GROUPS = {'all': COMPONENTS, 'angular': COMPONENTS[:3], 'linear': COMPONENTS[3:]}


def task_to_joint_jet(  # noqa: PLR0913  (options are keywords)
    model: ScrewModel,
    q: ArrayLike,
    twist_jet: ArrayLike,
    frame: str,
    representation: Representation = 'body',
    *,
    components: str | Sequence[str] = 'all',
    weights: ArrayLike | None = None,
    damping: float = 0.0,
    nullspace_rates: ArrayLike | None = None,
    least_squares: bool = False,
) -> Array:
    """
    Return the joint jet of a motion that is given as the twist of a frame with its derivatives.

    Of all rates q' with J q' = V, those with the smallest sum of w_j q'_j^2 are taken, at every
    instant: ``q' = W^-1 J^T (J W^-1 J^T)^-1 V``. The higher derivatives are those of this q'(t)
    along the motion, so that the derivatives of the pseudo-inverse are included, exact to
    rounding. Without redundancy it is the only motion [N2021, (38), (39)].

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].
    twist_jet : (m, c) or (..., m, c) array_like
        Row d is the d-th time derivative of the `components` of the twist [rad/s, m/s, per s^d],
        as `frame_twist` returns them, m >= 1.
    frame : str
        A link name; the link may be attached by fixed joints.
    representation : {'body', 'spatial', 'hybrid', 'mixed'}
        See `frame_jacobian`.
    components : str or sequence of str
        The c components that the task prescribes, in the order of the columns of `twist_jet`:
        'all', 'angular', 'linear', or names out of wx, wy, wz, vx, vy, vz. The others are free.
    weights : (n,) array_like, optional
        w > 0; a joint with a large weight moves less. Default 1, in (rad/s)^2 as in (m/s)^2.
    damping : float
        lambda >= 0. If positive, the rates minimise ``|J q' - V|^2 + lambda^2 |q'|_W^2`` instead:
        ``q' = W^-1 J^T (J W^-1 J^T + lambda^2 I)^-1 V``, also at singularities and with too few
        joints, with exact derivatives; the task is then not met exactly.
    nullspace_rates : (m, n) or (..., m, n) array_like, optional
        Row d is the d-th time derivative of rates z that the joints have as far as the task
        permits: q' is the solution with the smallest ``|q' - z|_W``. Default 0.
    least_squares : bool
        With fewer joints than components and without damping, return the rates with the smallest
        ``|J q' - V|``, instead of an error. `frame_twist` of the result shows what remains.

    Returns
    -------
    (m + 1, n) or (..., m + 1, n) ndarray
        Row 0 is q, row d its d-th time derivative. Coordinates that do not move the frame have
        the rates z.

    Raises
    ------
    SingularJacobianError
        If the task needs a direction in which no joint moves the frame; it is named. The smallest
        singular value of J W^-1/2 must exceed 1e-8 of the largest.
    InputError
        If representation, components, weights or damping are not usable, or if fewer joints move
        the frame than the task has components.
    UnknownNameError, ShapeError, NotFiniteError

    Notes
    -----
    The pseudo-inverse solution itself does not depend on the representation; damping, least
    squares and a selection of components do. Near a singularity the order d of the result grows
    as the (2 d - 1)-th power of the condition number.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> home = np.eye(4)
    >>> home[0, 3] = 1.0
    >>> axes, links = [[0, 0, 1, 0, 0, 0]] * 3, [np.eye(6)] * 3
    >>> arm = sd.ScrewModel.from_screws([-1, 0, 1], [home] * 3, axes, links)
    >>> q, twist = [0.3, 0.4, 0.5], [[0.2, 0.1], [0.0, 0.0]]
    >>> jet = sd.task_to_joint_jet(arm, q, twist, 'body_3', 'hybrid', components=['vx', 'vy'])
    >>> np.round(sd.frame_twist(arm, jet, 'body_3', 'hybrid')[:, 3:5], 12) + 0.0
    array([[0.2, 0.1],
           [0. , 0. ]])
    """
    representation_number(representation)
    require_model(model).frame(frame)  # raises the error of an unknown name
    path = model.joint_frames.paths[frame].bodies
    names = _as_components(components)
    positions, tasks, preferred = _as_samples(model, q, twist_jet, len(names), nullspace_rates)
    scales = _as_scales(model, weights)
    damping = _as_damping(damping)
    active = np.unique(model.coordinates[path])
    tall = _require_joints(model, frame, active, names, damping, bool(least_squares))
    selected = np.array([COMPONENTS.index(name) for name in names])
    jets = np.empty((*tasks.shape[:-2], tasks.shape[-2] + 1, model.n))
    jets[..., 0, :] = positions
    samples = as_stack(positions, 1)
    status = task_rates(
        samples, as_stack(tasks, 2), as_stack(preferred, 2),
        model.kernel_tables.frames[frame, representation], selected, active, scales, damping,
        tall, as_stack(jets, 2),
    )  # fmt: skip
    if status == NOT_FINITE:
        raise_not_finite(jets, q=q, twist_jet=twist_jet)
    if status != SOLVED:
        jacobian = frame_jacobian(model, samples[status], frame, representation) * scales
        number = None if positions.ndim == 1 else status
        raise _singular(
            model,
            frame,
            samples[status],
            jacobian[np.ix_(selected, active)],
            names,
            active,
            number,
        )
    return jets


def _as_components(components: str | Sequence[str]) -> tuple[str, ...]:
    """Return names of components, each once."""
    given = _GROUPS.get(components, (components,)) if isinstance(components, str) else components
    names = tuple(given) if isinstance(given, (list, tuple)) else ()
    if not names or not all(name in COMPONENTS for name in names) or len(set(names)) < len(names):
        raise InputError(
            f'components: expected {", ".join(_GROUPS)} or different names out of '
            f'{", ".join(COMPONENTS)}, got {shown(components)}'
        )
    return names


def _as_samples(
    model: ScrewModel, q: ArrayLike, twist_jet: ArrayLike, count: int, rates: ArrayLike | None
) -> tuple[Array, Array, Array]:
    """Return q (..., n), twist jet (..., m, c) and rates in the null space (..., m, n)."""
    positions = as_float_array('q', q)
    if positions.ndim < 1 or positions.shape[-1] != model.n:
        raise ShapeError('q', f'({model.n},) or (..., {model.n})', positions.shape)
    tasks = as_float_array('twist_jet', twist_jet)
    leading = positions.shape[:-1]
    if tasks.ndim < 2 or tasks.shape[:-2] != leading or not tasks.shape[-2]:
        expected = f'({", ".join([*map(str, leading), "m", str(count)])}) with m >= 1'
        raise ShapeError('twist_jet', f'{expected}, for q of {positions.shape}', tasks.shape)
    if tasks.shape[-1] != count:
        expected = f'{(*tasks.shape[:-1], count)}, for {count} components'
        raise ShapeError('twist_jet', expected, tasks.shape)
    shape = (*tasks.shape[:-1], model.n)
    if rates is None:
        return positions, tasks, np.zeros(shape)
    preferred = as_float_array('nullspace_rates', rates)
    if preferred.shape != shape:
        raise ShapeError('nullspace_rates', str(shape), preferred.shape)
    return positions, tasks, require_finite('nullspace_rates', preferred)


def _as_scales(model: ScrewModel, weights: ArrayLike | None) -> Array:
    """Return 1 / sqrt(weight) of every joint, (n,)."""
    if weights is None:
        return np.ones(model.n)
    values = as_vector('weights', weights, model.n)
    for name, value in zip(model.joint_names, values, strict=True):
        if value <= 0.0:
            raise InputError(f'weights of joint {name!r}: expected a number above 0, got {value}')
    return 1.0 / np.sqrt(values)


def _as_damping(damping: float) -> float:
    """Return the damping."""
    value = as_float_array('damping', damping)
    if value.ndim or not 0.0 <= value < np.inf:
        raise InputError(f'damping: expected a finite number of at least 0, got {shown(damping)}')
    return float(value)


def _require_joints(
    model: ScrewModel,
    frame: str,
    active: NDArray[np.int64],
    names: tuple[str, ...],
    damping: float,
    least_squares: bool,
) -> bool:
    """Return whether the task is solved by least squares; raise if joints are missing."""
    tall = len(active) < len(names) and damping == 0.0
    if not len(active):
        raise InputError(f'frame {frame!r}: expected joints that move it, got none')
    if tall and not least_squares:
        joints = listed(model.joint_names[c] for c in active)
        raise InputError(
            f'frame {frame!r}: expected at least {len(names)} joints that move it for the '
            f'components {", ".join(names)}, got {len(active)} ({joints}): select components, or '
            'request least_squares or damping'
        )
    return tall


def _singular(
    model: ScrewModel,
    frame: str,
    q: Array,
    jacobian: Array,
    names: tuple[str, ...],
    active: NDArray[np.int64],
    sample: int | None,
) -> SingularJacobianError:
    """Return the error that names the direction lost; the Jacobian (c, a) is the weighted one."""
    left, values, right = np.linalg.svd(jacobian)
    if len(active) < len(names):
        joints = [model.joint_names[c] for c in active]
        reason = f'the joint motion {direction(right[-1], joints)} does not move it'
    else:
        reason = f'no joint moves it along {direction(left[:, -1], names)}'
    configuration = ', '.join(f'{value:.4g}' for value in q)
    return SingularJacobianError(
        frame, configuration, float(values[-1]), SINGULAR * float(values[0]), reason, sample
    )


def direction(vector: Array, names: Sequence[str]) -> str:
    """Return a combination of names; coefficients below 0.005 of the largest are left out."""
    largest = vector[np.argmax(np.abs(vector))]
    terms = [
        f'{value:+.2f} {name}'
        for value, name in zip(vector / largest, names, strict=True)
        if abs(value) >= 0.005
    ]
    return ' '.join(terms)
