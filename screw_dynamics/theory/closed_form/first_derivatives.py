# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
First time derivatives of the closed form, explicitly: MK2021 section 4.

    Q' = M q''' + (M' + C) q'' + C' q' + Q_grav' - (J^T W)'                          [MK2021] (28)

M1 and C1 are the paper's M^(1) and C^(1): coefficient matrices, not derivatives.
"""

from __future__ import annotations

from functools import cached_property

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices


class FirstDerivatives(SystemMatrices):
    """The matrices of `SystemMatrices` and their first derivatives; r >= 3, 4 for efforts."""

    @cached_property
    def twist_rates(self) -> ScalarArray:
        """V' = J q'' - A a V, (6N,), [MK2021] (15), [M2018] (11), [KM2021] (37)."""
        return self.J @ self.tree.at_least(3).jet[2] - self.Aa @ self.V

    @cached_property
    def A_rate(self) -> ScalarArray:  # noqa: N802
        """A' = A D' A = A a - A a A, with D' = -a D, [MK2021] (18), (19), [KM2021] (38)."""
        return self.Aa - self.Aa @ self.A

    @cached_property
    def J_rate(self) -> ScalarArray:  # noqa: N802
        """J' = A' X = -A a J, since a X = 0, [MK2021] (12), [M2018] (9), [KM2021] (35)."""
        return -self.Aa @ self.J

    @cached_property
    def U_rate(self) -> ScalarArray:  # noqa: N802
        """U' = -A a U, which makes [MK2021] (36) of (25)."""
        return -self.Aa @ self.U

    @cached_property
    def M1(self) -> ScalarArray:  # noqa: N802
        """M1(q, q') = -Mm A a - (Mm A a)^T, [MK2021] (30)."""
        return symmetric(-self.Mm @ self.Aa)

    @cached_property
    def Cm_rate(self) -> ScalarArray:  # noqa: N802
        """Cm' = Mm (A a A a - A a a - A a') - b'^T Mm, [MK2021] (33)."""
        aa = self.Aa
        terms = aa @ aa - aa @ self.a() - self.A @ self.a(1)
        return self.Mm @ terms - self.b(self.twist_rates).T @ self.Mm

    @cached_property
    def C1(self) -> ScalarArray:  # noqa: N802
        """C1 = Cm' - Cm A a - (A a)^T Cm, [MK2021] (32)."""
        return self.Cm_rate - self.Cm @ self.Aa - self.Aa.T @ self.Cm

    @cached_property
    def C1_reusing_Cm(self) -> ScalarArray:  # noqa: N802
        """C1 with Cm of q'' and V' in its first terms, [MK2021] (34)."""
        aa = self.Aa
        anew = -self.Mm @ self.A @ self.a(1) - self.b(self.twist_rates).T @ self.Mm
        terms = self.Mm @ (aa @ aa - aa @ self.a())
        return anew + terms - self.Cm @ aa - aa.T @ self.Cm

    @cached_property
    def C1_explicit(self) -> ScalarArray:  # noqa: N802
        """C1 in A, a, b and Mm alone, [MK2021] (35)."""
        aa, mm, bm = self.Aa, self.Mm, self.b(self.V).T @ self.Mm
        return (
            -mm @ self.A @ self.a(1)
            - self.b(self.twist_rates).T @ mm
            + bm @ aa
            + aa.T @ bm
            + aa.T @ mm @ aa
            + 2 * mm @ aa @ aa
            - mm @ aa @ self.a()
        )

    @cached_property
    def mass_matrix_rate(self) -> ScalarArray:
        """M' = J^T M1 J, (n, n), [MK2021] (29)."""
        return self.J.T @ self.M1 @ self.J

    @cached_property
    def coriolis_matrix_rate(self) -> ScalarArray:
        """C' = J^T C1 J, (n, n), [MK2021] (31)."""
        return self.J.T @ self.C1 @ self.J

    @cached_property
    def gravity_force_rates(self) -> ScalarArray:
        """Q_grav' = J^T M1 U G, (n,), [MK2021] (36)."""
        return self.J.T @ self.M1 @ self.U @ self.tree.G

    def external_force_rates(self, wrenches: ScalarArray, rates: ScalarArray) -> ScalarArray:
        """Return (J^T W)' = J^T (W' - (A a)^T W), (n,), [MK2021] (37)."""
        return self.J.T @ (rates - self.Aa.T @ wrenches)

    @cached_property
    def effort_rates(self) -> ScalarArray:
        """Q' without external wrenches, (n,), [MK2021] (28), [KM2021] (46)."""
        _, velocities, accelerations, jerks = self.tree.at_least(4).jet[:4]
        return (
            self.mass_matrix @ jerks
            + (self.mass_matrix_rate + self.coriolis_matrix) @ accelerations
            + self.coriolis_matrix_rate @ velocities
            + self.gravity_force_rates
        )


def symmetric(matrix: ScalarArray) -> ScalarArray:
    """Return the sum of a matrix and its transpose."""
    result: ScalarArray = matrix + matrix.T
    return result
