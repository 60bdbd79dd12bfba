# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
CasADi as a peer: C of a chain's efforts with two derivatives, terms, pose and Jacobian of a frame.

Arguments: an .npz file with the arrays of the robot, and the folder for ``casadi.c``. The joints
are revolute, about axes through the origins of their bodies; the frame is on the last one, its
twists are hybrid. Results are written by rows. Numbers within 1e-14 of 0, 1 and -1
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


def step(robot, i, q):
    """Return rotation and position of body i in its parent."""
    home = robot['homes'][i]
    k = casadi.sparsify(casadi.skew(constant(robot['screws'][i, :3])))
    turn = casadi.SX.eye(3) + casadi.sin(q[i]) * k + (1 - casadi.cos(q[i])) * casadi.mtimes(k, k)
    return casadi.mtimes(constant(home[:3, :3]), turn), constant(home[:3, 3])


def frame(robot, q):
    """Return pose and hybrid Jacobian of the frame, both by rows."""
    rotation, position, joints = casadi.SX.eye(3), casadi.SX(3, 1), []
    for i in range(len(robot['parents'])):
        turn, arm = step(robot, i, q)
        position = position + casadi.mtimes(rotation, arm)
        rotation = casadi.mtimes(rotation, turn)
        joints.append((casadi.mtimes(rotation, constant(robot['screws'][i, :3])), position))
    local = robot['frame']
    position = position + casadi.mtimes(rotation, constant(local[:3, 3]))
    rotation = casadi.mtimes(rotation, constant(local[:3, :3]))
    last = casadi.SX([[0.0, 0.0, 0.0, 1.0]])
    pose = casadi.vertcat(casadi.horzcat(rotation, position), last)
    columns = [
        casadi.vertcat(axis, casadi.cross(axis, position - origin)) for axis, origin in joints
    ]
    return pose.T, casadi.horzcat(*columns).T


def efforts(robot, q, qd, qdd):
    """Return the efforts by the equations of Newton and Euler."""
    poses, motions, forces, torques = [], [], [], []
    for i, parent in enumerate(robot['parents']):
        inertia, axis = robot['inertias'][i], constant(robot['screws'][i, :3])
        rotation, arm = step(robot, i, q)
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
    n = len(robot['parents'])
    jet = casadi.SX.sym('jet', n, 5)
    rows = [jet[:, k] for k in range(5)]
    columns = [efforts(robot, *rows[:3])]
    for k in (3, 4):
        state, rate = casadi.vertcat(*rows[:k]), casadi.vertcat(*rows[1 : k + 1])
        columns.append(casadi.jtimes(columns[-1], state, rate))
    q, qd, qdd = rows[:3]
    rest = casadi.SX(n, 1)
    weightless = dict(robot, gravity=np.zeros(3))
    pose, jacobian = frame(robot, q)
    functions = {
        'inverse_dynamics': (5, casadi.horzcat(*columns)),
        'mass_matrix': (1, casadi.jacobian(efforts(weightless, q, rest, qdd), qdd)),
        'gravity_forces': (1, efforts(robot, q, rest, rest)),
        'bias_forces': (2, efforts(robot, q, qd, rest)),
        'frame_pose': (1, pose),
        'frame_jacobian': (1, jacobian),
    }
    os.chdir(sys.argv[2])
    code = casadi.CodeGenerator('casadi.c')
    for name, (count, result) in functions.items():
        dense = casadi.densify(casadi.cse(result))
        code.add(casadi.Function(name, [jet[:, :count]], [dense]))
    code.generate()


if __name__ == '__main__':
    main()
