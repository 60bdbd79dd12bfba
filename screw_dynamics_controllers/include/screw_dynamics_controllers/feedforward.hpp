// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands of a robot for the samples of a reference, without ROS.
//
// The constructor allocates and raises std::invalid_argument; nothing else does either.
#ifndef SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "screw_dynamics_controllers/effort_format.hpp"
#include "screw_dynamics_controllers/feedback.hpp"
#include "screw_dynamics_controllers/guards.hpp"
#include "screw_dynamics_controllers/ramps.hpp"
#include "screw_dynamics_controllers/robot_table.h"
#include "screw_dynamics_controllers/spline.hpp"

namespace screw_dynamics_controllers
{

struct Settings
{
  bool motors = false;     // commands of motors, else of links
  bool positions = false;  // commands have positions or velocities
  bool guarded = true;     // else only commands of motors stop at limits
  double ramp_time = 0.25;        // s
  double start_tolerance = 0.05;  // rad or m
  std::string effort_content = "full";
  std::vector<double> effort_sign, effort_scale, effort_offset;
  FeedbackGains feedback;  // of commands of motors
};

// Updates in a row whose sample or commands are lost without an effect.
constexpr int bridged_updates = 3;

// Commands rest or are led there, follow the reference, or are stopped by a violation.
enum class Phase {rest, commanding, stopped};

// Metadata of a sample of the reference.
struct Sample
{
  std::int64_t instant = 0;  // that it belongs to [ns]
  int rows = jet_rows;       // known ones of the joint jet, at least 3
  bool holds = false;        // the end of a motion is held
  bool continues = false;    // its motion continues the one before
  bool first = false;        // of its motion
  bool jumps = false;        // it is at another speed than the one before
};

class Feedforward
{
public:
  Feedforward(const screw_dynamics_robot_table & robot, const Settings & settings)
  : robot_(robot), settings_(settings), n_(static_cast<std::size_t>(robot.joints)),
    m_(settings.motors ? static_cast<std::size_t>(robot.motors) : n_),
    format_(robot, m_, settings.effort_content, settings.effort_sign, settings.effort_scale,
      settings.effort_offset),
    ramp_(format_.offsets(), rates(), settings.ramp_time),
    motion_(
      limits(robot.lower, robot.motor_lower, -unlimited),
      limits(robot.upper, robot.motor_upper, unlimited),
      limits(robot.velocities, robot.motor_velocities, unlimited), settings.ramp_time),
    motion_jumps_(m_), effort_jumps_(m_), feedback_(n_, m_, settings.feedback),
    jet_(static_cast<std::size_t>(std::max(robot.order + 3, jet_rows)) * n_),
    tau_(static_cast<std::size_t>(robot.order + 1) * n_), sent_(2 * m_),
    target_(3 * m_), sent_before_(2 * m_), target_before_(3 * m_), last_(3 * n_), start_(m_),
    turns_(m_), jump_(2 * m_), deflections_(m_),
    motor_motions_(static_cast<std::size_t>(robot.motor_rows * robot.motors)),
    motor_efforts_(static_cast<std::size_t>(std::max(robot.motor_rows - 2, 0) * robot.motors))
  {
    if (settings.motors && (robot.motors == 0 || robot.motor_commands == nullptr)) {
      throw std::invalid_argument(
              "commands: expected a library generated with --drives for those of motors");
    }
    if (feedback_.used() && !settings.motors) {
      throw std::invalid_argument("feedback: expected commands of motors");
    }
  }

  std::size_t joints() const noexcept {return n_;}
  std::size_t count() const noexcept {return m_;}  // of commands
  int required_rows() const noexcept {return settings_.motors ? robot_.required_rows : 3;}

  // The joint jet (5, n) to fill before `update`; rows that are not known are 0.
  double * jet() noexcept {return jet_.data();}

  const std::vector<double> & efforts() const noexcept {return ramp_.values();}
  const std::vector<double> & positions() const noexcept {return motion_.positions();}
  const std::vector<double> & velocities() const noexcept {return motion_.velocities();}
  const Violation & violation() const noexcept {return violation_;}
  bool at_rest() const noexcept {return !moving_;}

  Phase phase() const noexcept
  {
    return violation_.quantity != Quantity::none ? Phase::stopped :
           following_ ? Phase::commanding : Phase::rest;
  }

  bool begun() const noexcept {return begun_ || !settings_.positions;}

  // Efforts of the links (k + 1, n) of the last sample.
  const std::vector<double> & link_efforts() const noexcept {return tau_;}

  // Advance the commands to the sample in `jet` at a time [ns]; `measured` are the positions of
  // the joints, and with feedback their velocities, and positions and velocities of the motors, not
  // finite where they are not known: they are needed where commands begin, and by feedback.
  // Returns false if the sample is not followed: efforts are ramped out.
  bool update(const Sample & sample, const double * measured, std::int64_t now) noexcept
  {
    if (feedback_.used() && !knows(measured, 2 * (n_ + m_))) {
      lack(measured, now);
      return false;
    }
    lacking_ = 0;
    guard_.follow(sample.holds, sample.continues, sample.first);
    count_turns();
    if (!allowed(sample)) {
      release(now);
      return false;
    }
    double * const efforts = settings_.motors ? motor_efforts_.data() : tau_.data();
    const double * motion = settings_.motors ? motor_motions_.data() : jet_.data();
    const double passed = 1e-9 * static_cast<double>(sample.instant - instant_);
    const bool jumps = following_ && sample.jumps && !sample.first;
    if (settings_.positions || feedback_.used()) {
      if (!follows(motion, measured, now)) {
        release(now);
        return false;
      }
      motion_jumps_.advance(passed);
      if (jumps) {
        const double half = 0.5 * passed;
        take_up(&target_before_[m_], &target_[m_], m_, half, nullptr, &jump_[m_]);
        take_up(target_before_.data(), target_.data(), m_, half, &jump_[m_], jump_.data());
        motion_jumps_.add(jump_.data(), &jump_[m_], duration_);
      }
      target_before_ = target_;
      motion_jumps_.apply(target_.data(), target_.data() + m_);
      motion_.follow(target_.data(), target_.data() + m_, now);
    }
    instant_ = sample.instant;
    if (feedback_.used()) {
      feedback_.add(
        jet_.data(), motor_motions_.data(), measured, now, following_ && !ramp_.moving(),
        robot_.motor_efforts, motor_efforts_.data());
    }
    format_.convert(jet_.data(), efforts, sent_.data());
    for (std::size_t i = 0; i < m_; ++i) {
      sent_[m_ + i] = rates_known(sample) ? efforts[m_ + i] * format_.gains()[i] : 0.0;
    }
    effort_jumps_.advance(passed);
    if (jumps) {
      take_up(sent_before_.data(), sent_.data(), m_, 0.5 * passed, nullptr, jump_.data());
      effort_jumps_.add(jump_.data(), nullptr, duration_);
    }
    sent_before_ = sent_;
    effort_jumps_.apply(sent_.data(), nullptr);
    ramp_.follow(sent_.data(), now);
    violation_ = {};
    missed_ = 0;
    following_ = moving_ = true;
    return true;
  }

  // Register that the sample of an update is lost: commands stay for a few updates.
  void miss(std::int64_t now) noexcept
  {
    if (!following_ || ++missed_ > bridged_updates) {
      end(now);
    }
  }

  // Register that the reference has ended: efforts and velocities are led to rest. A motion that
  // was stopped remains so.
  void end(std::int64_t now) noexcept
  {
    guard_.interrupt();
    switch (violation_.quantity) {
      case Quantity::start:
      case Quantity::motor_start:
      case Quantity::moving:
      case Quantity::unmeasured:
        violation_ = {};
        break;
      default:
        break;
    }
    release(now);
  }

  // Stop the commands, as asked, until another motion begins from rest.
  void stop() noexcept
  {
    stop_at({Quantity::asked});
  }

  // Reset, with all commands at rest at once.
  void reset() noexcept
  {
    guard_.forget();
    violation_ = {};
    ramp_.reset();
    motion_.reset();
    feedback_.reset();
    begun_ = following_ = moving_ = false;
    lacking_ = 0;
  }

  // Set the duration of the ramps that begin from now on [s].
  void set_ramp_time(double duration) noexcept
  {
    duration_ = duration;
    ramp_.set_duration(duration);
    motion_.set_duration(duration);
  }

private:
  static bool knows(const double * measured, std::size_t count) noexcept
  {
    return measured != nullptr && std::all_of(
      measured, measured + count, [](double x) {return std::isfinite(x);});
  }

  // Register that feedback lacks states in an update. Where that lasts, it is why nothing is sent.
  void lack(const double * measured, std::int64_t now) noexcept
  {
    miss(now);
    if (lacking_ < bridged_updates) {
      ++lacking_;
    } else if (violation_.quantity == Quantity::none) {
      std::size_t first = 0;
      while (measured != nullptr && std::isfinite(measured[first])) {
        ++first;
      }
      violation_ = {Quantity::unmeasured, first, 0.0, 0.0};
    }
  }

  // Lead efforts and velocities to rest.
  void release(std::int64_t now) noexcept
  {
    feedback_.reset();
    effort_jumps_.clear();
    begun_ = following_ = false;
    const bool ramping = ramp_.release(now);
    moving_ = (motion_.release(now) && settings_.positions) || ramping;
  }

  void stop_at(const Violation & violation) noexcept
  {
    guard_.stop();
    violation_ = violation;
  }

  std::vector<double> rates() const
  {
    std::vector<double> result(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      result[i] = robot_.effort_rates[owner(i)] * std::abs(format_.gains()[i]);
    }
    return result;
  }

  // Limits (m) of what is commanded, of joints or motors.
  std::vector<double> limits(
    const double * joints, const double * motors, double none) const
  {
    const double * const given = settings_.motors ? motors : joints;
    return settings_.guarded ? std::vector<double>(given, given + m_) :
           std::vector<double>(m_, none);
  }

  // Whether the rates of what is sent follow the efforts.
  bool rates_known(const Sample & sample) const noexcept
  {
    const int rows = settings_.motors ? (sample.rows == jet_rows ? robot_.motor_rows - 2 : 1) :
      std::min(sample.rows - 2, robot_.order + 1);
    return format_.full() && rows > 1;
  }

  std::size_t owner(std::size_t i) const noexcept
  {
    return settings_.motors ? static_cast<std::size_t>(robot_.joint_of_motor[i]) : i;
  }

  // Compute the efforts of the sample; return true if nothing is beyond a limit.
  bool allowed(const Sample & sample) noexcept
  {
    if (guard_.stopped()) {
      guard_.stop();
      return false;
    }
    Violation found = step_of(sample);
    if (found.quantity == Quantity::none && !(sample.rows >= required_rows() && compute())) {
      found.quantity = Quantity::not_computable;
    }
    if (found.quantity == Quantity::none) {
      found = check(sample);
    }
    if (found.quantity == Quantity::none) {
      guard_.resume();
      return true;
    }
    stop_at(found);
    return false;
  }

  Violation check(const Sample & sample) noexcept
  {
    Violation found;
    if (settings_.guarded) {
      const int rows = std::min(sample.rows - 2, robot_.order + 1);
      found = beyond_of_joints(
        robot_, jet_.data(), sample.rows > 3, tau_.data(), rows, settings_.positions);
    }
    if (settings_.motors && found.quantity == Quantity::none) {
      for (std::size_t i = 0; i < m_; ++i) {
        deflections_[i] = motor_motions_[i] - jet_[owner(i)];
      }
      const int rows = sample.rows == jet_rows ? robot_.motor_rows - 2 : 1;
      found = beyond_of_motors(
        robot_, motor_motions_.data(), motor_efforts_.data(), rows, deflections_.data(),
        settings_.positions);
    }
    return found;
  }

  // Have continuous joints count on over whole turns from the sample before.
  void count_turns() noexcept
  {
    for (std::size_t j = 0; j < n_; ++j) {
      const double turns = std::rint((last_[j] - jet_[j]) / whole_turn);
      if (robot_.continuous[j] != 0 && std::isfinite(turns)) {
        jet_[j] += whole_turn * turns;
      }
    }
  }

  // Return which joint steps further than it moves since the sample before, if that was followed:
  // by the limit of its velocity, or with a jump by the start tolerance beside its motion. Another
  // motion that begins elsewhere is no violation; it begins by the distance of the robot.
  Violation step_of(const Sample & sample) noexcept
  {
    const double time = 1e-9 * static_cast<double>(sample.instant - instant_);
    Violation found;
    for (std::size_t j = 0; j < n_ && following_; ++j) {
      const double step = std::abs(jet_[j] - last_[j]);
      const double explained = 0.5 * time * (last_[n_ + j] + jet_[n_ + j]);
      const double limit = robot_.velocities[j];
      const double fastest = std::max(std::abs(last_[n_ + j]), std::abs(jet_[n_ + j]));
      const double most = std::isfinite(limit) ? limit * time * (1.0 + 1e-6) + 1e-9 :
        settings_.start_tolerance + 1.5 * time * fastest;
      const bool far = !(std::abs(jet_[j] - last_[j] - explained) <= settings_.start_tolerance);
      const bool marked = sample.jumps || sample.first;
      if (marked ? far : settings_.guarded && !(step <= most)) {
        found = {Quantity::step, j, step, marked ? settings_.start_tolerance : most};
        break;
      }
    }
    std::copy(jet_.begin(), jet_.begin() + static_cast<std::ptrdiff_t>(3 * n_), last_.begin());
    if (found.quantity != Quantity::none && sample.first) {
      begun_ = false;
      return {};
    }
    return found;
  }

  bool compute() noexcept
  {
    const auto finite = [](double x) {return std::isfinite(x);};
    if (!std::all_of(jet_.begin(), jet_.end(), finite)) {
      return false;
    }
    robot_.inverse_dynamics(jet_.data(), tau_.data());
    if (!std::all_of(tau_.begin(), tau_.end(), finite)) {
      return false;
    }
    return !settings_.motors ||
           robot_.motor_commands(jet_.data(), motor_motions_.data(), motor_efforts_.data()) == 0;
  }

  // Set the target of what moves the robot; return false if it is not to be followed.
  bool follows(
    const double * motion, const double * measured, std::int64_t now) noexcept
  {
    std::copy(motion, motion + 3 * m_, target_.begin());
    if (begun_) {
      for (std::size_t i = 0; i < m_; ++i) {
        target_[i] += turns_[i];
      }
      return true;
    }
    // of a reference that rests, and of the first sample of a motion [rad/s or m/s, and per s^2]
    constexpr double rest = 1e-3, begin = 0.02;
    if (!slower(rest, 1e-2) && !(guard_.begins() && slower(begin, unlimited))) {
      const auto j = static_cast<std::size_t>(fastest() - jet_.data()) - n_;
      violation_ = {Quantity::moving, j, *fastest(), rest};
      return false;
    }
    if (!knows(measured, n_)) {
      return false;
    }
    for (std::size_t j = 0; j < n_; ++j) {
      const double distance = away(measured[j] - jet_[j], j);
      if (!(std::abs(distance) <= settings_.start_tolerance)) {
        violation_ = {Quantity::start, j, distance, settings_.start_tolerance};
        return false;
      }
    }
    for (std::size_t i = 0; i < m_ && feedback_.used(); ++i) {
      // an arm that lies on the floor does not deflect its springs as its weight would
      const double limit =
        settings_.start_tolerance + std::abs(motion[i] - jet_[owner(i)]);
      const double distance = away(measured[2 * n_ + i] - motion[i], owner(i));
      if (!(std::abs(distance) <= limit)) {
        violation_ = {Quantity::motor_start, i, distance, limit};
        return false;
      }
    }
    for (std::size_t i = 0; i < m_; ++i) {
      const std::size_t j = owner(i);
      const double distance = away(measured[j] - jet_[j], j);
      turns_[i] = measured[j] - jet_[j] - distance;
      target_[i] += turns_[i];
      start_[i] = target_[i] + distance;
    }
    motion_jumps_.clear();
    motion_.begin(start_.data(), target_.data(), target_.data() + m_, now);
    begun_ = true;
    return true;
  }

  // Return true if the reference has no more than these velocities and accelerations.
  bool slower(double velocity, double acceleration) const noexcept
  {
    const double * const velocities = jet_.data() + n_;
    const auto below = [](double bound) {
        return [bound](double x) {return std::abs(x) <= bound;};
      };
    return std::all_of(velocities, velocities + n_, below(velocity)) &&
           std::all_of(velocities + n_, velocities + 2 * n_, below(acceleration));
  }

  // The largest velocity of the reference.
  const double * fastest() const noexcept
  {
    const double * const velocities = jet_.data() + n_;
    return std::max_element(
      velocities, velocities + n_, [](double a, double b) {return std::abs(a) < std::abs(b);});
  }

  // Return a distance of a joint; whole turns of continuous ones do not count.
  double away(double distance, std::size_t j) const noexcept
  {
    return robot_.continuous[j] != 0 ?
           distance - whole_turn * std::rint(distance / whole_turn) : distance;
  }

  static constexpr double whole_turn = 6.283185307179586;

  const screw_dynamics_robot_table & robot_;
  Settings settings_;
  std::size_t n_, m_;
  EffortFormat format_;
  MotionGuard guard_;
  CommandRamp ramp_;
  MotionRamp motion_;
  Blend motion_jumps_, effort_jumps_;
  Feedback feedback_;
  std::vector<double> jet_, tau_, sent_, target_, sent_before_, target_before_, last_, start_;
  std::vector<double> turns_, jump_, deflections_;
  std::vector<double> motor_motions_, motor_efforts_;
  double duration_ = settings_.ramp_time;
  std::int64_t instant_ = 0;
  int missed_ = 0, lacking_ = 0;  // updates in a row
  bool begun_ = false, following_ = false;
  bool moving_ = false;  // commands may be away from rest
  Violation violation_;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_HPP_
