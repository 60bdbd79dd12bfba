# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Columns of the tables of a tree of bodies (`model.joint_frames.JointFrames`).

The joint frame of a body has its origin on the joint axis and z along it. Columns that are also
in the rows of `kernels.bodies.layout` have the same index in both.
"""

# columns of the integer table
PARENT, COORDINATE = range(2)  # a parent of -1 is the base

# Columns of the real table. The joint variable is s = MULTIPLIER q + OFFSET; the joint rotates by
# ROTATION s about z and translates by TRANSLATION s along z.
HOME_POSITION = 0  # 3: of the home pose in the parent's joint frame
ROTATION, MULTIPLIER, OFFSET, TRANSLATION = range(3, 7)
HOME_ROTATION = 7  # 9: of the home pose, by rows
# inertia about the origin of the joint frame, in one block
MASS = 16
FIRST_MOMENT = 17  # 3: m c
SECOND_MOMENT = 20  # 6: integral of x x^T dm as xx, yy, zz, xy, xz, yz
COLUMNS = 26
