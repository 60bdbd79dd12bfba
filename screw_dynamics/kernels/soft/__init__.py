# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Chains of rigid and soft modules: inverse dynamics of any order and mass matrix, O(n) and O(n^2).

Quantities are Taylor coefficients along the motion, ``x_[j] = x^(j) / j!``. A frame carries its
angular velocity w, the acceleration a of its origin less gravity, and ``B = w'~ + w w^T - w^2``.
A body with material points f in its proximal frame is known to the recursion by integrals over
its mass (`integrals`); a rod is a chain of rigid sections that share coordinates (`rods`), so
that each section costs a fixed number of products of series, whatever the strain basis.
"""
