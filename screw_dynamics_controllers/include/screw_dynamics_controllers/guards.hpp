// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Limits of a robot, in the order and with the roundings of the nodes, and what a stop ends.
#ifndef SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>

#include "screw_dynamics_controllers/robot_table.h"

namespace screw_dynamics_controllers
{

enum class Quantity
{
  none, effort, effort_rate, deflection, motor_velocity, motor_effort, motor_effort_rate,
  not_computable, start, asked, moving, motor_start, unmeasured, position, velocity, acceleration,
  motor_position, step, jerk
};

// The first violation that was found: a quantity, whose joint or motor, value and limit.
struct Violation
{
  Quantity quantity = Quantity::none;
  std::size_t index = 0;
  double value = 0.0;
  double limit = 0.0;
};

constexpr double unlimited = std::numeric_limits<double>::infinity();
// of every quantity in SI units, and of its rates: what no drive has
constexpr double absurd = 1e6, absurd_rate = 1e9;
// rad or m, and derivatives: a motion that is planned to touch a limit may be beyond it by so much
constexpr double touch = 1e-6;

// The value that is farthest beyond its limits, those of `LimitTable` in Python: a rounding of the
// limit, but at least `least`, is allowed. Without `lower` limits are symmetrical, without `upper`
// there are none; what is beyond `largest`, or is not a number, is beyond all.
inline Violation farthest(
  Quantity quantity, const double * values, std::size_t count, const double * lower,
  const double * upper, double least, double largest) noexcept
{
  constexpr double rounding = 1e-9;
  Violation found;
  double most = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    double high = upper != nullptr ? upper[i] : unlimited;
    double low = lower != nullptr ? lower[i] : -high;
    const double size = std::max(
      std::isfinite(high) ? std::abs(high) : 0.0, std::isfinite(low) ? std::abs(low) : 0.0);
    high = std::min(high, largest);
    low = std::max(low, -largest);
    const double slack = std::max(rounding * std::max(size, 1.0), least);
    const double beyond = std::max(low - values[i], values[i] - high) - slack;
    if (!(beyond <= most)) {
      found = {quantity, i, values[i], values[i] < low && low != -high ? low : high};
      most = beyond;
      if (std::isnan(beyond)) {
        return found;
      }
    }
  }
  return found;
}

// Stops an output until a new motion begins from rest within the limits.
class MotionGuard
{
public:
  // Register the next sample of the reference, with or without commands.
  void follow(bool holds, bool continues, bool first) noexcept
  {
    begins_ = (holds || interrupted_ ? first : resting_) && !continues;
    interrupted_ = false;
    resting_ = holds;
  }

  bool stopped() const noexcept {return stopped_ && !begins_;}

  // Whether the sample may be the first of a motion from rest.
  bool begins() const noexcept {return begins_;}

  // Reset: the next sample begins a motion.
  void forget() noexcept
  {
    stopped_ = begins_ = interrupted_ = false;
    resting_ = true;
  }

  // Register that the reference has ended: what was stopped remains so in the same motion.
  void interrupt() noexcept {interrupted_ = true;}

  // Register that the sample is sent.
  void resume() noexcept {stopped_ = false;}

  // Stop the output of a motion.
  void stop() noexcept {stopped_ = true;}

private:
  bool stopped_ = false, resting_ = true, begins_ = false, interrupted_ = false;
};

// The first of some violations that is one.
inline Violation first(std::initializer_list<Violation> found) noexcept
{
  for (const auto & one : found) {
    if (one.quantity != Quantity::none) {
      return one;
    }
  }
  return {};
}

// What a joint jet (3 or 4, n) and its efforts (rows, n) are beyond, of all limits in the order of
// `LimitTable`; where nothing `moves` the robot, its motion may be any that exists.
inline Violation beyond_of_joints(
  const screw_dynamics_robot_table & robot, const double * jet, bool knows_jerk,
  const double * efforts, int rows, bool moves) noexcept
{
  const auto n = static_cast<std::size_t>(robot.joints);
  Violation found = first(
    {farthest(Quantity::effort, efforts, n, nullptr, robot.efforts, 0.0, absurd),
      farthest(
        Quantity::position, jet, n, moves ? robot.lower : nullptr, moves ? robot.upper : nullptr,
        touch, absurd),
      farthest(
        Quantity::velocity, jet + n, n, nullptr, moves ? robot.velocities : nullptr, touch, absurd),
      farthest(
        Quantity::acceleration, jet + 2 * n, n, nullptr, moves ? robot.accelerations : nullptr,
        touch, absurd_rate)});
  if (found.quantity == Quantity::none && knows_jerk) {
    found = farthest(
      Quantity::jerk, jet + 3 * n, n, nullptr, moves ? robot.jerks : nullptr, touch, absurd_rate);
  }
  if (found.quantity == Quantity::none && rows > 1) {
    found = farthest(
      Quantity::effort_rate, efforts + n, n, nullptr, robot.effort_rates, 0.0, absurd_rate);
  }
  return found;
}

// What positions and velocities (2, m), efforts (rows, m) and deflections (m) of motors are beyond.
inline Violation beyond_of_motors(
  const screw_dynamics_robot_table & robot, const double * motions, const double * efforts,
  int rows, const double * deflections, bool moves) noexcept
{
  const auto m = static_cast<std::size_t>(robot.motors);
  const double * const lower = moves ? robot.motor_lower : nullptr;
  const double * const upper = moves ? robot.motor_upper : nullptr;
  Violation found = first(
    {farthest(Quantity::motor_effort, efforts, m, nullptr, robot.motor_efforts, 0.0, absurd),
      farthest(Quantity::motor_position, motions, m, lower, upper, touch, absurd),
      farthest(
        Quantity::motor_velocity, motions + m, m, nullptr, robot.motor_velocities, touch, absurd)});
  if (found.quantity == Quantity::none && rows > 1) {
    found = farthest(
      Quantity::motor_effort_rate, efforts + m, m, nullptr, robot.motor_effort_rates, 0.0,
      absurd_rate);
  }
  return first(
    {found, farthest(Quantity::deflection, deflections, m, nullptr, robot.deflections, 0.0, absurd)});
}

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_
