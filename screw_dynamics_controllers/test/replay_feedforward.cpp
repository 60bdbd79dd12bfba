// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Replays samples of a reference: the commands of every tick, allocations and time in updates.
//
//   replay_feedforward LIBRARY MOTORS POSITIONS GUARDED RAMP_TIME TOLERANCE CONTENT < in > out
//
// in, per tick: instant [s], rows, holds, continues, first (1; 2: jumps), present (0: nothing is
// followed, -1: the sample is lost, -2: rest is asked for before it), joint jet (5, n), measured
// positions (n; NaN: not known now). out: followed, violated quantity, efforts, positions,
// velocities (m). Doubles in binary.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "screw_dynamics_controllers/feedforward.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"
#include "watched.hpp"

int main(int argc, char ** argv)
{
  namespace sdc = screw_dynamics_controllers;
  if (argc != 8) {
    return 2;
  }
  const sdc::RobotLibrary library(argv[1]);
  sdc::Settings settings;
  settings.motors = argv[2][0] == '1';
  settings.positions = argv[3][0] == '1';
  settings.guarded = argv[4][0] == '1';
  settings.ramp_time = std::atof(argv[5]);
  settings.start_tolerance = std::atof(argv[6]);
  settings.effort_content = argv[7];
  sdc::Feedforward feedforward(library.robot(), settings);
  if (!watched::works()) {
    return 3;
  }
  const std::size_t n = feedforward.joints(), m = feedforward.count();
  const std::size_t width = 6 + (sdc::jet_rows + 1) * n;
  std::vector<double> in(width), out(2 + 3 * m), times;
  times.reserve(1 << 20);
  while (std::fread(in.data(), sizeof(double), width, stdin) == width) {
    sdc::Sample sample;
    sample.instant = std::llround(1e9 * in[0]);
    sample.rows = static_cast<int>(in[1]);
    sample.holds = in[2] != 0.0;
    sample.continues = in[3] != 0.0;
    sample.first = in[4] == 1.0;
    sample.jumps = in[4] == 2.0;
    watched::counting = true;
    const auto begin = std::chrono::steady_clock::now();
    bool followed = false;
    const double * const measured = in.data() + width - n;
    if (in[5] == 0.0) {
      feedforward.end(sample.instant);
    } else if (in[5] == -1.0) {
      feedforward.miss(sample.instant);
    } else {
      if (in[5] == -2.0) {
        feedforward.stop();
      }
      std::copy(in.begin() + 6, in.end() - static_cast<std::ptrdiff_t>(n), feedforward.jet());
      followed = feedforward.update(
        sample, std::isnan(*measured) ? nullptr : measured, sample.instant);
    }
    const auto end = std::chrono::steady_clock::now();
    watched::counting = false;
    times.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    out[0] = followed;
    out[1] = static_cast<double>(feedforward.violation().quantity);
    std::copy(feedforward.efforts().begin(), feedforward.efforts().end(), out.begin() + 2);
    const auto place = out.begin() + 2 + static_cast<std::ptrdiff_t>(m);
    std::copy(feedforward.positions().begin(), feedforward.positions().end(), place);
    std::copy(
      feedforward.velocities().begin(), feedforward.velocities().end(),
      place + static_cast<std::ptrdiff_t>(m));
    std::fwrite(out.data(), sizeof(double), out.size(), stdout);
  }
  std::sort(times.begin(), times.end());
  std::fprintf(stderr, "allocations %ld, locks %ld\n", watched::allocations, watched::locks);
  if (!times.empty()) {
    std::fprintf(stderr, "median %.3f us\n", times[times.size() / 2]);
  }
  return 0;
}
