# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions and warnings of the package, and the texts in them."""

import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

_LONGEST_VALUE = 80
_LONGEST_LIST = 800
_LONGEST_TEXT = 2000
_MARK = ' ... '


class _Writer(reprlib.Repr):
    """A `repr` that shows scalars of NumPy as those of Python: 'a', not np.str_('a')."""

    def repr1(self, x: Any, level: int) -> str:
        """Return the text of a value."""
        return super().repr1(x.item() if getattr(x, 'shape', None) == () else x, level)


_writer = _Writer()  # formats only the beginning of a long value
_writer.maxlevel = 3
_writer.maxtuple = _writer.maxlist = _writer.maxdict = _writer.maxset = _writer.maxarray = 20
_writer.maxstring = _writer.maxlong = _writer.maxother = _LONGEST_VALUE


def shown(value: object) -> str:
    """Return the `repr` of a value in one line of at most 80 characters."""
    try:
        text = _writer.repr(value)
    except Exception:
        # a number with too many digits, or a `__repr__` that fails
        text = f'<{type(value).__name__}>'
    return short(' '.join(text.split()))


def listed(names: Iterable[object]) -> str:
    """Return names separated by commas; for a long list only the first ones and the count."""
    every = iter(names)
    text, count = '', 0
    for name in every:
        word = short(str(name))
        longer = f'{text}, {word}' if count else word
        if len(longer) > _LONGEST_LIST:
            rest = 1 + sum(1 for _ in every)
            return f'{text}, ... ({count + rest} in all)'
        text, count = longer, count + 1
    return text or '(none)'


def did_you_mean(name: object, available: Iterable[str], similarity: float = 0.6) -> str:
    """Return the nearest of some names as a question, for the end of an error; perhaps none."""
    from difflib import get_close_matches  # of no use before an error

    for match in get_close_matches(str(name), list(map(str, available)), 1, similarity):
        return f'; did you mean {match}?'
    return ''


def among(names: Iterable[str], got: object) -> str:
    """Return the names of which an error expects one, what it got, and perhaps the nearest."""
    known = list(map(str, names))
    return f'{listed(known)}, got {shown(got)}{did_you_mean(got, known)}'


def short(text: str, longest: int = _LONGEST_VALUE) -> str:
    """Return a text, without its middle if it exceeds `longest` characters, by default 80."""
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f'{text[: longest - tail - len(_MARK)]}{_MARK}{text[-tail:]}'


def bounded(text: str) -> str:
    """Return a text, without its middle if it exceeds 2000 characters."""
    return short(text, _LONGEST_TEXT)


class ScrewDynamicsError(Exception):
    """Base of all errors of this package; texts are shortened to 2000 characters."""

    def __str__(self) -> str:
        """Return the text, with escapes for characters that UTF-8 cannot encode."""
        return bounded(super().__str__().encode(errors='backslashreplace').decode())


class ModelError(ScrewDynamicsError, ValueError):
    """A robot model cannot be built from the given data."""


class UrdfError(ModelError):
    """A URDF document (or a parsed URDF object) is malformed; the element is named."""


class TopologyError(ModelError):
    """Links and joints do not form one tree: loop, two roots, unknown parent."""


class InertiaError(ModelError):
    """A mass or inertia is not a finite number or is negative."""


class UnsupportedJointError(ModelError):
    """A joint type is unknown or not supported in this place."""


class ModelWarning(UserWarning):
    """
    A robot description is suspicious; the model is loaded unchanged.

    `findings` are pairs of what was found, and the names of the links or joints.
    """

    def __init__(self, text: str, findings: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
        self.findings = tuple(findings)
        super().__init__(text)


class UrdfWarning(ModelWarning):
    """Impossible limits or damping, or links and joints in elements that are not read."""


class MjcfWarning(ModelWarning):
    """Parts of an MJCF document that the model and its drives do not have."""


class InertiaWarning(ModelWarning):
    """Non-physical mass or inertia of links; the model is loaded unchanged."""


class UnusedEntryWarning(UserWarning):
    """Entries of a file that have no effect; all are named."""


class InputError(ScrewDynamicsError, ValueError):
    """An argument of a public function is invalid."""


class ShapeError(InputError):
    """An array has the wrong shape."""

    def __init__(self, name: str, expected: str, got: object) -> None:
        self.name, self.expected, self.got = name, expected, got
        super().__init__(f'{name}: expected shape {expected}, got {got}')


class NotFiniteError(InputError):
    """An array contains NaN or infinity; `index` is empty for a scalar."""

    def __init__(self, name: str, index: tuple[int, ...], value: float, where: str = '') -> None:
        self.name, self.index, self.value = name, index, value
        place = f' ({where})' if where else ''
        entry = list(index) if index else ''
        super().__init__(f'{name}{entry}{place}: expected a finite number, got {value}')


class UnknownNameError(InputError):
    """A joint, frame or link name does not exist in the model."""

    def __init__(self, kind: str, name: str, available: Iterable[str], where: str = '') -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        place = f'{where}: ' if where else ''
        super().__init__(
            f'{place}unknown {kind} {shown(name)}: expected one of {listed(self.available)}'
            f'{did_you_mean(name, self.available)}'
        )


class SingularMassMatrixError(ScrewDynamicsError, ArithmeticError):
    """
    The mass matrix must be inverted but is singular; the weakest joint is named.

    `pivot`, its inertia while the joints beyond it move freely, relative to that of all bodies
    that it moves, must exceed `bound`.
    """

    def __init__(
        self, joint: str, pivot: float, bound: float, reason: str, sample: int | None = None
    ) -> None:
        self.joint, self.pivot, self.bound, self.sample = joint, pivot, bound, sample
        place = '' if sample is None else f' at sample {sample}'
        super().__init__(
            f'mass matrix is singular{place}: joint {joint!r}: expected a relative inertia above '
            f'{bound:g}, got {pivot:.3g}: {reason}'
        )


class SingularJacobianError(ScrewDynamicsError, ArithmeticError):
    """
    A task needs a direction in which no joint moves the frame; frame and direction are named.

    `singular_value`, the smallest of the weighted Jacobian, must exceed `bound`; `configuration`
    are the coordinates.
    """

    def __init__(
        self,
        frame: str,
        configuration: str,
        singular_value: float,
        bound: float,
        reason: str,
        sample: int | None = None,
    ) -> None:
        self.frame, self.configuration, self.sample = frame, configuration, sample
        self.singular_value, self.bound, self.reason = singular_value, bound, reason
        place = '' if sample is None else f' at sample {sample}'
        super().__init__(
            f'Jacobian of frame {frame!r} is singular{place} at q = ({configuration}): expected a '
            f'smallest singular value above {bound:.3g}, got {singular_value:.3g}: {reason}'
        )


class SpringRangeError(InputError):
    """No deflection of a joint's spring produces an effort; the joint is named."""

    def __init__(
        self, joint: str, reason: str, values: tuple[float, ...], sample: int | None = None
    ) -> None:
        self.joint, self.reason, self.values, self.sample = joint, reason, values, sample
        place = '' if sample is None else f' at sample {sample}'
        super().__init__(f'joint {joint!r}{place}: {reason}')


class InfeasibleError(ScrewDynamicsError):
    """A motion exceeds limits at every speed; quantity, joint and time are named."""


class SimulationError(ScrewDynamicsError, ArithmeticError):
    """A simulation cannot continue; time and joint are named."""


class TrajectoryError(InputError):
    """A joint trajectory is invalid; point and joint are named."""


class BagError(ScrewDynamicsError):
    """A bag cannot be read or written; the path is named."""


class RecordingWarning(UserWarning):
    """Samples of a recording that are not used."""


class BagWarning(UserWarning):
    """A bag is incomplete; the intact part can be read, and the omitted part is named."""
