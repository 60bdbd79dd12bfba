# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Algorithms of the papers in readable form, by subject; tests compare them with the kernels.

They are for reading, tests and documents, not part of the public API, except
`recursive_body_fixed`. The following contract holds for all functions; a docstring has the
equations, the result and what differs from it.

Arguments
    `model` is a `ScrewModel` with n coordinates and N bodies, or a record of the same fields with
    other scalars. Row d of `joint_jet` (r, n) is the d-th time derivative of the joint positions
    [rad or m, per s^d]. "r >= 4" is the least number of rows; where none is named, Jacobians need
    one row, efforts three and their derivatives up to order k need k + 3. `q`, `qd` and `tau` (n,)
    are positions, velocities and efforts [rad or m, per s; N m or N]. `body` and `joint` are
    numbers of a body and of a tree joint. `by` lists the tree joints by whose variables a quantity
    is differentiated, in any order. `wrench_jets` and `wrench_representation` are those of
    `recursive_body_fixed`: wrenches ON the bodies, by frame.
Results
    Arrays in SI units, with the type of scalars of the arguments: floats, complex numbers or
    objects (mpmath, SymPy, Taylor series). Twists are [angular; linear], wrenches
    [torque; force]. In a jet, index k or d is the order of the time derivative.
Errors
    InputError, ShapeError, NotFiniteError and UnknownNameError name an argument of a model that is
    not usable; LinAlgError or ZeroDivisionError is raised if a matrix to invert is singular.
    Functions of single bodies (`newton_euler`, `wrench_rates`) take arrays and check nothing.
"""
