# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Tables of a chain of modules (`soft.kernel_table`) and the blocks of series in the workspace.

`modules` (m, COLUMNS) holds integers, `reals` the gravity, then the numbers of every module.
Each block is a run of series of `count = order + 3` coefficients; places in a block are given in
series. The coefficients of a vector or matrix are stored one after the other: component c of
coefficient k of a vector at series s is at ``block + s count + 3 k + c``.
"""

# columns of the integer table
KIND, FIRST, SIZE = range(3)  # kind; first coordinate and number of coordinates
REALS, BLOCK, STEPS = range(3, 6)  # first real; block (in series); number of sections of a rod
GIVEN = 6  # first series in the array of given modules
COLUMNS = 7

REVOLUTE, PRISMATIC, HELICAL, FIXED, RIGID, PLANAR, ROD, SERIES = range(8)

GRAVITY = 0  # 3 reals

# reals of joints and rigid bodies: x stands for a series of the joint variable
ROTATION = 0  # 9: home rotation, by rows; a revolute joint adds sin q R a~ - cos q R a~^2
SINES, COSINES = 9, 18  # 9 each
TRANSLATION = 27  # 3
TURN_AXIS, SHIFT_AXIS = 30, 33  # 3 each: column of the Jacobian of the distal frame, in its axes
RIGID_MASS, RIGID_FIRST, RIGID_SECOND = 12, 13, 16  # 1, 3, 6
RIGID_TRANSLATION = 9

# reals of a planar arc: then stiffness and damping
LENGTH, MASS, SECTION = range(3)  # SECTION: second moment of the section's mass per mass
PLANAR_REALS = 5

# reals of a rod: stiffness (n, n), damping (n, n), then a row per step;
# a row: step, factor of the Lie bracket, mass and second moments of the section behind it, then
# strain (6) and basis (6, n) at the first point, and the same at the second point
STEP, BRACKET, STEP_MASS, SECOND_X, SECOND_Y, STRAIN = range(6)

# series of all blocks: relative pose, own wrench (in the proximal frame, of a step in its own)
POSE, ORIGIN, FORCE, TORQUE = 0, 9, 12, 15
PLAIN_WIDTH = 18
# ... of a step of a rod: exponent, strains at both points, E_2 .. E_5
TURN, SHIFT, TURN_A, SHIFT_A, TURN_B, SHIFT_B, ENTIRE = 18, 21, 24, 27, 30, 33, 36
STEP_WIDTH = 40
# ... of a module known by integrals over its points f; f' is relative to the proximal frame
FIRST_MOMENT, SECOND_MOMENT, MOMENTUM = 18, 21, 27  # f; f f^T as xx, yy, zz, xy, xz, yz; f x f'
COORDINATES = 30
# ... and for each coordinate j, with f_j the partial of f
TURN_J, SHIFT_J = 0, 3  # columns of the Jacobian of the distal frame, in its axes
FIRST_J, CROSS_J, SECOND_J = 6, 9, 12  # f_j; f x f_j; partials of f f^T
CORIOLIS_J, INERTIAL_J, STRESS_J = 18, 21, 22  # f' x f_j; f_j . f''; elastic and damping effort
MASS_J = 23  # n: f_j . f_l
# the mass of a given module is the constant coefficient of its last series


def coordinate_width(n: int) -> int:
    """Return the number of series of one of n coordinates of a module known by integrals."""
    return MASS_J + n


def integrals_width(n: int) -> int:
    """Return the number of series of a module known by integrals, its mass included."""
    return COORDINATES + n * coordinate_width(n) + 1


def step_reals(n: int) -> int:
    """Return the number of reals of a step of a rod."""
    return STRAIN + 12 * (n + 1)


OK, INPUT_NOT_FINITE, RESULT_NOT_FINITE = range(3)
