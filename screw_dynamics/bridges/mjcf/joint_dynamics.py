# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertia of rotors, friction, springs and actuators of joints of a compiled MJCF document."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from screw_dynamics.bridges.described_robot import JointDynamics
from screw_dynamics.bridges.mjcf.compiled import CompiledMjcf
from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Motor, Winding

_NONLINEAR = 'damping beyond the linear part'
_VOLTAGE = 0, 8  # input of a motor, the first before MuJoCo 3.8


def joint_dynamics(compiled: CompiledMjcf) -> dict[str, JointDynamics]:
    """Return the dynamics of hinges and slides; note what is left out."""
    model, note = compiled.model, compiled.note
    motors = _motors(compiled)
    found = {}
    for j, name in enumerate(compiled.joints):
        dof = int(model.jnt_dofadr[j])
        note('stiffness beyond the linear part', name, _of(model, 'jnt_stiffnesspoly', j))
        note(_NONLINEAR, name, _of(model, 'dof_dampingpoly', dof))
        note('plastic springs', name, _of(model, 'jnt_springyield', j))
        if not compiled.is_scalar(j):
            dofs, several = model.dof_jntid == j, 'of ball and free joints'
            note(f'damping {several}', name, model.dof_damping[dofs])
            note(f'frictionloss {several}', name, model.dof_frictionloss[dofs])
            note(f'armature {several}', name, model.dof_armature[dofs])
            note(f'stiffness {several}', name, model.jnt_stiffness[j])
            note(f'range {several}', name, model.jnt_limited[j])
            continue
        own = motors[j]
        windings = [winding for _, winding in own if winding]
        note('windings of joints with several motors', name, len(own) > 1 and windings)
        found[name] = JointDynamics(
            armature=float(model.dof_armature[dof]),
            damping=float(model.dof_damping[dof]),
            frictionloss=float(model.dof_frictionloss[dof]),
            stiffness=float(model.jnt_stiffness[j]),
            rest_position=float(model.qpos_spring[model.jnt_qposadr[j]]),
            motors=tuple(motor for motor, _ in own),
            winding=windings[0] if windings else None,
            max_effort=_bound(model.jnt_actfrcrange[j], model.jnt_actfrclimited[j]),
        )
    return found


def _bound(ends: Array, limited: object) -> float:
    """Return the smaller end of a range on both sides of 0, else the larger one."""
    if not limited or not ends.any():
        return np.inf
    low, high = np.abs(ends).tolist()
    return float(min(low, high) if ends[0] < 0.0 < ends[1] else max(low, high))


def _of(model: Any, field: str, index: int) -> Any:
    """Return an entry of a field of the model that older versions of MuJoCo lack; then 0."""
    return getattr(model, field)[index] if hasattr(model, field) else 0.0


def _motors(compiled: CompiledMjcf) -> dict[int, list[tuple[Motor, Winding | None]]]:
    """Return the motors of each hinge and slide, with their windings."""
    model, mujoco = compiled.model, compiled.mujoco
    found: dict[int, list[tuple[Motor, Winding | None]]] = defaultdict(list)
    for a in range(len(model.actuator_gear)):
        name = model.actuator(a).name
        j, gear = int(model.actuator_trnid[a, 0]), float(model.actuator_gear[a, 0])
        muscle = model.actuator_gaintype[a] == int(mujoco.mjtGain.mjGAIN_MUSCLE)
        if muscle or not gear or not compiled.is_scalar(j):
            compiled.note('muscles, and actuators of ball and free joints', name)
            continue
        compiled.note('sign of gears below 0', name, gear < 0.0)
        compiled.note(_NONLINEAR, name, _of(model, 'actuator_dampingpoly', a))
        # since MuJoCo 4.0 an actuator has several controls, or none
        control = int(_of(model, 'actuator_ctrladr', a)) if hasattr(model, 'nactuator') else a
        ranged = hasattr(model, 'nactuator') <= bool(_of(model, 'actuator_ctrlnum', a))
        largest = np.inf
        if ranged:
            largest = _bound(
                model.actuator_ctrlrange[control], model.actuator_ctrllimited[control]
            )
        found[j].append(_motor(compiled, a, abs(gear), largest))
    return found


def _motor(
    compiled: CompiledMjcf, a: int, gear: float, largest_control: float
) -> tuple[Motor, Winding | None]:
    model, mujoco = compiled.model, compiled.mujoco
    largest = _bound(model.actuator_forcerange[a], model.actuator_forcelimited[a])
    bias = int(model.actuator_biastype[a])
    if bias == int(mujoco.mjtBias.mjBIAS_NONE):
        # the effort is the control
        gain = abs(float(model.actuator_gainprm[a, 0]))
        largest = min(largest, gain * largest_control if gain else np.inf)
    motor = Motor(
        rotor_inertia=float(_of(model, 'actuator_armature', a)),
        gear_ratio=gear,
        viscous_friction=float(_of(model, 'actuator_damping', a)),
        max_effort=largest,
    )
    if bias != int(getattr(mujoco.mjtBias, 'mjBIAS_DCMOTOR', -1)):
        return motor, None
    # the layout of `mjs_setToDCMotor`
    resistance, constant, *_, drive_voltage = model.actuator_gainprm[a, :8].tolist()
    cogging, _, _, coulomb, static, stribeck = model.actuator_biasprm[a, :6].tolist()
    time, rate, heat, capacity, _, bristles = model.actuator_dynprm[a, :6].tolist()
    name = model.actuator(a).name
    compiled.note('cogging', name, cogging)
    compiled.note('limits of the rate of currents', name, rate)
    if bristles and coulomb:
        # LuGre at steady velocities
        motor = replace(
            motor,
            coulomb_friction=coulomb,
            breakaway_friction=static if static >= coulomb else 0.0,
            stribeck_velocity=stribeck or Motor.stribeck_velocity,
            presliding_stiffness=bristles,
        )
    if not constant:
        return motor, None
    other_input = (
        model.actuator_gainprm[a, 8] or _of(model, 'actuator_ctrlspec', a) not in _VOLTAGE
    )
    return motor, Winding(
        constant,
        resistance,
        inductance=time * resistance,
        max_voltage=(drive_voltage or np.inf) if other_input else largest_control,
        thermal_resistance=heat,
        thermal_time=heat * capacity or Winding.thermal_time,
    )
