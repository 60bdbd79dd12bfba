# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointDrive`: spring, motors, friction, rotor and limits of one joint."""

from dataclasses import dataclass, fields

import numpy as np

from screw_dynamics.common.arrays import as_float_array
from screw_dynamics.common.scalars import changes_of, check_number
from screw_dynamics.drives.joint_friction import JointFriction, check_friction
from screw_dynamics.drives.springs import AntagonisticPair, LinearSpring, ParallelSpring, Spring
from screw_dynamics.drives.winding import Winding
from screw_dynamics.errors import ModelError, shown


@dataclass(frozen=True)
class Rotor:
    """
    Carrier and axis of a rotor. Its mass and locked inertia belong to the carrier link.

    Parameters
    ----------
    axis : (3,) sequence of float, optional
        Axis about which the rotor turns by r theta, in the frame of the carrier, any length above
        0; default the joint's axis. Use the opposite axis if the gear reverses the sense.
    carrier : str, optional
        Name of the link that carries the motor; default the link before the joint.

    Examples
    --------
    >>> from screw_dynamics import Rotor
    >>> Rotor(axis=(0.0, 0.0, 2.0)).axis
    (0.0, 0.0, 1.0)
    """

    axis: tuple[float, float, float] | None = None
    carrier: str | None = None

    def __post_init__(self) -> None:
        """Check both fields and normalise the axis."""
        if self.axis is not None:
            axis = as_float_array('axis', self.axis)
            norm = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
            if not 0.0 < norm < np.inf:
                got = shown(self.axis)
                raise ModelError(f'axis: expected three numbers, not all zero, got {got}')
            # a unit axis is kept bit for bit
            unit = axis if abs(norm - 1.0) < 1e-12 else axis / norm
            object.__setattr__(self, 'axis', tuple(unit.tolist()))
        if self.carrier is not None:
            if not isinstance(self.carrier, str):
                raise ModelError(
                    f'carrier: expected the name of a link, got {shown(self.carrier)}'
                )
            object.__setattr__(self, 'carrier', str(self.carrier))


@dataclass(frozen=True)
class Motor:
    """
    A motor with its gear; all values are on the motor's side of the gear.

    Parameters
    ----------
    rotor_inertia : float
        J of rotor and fast gear parts about the spin axis [kg m^2].
    gear_ratio : float
        r > 0, motor revolutions per revolution of the joint, or rad/m for a prismatic one. It is
        positive also for a gear that reverses the sense, see `Rotor`. With the default 1 all
        values are already reflected to the joint.
    viscous_friction : float
        Coefficient d [N m s/rad].
    coulomb_friction : float
        c of the smooth law ``c tanh(velocity / coulomb_velocity)`` [N m].
    coulomb_velocity : float
        Motor velocity at which this friction reaches 76 % of c, above 0 [rad/s].
    max_effort : float
        Peak effort [N m]. Checked along motions, like `max_velocity`; `feedforward` publishes no
        motor command beyond it.
    max_velocity : float
        Maximum velocity [rad/s].
    breakaway_friction : float
        Friction at the begin of a motion, at least `coulomb_friction` [N m]; 0 for one as large as
        it. It decays to it as ``exp(-(velocity / stribeck_velocity)^2)``.
    stribeck_velocity : float
        Motor velocity at which 63 % of the difference have decayed, above 0 [rad/s].
    load_friction : float
        Coefficient of the part ``sqrt(effort^2 + load_effort^2)`` that grows with the transmitted
        effort, 0 or more and below 1 [N m/(N m)].
    load_effort : float
        Transmitted effort below which that part is rounded off, above 0 [N m].
    presliding_stiffness : float
        Stiffness of the friction at rest in simulations, so that it holds the motor still; 0 for
        the smooth law, under which a loaded motor creeps [N m/rad].

    Raises
    ------
    ModelError
        If a value is not a number, out of range, or not finite behind the gear.

    Examples
    --------
    >>> from screw_dynamics import Motor
    >>> round(Motor(rotor_inertia=3e-5, gear_ratio=160.0).joint_inertia, 12)
    0.768
    """

    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    viscous_friction: float = 0.0
    coulomb_friction: float = 0.0
    coulomb_velocity: float = 0.1
    max_effort: float = np.inf
    max_velocity: float = np.inf
    breakaway_friction: float = 0.0
    stribeck_velocity: float = 1.0
    load_friction: float = 0.0
    load_effort: float = 1e-3
    presliding_stiffness: float = 0.0

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        return changes_of(self)

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in fields(self):
            limit = field.name.startswith('max_')
            if limit or field.name == 'gear_ratio':
                check_number(self, field.name, above=True, infinite=limit)
            else:
                check_friction(
                    self,
                    field.name,
                    coulomb='coulomb_friction',
                    breakaway='breakaway_friction',
                    load='load_friction',
                )
        if self.presliding_stiffness > 0.0 and not self.coulomb_friction + self.load_friction:
            raise ModelError(
                'presliding_stiffness: expected 0 without coulomb_friction and load_friction, got '
                f'{self.presliding_stiffness:g}'
            )
        if not np.isfinite((*self.behind_gear, *self.friction_behind_gear)).all():
            raise ModelError(
                'gear_ratio: expected a value for which the reflected inertia and friction are '
                f'finite, got {self.gear_ratio:g}'
            )

    @property
    def behind_gear(self) -> tuple[float, float, float, float]:
        """
        Values of the motor reflected to the joint.

        Inertia r^2 J [kg m^2 or kg], viscous friction r^2 d [N m s/rad or N s/m], Coulomb friction
        r c [N m or N] and the velocity of its law, v / r [rad/s or m/s].
        """
        r = self.gear_ratio
        inertia, viscous = r * r * self.rotor_inertia, r * r * self.viscous_friction
        return inertia, viscous, r * self.coulomb_friction, self.coulomb_velocity / r

    @property
    def friction_behind_gear(self) -> tuple[float, float, float, float]:
        """
        Values of the friction beside those of `behind_gear`, reflected to the joint.

        Excess r (b - c) of the breakaway friction [N m or N], its velocity [rad/s or m/s],
        coefficient of the load [N m/(N m)] and effort r u0 of its rounding [N m or N].
        """
        r = self.gear_ratio
        excess = max(self.breakaway_friction - self.coulomb_friction, 0.0)
        return r * excess, self.stribeck_velocity / r, self.load_friction, r * self.load_effort

    @property
    def has_friction(self) -> bool:
        """True if the motor has friction of any kind."""
        dry = self.coulomb_friction, self.breakaway_friction, self.load_friction
        return any((self.viscous_friction, *dry))

    @property
    def joint_inertia(self) -> float:
        """Rotor inertia reflected to the joint, B = r^2 J [kg m^2 or kg]."""
        return self.behind_gear[0]


@dataclass(frozen=True)
class JointDrive:
    """
    Spring, motors, friction and limits of one joint.

    Parameters
    ----------
    spring : Spring, optional
        Between motor and link, behind the gear; None for a rigid joint.
    motor : Motor
    second_motor : Motor, optional
        Second motor of an antagonistic pair; default equal to `motor`. None for other springs.
    max_deflection : float
        Spring stop [rad or m]. Checked along motions, like `max_effort_rate`; `feedforward`
        publishes no motor command beyond it.
    max_effort_rate : float
        Maximum rate of the transmitted effort [N m/s or N/s].
    rotor : Rotor, optional
        Used only with `Drives.rotor_coupling`.
    friction : JointFriction, optional
        Friction between the link and its parent; default none, or that of the URDF with
        `Drives.urdf_dynamics`.
    parallel_spring : ParallelSpring, optional
        Spring between the link and its parent.
    hysteresis : float
        Half of the hysteresis loss of gear and spring: by how much the deflection lags behind in
        either direction [rad or m].
    backlash : float
        Play of the gear from stop to stop [rad or m].
    winding : Winding, optional
        Of each of its motors.

    Examples
    --------
    >>> from screw_dynamics.drives import LinearSpring
    >>> from screw_dynamics import JointDrive, Motor
    >>> len(JointDrive(LinearSpring(200.0), Motor(rotor_inertia=0.1)).motors)
    1
    """

    spring: Spring | None = None
    motor: Motor = Motor()
    second_motor: Motor | None = None
    max_deflection: float = np.inf
    max_effort_rate: float = np.inf
    rotor: Rotor | None = None
    friction: JointFriction | None = None
    parallel_spring: ParallelSpring | None = None
    hysteresis: float = 0.0
    backlash: float = 0.0
    winding: Winding | None = None

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        return changes_of(self)

    def __post_init__(self) -> None:
        """Check the parts."""
        for name, kind, optional in (
            ('spring', Spring, True),
            ('motor', Motor, False),
            ('second_motor', Motor, True),
            ('rotor', Rotor, True),
            ('friction', JointFriction, True),
            ('parallel_spring', ParallelSpring, True),
            ('winding', Winding, True),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind) and not (optional and value is None):
                raise ModelError(f'{name}: expected a {kind.__name__}, got {shown(value)}')
        for name in ('max_deflection', 'max_effort_rate'):
            check_number(self, name, above=True, infinite=True)
        if isinstance(self.spring, AntagonisticPair):
            if self.second_motor is None:
                object.__setattr__(self, 'second_motor', self.motor)
        elif self.second_motor is not None:
            raise ModelError(
                'second_motor: expected None: only an antagonistic pair has two motors'
            )

        for name in ('hysteresis', 'backlash'):
            check_number(self, name)
            no_memory = self.spring is None or self.second_motor is not None
            if getattr(self, name) > 0.0 and (no_memory or self._damping > 0.0):
                raise ModelError(
                    f'{name}: expected 0 for a rigid joint, a pair and a spring with damper, got '
                    f'{getattr(self, name):g}'
                )

    @property
    def _damping(self) -> float:
        return self.spring.damping if isinstance(self.spring, LinearSpring) else 0.0

    @property
    def motors(self) -> tuple[Motor, ...]:
        """The motor, or both motors of an antagonistic pair."""
        return (self.motor,) if self.second_motor is None else (self.motor, self.second_motor)

    @property
    def links(self) -> dict[str, str]:
        """The names of links that entries contain, by the path of the entry."""
        names = {
            'rotor.carrier': getattr(self.rotor, 'carrier', None),
            'parallel_spring.parent': getattr(self.parallel_spring, 'parent', None),
            'parallel_spring.link': getattr(self.parallel_spring, 'link', None),
        }
        return {entry: name for entry, name in names.items() if name is not None}
