# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of recorder and replay in one line if ROS rejects arguments or settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.patience import patience

pytest.importorskip('rclpy', reason='recorder and replay need ROS')
pytest.importorskip('rosbags', reason='bags need the package rosbags')


def arguments(program: str, folder: Path, bag: Path) -> list[object]:
    return ['-o', folder, '/sample'] if program == 'record' else [bag, '/sample']


@pytest.mark.parametrize('program', ['record', 'replay'])
@pytest.mark.parametrize(
    'refused, named',
    [
        (['-p', 'nothing'], "parameter override rule: '-p nothing'"),
        (['--params-file', '/none.yaml'], '/none.yaml'),
        (['-r', 'nothing'], "remap rule: '-r nothing'"),
        (['--log-level', 'loud'], 'loud'),
        (['--nonsense'], '--nonsense'),
        (['-p', 'use_sim_time:=3'], "'use_sim_time' to '3'"),
    ],
    ids=str,
)
def test_arguments_that_ros_refuses(request, tmp_path, sample_bag, program, refused, named):
    start = request.getfixturevalue(program)
    process = start(*arguments(program, tmp_path / 'new', sample_bag), '--ros-args', *refused)
    _, errors = process.communicate(timeout=patience())
    assert process.returncode == 1, errors
    assert errors.count('\n') == 1 and named in errors
    assert not (tmp_path / 'new').exists()


@pytest.mark.parametrize('program', ['record', 'replay'])
def test_settings_that_ros_refuses(
    request, tmp_path, sample_bag, ros_environment, monkeypatch, program
):
    monkeypatch.setitem(ros_environment, 'ROS_DOMAIN_ID', 'mine')
    start = request.getfixturevalue(program)
    process = start(*arguments(program, tmp_path / 'new', sample_bag))
    _, errors = process.communicate(timeout=patience())
    assert process.returncode == 1, errors
    assert errors.count('\n') == 1 and 'ROS_DOMAIN_ID is not an integral number' in errors
    assert not (tmp_path / 'new').exists()
