# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of a tree of bodies (`model.joint_frames.KernelTables`), and status codes.

The parameters are a header, a row per body, and a row per frame that carries a wrench or whose
regressor is wanted. Integers are stored as doubles, because each further array argument costs a
call from Python as much time as the dynamics of one joint.
"""

from screw_dynamics.kernels.bodies import tables as tree

BODY_COUNT, COORDINATE_COUNT, WRENCH_COUNT = range(3)
HEADER = 3

PARENT, COORDINATE = tree.PARENT, tree.COORDINATE
KIND, HAS_BETA = 2, 3
MULTIPLIER, OFFSET = tree.MULTIPLIER, tree.OFFSET
PITCH, COS_ALPHA, SIN_ALPHA, COS_BETA, SIN_BETA = range(6, 11)
COS_GAMMA, SIN_GAMMA = 11, 12  # constant rotation about the axis, besides that by the joint angle
ORIGIN = 13  # 3: origin in the parent's frame; for a root body -g in the frame before the joint
MASS, FIRST_MOMENT, SECOND_MOMENT = tree.MASS, tree.FIRST_MOMENT, tree.SECOND_MOMENT
ROW = tree.COLUMNS

# of a frame: its body, and its pose (3, 4) by rows in the joint frame
CARRIER, CARRIER_POSE = range(2)
CARRIER_ROW = 13

REVOLUTE, PRISMATIC, HELICAL = range(3)

OK, BAD_SHAPE, INPUT_NOT_FINITE, RESULT_NOT_FINITE, UNALIGNED = range(5)
