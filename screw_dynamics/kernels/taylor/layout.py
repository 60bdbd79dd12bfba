# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of the Taylor recursion (`model.JointFrameParameters`) and its status codes.

The parameters are a header, then a row per body. Integers are stored as doubles, because each
further array argument costs a call from Python as much time as the dynamics of one joint.
"""

from __future__ import annotations

from screw_dynamics.kernels.tree.layout import (
    COORDINATE,
    FIRST_MOMENT,
    MASS,
    MULTIPLIER,
    OFFSET,
    PARENT,
    SECOND_MOMENT,
)

__all__ = [
    'BAD_SHAPE',
    'BODY_COUNT',
    'COORDINATE',
    'COORDINATE_COUNT',
    'COS_ALPHA',
    'COS_BETA',
    'COS_GAMMA',
    'FIRST_MOMENT',
    'HAS_BETA',
    'HEADER',
    'HELICAL',
    'INPUT_NOT_FINITE',
    'KIND',
    'MASS',
    'MULTIPLIER',
    'OFFSET',
    'OK',
    'ORIGIN',
    'PARENT',
    'PITCH',
    'PRISMATIC',
    'RESULT_NOT_FINITE',
    'REVOLUTE',
    'ROW',
    'SECOND_MOMENT',
    'SIN_ALPHA',
    'SIN_BETA',
    'SIN_GAMMA',
]

BODY_COUNT, COORDINATE_COUNT = range(2)
HEADER = 2
KIND, HAS_BETA = 2, 3
PITCH, COS_ALPHA, SIN_ALPHA, COS_BETA, SIN_BETA = range(6, 11)
COS_GAMMA, SIN_GAMMA = 11, 12  # constant rotation about the axis, besides that by the joint angle
ORIGIN = 13  # 3: origin in the parent's frame; for a root body -g in the frame before the joint
ROW = 26

REVOLUTE, PRISMATIC, HELICAL = range(3)

OK, BAD_SHAPE, INPUT_NOT_FINITE, RESULT_NOT_FINITE = range(4)
