# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Second time derivatives of the closed form, explicitly: MK2021 section 5.

    Q'' = M q'''' + (2 M' + C) q''' + (M'' + 2 C') q'' + C'' q' + Q_grav'' - (J^T W)''

without the last term: [MK2021] (38).

M2 and C2 are the paper's M^(2) and C^(2): coefficient matrices, not derivatives.
"""

from __future__ import annotations

from functools import cached_property

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.theory.closed_form.first_derivatives import FirstDerivatives, symmetric


class SecondDerivatives(FirstDerivatives):
    """The matrices of `FirstDerivatives` and their second derivatives; r >= 4, 5 for efforts."""

    @cached_property
    def twist_second_rates(self) -> ScalarArray:
        """V'' = J q''' + 2 J' q'' + J'' q', (6N,), from [MK2021] (15)."""
        _, _, accelerations, jerks = self.tree.at_least(4).jet[:4]
        first = 2 * self.Aa @ self.J @ accelerations
        return self.J @ jerks - first + self.second_transport @ self.V

    @cached_property
    def second_transport(self) -> ScalarArray:
        """2 A a A a - A a a - A a', the matrix of J'' = (..) J and U'' = (..) U."""
        return 2 * self.Aa @ self.Aa - self.Aa @ self.a() - self.A @ self.a(1)

    @cached_property
    def M1_rate(self) -> ScalarArray:  # noqa: N802
        """M1' = M1(q, q'') + Mm (A a A - A a) a + (..)^T, [MK2021] (41), (42)."""
        aa = self.Aa
        return symmetric(self.Mm @ (aa @ aa - aa @ self.a() - self.A @ self.a(1)))

    @cached_property
    def M2_reusing_M1(self) -> ScalarArray:  # noqa: N802
        """
        M2 = M1' - M1 A a - (A a)^T M1, [MK2021] (39), (43).

        The print of (43) has M1(q, q') in place of M1(q, q'') in its first term.
        """
        return self.M1_rate - symmetric(self.M1 @ self.Aa)

    @cached_property
    def M2(self) -> ScalarArray:  # noqa: N802
        """M2 = (Mm (2 A a A a - A a a - A a')) + (..)^T + 2 (A a)^T Mm A a, [MK2021] (44)."""
        return symmetric(self.Mm @ self.second_transport) + 2 * self.Aa.T @ self.Mm @ self.Aa

    @cached_property
    def Cm_second_rate(self) -> ScalarArray:  # noqa: N802
        """Cm'' = -Mm (A a)'' - b''^T Mm, [MK2021] (48), (49)."""
        aa, a, a1 = self.Aa, self.a(), self.a(1)
        aa1 = self.A @ a1
        terms = (
            aa1 @ aa
            + 2 * aa @ aa1
            - 2 * aa @ aa @ aa
            + 2 * aa @ aa @ a
            - 3 * aa @ a1
            - aa @ a @ a
            + aa @ a @ aa
            - self.A @ self.a(2)
        )
        return self.Mm @ terms - self.b(self.twist_second_rates).T @ self.Mm

    @cached_property
    def C2(self) -> ScalarArray:  # noqa: N802
        """C2, [MK2021] (50)."""
        aa, aa1, aaa = self.Aa, self.A @ self.a(1), self.Aa @ self.a()
        cm = self.Cm
        return (
            self.Cm_second_rate
            - 2 * self.C1 @ aa
            - 2 * aa.T @ self.C1
            - 2 * aa.T @ cm @ aa
            - cm @ aa1
            - aa1.T @ cm
            - cm @ aaa
            - aaa.T @ cm
        )

    @cached_property
    def C1_rate(self) -> ScalarArray:  # noqa: N802
        """C1' of C2 = C1' - C1 A a - (A a)^T C1, [MK2021] (46), (47)."""
        aa, aa1, aaa = self.Aa, self.A @ self.a(1), self.Aa @ self.a()
        outer = self.Cm_rate @ aa + self.Cm @ (aa1 - aa @ aa + aaa)
        left = aa.T @ self.Cm_rate + (aa1 - aa @ aa + aaa).T @ self.Cm
        return self.Cm_second_rate - outer - left

    @cached_property
    def C2_explicit(self) -> ScalarArray:  # noqa: N802
        """C2 in Cm, A, a, b and Mm alone, [MK2021] (51)."""
        mm, cm, aa, a = self.Mm, self.Cm, self.Aa, self.a()
        aa1, aaa = self.A @ self.a(1), self.Aa @ self.a()
        b1m = self.b(self.twist_rates).T @ mm
        inertial = mm @ (
            3 * aa1 @ aa
            + 2 * aa @ aa1
            - 4 * aa @ aa @ aa
            + 3 * aaa @ aa
            + 2 * aa @ aaa
            - 3 * aa @ self.a(1)
            - aaa @ a
            - self.A @ self.a(2)
        )
        both = aa.T @ mm @ (2 * aa1 - 2 * aa @ aa + 2 * aaa)
        turning = 2 * b1m @ aa + 2 * aa.T @ b1m - self.b(self.twist_second_rates).T @ mm
        right = cm @ (2 * aa @ aa - aa1 - aaa)
        left = (2 * aa @ aa - aa1 - aaa).T @ cm
        return inertial + both + turning + right + left + 2 * aa.T @ cm @ aa

    @cached_property
    def mass_matrix_second_rate(self) -> ScalarArray:
        """M'' = J^T M2 J, (n, n), [MK2021] (39), (40)."""
        return self.J.T @ self.M2 @ self.J

    @cached_property
    def coriolis_matrix_second_rate(self) -> ScalarArray:
        """C'' = J^T C2 J, (n, n), [MK2021] (45)."""
        return self.J.T @ self.C2 @ self.J

    @cached_property
    def gravity_force_second_rates(self) -> ScalarArray:
        """Q_grav'' = J^T M2 U G, (n,), [MK2021] (52)."""
        return self.J.T @ self.M2 @ self.U @ self.tree.G

    def external_force_second_rates(
        self, wrenches: ScalarArray, rates: ScalarArray, second_rates: ScalarArray
    ) -> ScalarArray:
        """Return (J^T W)'' = J^T (W'' - 2 (A a)^T W' + (..)^T W), (n,), [MK2021] (53)."""
        return self.J.T @ (
            second_rates - 2 * self.Aa.T @ rates + self.second_transport.T @ wrenches
        )

    @cached_property
    def effort_second_rates(self) -> ScalarArray:
        """Q'' without external wrenches, (n,), [MK2021] (38), [KM2021] (47)."""
        _, velocities, accelerations, jerks, snaps = self.tree.at_least(5).jet[:5]
        return (
            self.mass_matrix @ snaps
            + (2 * self.mass_matrix_rate + self.coriolis_matrix) @ jerks
            + (self.mass_matrix_second_rate + 2 * self.coriolis_matrix_rate) @ accelerations
            + self.coriolis_matrix_second_rate @ velocities
            + self.gravity_force_second_rates
        )
