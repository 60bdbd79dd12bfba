# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that several nodes use: parameters, model, lifecycle, executor, diagnostics."""
