# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelWorkspace`: the arrays of a model for a loop, and the kernels that fill them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.common.scalars import require_count
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.frames import frame_jacobian, frame_pose
from screw_dynamics.dynamics.gravity_forces import gravity_forces, gravity_forces_jet
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.dynamics.regressor import regressor
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.bodies.layout import BAD_SHAPE, OK
from screw_dynamics.kernels.bodies.quantities import (
    BIAS_FORCES,
    CORIOLIS_MATRIX,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    REGRESSOR,
)
from screw_dynamics.kernels.bodies.regressor import PARAMETERS
from screw_dynamics.kernels.frames.quantities import FRAME_JACOBIAN, FRAME_POSE
from screw_dynamics.model.joint_frames import KernelTables
from screw_dynamics.model.records import Frame, Representation
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.model.screw_model import ScrewModel


class ModelWorkspace:
    """
    The quantities of a model in a loop, of one state each: the base of `sd.Workspace`.

    A method calls its kernel in C at once, without allocating memory. What the kernel refuses is
    passed on to the function of `sd` of the same name, which converts it or raises; it also
    computes for robots of other kinds than `ScrewModel`. Each method returns its own array, which
    its next call overwrites: copy what has to last. A workspace is for one thread; a copy of it,
    also by pickle, has arrays of its own, and equal `wrenches`.

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
        columns = PARAMETERS * getattr(model, 'body_count', 0)  # without, there is no regressor
        self._regressor = np.empty((rows, n, columns))
        # by frame, and its representation: parameters of the kernel, None without, and the array
        self._poses: dict[str, tuple[Array | None, Array]] = {}
        self._jacobians: dict[tuple[str, str], tuple[Array | None, Array]] = {}
        self._fill_mass, self._fill_gravity = MASS_MATRIX.in_c(), GRAVITY_FORCES.in_c()
        self._fill_bias, self._fill_coriolis = BIAS_FORCES.in_c(), CORIOLIS_MATRIX.in_c()
        self._fill_accelerations = FORWARD_DYNAMICS.in_c()
        self._fill_pose, self._fill_jacobian = FRAME_POSE.in_c(), FRAME_JACOBIAN.in_c()
        self._fill_regressor = REGRESSOR.in_c(rows + 2)
        self._fill_efforts = INVERSE_DYNAMICS.in_c(rows + 2)
        self.frames = tuple(frames)
        size = (rows + 2) * n  # of a jet, which the kernel reads with the wrenches behind it
        self._jets = np.zeros((1, 1, size + len(self.frames) * rows * 6))
        self._jet = self._jets[0, 0, :size].reshape(rows + 2, n)
        self.wrenches: Array = self._jets[0, 0, size:].reshape(len(self.frames), rows, 6)
        """(m, k + 1, 6) to write to: [torque; force] ON the link in the frame, derivatives."""
        # with None for an array, kernels raise TypeError
        self._kernel_tables: KernelTables | None = None
        self._parameters: Array | None = None
        self._tree: Array | None = None
        self._light: Array | None = None
        self._loaded: Array | None = None
        if type(model) is ScrewModel:
            self._kernel_tables = tables = model.kernel_tables
            self._parameters, self._tree = tables.parameters, tables.tree_parameters
            self._light = model.without_gravity().kernel_tables.parameters
            if self.frames:
                moving = self._moving(model)
                self._loaded = tables.with_frames((frame.body, frame.pose) for frame in moving)

    def _moving(self, model: ScrewModel) -> list[Frame]:
        """Return the frames with wrenches; raise InputError for one on the base."""
        moving = [model.frame(name) for name in self.frames]
        for name, frame in zip(self.frames, moving, strict=True):
            if frame.body < 0:
                raise InputError(f'frame {name!r}: expected one on a moving link, got the base')
        return moving

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what `copy` and `pickle` make another workspace of, with arrays of its own."""
        order, wrenches = len(self._efforts) - 1, self.wrenches.copy()
        return type(self), (self.model, order, self.frames), wrenches

    def __setstate__(self, wrenches: Array) -> None:
        """Write the wrenches of the workspace that was copied."""
        self.wrenches[...] = wrenches

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
        out, order = self._efforts, len(self._efforts) - 1
        try:
            if not self.frames:
                status = self._fill_efforts(joint_jet, out, self._parameters)
            elif self._loaded is not None and joint_jet.shape == self._jet.shape and out.size:
                self._jet[...] = joint_jet
                status = INVERSE_DYNAMICS.run(order, self._jets, out[np.newaxis], self._loaded)
            else:
                status = BAD_SHAPE
            if status == OK:
                return out
        except (TypeError, AttributeError):
            pass  # not an array for the kernel, or another kind of robot
        jet = as_float_array('joint_jet', joint_jet)
        if jet.shape != (len(out) + 2, out.shape[1]):
            raise ShapeError('joint_jet', f'{(len(out) + 2, out.shape[1])}', jet.shape)
        wrenches = dict(zip(self.frames, self.wrenches, strict=True)) or None
        return self._checked(out, inverse_dynamics, jet, wrenches)

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
                self._fill_efforts(joint_jet, out, self._parameters) == OK
                and self._fill_efforts(joint_jet, rest, self._light) == OK
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
            if self._fill_mass(q, self._mass, self._parameters) == OK:
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
            if self._fill_gravity(q, self._gravity, self._parameters) == OK:
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
            if self._fill_bias(q, qd, self._bias, self._parameters) == OK:
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
            if self._fill_coriolis(q, qd, self._coriolis, self._parameters) == OK:
                return self._coriolis
        except TypeError:
            pass
        return self._checked(self._coriolis, coriolis_matrix, q, qd)

    def regressor(self, joint_jet: Array) -> Array:
        """
        Return the matrix of the efforts by the inertia parameters, and its time derivatives.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray

        Returns
        -------
        (k + 1, n, 10 N) ndarray
            As `regressor` [N m or N, per s^d and parameter].
        """
        try:
            # made at first use
            bodies = self._kernel_tables and self._kernel_tables.with_bodies
            if self._fill_regressor(joint_jet, self._regressor, bodies) == OK:
                return self._regressor
        except TypeError:
            pass
        return self._checked(self._regressor, regressor, joint_jet)

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
            if self._fill_accelerations(q, qd, tau, self._accelerations, self._tree) == OK:
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
            if self._fill_pose(q, pose, parameters) == OK:
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
            if self._fill_jacobian(q, jacobian, parameters) == OK:
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
