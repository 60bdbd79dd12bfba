// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Efforts as a robot takes them.
#ifndef SCREW_DYNAMICS_CONTROLLERS__EFFORT_FORMAT_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__EFFORT_FORMAT_HPP_

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "screw_dynamics_controllers/robot_table.h"

namespace screw_dynamics_controllers
{

// The value sent is sign * scale * tau + offset, with the part of tau that the content names:
// full, without_gravity or gravity_only. Raises std::invalid_argument.
class EffortFormat
{
public:
  EffortFormat(
    const screw_dynamics_robot_table & robot, std::size_t count, const std::string & content,
    const std::vector<double> & sign, const std::vector<double> & scale,
    std::vector<double> offset)
  : robot_(robot), subtracts_(content == "without_gravity"), replaces_(content == "gravity_only"),
    gains_(count, 1.0), offsets_(std::move(offset)),
    gravity_(static_cast<std::size_t>(robot.joints))
  {
    if (!subtracts_ && !replaces_ && content != "full") {
      throw std::invalid_argument(
              "effort_content: expected full, without_gravity or gravity_only, got " + content);
    }
    if (content != "full" && count != gravity_.size()) {
      throw std::invalid_argument(
              "effort_content: expected full for joints with several motors, got " + content);
    }
    multiply("effort_sign", sign);
    multiply("effort_scale", scale);
    if (offsets_.empty()) {
      offsets_.assign(count, 0.0);
    }
    require("effort_offset", offsets_);
  }

  bool full() const noexcept {return !(subtracts_ || replaces_);}
  const std::vector<double> & gains() const noexcept {return gains_;}
  const std::vector<double> & offsets() const noexcept {return offsets_;}

  // Write efforts at positions q of the joints as they are sent.
  void convert(const double * q, const double * efforts, double * sent) noexcept
  {
    if (subtracts_ || replaces_) {
      robot_.gravity_forces(q, gravity_.data());
    }
    for (std::size_t i = 0; i < gains_.size(); ++i) {
      const double part =
        replaces_ ? gravity_[i] : subtracts_ ? efforts[i] - gravity_[i] : efforts[i];
      sent[i] = part * gains_[i] + offsets_[i];
    }
  }

private:
  void require(const char * name, const std::vector<double> & values) const
  {
    bool good = values.size() == gains_.size();
    for (const double value : values) {
      good = good && std::isfinite(value);
    }
    if (!good) {
      throw std::invalid_argument(
              std::string(name) + ": expected " + std::to_string(gains_.size()) +
              " finite numbers, got " + std::to_string(values.size()));
    }
  }

  void multiply(const char * name, const std::vector<double> & factors)
  {
    if (factors.empty()) {
      return;
    }
    require(name, factors);
    for (std::size_t i = 0; i < gains_.size(); ++i) {
      gains_[i] *= factors[i];
    }
  }

  const screw_dynamics_robot_table & robot_;
  bool subtracts_, replaces_;
  std::vector<double> gains_, offsets_, gravity_;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__EFFORT_FORMAT_HPP_
