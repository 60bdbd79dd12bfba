# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Separate DDS domain for the demo, isolated from other nodes."""

from __future__ import annotations

import atexit
import os
import random
import socket

# DDS (RTPS 2.2, section 9.6.1): domain d uses UDP ports from 7400 + 250 d. The first is the
# multicast port of announcements, unused by participants limited to one host; offset 10 is the
# first port of the first participant. Up to domain 101 all ports are below those that Linux
# assigns to outgoing connections.
FIRST_PORT, PORTS_PER_DOMAIN, LAST_DOMAIN = 7400, 250, 101
PROBED_OFFSETS = (0, 10)


def isolate_ros() -> int:
    """
    Move this process and its children to an unused DDS domain, limited to this host.

    Returns the domain. A domain set in ``ROS_DOMAIN_ID`` is kept.
    """
    if not os.environ.get('ROS_DOMAIN_ID'):
        os.environ['ROS_DOMAIN_ID'] = str(unused_domain())
    if not os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE'):
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'  # Iron and newer
    return int(os.environ['ROS_DOMAIN_ID'])


def unused_domain() -> int:
    """
    Return a random DDS domain, 1 to 101, in which nothing runs on this host.

    It is reserved for this process: no other call, in this or another process, returns it before
    the first node opens its ports. The common default domain 0 is never returned.
    """
    domains = list(range(1, LAST_DOMAIN + 1))
    random.SystemRandom().shuffle(domains)
    return next((d for d in domains if _is_unused(d) and _reserve(d)), domains[0])


def _reserve(domain: int) -> bool:
    # a name in Linux' abstract socket namespace is released when its process ends
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        reservation.bind(f'\0screw_dynamics.dds_domain.{domain}')
    except OSError:
        reservation.close()
        return False
    atexit.register(reservation.close)
    return True


def _is_unused(domain: int) -> bool:
    for offset in PROBED_OFFSETS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', FIRST_PORT + PORTS_PER_DOMAIN * domain + offset))
            except OSError:
                return False
    return True
