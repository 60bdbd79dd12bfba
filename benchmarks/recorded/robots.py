# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recordings of real robots, their models, and what their efforts are."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array


class Recorded(NamedTuple):
    """A recording: its file, model and robot, the sign of its efforts, link of a load, joints."""

    name: str
    model: str
    robot: str
    sign: float = 1.0
    load: str | None = None
    joints: tuple[str, ...] = ()


ROBOTS = (
    Recorded('franka_fer_30hz', 'panda_arm_no_hand', 'Franka FER, torque sensors, 30 Hz'),
    Recorded('franka_panda_1khz', 'panda_arm_no_hand', 'Franka Panda, torque sensors, 1 kHz'),
    Recorded(
        'kinova_gen3_testing1', 'kinova_gen3', 'Kinova Gen3, unknown tool', load='bracelet_link'
    ),
    Recorded(
        'kinova_gen3_testing2', 'kinova_gen3', 'Kinova Gen3, unknown tool', load='bracelet_link'
    ),
    Recorded('ur10_currents', 'ur10', 'UR10, currents x gains, 125 Hz'),
    Recorded('lbr_med7', 'lbr_med7', 'KUKA LBR Med 7, torque sensors, sign -1', sign=-1.0),
    Recorded('staubli_tx40_5khz', 'staubli_tx40', 'Staubli TX40, motor torques, 5 kHz'),
    Recorded('tiago_currents', 'tiago', 'PAL TIAGo, currents x constants, 100 Hz'),
    Recorded(
        'double_pendulum',
        'double_pendulum',
        'two quasi-direct drives AK80-6, 300 Hz',
        joints=('Joint1', 'Joint2'),
    ),
    Recorded('hebi_arm_free', 'hebi_arm', '5 HEBI X5, spring torques, bursts'),
    Recorded('hebi_arm_contact', 'hebi_arm', '5 HEBI X5, spring torques, in contact'),
    Recorded('hebi_6dof_evaluate_only', 'hebi_6dof', '6 HEBI modules, spring torques, 100 Hz'),
)


def load(folder: Path, recorded: Recorded) -> tuple[str, sd.Recording]:
    """Return the URDF and the recording; the Drake-style root of one file is declared."""
    with np.load(folder / f'{recorded.name}.npz') as file:
        names = recorded.joints or tuple(file['joint_names'].tolist())
        efforts = recorded.sign * file['effort']
        recording = sd.Recording(names, file['time'], file['position'], efforts)
    text = (folder / 'urdf' / f'{recorded.model}.urdf').read_text(encoding='utf-8')
    return text, recording


def of_pinocchio(text: str, names: tuple[str, ...], jets: Array) -> Array:
    """Return the efforts (T, n) of jets (T, 3, n) by Pinocchio, other joints locked at 0."""
    import pinocchio as pin

    if '<link name="world"' not in text and '"world"' in text:
        text = text.replace('</robot>', '<link name="world"/></robot>')
    whole = pin.buildModelFromXML(text)
    locked = [i for i, name in enumerate(whole.names) if i and name not in names]
    model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
    order = [names.index(name) for name in model.names[1:]]
    data, found = model.createData(), np.empty_like(jets[:, 0])
    for jet, row in zip(jets[..., order], found, strict=True):
        q = pin.integrate(model, pin.neutral(model), jet[0])
        row[order] = pin.rnea(model, data, q, jet[1], jet[2])
    return found
