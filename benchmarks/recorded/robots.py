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
    """
    A recording: its file, model and robot, the sign of its efforts, link of a load, joints.

    `other` is another recording of the robot. `rates`: sensors measure torques of the links in
    free motion; their rates and springs are compared, from `begin` on [s]. `remark`: for the page.
    """

    name: str
    model: str
    robot: str
    sign: float = 1.0
    load: str | None = None
    joints: tuple[str, ...] = ()
    other: str = ''
    rates: bool = False
    begin: float = 0.0
    remark: str = ''


ROBOTS = (
    Recorded(
        'franka_fer_30hz', 'panda_arm_no_hand', 'Franka FER, torque sensors, 30 Hz', rates=True
    ),
    Recorded(
        'franka_panda_1khz',
        'panda_arm_no_hand',
        'Franka Panda, torque sensors, 1 kHz',
        rates=True,
        remark='Inertias of the URDF are the published ones (Gaz et al., 2019): the model alone '
        'leaves what they leave, without the friction that goes with them.',
    ),
    *(
        Recorded(
            f'kinova_gen3_testing{one}',
            'kinova_gen3',
            f'Kinova Gen3, torque sensors, unknown tool, 1 kHz, log {one}',
            load='bracelet_link',
            other=f'kinova_gen3_testing{other}',
            remark=remark,
        )
        for one, other, remark in (
            (1, 2, ''),
            (
                2,
                1,
                'Seconds tell the load, whose bands agree, and no friction: 34 parameters nearly '
                'pass through the efforts of one log, and leave up to twenty times as much of '
                'the other. The sensor of joint 7 is dead, and left out.',
            ),
        )
    ),
    Recorded(
        'ur10_currents',
        'ur10',
        'UR10, currents x gains, 125 Hz',
        remark='Inertias of the URDF are rough: with `links=True` half of the recording leaves '
        '[0.4 to 3.3 N m of the other](../tutorials/geared_arm.md#a-real-ur10).',
    ),
    Recorded(
        'lbr_med7',
        'lbr_med7',
        'KUKA LBR Med 7, torque sensors, sign -1',
        sign=-1.0,
    ),
    Recorded('staubli_tx40_5khz', 'staubli_tx40', 'Staubli TX40, motor torques, 5 kHz'),
    Recorded(
        'tiago_currents',
        'tiago',
        'PAL TIAGo, currents x constants, 100 Hz',
        remark='The effort of the torso is a raw current; those of the wrist are exactly 0 in 88 '
        'to 90 % of the samples.',
    ),
    Recorded(
        'double_pendulum',
        'double_pendulum',
        'two quasi-direct drives AK80-6, 300 Hz',
        joints=('Joint1', 'Joint2'),
    ),
    Recorded(
        'hebi_arm_free',
        'hebi_arm',
        '5 HEBI X5, spring torques, bursts',
        rates=True,
        begin=1.5,
        remark='In the first 1.2 s the arm is lifted off a support, which no model of links has: '
        'rates and wind-up are compared afterwards. In the other three quarters J3 moves one '
        'way, which does not tell its friction from its offset: hence 5.8 N m unseen.',
    ),
    Recorded(
        'hebi_arm_contact',
        'hebi_arm',
        '5 HEBI X5, spring torques, in contact',
        remark='The contact with a foam board is in the efforts, and in no model.',
    ),
    Recorded(
        'hebi_6dof_evaluate_only',
        'hebi_6dof',
        '6 HEBI modules, spring torques, 100 Hz',
        rates=True,
        remark='A gas spring beside J2 is not in the URDF. The springs of J2 and J3 harden: the '
        'one stiffness below does not hold for them. J6 rests.',
    ),
)


def load(folder: Path, recorded: Recorded) -> tuple[str, sd.Recording]:
    """Return the URDF and the recording, with deflections where they were measured."""
    with np.load(folder / f'{recorded.name}.npz') as file:
        recording = sd.Recording(
            recorded.joints or tuple(file['joint_names'].tolist()),
            file['time'],
            file['position'],
            recorded.sign * file['effort'],
            deflections=-file['deflection'] if 'deflection' in file else None,
        )
    text = (folder / 'urdf' / f'{recorded.model}.urdf').read_text(encoding='utf-8')
    return text, recording


def of_pinocchio(
    text: str, names: tuple[str, ...], jets: Array, load: str | None
) -> tuple[Array, Array]:
    """
    Return efforts (T, n) of jets (T, 3, n), and columns (T, n, 10) of a load, or (T, n, 0).

    Joints that are not named are locked at 0; a root that is not declared is.
    """
    import pinocchio as pin

    if '<link name="world"' not in text and '"world"' in text:
        text = text.replace('</robot>', '<link name="world"/></robot>')
    whole = pin.buildModelFromXML(text)
    locked = [i for i, name in enumerate(whole.names) if i and name not in names]
    model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
    order = [names.index(name) for name in model.names[1:]]
    data, efforts = model.createData(), np.empty_like(jets[:, 0])
    columns = np.zeros((*efforts.shape, 10 if load else 0))
    body = model.frames[model.getFrameId(load)].parentJoint if load else 0
    for jet, row, own in zip(jets[..., order], efforts, columns, strict=True):
        q = pin.integrate(model, pin.neutral(model), jet[0])
        row[order] = pin.rnea(model, data, q, jet[1], jet[2])
        if load:
            every = pin.computeJointTorqueRegressor(model, data, q, jet[1], jet[2])
            own[order] = every[:, 10 * (body - 1) : 10 * body]
    return efforts, columns
