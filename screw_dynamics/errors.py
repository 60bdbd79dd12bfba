# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Every exception this package raises on purpose; each message says what, where, expected, got."""

from __future__ import annotations

from collections.abc import Iterable

from screw_dynamics.error_texts import bounded, listed, shown


class ScrewDynamicsError(Exception):
    """Root of all errors of this package; a text of any length is cut to 2000 characters."""

    def __str__(self) -> str:
        """Return the text, with escapes for what cannot be printed in UTF-8."""
        return bounded(super().__str__().encode(errors='backslashreplace').decode())


class ModelError(ScrewDynamicsError, ValueError):
    """A robot model cannot be built from what was given."""


class UrdfError(ModelError):
    """A URDF document (or a parsed URDF object) is malformed; the element is named."""


class TopologyError(ModelError):
    """Links and joints do not form one tree: loop, two roots, unknown parent."""


class InertiaError(ModelError):
    """A mass or inertia is not a finite number or is negative."""


class UnsupportedJointError(ModelError):
    """A joint type is not supported where it stands."""


class ModelWarning(UserWarning):
    """A robot description is odd; the robot loads all the same."""


class UrdfWarning(ModelWarning):
    """Limits or damping that no joint has, or links and joints where URDF does not read them."""


class InertiaWarning(ModelWarning):
    """Links with a mass or inertia that no solid body has; the robot loads all the same."""


class UnusedEntryWarning(UserWarning):
    """Entries of a file that have no effect; all are named."""


class InputError(ScrewDynamicsError, ValueError):
    """An argument of a public function is unusable."""


class ShapeError(InputError):
    """An array has the wrong shape."""

    def __init__(self, name: str, expected: str, got: object) -> None:
        self.name, self.expected, self.got = name, expected, got
        super().__init__(f'{name}: expected shape {expected}, got {got}')


class NotFiniteError(InputError):
    """An array holds NaN or infinity."""

    def __init__(self, name: str, index: tuple[int, ...], value: float, where: str = '') -> None:
        self.name, self.index, self.value = name, index, value
        place = f' ({where})' if where else ''
        entry = list(index) if index else ''
        super().__init__(f'{name}{entry}{place}: expected a finite number, got {value}')


class UnknownNameError(InputError):
    """A joint or frame name does not exist in the model."""

    def __init__(self, kind: str, name: str, available: Iterable[str], where: str = '') -> None:
        self.kind, self.name, self.available = kind, name, tuple(available)
        place = f'{where}: ' if where else ''
        super().__init__(
            f'{place}unknown {kind} {shown(name)}: expected one of {listed(self.available)}'
        )


class SingularMassMatrixError(ScrewDynamicsError, ArithmeticError):
    """The mass matrix must be inverted and is singular; the weakest joint is named."""

    def __init__(
        self, joint: str, pivot: float, bound: float, reason: str, sample: int | None = None
    ) -> None:
        self.joint, self.pivot, self.bound, self.sample = joint, pivot, bound, sample
        place = '' if sample is None else f' at sample {sample}'
        super().__init__(
            f'mass matrix is singular{place}: joint {joint!r}: expected a relative inertia above '
            f'{bound:g}, got {pivot:.3g}: {reason}'
        )


class SpringRangeError(InputError):
    """No deflection of a joint's spring belongs to an effort; the joint is named."""

    def __init__(
        self, joint: str, reason: str, values: tuple[float, ...], sample: int | None = None
    ) -> None:
        self.joint, self.reason, self.values, self.sample = joint, reason, values, sample
        place = '' if sample is None else f' at sample {sample}'
        super().__init__(f'joint {joint!r}{place}: {reason}')


class InfeasibleError(ScrewDynamicsError):
    """A motion exceeds limits at every speed; quantity, joint and time are named."""


class SimulationError(ScrewDynamicsError, ArithmeticError):
    """A simulation cannot go on; time and joint are named."""


class TrajectoryError(InputError):
    """A joint trajectory is unusable; point and joint are named."""


class BagError(ScrewDynamicsError):
    """A bag cannot be read or written; the path is named."""


class BagWarning(UserWarning):
    """A bag is incomplete; what is intact can be read, and what is left out is named."""
