// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// The spline that applies at an instant, received by another thread.
#ifndef SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_

#include <atomic>
#include <cstdint>
#include <utility>

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
    delete next_;
    delete current_;
    discard(retired_.load());
  }

  // Follow a spline from its begin on; it replaces those that begin later.
  void receive(Spline spline)
  {
    discard(retired_.exchange(nullptr));
    delete incoming_.exchange(new Item{std::move(spline)});
  }

  // Follow nothing more.
  void clear() noexcept
  {
    retire(incoming_.exchange(nullptr));
    retire(std::exchange(next_, nullptr));
    retire(std::exchange(current_, nullptr));
  }

  // Write the joint jet at an instant [ns]; return false if no motion has begun.
  bool sample(std::int64_t instant, double * jet, Sample & sample) noexcept
  {
    if (Item * item = incoming_.exchange(nullptr)) {
      retire(std::exchange(next_, item));
    }
    bool first = false;
    if (next_ != nullptr && next_->spline.begin() <= instant) {
      retire(std::exchange(current_, std::exchange(next_, nullptr)));
      first = true;
    }
    if (current_ == nullptr) {
      return false;
    }
    const Spline & spline = current_->spline;
    const double since = 1e-9 * static_cast<double>(instant - spline.begin());
    spline.sample(since, jet);
    sample.instant = instant;
    sample.rows = jet_rows;
    sample.holds = since >= spline.last();
    sample.continues = spline.continues();
    sample.first = first;
    return true;
  }

private:
  struct Item
  {
    Spline spline;
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
  Item * next_ = nullptr;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__SPLINE_FOLLOWER_HPP_
