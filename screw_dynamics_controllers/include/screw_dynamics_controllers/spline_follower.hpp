// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// The motion that applies at an instant, received by another thread.
#ifndef SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "screw_dynamics_controllers/feedforward.hpp"
#include "screw_dynamics_controllers/spline.hpp"

namespace screw_dynamics_controllers
{

// One thread calls `receive`, another one `sample` and `clear`, which neither lock nor allocate
// nor free: what they no longer need is freed by the next `receive`, or by the destructor.
class SplineFollower
{
public:
  SplineFollower() = default;
  SplineFollower(const SplineFollower &) = delete;
  SplineFollower & operator=(const SplineFollower &) = delete;

  ~SplineFollower()
  {
    delete incoming_.load();
    delete current_;
    discard(retired_.load());
  }

  // Follow splines in the order of their begin, each until the next one begins, in place of all
  // that were received before; with none, nothing is followed.
  void receive(std::vector<Spline> splines)
  {
    discard(retired_.exchange(nullptr));
    delete incoming_.exchange(new Item{std::move(splines)});
  }

  // Follow nothing more.
  void clear() noexcept
  {
    retire(incoming_.exchange(nullptr));
    retire(std::exchange(current_, nullptr));
  }

  // Write the joint jet at an instant [ns]; return false if no motion applies.
  bool sample(std::int64_t instant, double * jet, Sample & sample) noexcept
  {
    if (Item * item = incoming_.exchange(nullptr)) {
      retire(std::exchange(current_, item));
      at_ = 0;
    }
    if (current_ == nullptr) {
      return false;
    }
    const auto & splines = current_->splines;
    while (at_ + 1 < splines.size() && splines[at_ + 1].course().begin <= instant) {
      ++at_;
    }
    if (at_ >= splines.size() || instant < splines[at_].course().begin) {
      return false;
    }
    const Course & course = splines[at_].course();
    if (course.release != 0 && instant >= course.release) {
      return false;
    }
    sample.instant = instant;
    sample.rows = jet_rows;
    sample.holds = splines[at_].sample(instant, jet);
    sample.continues = course.continues;
    sample.first = course.motion != motion_;
    sample.jumps = !sample.first && course.speed != speed_;
    motion_ = course.motion;
    speed_ = course.speed;
    return true;
  }

private:
  struct Item
  {
    std::vector<Spline> splines;
    Item * next = nullptr;
  };

  void retire(Item * item) noexcept
  {
    if (item != nullptr) {
      item->next = retired_.load();
      while (!retired_.compare_exchange_weak(item->next, item)) {
      }
    }
  }

  static void discard(Item * item)
  {
    while (item != nullptr) {
      delete std::exchange(item, item->next);
    }
  }

  std::atomic<Item *> incoming_{nullptr}, retired_{nullptr};
  Item * current_ = nullptr;
  std::size_t at_ = 0;         // the spline that was sampled last
  std::uint64_t motion_ = 0;   // its motion
  double speed_ = 1.0;         // and speed
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_
