# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernels of trees of bodies: one source for a state, a joint jet and batches of them.

Every sweep has the arguments (order, ws, q, qd, tau, out, parameters): rows as in `rows`, in
frames on the joint axes (`model.kernel_tables`); the sweeps of frames have parameters of
their own. A quantity of a joint jet has the jet in place of q and an order, the others order 0;
arguments that a sweep does not need repeat `q`. `out` is written after the inputs have been read.

Efforts and their time derivatives are those of Newton-Euler on normalised Taylor coefficients
``x_[j] = x^(j) / j!``, O(n) per order: the product rule becomes the Cauchy product, without
binomials. With the angular velocity w and ``B = w'~ + w~ w~`` of a body, a point r on it has the
acceleration ``a + B r``, so that

- force and torque about the frame's origin are ``F = m a + B h`` and
  ``N = h × a + integral of r × B r dm`` with h = m c: linear in (a, B), no further products;
- the origin of a child needs only ``a + B r``;
- products of series remain only in the rotation about z (cos q, sin q), in ``w w^T`` and along
  prismatic and helical joints.
"""
