// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Guards that stop an output at the first sample beyond a limit; those of the `feedforward` node.
#ifndef SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "screw_dynamics_controllers/robot_table.h"

namespace screw_dynamics_controllers
{

enum class Quantity
{
  none, effort, effort_rate, deflection, motor_velocity, motor_effort, motor_effort_rate,
  not_computable, start, asked, moving, motor_start, unmeasured
};

// The first violation that was found: a quantity, whose joint or motor, value and limit.
struct Violation
{
  Quantity quantity = Quantity::none;
  std::size_t index = 0;
  double value = 0.0;
  double limit = 0.0;
};

// Also true for numbers that are not finite.
inline bool exceeds(double value, double limit) noexcept
{
  constexpr double slack = 1e-9;
  return !(std::abs(value) - limit <= slack * limit);
}

// Stops an output until a new motion begins from rest within the limits.
class MotionGuard
{
public:
  explicit MotionGuard(std::size_t count) : last_(count) {}

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
    pause();
  }

  // Register that nothing is sent: the next sample continues no other.
  void pause() noexcept {known_ = false;}

  // Register that the reference has ended: what was stopped remains so in the same motion.
  void interrupt() noexcept
  {
    pause();
    interrupted_ = true;
  }

  // Register that the sample is sent.
  void resume() noexcept {stopped_ = false;}

  // Stop the output of a motion.
  void stop() noexcept {stopped_ = true;}

protected:
  double step(std::int64_t instant) const noexcept
  {
    return known_ ? 1e-9 * static_cast<double>(instant - instant_) : 0.0;
  }

  void pass(const double * efforts, std::int64_t instant) noexcept
  {
    std::copy(efforts, efforts + last_.size(), last_.begin());
    instant_ = instant;
    known_ = true;
    resume();
  }

  // The first effort or rate beyond its limit; a rate is that of `rows` > 1 and that since the
  // sample before.
  Violation compare(
    const double * efforts, int rows, double step, const double * limits, const double * rates,
    Quantity effort, Quantity rate) const noexcept
  {
    constexpr double step_slack = 1e-6;  // of a rate from two samples: their rounding
    const std::size_t n = last_.size();
    for (std::size_t j = 0; j < n; ++j) {
      if (exceeds(efforts[j], limits[j])) {
        return {effort, j, efforts[j], limits[j]};
      }
      if (rows > 1 && exceeds(efforts[n + j], rates[j])) {
        return {rate, j, efforts[n + j], rates[j]};
      }
      const double change = efforts[j] - last_[j];
      if (step > 0.0 && std::abs(change) > (1.0 + step_slack) * rates[j] * step) {
        return {rate, j, change / step, rates[j]};
      }
    }
    return {};
  }

private:
  std::vector<double> last_;
  std::int64_t instant_ = 0;
  bool known_ = false, stopped_ = false, resting_ = true, begins_ = false, interrupted_ = false;
};

// Stops efforts beyond their limits or with rates beyond theirs.
class EffortGuard : public MotionGuard
{
public:
  explicit EffortGuard(const screw_dynamics_robot_table & robot)
  : MotionGuard(static_cast<std::size_t>(robot.joints)), robot_(robot)
  {
  }

  // Return what the efforts (rows, n) of the sample last passed to `follow` violate.
  Violation check(const double * efforts, int rows, std::int64_t instant) noexcept
  {
    const auto found = compare(
      efforts, rows, step(instant), robot_.efforts, robot_.effort_rates, Quantity::effort,
      Quantity::effort_rate);
    if (found.quantity == Quantity::none) {
      pass(efforts, instant);
    }
    return found;
  }

private:
  const screw_dynamics_robot_table & robot_;
};

// Stops motor commands; rates of joint efforts are those of an EffortGuard.
class MotorGuard : public MotionGuard
{
public:
  explicit MotorGuard(const screw_dynamics_robot_table & robot)
  : MotionGuard(static_cast<std::size_t>(robot.motors)), robot_(robot)
  {
  }

  // Return what positions and velocities (2, m) and efforts (rows, m) of motors violate.
  Violation check(
    const double * jet, const double * motions, const double * efforts, int rows,
    std::int64_t instant) noexcept
  {
    const auto m = static_cast<std::size_t>(robot_.motors);
    Violation found;
    for (std::size_t i = 0; i < m && found.quantity == Quantity::none; ++i) {
      const double deflection = motions[i] - jet[robot_.joint_of_motor[i]];
      if (exceeds(deflection, robot_.deflections[i])) {
        found = {Quantity::deflection, i, deflection, robot_.deflections[i]};
      } else if (exceeds(motions[m + i], robot_.motor_velocities[i])) {
        found = {Quantity::motor_velocity, i, motions[m + i], robot_.motor_velocities[i]};
      }
    }
    if (found.quantity == Quantity::none) {
      found = compare(
        efforts, rows, step(instant), robot_.motor_efforts, robot_.motor_effort_rates,
        Quantity::motor_effort, Quantity::motor_effort_rate);
    }
    if (found.quantity == Quantity::none) {
      pass(efforts, instant);
    }
    return found;
  }

private:
  const screw_dynamics_robot_table & robot_;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__GUARDS_HPP_
