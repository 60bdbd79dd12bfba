# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`EffortFormat`: efforts as a robot takes or reports them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.dynamics.gravity_forces import gravity_forces, gravity_forces_jet
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import ScrewModel

SentContent: TypeAlias = Literal['full', 'without_gravity', 'gravity_only']
MeasuredContent: TypeAlias = Literal['full', 'without_gravity', 'external']
Content: TypeAlias = Literal['full', 'without_gravity', 'gravity_only', 'external']
CONTENTS: tuple[SentContent, ...] = get_args(SentContent)  # of efforts that a robot takes
MEASURED_CONTENTS: tuple[MeasuredContent, ...] = get_args(MeasuredContent)  # that it reports
# with which a measured value is part of the full effort
SENSES: dict[Content, float] = {'full': 1.0, 'without_gravity': 1.0, 'external': -1.0}


@dataclass(frozen=True)
class EffortFormat:
    """
    Efforts as a robot takes or reports them.

    Many arms add gravity to the efforts that they receive, and leave it out of those that they
    report, count joints in the opposite sense, or deal in currents or efforts at the motor. The
    value sent or reported is ``sign scale tau + offset``, with the part of tau that `content`
    names; its time derivatives have no offset.

    Parameters
    ----------
    content : {'full', 'without_gravity', 'gravity_only', 'external'}
        ``full``; ``without_gravity``, tau - g(q), for a robot that compensates gravity itself;
        ``gravity_only``, g(q), only sent; or ``external``, only reported: the efforts of external
        loads ON the robot, as far as its own model tells.
    sign : sequence of float
        1 or -1 for each of the n joints; empty: 1.
    scale : sequence of float
        Factor above 0 for each joint, e.g. 1 / (gear ratio x torque constant) for a current [A
        per N m]; empty: 1.
    offset : sequence of float
        Added after scaling, in the unit that is sent; empty: 0.

    Raises
    ------
    InputError
        If `content` is unknown or a number out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> rest = np.zeros((3, arm.n))
    >>> tau = sd.inverse_dynamics(arm, rest)
    >>> sd.EffortFormat('without_gravity').convert(arm, rest, tau)
    array([[0., 0.]])
    """

    content: Content = 'full'
    sign: Sequence[float] = ()
    scale: Sequence[float] = ()
    offset: Sequence[float] = ()

    def __post_init__(self) -> None:
        """Check the fields."""
        require_choice('content', self.content, get_args(Content))
        for name, valid, expected in (
            ('sign', lambda values: np.abs(values) == 1.0, '1 or -1 for each joint'),
            (
                'scale',
                lambda values: (values > 0.0) & (values < np.inf),
                'a number above 0 for each joint',
            ),
            ('offset', np.isfinite, 'a finite number for each joint'),
        ):
            values = as_float_array(name, getattr(self, name))
            if values.ndim != 1 or not valid(values).all():
                raise InputError(f'{name}: expected {expected}, got {shown(getattr(self, name))}')
            object.__setattr__(self, name, tuple(values.tolist()))

    @cached_property
    def trivial(self) -> bool:
        """True if efforts are sent as they are."""
        unit = not self.offsets.any() and (self.gains == 1.0).all()
        return self.content == 'full' and bool(unit)

    @cached_property
    def gains(self) -> Array:
        """Sign times scale, (n,), or (1,) for all joints."""
        return np.multiply(self.sign or 1.0, self.scale or 1.0) + np.zeros(1)

    @cached_property
    def offsets(self) -> Array:
        """Offsets, (n,), or (1,) for all joints."""
        return np.array(self.offset or (0.0,))

    def require_joints(self, joint_names: Sequence[str]) -> None:
        """Raise InputError unless every list is empty or has one value per joint."""
        for name in ('sign', 'scale', 'offset'):
            count = len(getattr(self, name))
            if count not in (0, len(joint_names)):
                raise InputError(
                    f'{name}: expected {len(joint_names)} values, one for each of '
                    f'{", ".join(joint_names)}, or none, got {count}'
                )

    def of_joints(self, chosen: NDArray[np.bool_]) -> EffortFormat:
        """Return the format of some joints (n,)."""

        def own(values: Sequence[float]) -> list[float]:
            return np.array(values)[chosen].tolist() if values else []

        return EffortFormat(self.content, own(self.sign), own(self.scale), own(self.offset))

    def convert(
        self,
        model: RobotModel,
        joint_jet: ArrayLike,
        efforts: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """
        Return efforts and their time derivatives as the robot takes them.

        Parameters
        ----------
        model : ScrewModel
            With the gravity that the efforts contain.
        joint_jet : (..., k + 3, n) array_like
            Motion that the efforts belong to [rad or m, per s^d].
        efforts : (..., k + 1, n) array_like
            Of `inverse_dynamics`, with external wrenches or without [N m or N, per s^d].
        out : (..., k + 1, n) ndarray, optional
            Array to fill; not `efforts`.

        Returns
        -------
        (..., k + 1, n) ndarray
            In units of the drives; `out` if given.

        Raises
        ------
        ShapeError, NotFiniteError, InputError
        """
        given = np.asarray(efforts, dtype=np.float64)
        self.require_joints(model.joint_names)
        if self.content not in CONTENTS:
            raise InputError(
                f'content: expected {", ".join(CONTENTS)} of efforts that a robot takes, got '
                f'{self.content!r}'
            )
        if given.ndim < 2 or given.shape[-1] != model.n:
            raise ShapeError('efforts', f'(..., k + 1, {model.n})', given.shape)
        if out is not None and out.shape != given.shape:
            raise ShapeError('out', str(given.shape), out.shape)
        result = np.empty_like(given) if out is None else out
        if self.content == 'full':
            np.multiply(given, self.gains, out=result)
        else:
            gravity = gravity_forces_jet(model, joint_jet)
            if gravity.shape != given.shape:
                raise ShapeError('efforts', f'{gravity.shape}, as of joint_jet', given.shape)
            if self.content == 'gravity_only':
                np.multiply(gravity, self.gains, out=result)
            else:
                np.subtract(given, gravity, out=result)
                np.multiply(result, self.gains, out=result)
        first = result[..., 0, :]
        np.add(first, self.offsets, out=first)
        return result

    def reported(self, values: Array) -> Array:
        """Return reported values (..., n) in N m or N, without sign, scale and offset."""
        found: Array = (values - self.offsets) / self.gains
        return found

    def full_efforts(self, model: RobotModel, joint_jet: ArrayLike, values: ArrayLike) -> Array:
        """
        Return the full efforts of those that a robot reports.

        Parameters
        ----------
        model : ScrewModel
            With the gravity that the robot compensates; for ``external`` with all that its own
            model has.
        joint_jet : (..., k, n) array_like
            Measured motion, for ``external`` down to accelerations [rad or m, per s^d].
        values : (..., n) array_like
            In the unit of the robot.

        Returns
        -------
        (..., n) ndarray
            [N m or N]

        Raises
        ------
        InputError
            If no robot reports such a content.
        ShapeError, NotFiniteError
        """
        self.require_joints(model.joint_names)
        rest = left_out(self.content, model, joint_jet)
        return SENSES[self.content] * self.reported(as_float_array('values', values)) + rest

    def efforts_of_bodies(self, model: ScrewModel, efforts: ArrayLike) -> tuple[ScrewModel, Array]:
        """
        Return the efforts in N m or N that a robot applies for those that it takes.

        Parameters
        ----------
        model : ScrewModel
        efforts : (..., k + 1, n) array_like
            In units of the drives.

        Returns
        -------
        model : ScrewModel
            On which these efforts alone act: without gravity if the robot adds gravity itself.
        efforts : (..., k + 1, n) ndarray
            [N m or N, per s^d]

        Raises
        ------
        InputError
            If the content is ``gravity_only``, which does not cause a motion.
        """
        self.require_joints(model.joint_names)
        if self.content not in ('full', 'without_gravity'):
            raise InputError(
                f"content: expected 'full' or 'without_gravity', got {self.content!r}: such "
                'efforts are not those of a motion'
            )
        applied = np.array(efforts, dtype=np.float64)
        applied[..., 0, :] -= self.offsets
        applied /= self.gains
        return (model if self.content == 'full' else model.without_gravity()), applied


def left_out(content: Content, model: RobotModel, joint_jet: ArrayLike) -> Array:
    """Return the part (..., n) of full efforts that measured ones of a content lack."""
    jets = np.asarray(joint_jet, dtype=np.float64)
    if content == 'full':
        return np.zeros_like(jets[..., 0, :])
    if content == 'without_gravity':
        return gravity_forces(model, jets[..., 0, :])
    if content == 'external':
        return inverse_dynamics(model, jets[..., :3, :])[..., 0, :]
    raise InputError(
        f'content: expected {", ".join(MEASURED_CONTENTS)} of measured efforts, got {content!r}'
    )


def measured_format(
    given: MeasuredContent | EffortFormat, joint_names: Sequence[str]
) -> EffortFormat:
    """Return the format of measured efforts; raise InputError if no robot reports such efforts."""
    found = given if isinstance(given, EffortFormat) else None
    if found is None and given in MEASURED_CONTENTS:
        found = EffortFormat(given)
    if found is None or found.content not in MEASURED_CONTENTS:
        content = given if found is None else found.content
        raise InputError(
            f'effort_content: expected {", ".join(MEASURED_CONTENTS)}, or an EffortFormat of one '
            f'of them, got {shown(content)}'
        )
    found.require_joints(joint_names)
    return found


def other_content(stated: EffortFormat, content: Content, reverse: bool, times: float) -> str:
    """Return the text of efforts that another content or the opposite sign explains better."""
    words = [] if content == stated.content else [f'effort_content {content!r}']
    if reverse:
        words.append('the opposite effort_sign of every joint')
    return (
        f'expected efforts with effort_content {stated.content!r}, got some that '
        f'{" and ".join(words)} would explain {times:.2g} times better'
    )
