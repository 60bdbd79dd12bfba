// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// What samples are beyond: the limits of a robot alone, sample by sample.
//
//   judge_samples LIBRARY MOVES < in > out
//
// in, per sample: joint jet (4, n), efforts (2, n). out: violated quantity, joint. Doubles in binary.

#include <cstdio>
#include <vector>

#include "screw_dynamics_controllers/guards.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"

int main(int argc, char ** argv)
{
  namespace sdc = screw_dynamics_controllers;
  if (argc != 3) {
    return 2;
  }
  const sdc::RobotLibrary library(argv[1]);
  const auto n = static_cast<std::size_t>(library.robot().joints);
  std::vector<double> in(6 * n);
  while (std::fread(in.data(), sizeof(double), in.size(), stdin) == in.size()) {
    const auto found = sdc::beyond_of_joints(
      library.robot(), in.data(), true, in.data() + 4 * n, 2, argv[2][0] == '1');
    const double out[2] = {
      static_cast<double>(found.quantity), static_cast<double>(found.index)};
    std::fwrite(out, sizeof(double), 2, stdout);
  }
  return 0;
}
