# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The C++ client of docs/services.md, compiled, against a running dynamics_server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from helpers.patience import patience

import screw_dynamics as sd

DOCUMENT = Path(__file__).resolve().parents[3] / 'docs' / 'services.md'

CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(client CXX)
find_package(rclcpp REQUIRED)
find_package(screw_dynamics_interfaces REQUIRED)
add_executable(client client.cpp)
target_compile_features(client PRIVATE cxx_std_17)
target_compile_options(client PRIVATE -Wall -Wextra -Werror)
target_link_libraries(client rclcpp::rclcpp ${screw_dynamics_interfaces_TARGETS})
"""

# The numbers of a line per derivative, enough digits to read the same doubles back.
PROGRAM = """
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


def program() -> str:
    """Return the snippet of the document, its body inside a function, as a program."""
    (snippet,) = re.findall(r'```cpp\n(.*?)```', DOCUMENT.read_text(encoding='utf-8'), re.DOTALL)
    head, body = snippet.split('\n\n', 1)
    return PROGRAM.format(head=head, body=body)


@pytest.fixture(scope='module')
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the client and return the path of its executable."""
    try:
        get_package_prefix('rclcpp')
    except PackageNotFoundError:
        pytest.skip('the C++ client needs the ROS 2 package rclcpp')
    cmake = shutil.which('cmake')
    if cmake is None:
        pytest.skip('the C++ client is built by cmake, which is not installed')
    folder = tmp_path_factory.mktemp('client')
    (folder / 'CMakeLists.txt').write_text(CMAKE, encoding='utf-8')
    (folder / 'client.cpp').write_text(program(), encoding='utf-8')
    configure = [cmake, '-S', '.', '-B', 'build', f'-DPython3_EXECUTABLE={sys.executable}']
    for command in (configure, [cmake, '--build', 'build']):
        result = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=patience(900.0)
        )
        assert result.returncode == 0, f'{result.stdout[-2000:]}\n{result.stderr[-4000:]}'
    return folder / 'build' / 'client'


def arguments(jet: np.ndarray) -> list[str]:
    """Return the derivatives of the positions as words of a command line."""
    return [repr(float(number)) for number in jet.ravel()]


@pytest.mark.usefixtures('server')
def test_efforts_are_those_of_the_library(ros, client, model, rng):
    jet = rng.normal(size=(5, model.n))
    process = ros.start_command([str(client), *arguments(jet)])
    assert process.wait() == 0, process.log
    efforts = [[float(word) for word in line.split()] for line in process.log.splitlines()]
    expected = sd.recursive_body_fixed(model, jet)
    for got, row in zip(efforts, expected, strict=True):
        np.testing.assert_allclose(got, row, rtol=0, atol=1e-12 * np.abs(row).max())


@pytest.mark.usefixtures('server')
def test_refusal_is_logged(ros, client, model):
    process = ros.start_command([str(client), *arguments(np.zeros((5, model.n + 1)))])
    text = f'position: expected shape ({model.n},), one value per joint, got ({model.n + 1},)'
    ros.wait_for('the text of the node', lambda: text in process.log, process)
