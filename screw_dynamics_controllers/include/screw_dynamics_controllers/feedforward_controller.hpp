// Copyright screw_dynamics contributors
// SPDX-License-Identifier: Apache-2.0
//
// Controller of ros2_control that commands the efforts of a reference.
#ifndef SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_
#define SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "hardware_interface/handle.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "screw_dynamics_controllers/feedforward.hpp"
#include "screw_dynamics_controllers/feedforward_controller_parameters.hpp"
#include "screw_dynamics_controllers/robot_library.hpp"
#include "screw_dynamics_controllers/spline_follower.hpp"
#include "screw_dynamics_interfaces/msg/joint_spline.hpp"

namespace screw_dynamics_controllers
{

// In a chain the reference is position, velocity and acceleration of every joint, which another
// controller writes; alone it is the spline received last.
class FeedforwardController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;

  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

  // The library of the robot is opened here: a new one is read after a clean-up.
  controller_interface::CallbackReturn on_configure(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_cleanup(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_activate(
    const rclcpp_lifecycle::State & previous_state) override;
  controller_interface::CallbackReturn on_deactivate(
    const rclcpp_lifecycle::State & previous_state) override;

protected:
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
  bool on_set_chained_mode(bool chained_mode) override;

  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using JointSpline = screw_dynamics_interfaces::msg::JointSpline;

  void open_robot();
  void release_robot() noexcept;
  void receive(const JointSpline & message);
  bool sample_chained(std::int64_t now, Sample & sample) noexcept;
  bool read_positions() noexcept;
  void write_commands() noexcept;
  void report();

  // held by all that is not an update while it uses robot or commands
  std::mutex robot_mutex_;
  std::shared_ptr<::feedforward_controller::ParamListener> listener_;
  ::feedforward_controller::Params parameters_;
  std::unique_ptr<RobotLibrary> library_;
  std::unique_ptr<Feedforward> feedforward_;
  std::vector<std::string> joints_, command_joints_;
  std::vector<double> measured_;
  bool moves_ = false;       // commands have positions or velocities
  bool positioned_ = false;  // positions have been commanded since the activation
  SplineFollower splines_;
  rclcpp::Subscription<JointSpline>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::atomic<Quantity> violated_{Quantity::none};
  std::atomic<std::size_t> violating_{0};
  std::atomic<double> value_{0.0}, limit_{0.0};
  Quantity reported_ = Quantity::none;
};

}  // namespace screw_dynamics_controllers

#endif  // SCREW_DYNAMICS_CONTROLLERS__FEEDFORWARD_CONTROLLER_HPP_
