# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of evaluations: columns, CSV, bags, plots."""
