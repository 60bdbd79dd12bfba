# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that the recorder refuses before it creates a bag."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='the recorder needs ROS')
pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.bags.recorder import main  # noqa: E402


@pytest.mark.parametrize('topic', ['bad topic', '/a//b', '1st', ''])
def test_what_is_no_topic_leaves_no_folder_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], topic: str
) -> None:
    with pytest.raises(SystemExit) as exit_code:
        main(['recorder', '-o', str(tmp_path / 'bag'), '/joint_states', topic])
    assert exit_code.value.code == 2
    assert 'argument TOPIC: expected the name of a topic' in capsys.readouterr().err
    assert not (tmp_path / 'bag').exists()


@pytest.mark.parametrize('duration', ['-1', '0', 'nan', 'inf', 'long'])
def test_what_is_no_duration_leaves_no_folder_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], duration: str
) -> None:
    with pytest.raises(SystemExit) as exit_code:
        main(['recorder', '-o', str(tmp_path / 'bag'), '/joint_states', '-d', duration])
    assert exit_code.value.code == 2
    text = f"argument -d/--duration: expected a number above 0, got '{duration}'"
    assert text in capsys.readouterr().err
    assert not (tmp_path / 'bag').exists()
