// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Samples motions as the controller does. stdin: joints; messages, each with the number of its
// splines and, for each of these, begin, time, speed, release, motion, continues, numbers of breaks
// and of coefficients, breaks, coefficients, end; then the number of instants, and these. stdout: for
// every instant whether a motion applies, holds, continues, is first, and the joint jet (5, n).
// Doubles in binary; instants in ns.

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "screw_dynamics_controllers/spline_follower.hpp"

namespace
{

std::vector<double> read(std::size_t count)
{
  std::vector<double> numbers(count);
  numbers.resize(std::fread(numbers.data(), sizeof(double), count, stdin));
  return numbers;
}

screw_dynamics_controllers::Spline read_spline(std::size_t n)
{
  const auto head = read(8);
  const screw_dynamics_controllers::Course course{
    static_cast<std::int64_t>(head[0]), head[1], head[2], static_cast<std::int64_t>(head[3]),
    static_cast<std::uint64_t>(head[4]), head[5] != 0.0};
  auto breaks = read(static_cast<std::size_t>(head[6]));
  auto coefficients = read(static_cast<std::size_t>(head[7]));
  auto end = read(n);
  return {n, std::move(breaks), std::move(coefficients), std::move(end), course};
}

}  // namespace

int main()
{
  const auto n = static_cast<std::size_t>(read(1).at(0));
  screw_dynamics_controllers::SplineFollower follower;
  std::vector<double> jet(screw_dynamics_controllers::jet_rows * n);
  for (auto count = read(1); !count.empty(); count = read(1)) {
    std::vector<screw_dynamics_controllers::Spline> splines;
    while (static_cast<double>(splines.size()) < count[0]) {
      splines.push_back(read_spline(n));
    }
    follower.receive(std::move(splines));
    for (const double instant : read(static_cast<std::size_t>(read(1).at(0)))) {
      screw_dynamics_controllers::Sample sample;
      const bool applies = follower.sample(static_cast<std::int64_t>(instant), jet.data(), sample);
      const double flags[] = {
        applies ? 1.0 : 0.0, sample.holds ? 1.0 : 0.0, sample.continues ? 1.0 : 0.0,
        sample.first ? 1.0 : 0.0};
      std::fwrite(flags, sizeof(double), 4, stdout);
      std::fwrite(jet.data(), sizeof(double), jet.size(), stdout);
    }
  }
  return 0;
}
