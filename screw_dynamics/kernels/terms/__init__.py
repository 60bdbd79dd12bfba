# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Terms of the equations of motion of one state: one source for single samples and batches.

Every sweep has the arguments (ws, q, qd, tau, out, parameters): rows as in `kernels.taylor.rows`,
whose frames and parameters (`model.kernel_tables`) it uses; the sweeps of frames have
parameters of their own (`frames`). Arguments that a term does not need repeat `q`. `out` is
written after `q` and `qd` have been read.
"""
