# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of soft bodies: energies and dissipation by the deformation gradient."""
