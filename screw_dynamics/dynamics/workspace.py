# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelWorkspace`: the arrays of a model for a loop, and the kernels that fill them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_count
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.frames import frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces, gravity_forces_jet
from screw_dynamics.dynamics.inverse_dynamics import carriers, inverse_dynamics
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.taylor.compiled import batch_kernel, single_kernel
from screw_dynamics.kernels.taylor.layout import BAD_SHAPE, OK
from screw_dynamics.kernels.terms.catalogue import (
    acceleration_term,
    bias_term,
    coriolis_term,
    gravity_term,
    jacobian_term,
    mass_matrix_term,
    pose_term,
)
from screw_dynamics.kernels.terms.term import not_compiled
from screw_dynamics.model.records import Frame, Representation
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.model.screw_model import ScrewModel


class ModelWorkspace:
    """
    The quantities of a model in a loop, of one state each: the base of `sd.Workspace`.

    A method calls its kernel in C at once, without allocating memory. What the kernel refuses is
    passed on to the function of `sd` of the same name, which converts it or raises; it also
    computes for robots of other kinds than `ScrewModel`. Each method returns its own array, which
    its next call overwrites: copy what has to last. A workspace is for one thread.

    Parameters
    ----------
    model : RobotModel
    order : int
        Highest time derivative of the efforts, k.
    frames : sequence of str
        Names of the frames on which external wrenches act, without duplicates.

    Raises
    ------
    UnknownNameError
        If a frame does not exist.
    InputError
        If a frame is fixed to the base, `model` is no robot, or `order` is negative.

    Notes
    -----
    All arguments are C-contiguous float64 arrays: `q`, `qd` and `tau` (n,), `joint_jet`
    (k + 3, n) with the d-th time derivative of the coordinates in row d [rad or m, per s^d]. Other
    arrays of these shapes are converted, slowly. All methods raise what their functions raise,
    and ShapeError for other shapes.
    """

    def __init__(self, model: RobotModel, order: int = 2, frames: Sequence[str] = ()) -> None:
        self.model = require_robot_model(model)
        n, rows = model.n, require_count('order', order) + 1
        self._efforts, self._gravity_jet, self._weightless_jet = np.empty((3, rows, n))
        self._gravity, self._bias, self._accelerations = np.empty((3, n))
        self._mass, self._coriolis = np.empty((2, n, n))
        # by frame, and its representation: parameters of the kernel, None without, and the array
        self._poses: dict[str, tuple[Array | None, Array]] = {}
        self._jacobians: dict[tuple[str, str], tuple[Array | None, Array]] = {}
        self.frames = tuple(frames)
        values = np.zeros((1, len(self.frames), rows, 6))
        self.wrenches: Array = values[0]
        """(m, k + 1, 6) to write to: [torque; force] ON the link in the frame, derivatives."""
        # with None for an array, kernels raise TypeError
        self._parameters: Array | None = None
        self._tree: Array | None = None
        self._light: Array | None = None
        self._single: Callable[..., int] = not_compiled
        self._of_batch: Callable[..., int] = not_compiled
        self._loads: tuple[Any, ...] = ()
        if type(model) is ScrewModel:
            tables = model.kernel_tables
            self._parameters, self._tree = tables.parameters, tables.tree_parameters
            self._light = model.without_gravity().kernel_tables.parameters
            self._single = single_kernel(rows - 1).compiled or not_compiled
            if self.frames:
                self._of_batch = batch_kernel(rows - 1).run
                self._loads = values, *carriers(model, self._moving(model))

    def _moving(self, model: ScrewModel) -> list[Frame]:
        """Return the frames with wrenches; raise InputError for one on the base."""
        moving = [model.frame(name) for name in self.frames]
        for name, frame in zip(self.frames, moving, strict=True):
            if frame.body < 0:
                raise InputError(f'frame {name!r}: expected one on a moving link, got the base')
        return moving

    def efforts(self, joint_jet: Array) -> Array:
        """
        Return the efforts under the current values of `wrenches`, and their time derivatives.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray

        Returns
        -------
        (k + 1, n) ndarray
            As `inverse_dynamics` [N m or N, per s^d].
        """
        out = self._efforts
        try:
            if not self.frames:
                status = self._single(joint_jet, out, self._parameters)
            elif joint_jet.shape == (len(out) + 2, out.shape[1]):  # which the batch does not check
                batch = joint_jet[np.newaxis], out[np.newaxis]
                status = self._of_batch(*batch, self._parameters, *self._loads)
            else:
                status = BAD_SHAPE
            if status == OK:
                return out
        except (TypeError, AttributeError):
            pass  # not an array for the kernel, or another kind of robot
        if np.shape(joint_jet) != (len(out) + 2, out.shape[1]):
            raise ShapeError('joint_jet', f'{(len(out) + 2, out.shape[1])}', np.shape(joint_jet))
        wrenches = dict(zip(self.frames, self.wrenches, strict=True)) or None
        return self._checked(out, inverse_dynamics, joint_jet, wrenches)

    def gravity_forces_jet(self, joint_jet: Array) -> Array:
        """
        Return the efforts that support the robot, and their time derivatives.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray

        Returns
        -------
        (k + 1, n) ndarray
            [N m or N, per s^d]
        """
        out, rest = self._gravity_jet, self._weightless_jet
        try:
            if (
                self._single(joint_jet, out, self._parameters) == OK
                and self._single(joint_jet, rest, self._light) == OK
            ):
                out -= rest
                return out
        except TypeError:
            pass
        return self._checked(out, gravity_forces_jet, joint_jet)

    def mass_matrix(self, q: Array) -> Array:
        """
        Return the mass matrix.

        Parameters
        ----------
        q : (n,) ndarray

        Returns
        -------
        (n, n) ndarray
            [kg m^2, kg m, kg]
        """
        try:
            if mass_matrix_term.single(q, self._mass, self._parameters) == OK:
                return self._mass
        except TypeError:
            pass
        return self._checked(self._mass, mass_matrix, q)

    def gravity_forces(self, q: Array) -> Array:
        """
        Return the efforts that keep the robot at rest.

        Parameters
        ----------
        q : (n,) ndarray

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        try:
            if gravity_term.single(q, self._gravity, self._parameters) == OK:
                return self._gravity
        except TypeError:
            pass
        return self._checked(self._gravity, gravity_forces, q)

    def bias_forces(self, q: Array, qd: Array) -> Array:
        """
        Return the efforts of a motion without acceleration.

        Parameters
        ----------
        q, qd : (n,) ndarray

        Returns
        -------
        (n,) ndarray
            [N m or N]
        """
        try:
            if bias_term.single(q, qd, self._bias, self._parameters) == OK:
                return self._bias
        except TypeError:
            pass
        return self._checked(self._bias, bias_forces, q, qd)

    def coriolis_matrix(self, q: Array, qd: Array) -> Array:
        """
        Return the Coriolis matrix.

        Parameters
        ----------
        q, qd : (n,) ndarray

        Returns
        -------
        (n, n) ndarray
            [kg m^2/s, kg m/s, kg/s]
        """
        try:
            if coriolis_term.single(q, qd, self._coriolis, self._parameters) == OK:
                return self._coriolis
        except TypeError:
            pass
        return self._checked(self._coriolis, coriolis_matrix, q, qd)

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        """
        Return the joint accelerations.

        Parameters
        ----------
        q, qd, tau : (n,) ndarray

        Returns
        -------
        (n,) ndarray
            [rad/s^2 or m/s^2]
        """
        try:
            if acceleration_term.single(q, qd, tau, self._accelerations, self._tree) == OK:
                return self._accelerations
        except TypeError:
            pass
        return self._checked(self._accelerations, forward_dynamics, q, qd, tau)

    def frame_pose(self, q: Array, frame: str) -> Array:
        """
        Return the pose of a frame in base-link axes; each frame has an array of its own.

        Parameters
        ----------
        q : (n,) ndarray
        frame : str

        Returns
        -------
        (4, 4) ndarray
        """
        try:
            parameters, pose = self._poses[frame]
            if pose_term.single(q, pose, parameters) == OK:
                return pose
        except (TypeError, KeyError):
            pass
        pose = self._checked(np.empty((4, 4)), frame_pose, q, frame)
        self._poses[frame] = self._frame_parameters(frame, 'body'), pose
        return pose

    def frame_jacobian(
        self, q: Array, frame: str, representation: Representation = 'body'
    ) -> Array:
        """
        Return the Jacobian of a frame; each frame and representation has an array of its own.

        Parameters
        ----------
        q : (n,) ndarray
        frame : str
        representation : {'body', 'spatial', 'hybrid', 'mixed'}
            See `sd.frame_jacobian`.

        Returns
        -------
        (6, n) ndarray
        """
        try:
            parameters, jacobian = self._jacobians[frame, representation]
            if jacobian_term.single(q, jacobian, parameters) == OK:
                return jacobian
        except (TypeError, KeyError):
            pass
        empty = np.empty((6, self.model.n))
        jacobian = self._checked(empty, frame_jacobian, q, frame, representation)
        parameters = self._frame_parameters(frame, representation)
        self._jacobians[frame, representation] = parameters, jacobian
        return jacobian

    def _frame_parameters(self, frame: str, representation: Representation) -> Array | None:
        """Return the parameters of the kernels of a known frame; None for other kinds."""
        if type(self.model) is not ScrewModel:
            return None
        return self.model.kernel_tables.frames[frame, representation]

    def _checked(self, out: Array, function: Callable[..., Array], *inputs: object) -> Array:
        """Return what a function of one state computes, in the array `out`."""
        result = function(self.model, *inputs)
        if result.shape != out.shape:
            raise ShapeError('result', f'{out.shape}, of one state', result.shape)
        out[...] = result
        return out
