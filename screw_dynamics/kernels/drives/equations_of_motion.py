# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Equations of motion of links, springs and motors: the simulation kernels.

    M q'' + C q' + Q_grav + F(q', tau) = tau + P(q) + J^T W,
    B theta'' + F_m(theta', tau) + tau = tau_m

with the effort tau of the springs at phi = theta - q, the friction F and F_m of joints and motors,
and the efforts P of parallel springs; with hysteresis or backlash tau is that at the deflection of
the spring alone, see `gears`. If rotors are bodies on moving links, these are the equations of the
robot of links and rotors in (q, theta). A rigid joint has theta = q: the inertia
of its motor is added to the mass matrix. If its friction depends on tau, which then depends on
q'', both are found by iteration; each step reduces the error by about the friction coefficient.

A state is (q, q', theta, theta'), with memory followed by delta of the hysteresis and by the
friction that holds at rest, of all m motors.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.bodies.accelerations import (
    SOLVED,
    AccelerationArrays,
    acceleration_arrays,
    set_accelerations,
)
from screw_dynamics.kernels.bodies.layout import BODY_COUNT
from screw_dynamics.kernels.bodies.rows import integer
from screw_dynamics.kernels.drives import laws
from screw_dynamics.kernels.drives.friction import LOAD, dry_friction, dry_level
from screw_dynamics.kernels.drives.gears import (
    BRISTLE,
    GAP,
    WIDTH,
    dead_zone,
    held_friction,
    held_friction_rate,
    slipped,
)
from screw_dynamics.kernels.drives.parallel import FORCE, STIFFNESS, parallel_spring_effort
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import row_pointer

# status beside those of `set_accelerations`: friction under load, without a solution
UNSETTLED = -3

_MOST_STEPS = 500
# relative change of a transmitted effort that ends the iteration: rounding of accelerations
_SETTLED = 1e-13

# columns of the integer table of motors
JOINT, LAW, PARAMETERS, VARIABLE, SECOND, BODY_COORDINATE = range(6)


class Inputs(NamedTuple):
    """Inputs that are constant during a step: motor efforts, stiffness, wrenches on bodies."""

    efforts: Array
    stiffness: Array
    external: Array


class Tables(NamedTuple):
    """
    Tables of the robot; see `MotorTable` and `KernelTables` for all but `motors`.

    Columns of `motors` (m, 6): joint, law of its spring, index of its parameters, index of its
    variable stiffness, whether it is the second motor of a pair, coordinate of its rotor; -1 for
    none.
    """

    motors: NDArray[np.int64]
    gears: Array
    rows: Array
    friction: Array
    joint_rows: Array
    joint_friction: Array
    parallel_springs: Array
    parameters: Array
    bodies: Array


class Scratch(NamedTuple):
    """Arrays over the coordinates of all bodies, the row of a law, and those of the tree."""

    positions: Array
    rates: Array
    known: Array
    forces: Array
    armature: Array
    drives: Array
    transmitted: Array
    accelerations: Array
    levels: Array
    law: Array
    tree: AccelerationArrays


def _scratch(count, n, m):
    """Return uninitialised arrays for N bodies, n coordinates and m motors."""
    rows = np.zeros((8, n))
    tree = acceleration_arrays(count, n)
    return Scratch(
        rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7],
        np.zeros(m), np.empty(1), tree,
    )  # fmt: skip


def _set_derivative(state, inputs, n, tables, work, derivative):
    """Set the time derivative of a state; return UNSETTLED or that of `set_accelerations`."""
    motors, accelerations = tables.motors, work.accelerations
    m = motors.shape[0]
    theta, theta_rate = 2 * n, 2 * n + m
    loaded = _set_known_forces(state, inputs, n, tables, work, derivative)
    for _ in range(_MOST_STEPS):
        _set_forces(n, tables, work)
        status = set_accelerations(
            work.positions, work.rates, work.forces, work.armature, inputs.external, tables.bodies,
            work.tree, accelerations,
        )  # fmt: skip
        if not loaded or status != SOLVED or _settled(n, tables, work):
            break
    else:
        status = UNSETTLED
    for j in range(n):
        derivative[j], derivative[n + j] = work.rates[j], accelerations[j]
    for i in range(m):
        j, own = motors[i, JOINT], motors[i, BODY_COORDINATE]
        if motors[i, LAW] == laws.RIGID:
            derivative[theta + i], derivative[theta_rate + i] = work.rates[j], accelerations[j]
        else:
            derivative[theta + i] = state[theta_rate + i]
            if own >= 0:
                derivative[theta_rate + i] = accelerations[own]
    if len(state) > theta_rate + m:
        _set_memory_rates(state, n, tables, work, derivative)
    return status


def _set_known_forces(state, inputs, n, tables, work, derivative):
    """
    Set all forces that no acceleration changes, and the accelerations of motors behind springs.

    Return True if the friction of a rigid joint depends on the effort that it transmits.
    """
    motors, rows, parameters, gears = tables.motors, tables.rows, tables.parameters, tables.gears
    positions, rates, known, armature = work.positions, work.rates, work.known, work.armature
    m = motors.shape[0]
    theta, theta_rate = 2 * n, 2 * n + m
    loaded = False
    known[:] = 0.0
    armature[:] = 0.0
    for j in range(n):
        positions[j], rates[j] = state[j], state[n + j]
        known[j] = -tables.joint_rows[j, laws.VISCOUS] * rates[j]
        spring = tables.parallel_springs[j]
        if spring[STIFFNESS] != 0.0 or spring[FORCE] != 0.0:
            known[j] += parallel_spring_effort(spring, positions[j])
    for i in range(m):
        j, law, own = motors[i, JOINT], motors[i, LAW], motors[i, BODY_COORDINATE]
        velocity = state[n + j] if law == laws.RIGID else state[theta_rate + i]
        drive = inputs.efforts[i] - rows[i, laws.VISCOUS] * velocity
        if gears[i, BRISTLE] > 0.0:
            drive -= state[theta_rate + 2 * m + i]
        if law == laws.RIGID:
            work.drives[j] = drive
            if own < 0:
                armature[j] += rows[i, laws.INERTIA]
            loaded |= tables.friction[i, LOAD] > 0.0 or tables.joint_friction[j, LOAD] > 0.0
            continue
        phi = state[theta + i] - state[j]
        if gears[i, WIDTH] + gears[i, GAP] > 0.0:
            delta = state[theta_rate + m + i] if gears[i, WIDTH] > 0.0 else 0.0
            phi = dead_zone(phi + delta, gears[i, GAP])
        if law >= laws.PAIR_EXPONENTIAL:
            tau = laws.pair_effort(
                law, parameters, motors[i, PARAMETERS], motors[i, SECOND] == 1, phi, work.law
            )
        else:
            tau = laws.spring_effort(
                law, parameters, motors[i, PARAMETERS],
                inputs.stiffness[motors[i, VARIABLE]] if motors[i, VARIABLE] >= 0 else 0.0,
                phi, velocity - state[n + j], work.law,
            )  # fmt: skip
        if gears[i, BRISTLE] > 0.0:
            work.levels[i] = dry_level(rows[i], tables.friction[i], velocity, tau)
        else:
            drive -= dry_friction(rows[i], tables.friction[i], velocity, tau)
        known[j] += tau
        work.transmitted[j] = work.transmitted[j] + tau if motors[i, SECOND] == 1 else tau
        if own < 0:
            derivative[theta_rate + i] = (drive - tau) / rows[i, laws.INERTIA]
        else:
            positions[own], rates[own], known[own] = state[theta + i], velocity, drive - tau
    return loaded


def _set_forces(n, tables, work):
    """Set all forces, with the friction under the efforts that are transmitted."""
    motors, forces = tables.motors, work.forces
    forces[:] = work.known
    for i in range(motors.shape[0]):
        j = motors[i, JOINT]
        if motors[i, LAW] == laws.RIGID:
            forces[j] += work.drives[j] - _rigid_friction(i, j, tables, work)
    for j in range(n):
        forces[j] -= dry_friction(
            tables.joint_rows[j], tables.joint_friction[j], work.rates[j], work.transmitted[j]
        )


def _rigid_friction(i, j, tables, work):
    """Return the dry friction of a motor at a rigid joint, 0 if the state has it."""
    if tables.gears[i, BRISTLE] > 0.0:
        return 0.0
    return dry_friction(tables.rows[i], tables.friction[i], work.rates[j], work.transmitted[j])


def _set_memory_rates(state, n, tables, work, derivative):
    """Set the derivatives of hysteresis and of friction that holds at rest."""
    m = len(tables.gears)
    theta, memory = 2 * n, 2 * (n + m)
    for i in range(m):
        j, gear = tables.motors[i, JOINT], tables.gears[i]
        derivative[memory + i] = derivative[memory + m + i] = 0.0
        if gear[WIDTH] > 0.0:
            delta, rate = state[memory + i], state[theta + m + i] - work.rates[j]
            apart = dead_zone(state[theta + i] - state[j] + delta, gear[GAP])
            if apart != 0.0 or gear[GAP] == 0.0:
                derivative[memory + i] = rate - abs(rate) * delta / gear[WIDTH]
        if gear[BRISTLE] > 0.0:
            velocity = derivative[theta + i]
            if tables.motors[i, LAW] == laws.RIGID:
                load = work.transmitted[j]
                level = dry_level(tables.rows[i], tables.friction[i], velocity, load)
                work.levels[i] = level
            derivative[memory + m + i] = held_friction_rate(
                state[memory + m + i], work.levels[i], gear[BRISTLE], velocity
            )


def _set_memory(start, n, tables, work, state):
    """Set the memory of a state after one step from another, exact for one direction."""
    m = len(tables.gears)
    theta, memory = 2 * n, 2 * (n + m)
    for i in range(m):
        j, gear = tables.motors[i, JOINT], tables.gears[i]
        if gear[WIDTH] > 0.0:
            delta = start[memory + i]
            before = dead_zone(start[theta + i] - start[j] + delta, gear[GAP])
            after = dead_zone(state[theta + i] - state[j] + delta, gear[GAP])
            state[memory + i] = slipped(delta, gear[WIDTH], after - before)
        if gear[BRISTLE] > 0.0:
            travel = state[theta + i] - start[theta + i]
            state[memory + m + i] = held_friction(
                start[memory + m + i], work.levels[i], gear[BRISTLE], travel
            )


def _settled(n, tables, work):
    """Set the transmitted efforts of rigid joints; return True if they are as before."""
    motors = tables.motors
    change = size = 0.0
    for i in range(motors.shape[0]):
        j = motors[i, JOINT]
        if motors[i, LAW] == laws.RIGID:
            before = work.transmitted[j]
            friction = _rigid_friction(i, j, tables, work)
            inertial = tables.rows[i, laws.INERTIA] * work.accelerations[j]
            work.transmitted[j] = work.drives[j] - friction - inertial
            change = max(change, abs(work.transmitted[j] - before))
            size = max(size, abs(work.drives[j]) + abs(inertial))
    return change <= _SETTLED * size


def _derivative(
    state, efforts, stiffness, external, n, size, motors, gears, rows, friction, joint_rows,
    joint_friction, parallel_springs, parameters, bodies, derivative,
):  # fmt: skip
    """Set the derivative of one state; `size` is the number of coordinates of the bodies."""
    inputs = Inputs(efforts, stiffness, external)
    tables = Tables(
        motors, gears, rows, friction, joint_rows, joint_friction, parallel_springs, parameters,
        bodies,
    )  # fmt: skip
    work = _scratch(integer(row_pointer(bodies, 0), BODY_COUNT), size, len(gears))
    return _set_derivative(state, inputs, n, tables, work, derivative)


def _runge_kutta(
    state, efforts, stiffness, external, n, size, motors, gears, rows, friction, joint_rows,
    joint_friction, parallel_springs, parameters, bodies, h, steps,
):  # fmt: skip
    """Advance a state by `steps` classical Runge-Kutta steps of length h with constant inputs."""
    inputs = Inputs(efforts, stiffness, external)
    tables = Tables(
        motors, gears, rows, friction, joint_rows, joint_friction, parallel_springs, parameters,
        bodies,
    )  # fmt: skip
    work = _scratch(integer(row_pointer(bodies, 0), BODY_COUNT), size, len(gears))
    length = state.shape[0]
    remembers = length > 2 * (n + len(gears))
    slope, stage, total = np.empty(length), np.empty(length), np.empty(length)
    for _ in range(steps):
        total[:] = state
        stage[:] = state
        for k in range(4):
            status = _set_derivative(stage, inputs, n, tables, work, slope)
            if status != SOLVED:
                return status
            weight = h / 6.0 if k in (0, 3) else h / 3.0
            ahead = h if k == 2 else 0.5 * h
            for a in range(length):
                total[a] += weight * slope[a]
                stage[a] = state[a] + ahead * slope[a]
            if remembers:
                _set_memory(state, n, tables, work, stage)
        if remembers:
            _set_memory(state, n, tables, work, total)
        state[:] = total
    return SOLVED


_TABLES = (
    f'int64, int64, {read_only(2, "int64")}, {", ".join([read_only(2)] * 6)}, {read_only(1)}, '
    'float64[::1]'
)
_INPUTS = f'{read_only(1)}, {read_only(1)}, {read_only(2)}'

set_state_derivative = Kernel(
    _derivative, f'int64({read_only(1)}, {_INPUTS}, {_TABLES}, float64[::1])'
)
runge_kutta_steps = Kernel(
    _runge_kutta, f'int64(float64[::1], {_INPUTS}, {_TABLES}, float64, int64)'
)
