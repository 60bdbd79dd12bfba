# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The C++ snippets of the documents, compiled, against running nodes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from helpers.node_processes import keep_all, trajectory
from helpers.patience import patience
from helpers.planar_sea import NAMES, write_joints

import screw_dynamics as sd
from screw_dynamics_interfaces.msg import MotorFeedforward

DOCS = Path(__file__).resolve().parents[2] / 'docs'
GEARED = """
drives:
  joint_1:
    spring: {type: linear, stiffness: 600.0}
    motor: {rotor_inertia: 3.0e-5, gear_ratio: 100.0}
  joint_2:
    spring: {type: linear, stiffness: 300.0}
    motor: {rotor_inertia: 0.1}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(snippets CXX)
find_package(rclcpp REQUIRED)
find_package(screw_dynamics_interfaces REQUIRED)
foreach(program client driver)
  add_executable(${program} ${program}.cpp)
  target_compile_features(${program} PRIVATE cxx_std_17)
  target_compile_options(${program} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(${program} rclcpp::rclcpp ${screw_dynamics_interfaces_TARGETS})
endforeach()
"""

# The numbers of a line per derivative, enough digits to read the same doubles back.
CLIENT = """
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

{head}
using Numbers = std::vector<double>;

void print(const Numbers & numbers)
{{
  for (const double number : numbers) std::printf(" %.17g", number);
  std::printf("\\n");
}}

void use(const Numbers & effort, const Numbers & effort_dot, const Numbers & effort_ddot)
{{
  for (const auto & numbers : {{effort, effort_dot, effort_ddot}}) print(numbers);
  std::fflush(stdout);
  rclcpp::shutdown();
}}

auto send(
  const rclcpp::Node::SharedPtr & node, const Numbers & q, const Numbers & qd,
  const Numbers & qdd, const Numbers & jerk, const Numbers & snap)
{{
  {body}
  return client;
}}

int main(int argc, char ** argv)
{{
  const auto arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
  std::vector<Numbers> jet(5);
  for (std::size_t i = 1; i < arguments.size(); ++i) {{
    jet[(i - 1) * 5 / (arguments.size() - 1)].push_back(std::stod(arguments[i]));
  }}
  auto node = std::make_shared<rclcpp::Node>("cpp_client");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  while (rclcpp::ok()) {{
    // a server that has not discovered the client yet drops its response: ask again
    const auto client = send(node, jet[0], jet[1], jet[2], jet[3], jet[4]);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (rclcpp::ok() && std::chrono::steady_clock::now() < end) {{
      executor.spin_once(std::chrono::milliseconds(100));
    }}
  }}
}}
"""


# The number of a motor and its commands in a line, until 50 messages have come.
DRIVER = """
#include <cstdio>
#include <memory>

{head}
void command(std::size_t motor, double position, double velocity, double effort)
{{
  static int lines = 0;
  std::printf("%zu %.17g %.17g %.17g\\n", motor, position, velocity, effort);
  if (++lines == 100) {{
    std::fflush(stdout);
    rclcpp::shutdown();
  }}
}}

int main(int argc, char ** argv)
{{
  rclcpp::init(argc, argv);
  auto node = std::make_shared<rclcpp::Node>("cpp_driver");
  {body}
  rclcpp::spin(node);
}}
"""
PROGRAMS = {'client': ('messages.md', CLIENT), 'driver': ('guides.md', DRIVER)}


def snippets(page: Path) -> list[str]:
    """Return the C++ snippets of a page."""
    return re.findall(r'```cpp\n(.*?)```', page.read_text(encoding='utf-8'), re.DOTALL)


@pytest.fixture(scope='module')
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build all snippets, their bodies inside functions, and return the folder."""
    try:
        get_package_prefix('rclcpp')
    except PackageNotFoundError:
        pytest.skip('the C++ snippets need the ROS 2 package rclcpp')
    cmake = shutil.which('cmake')
    if cmake is None:
        pytest.skip('the C++ snippets are built by cmake, which is not installed')
    folder = tmp_path_factory.mktemp('snippets')
    (folder / 'CMakeLists.txt').write_text(CMAKE, encoding='utf-8')
    for name, (page, program) in PROGRAMS.items():
        (snippet,) = snippets(DOCS / page)
        head, body = snippet.split('\n\n', 1)
        text = program.format(head=head, body=body)
        (folder / f'{name}.cpp').write_text(text, encoding='utf-8')
    configure = [cmake, '-S', '.', '-B', 'build', f'-DPython3_EXECUTABLE={sys.executable}']
    for command in (configure, [cmake, '--build', 'build']):
        result = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=patience(900.0)
        )
        assert result.returncode == 0, f'{result.stdout[-2000:]}\n{result.stderr[-4000:]}'
    return folder / 'build'


def test_every_snippet_is_built_here():
    found = {
        page.name: len(snippets(page)) for page in [*DOCS.rglob('*.md'), DOCS / '../README.md']
    }
    assert {page: count for page, count in found.items() if count} == {
        page: 1 for page, _ in PROGRAMS.values()
    }


def arguments(jet: np.ndarray) -> list[str]:
    """Return the derivatives of the positions as words of a command line."""
    return [repr(float(number)) for number in jet.ravel()]


@pytest.mark.usefixtures('server')
def test_efforts_are_those_of_the_library(ros, programs, model, rng):
    jet = rng.normal(size=(5, model.n))
    process = ros.start_command([str(programs / 'client'), *arguments(jet)])
    assert process.wait() == 0, process.log
    efforts = [[float(word) for word in line.split()] for line in process.log.splitlines()]
    expected = sd.recursive_body_fixed(model, jet)
    for got, row in zip(efforts, expected, strict=True):
        np.testing.assert_allclose(got, row, rtol=0, atol=1e-12 * np.abs(row).max())


@pytest.mark.usefixtures('server')
def test_refusal_is_logged(ros, programs, model):
    process = ros.start_command([str(programs / 'client'), *arguments(np.zeros((5, model.n + 1)))])
    text = f'position: expected shape ({model.n},), one value per joint, got ({model.n + 1},)'
    ros.wait_for('the text of the node', lambda: text in process.log, process)


def commands(message):
    """Return what the snippet computes of a message."""
    motors = zip(
        (100.0, 1.0),
        message.motor_position,
        message.motor_velocity,
        message.motor_effort,
        strict=True,
    )
    return {
        (motor, ratio * position, ratio * velocity, effort / ratio)
        for motor, (ratio, position, velocity, effort) in enumerate(motors)
    }


def test_commands_are_those_at_the_motor_shafts(ros, programs, planar, tmp_path):
    node = ros.start(
        'feedforward',
        urdf_path=planar,
        drives_path=write_joints(tmp_path, GEARED),
        **keep_all('/feedforward', 'motor_feedforward'),
    )
    ros.wait_until_active(node)
    received = ros.listen(MotorFeedforward, '/feedforward/motor_feedforward')
    driver = ros.start_command([str(programs / 'driver')])
    ros.publish(trajectory(NAMES, [-1.4, 0.5], [-1.0, 0.2]), '/feedforward/joint_trajectory')
    ros.wait_for('the end of the driver', lambda: not driver.running, node)
    assert driver.wait() == 0, driver.log
    lines = [line.split() for line in driver.log.splitlines()]
    assert len(lines) == 100
    missed = {(int(i), *map(float, rest)) for i, *rest in lines}

    def heard():  # this client may receive later than the driver
        while received:
            missed.difference_update(commands(received.pop()))
        return len(missed) <= 20  # and come to listen a few messages after it

    ros.wait_for('the commands of the driver', heard, node)
    assert node.interrupt() == 0, node.log
