# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots from and for other libraries, which are imported at the first use alone."""

from screw_dynamics.bridges import jax as jax
from screw_dynamics.bridges import torch as torch
