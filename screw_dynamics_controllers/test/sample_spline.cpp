// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Samples a spline. stdin: joints, number of breaks, count of coefficients; breaks, coefficients,
// end, times [s]. stdout: joint jets (5, n). Doubles in binary.

#include <cstdio>
#include <utility>
#include <vector>

#include "screw_dynamics_controllers/spline.hpp"

namespace
{

std::vector<double> read(std::size_t count)
{
  std::vector<double> numbers(count);
  numbers.resize(std::fread(numbers.data(), sizeof(double), count, stdin));
  return numbers;
}

}  // namespace

int main()
{
  const auto sizes = read(3);
  const auto n = static_cast<std::size_t>(sizes[0]);
  const auto segments = static_cast<std::size_t>(sizes[1]) - 1;
  auto breaks = read(segments + 1);
  auto coefficients = read(segments * static_cast<std::size_t>(sizes[2]) * n);
  auto end = read(n);
  const double first = breaks.front();
  const screw_dynamics_controllers::Spline spline(
    n, std::move(breaks), std::move(coefficients), std::move(end), 0, false);
  std::vector<double> jet(screw_dynamics_controllers::jet_rows * n);
  for (auto time = read(1); !time.empty(); time = read(1)) {
    spline.sample(time[0] - first, jet.data());
    std::fwrite(jet.data(), sizeof(double), jet.size(), stdout);
  }
  return 0;
}
