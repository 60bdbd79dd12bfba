# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions and lifecycle transitions for running nodes."""

from __future__ import annotations

from hypothesis import strategies as st
from lifecycle_msgs.msg import Transition

from screw_dynamics import share_path

PLANAR = share_path('urdf/planar_2r.urdf').read_text(encoding='utf-8')
GRIPPER = share_path('urdf/branched_gripper.urdf').read_text(encoding='utf-8')


def chain(count: int) -> str:
    """Return the description of many equal links in a row."""
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    parts = [
        f'<link name="l{i}"><inertial><mass value="1"/>{inertia}</inertial></link>'
        for i in range(count + 1)
    ]
    parts += [
        f'<joint name="j{i}" type="continuous">'
        f'<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(count)
    ]
    return f'<robot name="chain">{"".join(parts)}</robot>'


DESCRIPTIONS = (
    PLANAR,
    PLANAR.replace('2.0', '3.0'),
    GRIPPER,  # other joints
    chain(40),
    PLANAR.replace('</robot>', f'<!--{"x" * 1_000_000}--></robot>'),
    # none of these is a robot
    '',
    ' \n',
    'robot',
    PLANAR[: len(PLANAR) // 2],
    PLANAR.replace('joint_2', 'joint_1'),
    PLANAR.replace('value="', 'value="nan'),
    '<robot name="deep">' + '<link>' * 50_000,
    '<!DOCTYPE r [<!ENTITY a "' + 'a' * 1000 + '">]><robot name="' + '&a;' * 1000 + '"/>',
)


@st.composite
def descriptions(draw: st.DrawFn) -> str:
    """A good, malformed, huge or empty robot description, or one with a few letters changed."""
    text = draw(st.sampled_from(DESCRIPTIONS))
    if text and len(text) < 10_000 and draw(st.booleans()):
        place = draw(st.integers(0, len(text) - 1))
        inserted = draw(st.text(st.characters(exclude_categories=['Cs', 'Cc']), max_size=5))
        text = text[:place] + inserted + text[place + draw(st.integers(0, 9)) :]
    return text


# no shutdown: it would be the end of the bombardment
transitions = st.builds(
    Transition,
    id=st.sampled_from(
        [
            Transition.TRANSITION_CONFIGURE,
            Transition.TRANSITION_CLEANUP,
            Transition.TRANSITION_ACTIVATE,
            Transition.TRANSITION_DEACTIVATE,
            Transition.TRANSITION_CREATE,
            Transition.TRANSITION_ON_CONFIGURE_SUCCESS,
            Transition.TRANSITION_CALLBACK_ERROR,
            255,
        ]
    ),
    label=st.sampled_from(['', '', '', 'configure', 'cleanup', 'activate', 'deactivate', 'nose']),
)
