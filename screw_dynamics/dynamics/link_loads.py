# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LinkLoads`: inverse dynamics under external wrenches, prepared for a control loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import INVERSE_DYNAMICS
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.other_models import OtherModel


class LinkLoads:
    """
    Inverse dynamics [KM2021, (19), (20)] under changing wrenches on a fixed set of frames.

    Parameters
    ----------
    model : ScrewModel
    frames : sequence of str
        Names of the frames on which wrenches act, without duplicates.
    order : int
        Highest time derivative of the efforts, k.

    Raises
    ------
    UnknownNameError
        If a frame does not exist.
    InputError
        If a frame is fixed to the base.

    Notes
    -----
    `dynamics.inverse_dynamics` computes the same, but looks up frames and checks arrays in each
    call; this class needs an eighth of that time. Nothing is allocated per call.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.dynamics import LinkLoads
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> loads = LinkLoads(model, ['tool'], order=0)
    >>> loads.wrenches[0, 0] = [0, 0, 0, 0, 0, -10.0]
    >>> jet, tau = np.zeros((3, model.n)), np.empty((1, model.n))
    >>> expected = sd.inverse_dynamics(model, jet, {'tool': [[0, 0, 0, 0, 0, -10.0]]})
    >>> np.allclose(loads.inverse_dynamics(jet, tau), expected)
    True
    """

    def __init__(self, model: ScrewModel, frames: Sequence[str], order: int) -> None:
        self._model, self._names = model, tuple(frames)
        found = [model.frame(name) for name in self._names]
        for name, frame in zip(self._names, found, strict=True):
            if frame.body < 0:
                raise InputError(f'frame {name!r}: expected one on a moving link, got the base')
        self._jet_size = (order + 3) * model.n
        self._values = np.zeros((1, 1, self._jet_size + len(found) * (order + 1) * 6))
        values = self._values[0, 0, self._jet_size :]
        self.wrenches: Array = values.reshape(len(found), order + 1, 6)
        """(m, k + 1, 6) to write to: [torque; force] ON the link in the frame, derivatives."""
        self._parameters = None
        if not isinstance(model, OtherModel):  # which have no wrenches
            frames_in_bodies = ((frame.body, frame.pose) for frame in found)
            self._parameters = model.joint_frame_parameters.with_frames(frames_in_bodies)

    def inverse_dynamics(self, joint_jet: Array, out: Array) -> Array:
        """
        Return the efforts under the current values of `wrenches`.

        Parameters
        ----------
        joint_jet : (k + 3, n) ndarray
            C-contiguous float64.
        out : (k + 1, n) ndarray
            C-contiguous float64 array to fill.

        Returns
        -------
        (k + 1, n) ndarray
            `out`.

        Raises
        ------
        ShapeError, NotFiniteError, InputError
            See `dynamics.inverse_dynamics`.
        """
        n, rows = self._model.n, self.wrenches.shape[1]
        shapes = (rows + 2, n), (rows, n)
        if self._parameters is not None and (joint_jet.shape, out.shape) == shapes:
            self._values[0, 0, : self._jet_size] = joint_jet.ravel()
            run, parameters = INVERSE_DYNAMICS.run, self._parameters
            if n and run(rows - 1, self._values, out[None], parameters) == OK:
                return out
        # of another model, or to raise the right error
        wrenches = dict(zip(self._names, self.wrenches, strict=True)) or None
        return inverse_dynamics(self._model, joint_jet, wrenches, out=out)
