# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation study of feedforward with exact derivatives for arms with elastic joints."""
