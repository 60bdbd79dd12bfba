# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Winding`: electric and thermal values of a motor."""

from dataclasses import dataclass, fields

from screw_dynamics.common.scalars import check_number
from screw_dynamics.errors import ModelError

_ABOVE = ('torque_constant', 'thermal_time', 'housing_time')


@dataclass(frozen=True)
class Winding:
    """
    Winding of the motors of a joint, on the motor's side of the gear.

    Parameters
    ----------
    torque_constant : float
        kt, above 0 [N m/A]; in V s/rad also the constant of the back-EMF.
    resistance : float
        R at 25 deg C [Ohm].
    inductance : float
        L [H].
    max_current : float
        Peak current; a motor effort beyond kt times it counts as beyond `Motor.max_effort` [A].
    max_voltage : float
        Of the supply [V].
    continuous_current : float
        Largest rms current over a motion [A].
    max_temperature : float
        Of the winding, along a motion [deg C].
    thermal_resistance : float
        From the winding to the housing, 0 for a winding that does not warm up [K/W].
    thermal_time : float
        Time constant of the winding, above 0: its heat capacity times that resistance [s].
    housing_resistance : float
        From the housing to the surroundings; 0 for one time constant alone [K/W].
    housing_time : float
        Time constant of the housing, above 0 [s].

    Raises
    ------
    ModelError
        If a value is not a number or out of range.

    Examples
    --------
    >>> from screw_dynamics import Winding
    >>> Winding(0.068, resistance=0.3, max_current=12.0).inductance
    0.0
    """

    torque_constant: float
    resistance: float = 0.0
    inductance: float = 0.0
    max_current: float = float('inf')
    max_voltage: float = float('inf')
    continuous_current: float = float('inf')
    max_temperature: float = float('inf')
    thermal_resistance: float = 0.0
    thermal_time: float = 30.0
    housing_resistance: float = 0.0
    housing_time: float = 1000.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field in fields(self):
            limit = field.name.startswith(('max_', 'continuous_'))
            above = limit or field.name in _ABOVE
            check_number(self, field.name, above=above, infinite=limit)
        if self.housing_resistance > 0.0 and not self.thermal_resistance:
            raise ModelError(
                'housing_resistance: expected 0 without thermal_resistance, got '
                f'{self.housing_resistance:g}'
            )
