# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
CasADi as a peer: C of the efforts of a chain with two derivatives.

Arguments: an .npz file with the arrays of the robot, and the folder for ``casadi.c``. The joints
are revolute, about axes through the origins of their bodies. Numbers within 1e-14 of 0, 1 and -1
are exact and cost no operation.
"""

from __future__ import annotations

import os
import sys

import casadi
import numpy as np


def constant(array):
    """Return a sparse constant."""
    array = np.array(array, dtype=float)
    for number in (-1.0, 0.0, 1.0):
        array[np.abs(array - number) < 1e-14] = number
    return casadi.sparsify(casadi.DM(array))


def efforts(robot, q, qd, qdd):
    """Return the efforts by the equations of Newton and Euler."""
    poses, motions, forces, torques = [], [], [], []
    for i, parent in enumerate(robot['parents']):
        home, inertia = robot['homes'][i], robot['inertias'][i]
        axis = constant(robot['screws'][i, :3])
        k = casadi.sparsify(casadi.skew(axis))
        turn = (
            casadi.SX.eye(3) + casadi.sin(q[i]) * k + (1 - casadi.cos(q[i])) * casadi.mtimes(k, k)
        )
        rotation = casadi.mtimes(constant(home[:3, :3]), turn)
        arm = constant(home[:3, 3])
        if parent < 0:
            w, wd, a = casadi.SX(3, 1), casadi.SX(3, 1), constant(-robot['gravity'])
        else:
            w, wd, a = motions[parent]
        a = a + casadi.cross(wd, arm) + casadi.cross(w, casadi.cross(w, arm))
        w, wd, a = (casadi.mtimes(rotation.T, x) for x in (w, wd, a))
        spin = axis * qd[i]
        wd = wd + axis * qdd[i] + casadi.cross(w, spin)
        w = w + spin
        poses.append((rotation, arm))
        motions.append((w, wd, a))
        mass, block = inertia[3, 3], inertia[:3, 3:]
        moment = constant([block[2, 1], block[0, 2], block[1, 0]])
        turned = constant(inertia[:3, :3])
        carried = casadi.cross(w, casadi.cross(w, moment))
        forces.append(mass * a + casadi.cross(wd, moment) + carried)
        gyroscopic = casadi.cross(w, casadi.mtimes(turned, w))
        torques.append(casadi.mtimes(turned, wd) + gyroscopic + casadi.cross(moment, a))
    result = []
    for i in reversed(range(len(poses))):
        result.append(casadi.dot(constant(robot['screws'][i, :3]), torques[i]))
        parent, (rotation, arm) = robot['parents'][i], poses[i]
        if parent >= 0:
            force = casadi.mtimes(rotation, forces[i])
            forces[parent] += force
            torques[parent] += casadi.mtimes(rotation, torques[i]) + casadi.cross(arm, force)
    return casadi.vertcat(*reversed(result))


def main() -> None:
    """Write the code."""
    robot = np.load(sys.argv[1])
    jet = casadi.SX.sym('jet', len(robot['parents']), 5)
    rows = [jet[:, k] for k in range(5)]
    columns = [efforts(robot, *rows[:3])]
    for k in (3, 4):
        state, rate = casadi.vertcat(*rows[:k]), casadi.vertcat(*rows[1 : k + 1])
        columns.append(casadi.jtimes(columns[-1], state, rate))
    os.chdir(sys.argv[2])
    result = casadi.cse(casadi.horzcat(*columns))
    casadi.Function('efforts', [jet], [result]).generate('casadi.c')


if __name__ == '__main__':
    main()
