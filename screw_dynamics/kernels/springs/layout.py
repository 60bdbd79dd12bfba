# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Codes of the spring laws and columns of the tables of springs and motors."""

# code of the spring law of a joint
RIGID, LINEAR, DAMPED, VARIABLE, CUBIC, EXPONENTIAL, TABULATED = range(7)
PAIR_EXPONENTIAL, PAIR_QUADRATIC, PAIR_CUBIC = range(7, 10)

# indices of a pair's parameters: the flag of its tendons, the first parameter of its law
PULL_ONLY, PAIR_LAW = range(2)

# columns of the table of motors: inertia, friction coefficients, velocity of the Coulomb law
INERTIA, VISCOUS, COULOMB, COULOMB_VELOCITY = range(4)
