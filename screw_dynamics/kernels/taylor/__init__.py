# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Taylor recursion: inverse dynamics and its time derivatives of any order, O(n) per order.

Newton-Euler in frames on the joint axes (`model.kernel_tables`) on normalised Taylor
coefficients ``x_[j] = x^(j) / j!``: the product rule becomes the Cauchy product, without
binomials. With the angular velocity w and ``B = w'~ + w~ w~`` of a body, a point r on it has the
acceleration ``a + B r``, so that

- force and torque about the frame's origin are ``F = m a + B h`` and
  ``N = h × a + integral of r × B r dm`` with h = m c: linear in (a, B), no further products;
- the origin of a child needs only ``a + B r``;
- products of series remain only in the rotation about z (cos q, sin q), in ``w w^T`` and along
  prismatic and helical joints.

The source is plain Python on rows of a workspace: `rows` defines their layout, `forward` and
`backward` are the two sweeps. `compiled` has the kernels; `interpreted` runs batches in Python.
"""
