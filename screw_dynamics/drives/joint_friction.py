# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointFriction`: friction between a link and its parent, and checks of friction values."""

from dataclasses import dataclass, fields

from screw_dynamics.common.scalars import changes_of, check_number
from screw_dynamics.errors import ModelError

# fields that must be above 0
_ABOVE = ('coulomb_velocity', 'stribeck_velocity', 'load_effort')


def check_friction(record: object, name: str, *, coulomb: str, breakaway: str, load: str) -> None:
    """Check a field of a frozen record with friction; the other arguments are names of fields."""
    check_number(record, name, above=name in _ABOVE)
    value = getattr(record, name)
    if name == load and value >= 1.0:
        raise ModelError(f'{name}: expected a number below 1, got {value:g}: the joint locks')
    if name == breakaway and 0.0 < value < getattr(record, coulomb):
        least = getattr(record, coulomb)
        raise ModelError(f'{name}: expected 0 or at least {coulomb} = {least:g}, got {value:g}')


@dataclass(frozen=True)
class JointFriction:
    """
    Friction between a link and its parent, in bearings, seals and cables: beside the drive.

    At the joint velocity v and under the effort u that spring or gear transmit::

        F = d v + tanh(v / v0) (c + (b - c) exp(-(v / vs)^2) + mu sqrt(u^2 + u0^2))

    Parameters
    ----------
    viscous : float
        Coefficient d [N m s/rad or N s/m].
    coulomb : float
        Coulomb friction c [N m or N].
    coulomb_velocity : float
        v0, at which the Coulomb friction reaches 76 %, above 0 [rad/s or m/s].
    breakaway : float
        Friction b at the begin of a motion, at least `coulomb` [N m or N]; 0 for one as large as
        `coulomb`. It is nearly reached if `stribeck_velocity` is several times `coulomb_velocity`.
    stribeck_velocity : float
        vs, at which 63 % of the difference of both have decayed, above 0 [rad/s or m/s].
    load : float
        Coefficient mu of the part that grows with the transmitted effort, 0 <= mu < 1
        [N/N or N m/(N m)].
    load_effort : float
        u0, below which that part is rounded off, above 0 [N m or N].

    Raises
    ------
    ModelError
        If a value is not a number or out of range.

    Examples
    --------
    >>> from screw_dynamics import JointFriction
    >>> JointFriction(viscous=2.0, coulomb=1.5).breakaway
    0.0
    """

    viscous: float = 0.0
    coulomb: float = 0.0
    coulomb_velocity: float = 0.01
    breakaway: float = 0.0
    stribeck_velocity: float = 0.1
    load: float = 0.0
    load_effort: float = 0.1

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        return changes_of(self)

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in fields(self):
            check_friction(self, field.name, coulomb='coulomb', breakaway='breakaway', load='load')

    @property
    def rows(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Both rows of the tables of friction, see `kernels.drives.friction`."""
        excess = max(self.breakaway - self.coulomb, 0.0)
        return (
            (0.0, self.viscous, self.coulomb, self.coulomb_velocity),
            (excess, self.stribeck_velocity, self.load, self.load_effort),
        )
