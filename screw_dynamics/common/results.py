# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Base classes of results: their tables, figures, and conversions to pandas and xarray."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import STYLE, line_style
from screw_dynamics.common.quantities import MOTION, derivative_unit
from screw_dynamics.common.text_table import text_table
from screw_dynamics.errors import InputError, UnknownNameError, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDING = 1e-12  # of the largest value

Part: TypeAlias = str | Sequence[Sequence[str]]


class Tabular(ABC):
    """Base of what is shown as texts and tables: by `print`, and as HTML in notebooks."""

    @abstractmethod
    def _parts(self) -> Sequence[Part]:
        """Return texts, and tables as rows of cells, the header first."""

    def __str__(self) -> str:
        """Return texts and tables below each other."""
        parts = self._parts()
        return '\n'.join(part if isinstance(part, str) else text_table(part) for part in parts)

    def _repr_html_(self) -> str:
        """Return texts and tables as HTML."""
        return ''.join(map(_html, self._parts()))


class RecordedResult(Tabular):
    """Base of results that are lists of records."""

    @abstractmethod
    def _records(self) -> Sequence[Any]:
        """Return records of one class, or mappings with the same keys."""

    def to_dataframe(self) -> Any:
        """
        Return a pandas `DataFrame` with a row per record.

        Returns
        -------
        DataFrame

        Raises
        ------
        ModuleNotFoundError
            If pandas is not installed (extra ``tables``).
        """
        return optional_library('pandas', 'tables').DataFrame(self._records())


def _html(part: Part) -> str:
    if isinstance(part, str):
        return f'<p>{html.escape(part)}</p>'
    header, *rows = (''.join(f'<td>{html.escape(cell)}</td>' for cell in row) for row in part)
    body = ''.join(f'<tr>{row}</tr>' for row in rows)
    head = header.replace('td>', 'th>')
    return f'<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


class Samples(NamedTuple):
    """A quantity over time: values (T, rows, N), row d the d-th derivative; names of columns."""

    values: Array
    unit: str = 'rad or m'
    names: tuple[str, ...] = ()
    dimension: str = 'joint'

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the N columns, their numbers if they have no names."""
        return self.names or tuple(map(str, range(self.values.shape[2])))


class SampledResult(Tabular):
    """Base of results over time: a figure, and tables of pandas and xarray."""

    @abstractmethod
    def _samples(self) -> tuple[Array | None, Mapping[str, Samples]]:
        """Return the times (T,) [s], None if they are not known, and the quantities by name."""

    def plot(
        self, quantity: str | Axes = '', derivative: int = 0, *, ax: Axes | None = None
    ) -> Axes:
        """
        Draw a quantity of all joints or motors over time.

        Parameters
        ----------
        quantity : str
            A variable of `to_xarray`; by default the first. Axes in its place are `ax`.
        derivative : int
            Which of its time derivatives.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        Axes
            With a label per line, and a legend.

        Raises
        ------
        UnknownNameError, InputError
            If there is no such quantity, or not that derivative.
        ModuleNotFoundError
            If matplotlib is not installed (extra ``plot``).

        See Also
        --------
        plot : All quantities of a motion and its efforts, with the limits of the robot.
        """
        pyplot = optional_library('matplotlib.pyplot', 'plot')
        axes: Axes | None = ax
        if isinstance(quantity, pyplot.Axes) and ax is None:
            axes, quantity = quantity, ''
        if not isinstance(quantity, str):
            raise InputError(f'quantity: expected a name, got {shown(quantity)}')
        if not isinstance(axes, pyplot.Axes | None):
            raise InputError(f'ax: expected Axes of matplotlib, got {shown(ax)}')
        times, samples = self._samples()
        name = quantity or next(iter(samples))
        if name not in samples:
            raise UnknownNameError('quantity', name, samples)
        drawn = samples[name]
        if derivative not in range(drawn.values.shape[1]):
            raise InputError(
                f'derivative: expected 0 to {drawn.values.shape[1] - 1} of {name}, '
                f'got {shown(derivative)}'
            )
        with pyplot.rc_context(STYLE):
            axes = pyplot.subplots()[1] if axes is None else axes
        at = range(len(drawn.values)) if times is None else times
        for i, label in enumerate(drawn.columns):
            axes.plot(at, drawn.values[:, derivative, i], label=label, **line_style(i))
        axes.set_xlabel('sample' if times is None else 'time [s]')
        words = name.replace('_', ' ')
        if words.endswith('position'):
            words = words.removesuffix('position') + MOTION[derivative].name
        elif derivative:
            words += f', derivative {derivative}'
        axes.set_ylabel(f'{words} [{derivative_unit(drawn.unit, derivative)}]')
        axes.legend(frameon=False)
        return axes

    def to_xarray(self) -> Any:
        """
        Return an xarray `Dataset` with a variable per quantity.

        Returns
        -------
        Dataset
            Dimensions ``time`` [s] (``sample`` where times are not known), ``joint`` or ``motor``,
            and ``derivative``: 0, 1, ... for the quantity and its time derivatives, NaN beyond the
            highest. Units are attributes.

        Raises
        ------
        ModuleNotFoundError
            If xarray is not installed (extra ``tables``).
        """
        xarray = optional_library('xarray', 'tables')
        times, samples = self._samples()
        first = 'sample' if times is None else 'time'
        return xarray.Dataset(
            {
                name: xarray.DataArray(
                    found.values.swapaxes(1, 2),
                    dims=(first, found.dimension, 'derivative'),
                    coords={
                        first: range(len(found.values)) if times is None else times,
                        found.dimension: list(found.columns),
                        'derivative': range(found.values.shape[1]),
                    },
                    attrs={'units': found.unit},
                )
                for name, found in samples.items()
            }
        )

    def to_dataframe(self) -> Any:
        """
        Return a pandas `DataFrame` with a row per instant.

        Returns
        -------
        DataFrame
            Its index is the time [s] (the sample where times are not known), its columns have the
            levels ``quantity``, ``derivative`` and ``name`` of a joint or motor.

        Raises
        ------
        ModuleNotFoundError
            If pandas is not installed (extra ``tables``).
        """
        pandas = optional_library('pandas', 'tables')
        times, samples = self._samples()
        columns = {
            (name, d, column): found.values[:, d, j]
            for name, found in samples.items()
            for d in range(found.values.shape[1])
            for j, column in enumerate(found.columns)
        }
        frame = pandas.DataFrame(columns)
        frame.columns.names = ['quantity', 'derivative', 'name']
        if times is not None:
            frame.index = pandas.Index(times, name='time')
        return frame

    def _parts(self) -> Sequence[Part]:
        tables: dict[str, list[list[str]]] = {}
        for name, found in self._samples()[1].items():
            names = [[found.dimension], *([column] for column in found.columns)]
            rows = tables.setdefault(found.dimension, names)
            rows[0].append(f'{name.replace("_", " ")} [{found.unit}]')
            for row, values in zip(rows[1:], found.values[:, 0].T, strict=True):
                row.append(_range(values))
        return [repr(self), *tables.values()]


# names of packages on PyPI that differ from those of their modules
_PYPI = {'pinocchio': 'pin'}


def _range(values: Array) -> str:
    """Return the least and largest value, 0 in place of what is rounding beside the other."""
    if not values.size:
        return '-'
    ends = np.array([values.min(), values.max()])
    low, high = np.where(np.abs(ends) > _ROUNDING * np.abs(ends).max(), ends, 0.0)
    return f'{low:.4g} to {high:.4g}'


def optional_library(module: str, extra: str) -> Any:
    """Import an optional library; raise ModuleNotFoundError with its name and extra."""
    package = module.partition('.')[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] != package:
            raise
        raise ModuleNotFoundError(
            f'this needs the package {package!r}: pip install {_PYPI.get(package, package)} '
            f"(extra '{extra}' of screw_dynamics)",
            name=package,
        ) from None
