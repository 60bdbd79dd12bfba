# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Drives`: springs, motors and friction of the joints of a robot, by name."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from screw_dynamics.common.scalars import check_number
from screw_dynamics.common.yaml_files.document import is_document, read_document
from screw_dynamics.drives.drives_yaml import (
    read_drives,
    unused_entries,
    write_drives,
)
from screw_dynamics.drives.joint_drive import JointDrive
from screw_dynamics.drives.joint_friction import JointFriction
from screw_dynamics.drives.motor_table import MotorTable, motor_table
from screw_dynamics.errors import (
    InputError,
    ModelError,
    UnknownNameError,
    UnusedEntryWarning,
    listed,
    shown,
)
from screw_dynamics.model import ScrewModel


@dataclass(frozen=True)
class Drives:
    """
    Springs, motors and limits of a robot's joints; immutable, independent of a model.

    Parameters
    ----------
    joints : mapping of str to JointDrive
        By coordinate name; joints without an entry are rigid with ``Motor()``.
    rotor_coupling : bool
        Whether the motion of its carrier link acts on a rotor (the model of [T1991]);
        by default a rotor has only the kinetic energy B theta'^2 / 2 ([S1987]).
    urdf_dynamics : bool
        Whether damping and friction of the model (URDF ``<dynamics>``) are the viscous and
        Coulomb friction of the joints for which no friction is given: neither
        `JointDrive.friction` nor friction of a motor.
    coulomb_velocity : float
        Velocity of that Coulomb friction, see `JointFriction`, above 0 [rad/s or m/s].

    Raises
    ------
    ModelError
        If an entry is not a `JointDrive`; the error names the joint.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> joint = sd.JointDrive(sd.LinearSpring(200.0), sd.Motor(rotor_inertia=0.1))
    >>> drives = sd.Drives({'joint_1': joint})
    >>> sd.Drives.from_yaml(drives.to_yaml()) == drives
    True
    """

    joints: Mapping[str, JointDrive]
    rotor_coupling: bool = False
    urdf_dynamics: bool = False
    coulomb_velocity: float = JointFriction.coulomb_velocity
    _file: str = field(default='', init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check and freeze the entries."""
        if not isinstance(self.joints, Mapping):
            raise ModelError(f'joints: expected a mapping, got {type(self.joints).__name__}')
        for name, joint in self.joints.items():
            if not isinstance(name, str):
                raise ModelError(f'joints: expected the name of a joint, got {shown(name)}')
            if not isinstance(joint, JointDrive):
                raise ModelError(f'joint {name!r}: expected a JointDrive, got {shown(joint)}')
        for entry in ('rotor_coupling', 'urdf_dynamics'):
            value = getattr(self, entry)
            if not isinstance(value, bool):
                raise ModelError(f'{entry}: expected true or false, got {shown(value)}')
        check_number(self, 'coulomb_velocity', above=True)
        joints = {str(name): joint for name, joint in self.joints.items()}
        object.__setattr__(self, 'joints', MappingProxyType(joints))

    def __hash__(self) -> int:
        """Return a hash of all entries that is independent of their order."""
        return hash((frozenset(self.joints.items()), *self._settings.values()))

    def __reduce__(self) -> tuple[type[Drives], tuple[object, ...]]:
        """Return constructor and arguments, for pickle and copy."""
        return Drives, (dict(self.joints), *self._settings.values())

    @property
    def _settings(self) -> dict[str, bool | float]:
        return {
            'rotor_coupling': self.rotor_coupling,
            'urdf_dynamics': self.urdf_dynamics,
            'coulomb_velocity': self.coulomb_velocity,
        }

    def require_joints(self, names: Sequence[str]) -> None:
        """Raise UnknownNameError if a joint of the drives is not among those of a robot."""
        for name in self.joints:
            if name not in names:
                raise UnknownNameError('joint', name, names, self._file)

    def motor_table(self, model: ScrewModel) -> MotorTable:
        """Return the motors of a robot as arrays; `Robot.motors` keeps them, see there."""
        prefix = f'{self._file}: ' if self._file else ''
        for name, joint in self.joints.items():
            for entry, link in joint.links.items():
                try:
                    model.frame(link)
                except UnknownNameError as error:
                    where = f'{prefix}joint {shown(name)}: {entry}'
                    raise UnknownNameError('link', link, error.available, where) from None
        try:
            return motor_table(model, self._with_urdf_dynamics(model))
        except ModelError as error:
            raise ModelError(f'{prefix}{error}') from None

    def _with_urdf_dynamics(self, model: ScrewModel) -> Mapping[str, JointDrive]:
        """Return the joints with the friction of the URDF, if it is used."""
        if not self.urdf_dynamics:
            return self.joints
        joints = dict(self.joints)
        for name, viscous, coulomb in zip(
            model.joint_names, model.damping.tolist(), model.friction.tolist(), strict=True
        ):
            joint = joints.get(name, JointDrive())
            if joint.friction is None and not any(motor.has_friction for motor in joint.motors):
                try:
                    friction = JointFriction(viscous, coulomb, self.coulomb_velocity)
                except ModelError as error:
                    raise ModelError(f'joint {name!r}: dynamics of the URDF: {error}') from None
                joints[name] = replace(joint, friction=friction)
        return joints

    def to_yaml(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the record as lossless YAML text; write it to the file `path` if one is given."""
        return write_drives(self.joints, self._settings, path)

    @staticmethod
    def from_yaml(source: str | bytes | os.PathLike[str]) -> Drives:
        """
        Read elastic joints from YAML.

        Parameters
        ----------
        source : str, bytes or path
            A path, or the document itself; text with a line break is a document.

        Raises
        ------
        ModelError
            If the file cannot be read, is not YAML, or an entry is unknown, missing or out of
            range; the error names file and entry.

        Warns
        -----
        UnusedEntryWarning
            If entries have no effect: deflection limits of rigid joints, `rotor` without
            `rotor_coupling`, `coulomb_velocity` without `urdf_dynamics`.
        """
        document = read_document(source, 'elastic joints')
        path = '' if is_document(source) else str(source)
        try:
            drives = Drives(**read_drives(document))
        except ModelError as error:
            raise ModelError(f'{path}: {error}' if path else str(error)) from None
        object.__setattr__(drives, '_file', path)
        unused = unused_entries(drives.joints, 'rotor_coupling' in document)
        if not drives.urdf_dynamics and drives.coulomb_velocity != JointFriction.coulomb_velocity:
            unused.append('coulomb_velocity (urdf_dynamics is not true)')
        if unused:
            warnings.warn(
                f'{path or "elastic joints text"}: without effect: {listed(unused)}',
                UnusedEntryWarning,
                stacklevel=2,
            )
        return drives


def require_drives(drives: object) -> Drives:
    """Return `drives`; raise InputError if they are not Drives."""
    if not isinstance(drives, Drives):
        raise InputError(f'drives: expected Drives, got {type(drives).__name__}')
    return drives
