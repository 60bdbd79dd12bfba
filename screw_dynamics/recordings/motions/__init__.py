# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions in bags: joint states and trajectories to recordings, runs and efforts."""

from screw_dynamics.recordings.motions.bag_efforts import BagEfforts, bag_efforts
from screw_dynamics.recordings.motions.recording import read_recording
from screw_dynamics.recordings.motions.runs import recorded_runs

__all__ = ['BagEfforts', 'bag_efforts', 'read_recording', 'recorded_runs']
