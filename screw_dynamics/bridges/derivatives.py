# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Functions of a robot with products of their derivatives, for libraries that differentiate.

A product with a direction is a `change` of the value; one with a covector of the value gives
covectors of the arguments. None of them computes a matrix: each costs some calls of the function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from screw_dynamics.common.arrays import Array, raise_not_finite
from screw_dynamics.dynamics import forward_dynamics, frame_jacobian, frame_pose, regressor
from screw_dynamics.dynamics.forward_dynamics import by_mass_matrix
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.quantities import (
    EFFORT_CHANGES,
    EFFORT_COVECTORS,
    INVERSE_DYNAMICS,
)
from screw_dynamics.kernels.bodies.state_kernel import BatchKernel, JetKernel
from screw_dynamics.lie import hat
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.screw_model import require_model

_PER_BODY = 10  # inertia parameters


@dataclass(frozen=True)
class Operation(ABC):
    """
    A function of arrays, flattened to (T, ...), of which the last may be inertia parameters.

    `value` has the arguments; `change` has them and as many directions; `covectors`, which returns
    those of the arguments, has them and a covector of the value.
    """

    model: ScrewModel
    names: ClassVar[tuple[str, ...]]  # of the arguments; `parameters` may be left out
    dimensions: ClassVar[tuple[int, ...]]  # of each argument, of one sample

    def __post_init__(self) -> None:
        """Raise InputError for other kinds of robots."""
        require_model(self.model)

    @abstractmethod
    def shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the value of one sample; raise ShapeError for arguments."""

    def flat(self, name: str, *arrays: Array) -> tuple[Array, ...]:
        """Return the results of a method for arrays with equal leading axes."""
        lead = arrays[0].shape[: arrays[0].ndim - self.dimensions[0]]
        samples = [
            np.ascontiguousarray(x, dtype=np.float64).reshape(-1, *x.shape[len(lead) :])
            for x in arrays
        ]
        results = getattr(self, name)(*samples)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(x.reshape(*lead, *x.shape[1:]) for x in results)

    def arguments(self, convert: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
        """Return arguments as real arrays of a library, without parameters that are None."""
        arrays = []
        for name, value in zip(self.names, values, strict=True):
            if value is None and name == 'parameters':
                continue
            try:
                if value is None:
                    raise TypeError
                arrays.append(convert(value))
            except (TypeError, ValueError, RuntimeError):
                raise InputError(f'{name}: expected real numbers, got {shown(value)}') from None
            if 'complex' in str(arrays[-1].dtype):
                raise InputError(f'{name}: expected real numbers, got complex ones')
        return arrays

    def batch_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the shapes of arguments with common leading axes; raise ShapeError."""
        self.shape(*shapes)
        ends = [len(shape) - d for shape, d in zip(shapes, self.dimensions, strict=False)]
        leads = [shape[:end] for shape, end in zip(shapes, ends, strict=True)]
        try:
            lead = np.broadcast_shapes(*leads)
        except ValueError:
            raise ShapeError('arguments', 'leading axes of one batch', leads) from None
        return [(*lead, *shape[end:]) for shape, end in zip(shapes, ends, strict=True)]

    def _require(self, name: str, shape: tuple[int, ...], *tail: int) -> None:
        """Raise ShapeError unless a shape has this end; a negative size is the least one."""
        pairs = zip(tail[::-1], shape[::-1], strict=False)
        if len(shape) < len(tail) or any(got < -want or 0 <= want != got for want, got in pairs):
            words = ', '.join('k + 3' if size < 0 else str(size) for size in tail)
            raise ShapeError(name, f'(..., {words})', shape)

    def _require_parameters(self, *shapes: tuple[int, ...]) -> None:
        for shape in shapes:
            self._require('parameters', shape, _PER_BODY * self.model.body_count)


def _groups(
    model: ScrewModel, parameters: tuple[Array, ...], weight: bool = True
) -> Iterator[tuple[slice, Array]]:
    """Yield slices of samples and the tables of bodies with their inertia parameters."""
    if not parameters:
        tables = model if weight else model.without_gravity()
        yield slice(None), tables.kernel_tables.parameters
        return
    (values,) = parameters
    step = len(values) if (values == values[:1]).all() else 1
    for start in range(0, len(values), max(step, 1)):
        yield slice(start, start + step), _tables(model, values[start], weight)


def _tables(model: ScrewModel, parameters: Array, weight: bool) -> Array:
    """Return the tables of bodies with other inertia parameters (10 N,), physical or not."""
    tables = (model if weight else model.without_gravity()).kernel_tables
    result = tables.parameters.copy()
    rows = result[layout.HEADER :].reshape(-1, layout.ROW)
    m, h, inertia = np.split(parameters.reshape(-1, _PER_BODY), [1, 4], axis=1)
    matrices = inertia[:, [[0, 1, 3], [1, 2, 4], [3, 4, 5]]]  # of xx, xy, yy, xz, yz, zz
    trace = np.trace(matrices, axis1=1, axis2=2)[:, None, None]
    turn, p = tables.poses[:, :3, :3], tables.poses[:, :3, 3]
    moved = h - m * p
    # integral of (x - p)(x - p)^T dm
    second = 0.5 * trace * np.eye(3) - matrices - h[:, :, None] * p[:, None]
    second = np.einsum('bji,bjk,bkl->bil', turn, second - p[:, :, None] * moved[:, None], turn)
    rows[:, layout.MASS] = m[:, 0]
    rows[:, layout.FIRST_MOMENT : layout.FIRST_MOMENT + 3] = np.einsum('bji,bj->bi', turn, moved)
    row, column = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]  # xx, yy, zz, xy, xz, yz
    rows[:, layout.SECOND_MOMENT : layout.SECOND_MOMENT + 6] = second[:, row, column]
    return np.asarray(result)


def _run(
    kernel: BatchKernel,
    model: ScrewModel,
    parts: tuple[Array, ...],
    parameters: tuple[Array, ...],
) -> Array:
    """Return what a kernel makes of rows (T, rows, n), the first those of a joint jet."""
    jets, order = parts[0], parts[0].shape[1] - 3
    result = np.empty((len(jets), *kernel.shape(order, model.n, model.body_count)))
    rows = np.concatenate(parts, axis=1) if len(parts) > 1 else jets
    if not isinstance(kernel, JetKernel):
        rows = rows.reshape(len(rows), -1)
    if result.size:
        for part, tables in _groups(model, parameters):
            if kernel.run(order, rows[part], result[part], tables) != layout.OK:
                names = ('joint_jet', 'directions or covectors')
                raise_not_finite(result, **dict(zip(names, parts, strict=False)))
    return result


@dataclass(frozen=True)
class Efforts(Operation):
    """`inverse_dynamics` of joint jets (T, k + 3, n) and parameters (T, 10 N)."""

    names, dimensions = ('joint_jet', 'parameters'), (2, 1)

    def shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Return (k + 1, n)."""
        n = self.model.n
        self._require('joint_jet', shapes[0], -3, n)
        self._require_parameters(*shapes[1:])
        return shapes[0][-2] - 2, n

    def value(self, *arrays: Array) -> Array:
        """Return the efforts with their time derivatives."""
        return _run(INVERSE_DYNAMICS, self.model, arrays[:1], arrays[1:])

    def change(self, *arrays: Array) -> Array:
        """Return the changes; efforts are linear in the parameters."""
        count = len(arrays) // 2
        jet, direction = arrays[0], arrays[count]
        result = _run(EFFORT_CHANGES, self.model, (jet, direction), arrays[1:count])
        if count > 1:
            result += _run(INVERSE_DYNAMICS, self.model, (jet,), arrays[count + 1 :])
        return result

    def covectors(self, *arrays: Array) -> tuple[Array, ...]:
        """Return the covectors."""
        jet, *parameters, covector = arrays
        of_jet = _run(EFFORT_COVECTORS, self.model, (jet, covector), tuple(parameters))
        if not parameters:
            return (of_jet,)
        return of_jet, np.einsum('tdip,tdi->tp', regressor(self.model, jet), covector)


@dataclass(frozen=True)
class Accelerations(Operation):
    """
    `forward_dynamics` of q, q', tau (T, n) and parameters (T, 10 N).

    Along a motion M dq'' = dtau - d(inverse dynamics), and M^-1 is the forward dynamics of the
    robot at rest without gravity.
    """

    names, dimensions = ('q', 'qd', 'tau', 'parameters'), (1, 1, 1, 1)

    def shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Return (n,)."""
        for name, shape in zip(self.names[:3], shapes, strict=False):
            self._require(name, shape, self.model.n)
        self._require_parameters(*shapes[3:])
        return (self.model.n,)

    def value(self, *arrays: Array) -> Array:
        """Return the accelerations."""
        return self._solved(True, *arrays)

    def _solved(self, weight: bool, *arrays: Array) -> Array:
        q, qd, tau, *parameters = arrays
        if not parameters:
            model = self.model if weight else self.model.without_gravity()
            return forward_dynamics(model, q, qd, tau)
        result = np.empty(q.shape)
        for part, tables in _groups(self.model, tuple(parameters), weight):
            inputs = {'q': q[part], 'qd': qd[part], 'tau': tau[part]}
            by_mass_matrix(self.model, inputs, result[part], tables)
        return result

    def _motion(self, q: Array, qd: Array, *others: Array) -> tuple[Array, tuple[Array, ...]]:
        return np.stack([q, qd, self.value(q, qd, *others)], axis=1), others[1:]

    def change(self, *arrays: Array) -> Array:
        """Return the changes."""
        count = len(arrays) // 2
        jet, parameters = self._motion(*arrays[:count])
        dq, dqd, dtau, *rest = arrays[count:]
        direction = np.stack([dq, dqd, 0.0 * dq], axis=1), *rest
        change = Efforts(self.model).change(jet, *parameters, *direction)[:, 0]
        return self._solved(False, arrays[0], 0.0 * dq, dtau - change, *parameters)

    def covectors(self, *arrays: Array) -> tuple[Array, ...]:
        """Return the covectors."""
        *given, covector = arrays
        jet, parameters = self._motion(*given)
        of_tau = self._solved(False, given[0], 0.0 * given[0], covector, *parameters)
        of_jet, *rest = Efforts(self.model).covectors(jet, *parameters, of_tau[:, None])
        return -of_jet[:, 0], -of_jet[:, 1], of_tau, *(-x for x in rest)


@dataclass(frozen=True)
class Pose(Operation):
    """`frame_pose` of q (T, n): C' = C hat(J q')."""

    frame: str
    names, dimensions = ('q',), (1,)

    def shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Return (4, 4)."""
        self.model.frame(self.frame)  # raises the error of an unknown name
        self._require('q', shapes[0], self.model.n)
        return 4, 4

    def value(self, *arrays: Array) -> Array:
        """Return the poses."""
        return frame_pose(self.model, arrays[0], self.frame)

    def change(self, *arrays: Array) -> Array:
        """Return the changes."""
        q, direction = arrays
        twists = np.einsum('tij,tj->ti', frame_jacobian(self.model, q, self.frame), direction)
        rates = np.array([hat(twist) for twist in twists]).reshape(-1, 4, 4)
        return np.asarray(self.value(q) @ rates)

    def covectors(self, *arrays: Array) -> tuple[Array, ...]:
        """Return the covectors."""
        q, covector = arrays
        a = np.swapaxes(self.value(q), 1, 2) @ covector
        turn = a[:, [2, 0, 1], [1, 2, 0]] - a[:, [1, 2, 0], [2, 0, 1]]
        wrench = np.concatenate([turn, a[:, :3, 3]], axis=1)
        return (np.einsum('tij,ti->tj', frame_jacobian(self.model, q, self.frame), wrench),)


def public_functions(
    call: Callable[..., Any], module: str
) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the functions of a library, whose `call` has an operation and arrays."""

    def inverse_dynamics(model: ScrewModel, joint_jet: Any, parameters: Any = None) -> Any:
        """
        Return the efforts of a motion with time derivatives, as `sd.inverse_dynamics`.

        Parameters
        ----------
        model : ScrewModel
        joint_jet : (..., k + 3, n) array or tensor
            Row d is the d-th time derivative of the coordinates [rad or m, per s^d], k >= 0.
        parameters : (10 N,) or (..., 10 N) array or tensor, optional
            Inertia parameters of all bodies in the order of `sd.inertial_parameters`, in place of
            those of the model; also those of no solid body.

        Returns
        -------
        (..., k + 1, n) array or tensor
            Row d is the d-th time derivative of tau [N m or N, per s^d]; differentiable by every
            row of `joint_jet` and by `parameters`.

        Raises
        ------
        ShapeError, NotFiniteError, InputError
            JAX raises an error of its own, with this text, for numbers that are not finite.
        ModuleNotFoundError
            If the library is not installed.
        """
        return call(Efforts(model), joint_jet, parameters)

    def forward_dynamics(
        model: ScrewModel, q: Any, qd: Any, tau: Any, parameters: Any = None
    ) -> Any:
        """
        Return the joint accelerations, as `sd.forward_dynamics`.

        Parameters
        ----------
        model : ScrewModel
        q, qd, tau : (..., n) array or tensor
            Coordinates, rates and efforts.
        parameters : (10 N,) or (..., 10 N) array or tensor, optional
            See `inverse_dynamics`.

        Returns
        -------
        (..., n) array or tensor
            [rad/s^2 or m/s^2]; differentiable by all arguments but the model.

        Raises
        ------
        SingularMassMatrixError
            If a joint can accelerate without moving any inertia; the joint is named.
        ShapeError, NotFiniteError, InputError, ModuleNotFoundError
            See `inverse_dynamics`.
        """
        return call(Accelerations(model), q, qd, tau, parameters)

    def frame_pose(model: ScrewModel, q: Any, frame: str) -> Any:
        """
        Return the pose of a frame in base-link axes, as `sd.frame_pose`.

        Parameters
        ----------
        model : ScrewModel
        q : (..., n) array or tensor
        frame : str

        Returns
        -------
        (..., 4, 4) array or tensor
            Differentiable by `q`.

        Raises
        ------
        UnknownNameError, ShapeError, NotFiniteError, InputError, ModuleNotFoundError
            See `inverse_dynamics`.
        """
        return call(Pose(model, frame), q)

    functions = inverse_dynamics, forward_dynamics, frame_pose
    for function in functions:
        function.__module__, function.__qualname__ = module, function.__name__
    return functions
