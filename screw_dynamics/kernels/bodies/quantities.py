# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The quantities of bodies, of single samples and of batches."""

from screw_dynamics.kernels.bodies import (
    acceleration_partials,
    articulated,
    coriolis,
    effort_partials,
    effort_products,
    efforts,
    mass_and_energy,
    mass_matrix,
    momenta,
    regressor,
)
from screw_dynamics.kernels.bodies.rows import efforts_rows
from screw_dynamics.kernels.bodies.state_kernel import BatchKernel, JetKernel, StateKernel


def vector(order, n, count):
    """Return the shape of efforts or accelerations."""
    return (n,)


def square(order, n, count):
    """Return the shape of a matrix of the coordinates."""
    return n, n


def number(order, n, count):
    """Return the shape of an energy."""
    return (1,)


def _point(order, n, count):
    return (3,)


def _point_jacobian(order, n, count):
    return 3, n


def _efforts(order, n, count):
    return order + 1, n


def _effort_partials(order, n, count):
    return order + 1, order + 3, n, n


def _jet(order, n, count):
    return order + 3, n


def _acceleration_partials(order, n, count):
    return 3, n, n


def _regressor(order, n, count):
    return order + 1, n, regressor.PARAMETERS * count


MASS_MATRIX = StateKernel(
    'mass_matrix', mass_matrix.mass_matrix, mass_matrix.mass_matrix_rows, square, 1
)
GRAVITY_FORCES = StateKernel(
    'gravity_forces', efforts.gravity_efforts, efforts.gravity_rows, vector, 1
)
BIAS_FORCES = StateKernel('bias_forces', efforts.bias_efforts, efforts_rows, vector, 2)
CORIOLIS_MATRIX = StateKernel(
    'coriolis_matrix', coriolis.coriolis_matrix, coriolis.coriolis_rows, square, 2
)
CENTRE_OF_MASS = StateKernel(
    'centre_of_mass', mass_and_energy.centre_of_mass, mass_and_energy.moment_rows, _point, 1
)
CENTRE_OF_MASS_JACOBIAN = StateKernel(
    'centre_of_mass_jacobian',
    mass_and_energy.centre_of_mass_jacobian,
    mass_and_energy.centre_rows,
    _point_jacobian,
    1,
)
POTENTIAL_ENERGY = StateKernel(
    'potential_energy', mass_and_energy.potential_energy, mass_and_energy.moment_rows, number, 1
)
KINETIC_ENERGY = StateKernel(
    'kinetic_energy', mass_and_energy.kinetic_energy, mass_and_energy.kinetic_rows, number, 2
)
FORWARD_DYNAMICS = StateKernel(
    'forward_dynamics', articulated.accelerations, articulated.articulated_rows, vector, 3
)
FORWARD_DYNAMICS_PARTIALS = StateKernel(
    'forward_dynamics_partials',
    acceleration_partials.acceleration_partials,
    acceleration_partials.acceleration_partials_rows,
    _acceleration_partials,
    3,
)
INVERSE_DYNAMICS = JetKernel(
    'inverse_dynamics', efforts.inverse_dynamics, efforts_rows, _efforts, lowest=3, orders=5
)
EFFORT_PARTIALS = JetKernel(
    'effort_partials',
    effort_partials.effort_partials,
    momenta.momenta_rows,
    _effort_partials,
    lowest=3,
    orders=1,
)
REGRESSOR = JetKernel(
    'regressor', regressor.regressor, regressor.regressor_rows, _regressor, lowest=3, orders=1
)
EFFORT_CHANGES = BatchKernel(
    'effort_changes',
    effort_products.effort_changes,
    effort_products.product_rows,
    _efforts,
    orders=3,
)
EFFORT_COVECTORS = BatchKernel(
    'effort_covectors',
    effort_products.effort_covectors,
    effort_products.product_rows,
    _jet,
    orders=3,
)
