# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A message type that no distribution ships, and the numbers of the bag written from it."""

HEADER = '=' * 80 + '\nMSG: '
SAMPLE_TYPE = 'test_interfaces/msg/Sample'
SAMPLE = (
    '# A message that no distribution ships.\n'
    'builtin_interfaces/Time stamp\n'
    'string[] joint_names\n'
    'float64[] effort      # N m\n'
    'float64[] window\n'
    'uint8 source\n'
    'string note\n'
    f'{HEADER}builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n'
)
NAMES = ['shoulder', 'elbow', 'wrist']
START = 1_700_000_000_000_000_000
COUNT = 25
