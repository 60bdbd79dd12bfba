// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commands that begin and end without a step; the laws of the `feedforward` node,
// but that a stall does not delay a ramp.
#ifndef SCREW_DYNAMICS_CONTROLLERS__RAMPS_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__RAMPS_HPP_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace screw_dynamics_controllers
{

// The quintic from 0 to 1 that rests at both ends.
inline double blend(double s) noexcept
{
  return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

inline double share_of(std::int64_t passed, double length) noexcept
{
  return length > 0.0 ? std::clamp(1e-9 * static_cast<double>(passed) / length, 0.0, 1.0) : 1.0;
}

// Write the offsets that keep m values, followed by their rates, where they were `2 half` s before:
// the part of their change that the rates do not explain, and no more than the change. Offsets of
// the rates that are kept are explained, too.
inline void take_up(
  const double * before, const double * after, std::size_t m, double half, const double * kept,
  double * offsets) noexcept
{
  for (std::size_t i = 0; i < m; ++i) {
    const double change = after[i] - before[i], size = std::abs(change);
    const double rates = before[m + i] + after[m + i] + (kept != nullptr ? kept[i] : 0.0);
    offsets[i] = std::clamp(half * rates - change, -size, size);
  }
}

// Offsets of m values and their slopes, which decay by quintics, each over its own length.
class Blend
{
public:
  explicit Blend(std::size_t count)
  : count_(count), values_(most * count), slopes_(most * count)
  {
  }

  void clear() noexcept {std::fill(lengths_.begin(), lengths_.end(), 0.0);}

  // Begin to decay from offsets within a length [s]; changes that follow each other closely are
  // drawn together.
  void add(const double * values, const double * slopes, double length) noexcept
  {
    if (!(length > 0.0)) {
      return;
    }
    if (!(lengths_[newest_] >= length && passed_[newest_] < lengths_[newest_] / 8.0)) {
      begin(length);
    }
    const Weights w(passed_[newest_], lengths_[newest_]);
    const double determinant = w.value * w.slope_rate - w.slope * w.value_rate;
    for (std::size_t i = 0; i < count_; ++i) {
      const double slope = slopes != nullptr ? slopes[i] : 0.0;
      const std::size_t place = newest_ * count_ + i;
      values_[place] += (w.slope_rate * values[i] - w.slope * slope) / determinant;
      slopes_[place] += (w.value * slope - w.value_rate * values[i]) / determinant;
    }
  }

  void advance(double step) noexcept
  {
    for (std::size_t k = 0; k < most; ++k) {
      passed_[k] += step;
      if (passed_[k] >= lengths_[k]) {
        lengths_[k] = 0.0;
      }
    }
  }

  // Add what is left to values and, if given, to their slopes.
  void apply(double * values, double * slopes) const noexcept
  {
    for (std::size_t k = 0; k < most; ++k) {
      if (lengths_[k] == 0.0) {
        continue;
      }
      const Weights w(passed_[k], lengths_[k]);
      for (std::size_t i = 0; i < count_; ++i) {
        const std::size_t place = k * count_ + i;
        values[i] += values_[place] * w.value + slopes_[place] * w.slope;
        if (slopes != nullptr) {
          slopes[i] += values_[place] * w.value_rate + slopes_[place] * w.slope_rate;
        }
      }
    }
  }

private:
  static constexpr std::size_t most = 9;

  // What is left of a value and of a slope of 1, and their rates.
  struct Weights
  {
    Weights(double passed, double length) noexcept
    {
      const double s = passed / length, left = (1.0 - s) * (1.0 - s);
      value = 1.0 - blend(s);
      slope = length * s * left * (1.0 - s) * (1.0 + 3.0 * s);
      value_rate = -30.0 * s * s * left / length;
      slope_rate = 1.0 - s * s * (18.0 - s * (32.0 - 15.0 * s));
    }
    double value, slope, value_rate, slope_rate;
  };

  // Begin a blend without offsets, into which all are drawn together if none is free.
  void begin(double length) noexcept
  {
    newest_ = static_cast<std::size_t>(
      std::find(lengths_.begin(), lengths_.end(), 0.0) - lengths_.begin());
    const bool full = newest_ == most;
    if (full) {
      newest_ = 0;
      length = std::max(length, *std::max_element(lengths_.begin(), lengths_.end()));
    }
    for (std::size_t i = 0; i < count_; ++i) {
      double value = 0.0, slope = 0.0;
      for (std::size_t k = 0; k < most && full; ++k) {
        const Weights w(passed_[k], lengths_[k]);
        value += values_[k * count_ + i] * w.value + slopes_[k * count_ + i] * w.slope;
        slope += values_[k * count_ + i] * w.value_rate + slopes_[k * count_ + i] * w.slope_rate;
      }
      values_[newest_ * count_ + i] = value;
      slopes_[newest_ * count_ + i] = slope;
    }
    if (full) {
      clear();
    }
    passed_[newest_] = 0.0;
    lengths_[newest_] = length;
  }

  std::size_t count_, newest_ = 0;
  std::vector<double> values_, slopes_;
  std::array<double, most> passed_{}, lengths_{};
};

// Blends commands from their value at rest to the efforts, and back where these end. A blend takes
// longer than the duration if it would use more than half of a rate, and waits if blend and target
// together would exceed a rate that the target alone keeps.
class CommandRamp
{
public:
  CommandRamp(std::vector<double> rest, std::vector<double> rates, double duration)
  : values_(rest), rest_(std::move(rest)), from_(rest_), move_(rest_.size()),
    rates_(std::move(rates)), duration_(duration),
    limited_(std::any_of(rates_.begin(), rates_.end(), [](double r) {return std::isfinite(r);}))
  {
  }

  const std::vector<double> & values() const noexcept {return values_;}
  bool moving() const noexcept {return moving_ || behind_;}

  // Set the duration of the ramps that begin from now on [s].
  void set_duration(double duration) noexcept {duration_ = duration;}

  // Return to rest at once.
  void reset() noexcept
  {
    std::copy(rest_.begin(), rest_.end(), values_.begin());
    following_ = moving_ = behind_ = false;
  }

  // Advance on the way to a target at a time [ns].
  void follow(const double * target, std::int64_t now) noexcept
  {
    if (!following_) {
      begin(target, now);
      following_ = true;
    }
    advance(target, now);
  }

  // Advance on the way to rest, where it is at once without a ramp; return false if it is there.
  bool release(std::int64_t now) noexcept
  {
    if (following_) {
      begin(rest_.data(), now);
      following_ = false;
    }
    if (moving()) {
      advance(rest_.data(), now);
    }
    return moving();
  }

private:
  static constexpr double steepest = 1.875;  // slope of the blend
  static constexpr double share = 0.5;       // of a limit of the rate, for the blend

  void begin(const double * target, std::int64_t now) noexcept
  {
    double slowest = 0.0;
    for (std::size_t j = 0; j < values_.size(); ++j) {
      from_[j] = values_[j];
      slowest = std::max(slowest, std::abs(target[j] - from_[j]) / rates_[j]);
    }
    length_ = duration_ > 0.0 ? std::max(duration_, steepest / share * slowest) : 0.0;
    since_ = last_ = now;
    moving_ = true;
    weight_ = 0.0;
  }

  void advance(const double * target, std::int64_t now) noexcept
  {
    const double change = 1e-9 * static_cast<double>(now - last_);
    last_ = now;
    if (moving_) {
      double weight = blend(share_of(now - since_, length_));
      for (std::size_t j = 0; j < values_.size(); ++j) {
        move_[j] = target[j] - from_[j];
      }
      if (limited_ && length_ > 0.0) {
        weight = allowed(weight, change);
      }
      weight_ = weight;
      moving_ = weight < 1.0;
      if (moving_) {
        for (std::size_t j = 0; j < values_.size(); ++j) {
          values_[j] = from_[j] + move_[j] * weight;
        }
        return;
      }
    }
    behind_ = false;
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const double most = rates_[j] * change * (1.0 + 1e-6) + 1e-9;  // led there at this rate
      values_[j] = limited_ ?
        std::clamp(target[j], values_[j] - most, values_[j] + most) : target[j];
      behind_ = behind_ || values_[j] != target[j];
    }
  }

  // The largest weight from the present one to `weight` that keeps the rates.
  double allowed(double weight, double change) noexcept
  {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      if (move_[j] != 0.0) {
        const double passed = values_[j] - from_[j];
        const double ahead = std::copysign(passed, move_[j] * passed) + rates_[j] * change;
        weight = std::min(weight, ahead / std::abs(move_[j]));
      }
    }
    return std::max(weight, weight_);
  }

  std::vector<double> values_, rest_, from_, move_, rates_;
  double duration_, length_ = 0.0, weight_ = 0.0;
  std::int64_t since_ = 0, last_ = 0;
  bool limited_, following_ = false, moving_ = false;
  bool behind_ = false;  // a rate keeps the values from their target
};

// Leads positions and velocities from where the robot rests to a reference, within limits. The
// distance from it and its velocity at the beginning decay by a quintic. At the end the positions
// stay, and the velocities lead to 0.
class MotionRamp
{
public:
  // Limits (m) of positions, and of velocities, which positions do not exceed between updates.
  MotionRamp(
    std::vector<double> lower, std::vector<double> upper, std::vector<double> fastest,
    double duration)
  : positions_(lower.size()), velocities_(lower.size()), distance_(lower.size()),
    velocity_(lower.size()), before_(lower.size()), lower_(std::move(lower)),
    upper_(std::move(upper)), fastest_(std::move(fastest)), duration_(duration), length_(duration)
  {
  }

  const std::vector<double> & positions() const noexcept {return positions_;}
  const std::vector<double> & velocities() const noexcept {return velocities_;}

  // Set the duration of the ramps that begin from now on [s].
  void set_duration(double duration) noexcept {duration_ = duration;}

  // Forget the present command: the next one begins at the measured positions.
  void reset() noexcept
  {
    std::fill(velocities_.begin(), velocities_.end(), 0.0);
    following_ = moving_ = false;
  }

  // Begin at positions, or at the present command unless that has ended and rests.
  void begin(
    const double * start, const double * positions, const double * velocities,
    std::int64_t now) noexcept
  {
    if (!(following_ || moving_)) {
      std::copy(start, start + positions_.size(), positions_.begin());
    }
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      distance_[i] = positions_[i] - positions[i];
      velocity_[i] = velocities_[i] - velocities[i];
    }
    since_ = last_ = now;
    following_ = moving_ = true;
    length_ = duration_;
  }

  // Advance on the way to a motion at a time [ns].
  void follow(const double * positions, const double * velocities, std::int64_t now) noexcept
  {
    const double change = 1e-9 * static_cast<double>(now - last_);
    last_ = now;
    before_ = positions_;
    std::copy(positions, positions + positions_.size(), positions_.begin());
    std::copy(velocities, velocities + velocities_.size(), velocities_.begin());
    if (moving_) {
      lead(now);
    }
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const double most = fastest_[i] * change * (1.0 + 1e-6) + 1e-9;
      positions_[i] = std::clamp(positions_[i], before_[i] - most, before_[i] + most);
      positions_[i] = std::min(std::max(positions_[i], lower_[i]), upper_[i]);
      velocities_[i] = std::clamp(velocities_[i], -fastest_[i], fastest_[i]);
    }
  }

  // Advance the velocities on their way to 0; return false if they are there.
  bool release(std::int64_t now) noexcept
  {
    if (following_) {
      velocity_ = velocities_;
      since_ = now;
      following_ = false;
      length_ = duration_;
      moving_ = std::any_of(
        velocities_.begin(), velocities_.end(), [](double v) {return v != 0.0;});
    }
    if (!moving_) {
      return false;
    }
    const double s = share_of(now - since_, length_);
    for (std::size_t i = 0; i < velocities_.size(); ++i) {
      velocities_[i] = velocity_[i] * (1.0 - blend(s));
    }
    moving_ = s < 1.0;
    return true;
  }

private:
  // Add what is left of the distance and the velocity at the beginning.
  void lead(std::int64_t now) noexcept
  {
    const double s = share_of(now - since_, length_);
    const double rest = s * s, left = (1.0 - s) * (1.0 - s);
    moving_ = s < 1.0;
    // the quintics with value 1 and with slope 1 at s = 0, 0 up to the second derivative at 1
    const double value = 1.0 - blend(s);
    const double slope = length_ * s * left * (1.0 - s) * (1.0 + 3.0 * s);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      positions_[i] = positions_[i] + distance_[i] * value + velocity_[i] * slope;
      if (moving_) {
        velocities_[i] = velocities_[i] + distance_[i] * (-30.0 * rest * left / length_) +
          velocity_[i] * (1.0 - rest * (18.0 - s * (32.0 - 15.0 * s)));
      }
    }
  }

  std::vector<double> positions_, velocities_, distance_, velocity_, before_;
  std::vector<double> lower_, upper_, fastest_;
  double duration_, length_;
  std::int64_t since_ = 0, last_ = 0;
  bool following_ = false, moving_ = false;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__RAMPS_HPP_
