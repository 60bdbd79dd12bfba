# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of a robot: one state at once in C, and what a kind of robot registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch, wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar, cast

from numpy import empty, ndarray

from screw_dynamics.errors import UnknownNameError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.state_kernel import not_compiled
from screw_dynamics.model.screw_model import ScrewModel

P = ParamSpec('P')
R = TypeVar('R')

_by_name: dict[str, Any] = {}


def by_kind(name: str, function: Callable[P, R]) -> Callable[P, R]:
    """Return a function of a ScrewModel that takes the kinds of `register_kind` too."""
    _by_name[name] = dispatched = singledispatch(function)
    robot = next(iter(signature(function).parameters))

    @wraps(function)
    def called(*inputs: Any, **options: Any) -> R:
        if not inputs and robot in options:
            return dispatched(options.pop(robot), **options)
        return dispatched(*inputs, **options)

    return cast(Callable[P, R], called)


def register_kind(kind: type, **functions: Callable[..., Any]) -> None:
    """
    Let functions of robots accept another kind of robot in place of a `ScrewModel`.

    Functions that are not registered raise InputError for it. Those that call others, as
    `gravity_forces_jet` and `control_terms` do, need no entry of their own.

    Parameters
    ----------
    kind : type
        A class with the attributes of `RobotModel`.
    **functions : callable
        By the name of a function of this package, `mass_matrix` for example, the one that
        computes its result for robots of this kind. It has the arguments of that function.

    Raises
    ------
    UnknownNameError
        If there is no such function.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.dynamics import register_kind
    >>> @dataclass
    ... class Geared:
    ...     links: sd.ScrewModel
    ...     rotor_inertia: float
    >>> def mass_matrix(robot, q, *, out=None, threads=1):
    ...     matrix = sd.mass_matrix(robot.links, q, out=out, threads=threads)
    ...     np.einsum('...ii->...i', matrix)[...] += robot.rotor_inertia
    ...     return matrix
    >>> register_kind(Geared, mass_matrix=mass_matrix)
    >>> slider = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 1, 0, 0]], [np.eye(6)])
    >>> sd.mass_matrix(Geared(slider, 0.5), [0.0])
    array([[1.5]])
    """
    for name, function in functions.items():
        if name not in _by_name:
            raise UnknownNameError('function', name, _by_name)
        _by_name[name].register(kind, function)


# The prologue of all functions. It is text, as a closure, which knows no arguments by name,
# takes 0.3 us more: a fifth of a mass matrix
_AT_ONCE = """
def {name}{arguments}:
    if type(model) is ScrewModel and {checks}:
        try:
            tables = model.kernel_tables
            result = {result}
            if ({status}) == OK:
                return {value}
        except (TypeError, ValueError, LookupError):
            pass
    return checked_call({call})
"""
# by the name of an argument what must hold of it. Tests by identity: True, 1.0 and masked arrays
# must not reach a kernel
_CHECKS = dict.fromkeys(('q', 'qd', 'tau', 'joint_jet'), 'type({}) is ndarray')
_CHECKS |= {'threads': '{} is one', 'wrench_jets': '{} is None', 'apart': 'not {}'}
_PASSED: dict[Any, str] = {Parameter.KEYWORD_ONLY: '{0}={0}', Parameter.VAR_POSITIONAL: '*{0}'}


def kernel_first(
    compiled: Callable[[], Callable[..., Any]],
    result: str = 'empty(len(q))',
    parameters: str = 'tables.parameters',
    *,
    status: str = 'kernel({inputs}, result, {parameters})',
    value: str = 'result',
    kinds: bool = True,
    **names: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """
    Let the kernel in C of one state come before all checks of a function, and kinds of robots.

    The kernel, `compiled()`, reports what it does not accept. The function, with the arguments
    `model`, inputs, names and `out`, if it has one, then converts it or raises; for masked arrays
    and other kinds of robots it is called first. It also loads the kernel. The expressions are
    those of a new `result`, of the `parameters` in the `tables` of the model, of the `status` that
    the kernel returns, and of the returned `value`; they may contain `names`. With `kinds`,
    `register_kind` accepts the function.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        listed = signature(function)
        bare = [x.replace(annotation=Parameter.empty) for x in listed.parameters.values()]
        inputs = ', '.join(x.name for x in bare if x.name in ('q', 'qd', 'tau', 'joint_jet'))
        text = _AT_ONCE.format(
            name=function.__name__,
            arguments=listed.replace(parameters=bare, return_annotation=Parameter.empty),
            checks=' and '.join(_CHECKS[x.name].format(x.name) for x in bare if x.name in _CHECKS),
            result=result + ' if out is None else out' * ('out' in listed.parameters),
            status=status.format(inputs=inputs, parameters=parameters),
            value=value,
            call=', '.join(_PASSED.get(x.kind, '{0}').format(x.name) for x in bare),
        )
        checked = by_kind(function.__name__, function) if kinds else function

        def checked_call(*inputs: P.args, **options: P.kwargs) -> R:
            made['kernel'] = compiled()
            return checked(*inputs, **options)

        made: dict[str, Any] = {
            'ScrewModel': ScrewModel, 'ndarray': ndarray, 'empty': empty, 'OK': OK, 'one': 1,
            'kernel': not_compiled, 'checked_call': checked_call, **names,
        }  # fmt: skip
        exec(compile(text, f'<kernel of {function.__name__}>', 'exec'), made)  # noqa: S102
        return cast(Callable[P, R], wraps(function)(made[function.__name__]))

    return decorate
